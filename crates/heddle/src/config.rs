//! `heddle.toml`: defaults for `heddle check`.
//!
//! The table `[check]` has the command's options by their long names, so there is only one set of names to learn.
//! Settings are put in front of the arguments, unless the command line has the same option, or one that excludes it.
//! Paths are relative to the file. Arguments for clang cannot be set there: inspecting an untrusted project must not
//! run its code.

use crate::cli::{Cli, Command};
use anyhow::{anyhow, bail, Context, Result};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, CommandFactory, Parser};
use serde::Deserialize;
use std::any::TypeId;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use toml::{Spanned, Value};

/// The file's name.
pub(crate) const NAME: &str = "heddle.toml";

/// Options that are rejected in the file.
const REFUSED: &[&str] = &["config", "no-config", "update-baseline", "clang-args", "help", "version"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    #[serde(default)]
    check: BTreeMap<Spanned<String>, Value>,
}

/// The command line, with the settings if the command takes any; an error of clap is a complete message.
pub(crate) fn parse(words: Vec<OsString>) -> Result<Result<Cli, clap::Error>> {
    let Ok(matches) = lenient().try_get_matches_from(&words) else { return Ok(Cli::try_parse_from(words)) };
    let Some(("check", given)) = matches.subcommand() else { return Ok(Cli::try_parse_from(words)) };
    let Some(file) = settings_file(given)? else { return Ok(Cli::try_parse_from(words)) };
    let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let extra = arguments(&text, &file, given)?;
    let at = words.iter().position(|word| word == "check").map_or(words.len(), |at| at + 1);
    let mut all = words;
    all.splice(at..at, extra);
    let mut cli = Cli::try_parse_from(all);
    if let Ok(Cli { command: Command::Check(args) }) = &mut cli {
        args.keep.settings = Some(file);
    }
    Ok(cli)
}

/// The unknown option of `check` that an error is about, if `lab` has it.
pub(crate) fn switch_of_lab(error: &clap::Error) -> Option<String> {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    let ContextValue::String(given) = error.get(ContextKind::InvalidArg)? else { return None };
    let long = given.strip_prefix("--")?.split('=').next()?;
    let command = Cli::command();
    let has = |name: &str| {
        let found = command.find_subcommand(name)?.get_arguments().any(|option| option.get_long() == Some(long));
        Some(found)
    };
    (error.kind() == ErrorKind::UnknownArgument && has("lab")? && !has("check")?).then(|| format!("--{long}"))
}

/// A grammar that accepts incomplete `heddle check` commands: missing arguments may be in the settings, and the result
/// is parsed again.
fn lenient() -> clap::Command {
    Cli::command().ignore_errors(true).mut_subcommand("check", |check| check.ignore_errors(true))
}

/// The settings file that applies: the given one, or the nearest one.
fn settings_file(given: &ArgMatches) -> Result<Option<PathBuf>> {
    // Where errors are ignored, flags need not have values.
    if given.value_source("no_config") == Some(ValueSource::CommandLine) {
        return Ok(None);
    }
    if let Some(file) = given.get_one::<PathBuf>("config") {
        return Ok(Some(file.clone()));
    }
    let here = std::env::current_dir().context("cannot tell the working directory")?;
    let found = here.ancestors().map(|dir| dir.join(NAME)).find(|file| file.is_file());
    Ok(found.map(|file| file.strip_prefix(&here).map(Path::to_owned).unwrap_or(file)))
}

/// The arguments that the settings add to the given ones.
fn arguments(text: &str, file: &Path, given: &ArgMatches) -> Result<Vec<OsString>> {
    let name = file.display();
    let settings: Settings = toml::from_str(text).map_err(|error| {
        let error = error.to_string();
        // `check` is the only table; this key is outside it.
        let help =
            if error.contains("expected `check`") { "\n  help: settings stand below a line [check]" } else { "" };
        anyhow!("{name}: {}{help}", error.trim_end())
    })?;
    let command = Cli::command();
    let check = command.find_subcommand("check").context("there should be a command `check`")?;
    let mut words = Vec::new();
    for (key, value) in &settings.check {
        let line = text[..key.span().start].matches('\n').count() + 1;
        let place = format!("{name}:{line}");
        let option = check.get_arguments().find(|option| name_of(option) == **key.get_ref());
        let Some(option) = option.filter(|_| !REFUSED.contains(&key.get_ref().as_str())) else {
            let meant = similar(check, key.get_ref()).map(|name| format!("; perhaps `{name}` is meant"));
            bail!(
                "{place}: there is no setting `{}`\n  help: settings are the long options of `heddle check`{}",
                key.get_ref(),
                meant.unwrap_or_default()
            );
        };
        let added = as_arguments(option, value, file).map_err(|problem| anyhow!("{place}: {problem}"))?;
        alone(&added).map_err(|problem| anyhow!("{place}: {problem}"))?;
        let is_given = |option: &Arg| given.value_source(option.get_id().as_str()) == Some(ValueSource::CommandLine);
        let excludes =
            |one: &Arg, other: &Arg| check.get_arg_conflicts_with(one).iter().any(|arg| arg.get_id() == other.get_id());
        let is_excluded =
            check.get_arguments().any(|other| is_given(other) && (excludes(other, option) || excludes(option, other)));
        if !is_given(option) && !is_excluded {
            words.extend(added);
        }
    }
    Ok(words)
}

/// A similar setting: one that differs in dashes, or the one with this short name.
fn similar(check: &clap::Command, key: &str) -> Option<String> {
    let plain = key.trim_start_matches('-').replace('_', "-").to_lowercase();
    let is_short =
        |option: &Arg| option.get_short().is_some_and(|short| key.trim_start_matches('-') == short.to_string());
    let found = check.get_arguments().find(|option| name_of(option) == plain || is_short(option));
    found.map(name_of).filter(|name| !REFUSED.contains(&name.as_str()))
}

/// The name of an option in the settings.
fn name_of(option: &Arg) -> String {
    option.get_long().map_or_else(|| option.get_id().as_str().replace('_', "-"), str::to_owned)
}

/// The arguments equivalent to a setting.
fn as_arguments(option: &Arg, value: &Value, file: &Path) -> Result<Vec<OsString>> {
    if let ArgAction::SetTrue = option.get_action() {
        return match value {
            Value::Boolean(true) => Ok(vec![flag(option)]),
            Value::Boolean(false) => Ok(vec![]),
            _ => bail!("`{}` is either true or false", name_of(option)),
        };
    }
    let values = match value {
        Value::Array(values) => values.iter().map(scalar).collect::<Result<Vec<String>>>()?,
        value => vec![scalar(value)?],
    };
    let is_path = option.get_value_parser().type_id() == TypeId::of::<PathBuf>();
    let beside = file.parent().unwrap_or(Path::new(""));
    let located = |value: String| if is_path { beside.join(value).into_os_string() } else { value.into() };
    let is_repeated = matches!(option.get_action(), ArgAction::Append);
    if is_path && !is_repeated && values.len() != 1 {
        bail!("`{}` is one path and no list", name_of(option));
    }
    let values: Vec<OsString> = match is_repeated {
        true => values.into_iter().map(located).collect(),
        false => vec![located(values.join(","))],
    };
    Ok(values.into_iter().map(|value| worded(option, value)).collect())
}

fn flag(option: &Arg) -> OsString {
    format!("--{}", name_of(option)).into()
}

fn worded(option: &Arg, value: OsString) -> OsString {
    let mut word: OsString = match (option.get_long(), option.get_short()) {
        (Some(long), _) => format!("--{long}=").into(),
        (None, Some(short)) => format!("-{short}").into(),
        (None, None) => OsString::new(),
    };
    word.push(value);
    word
}

fn scalar(value: &Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        Value::Boolean(_) | Value::Datetime(_) | Value::Array(_) | Value::Table(_) => {
            bail!("this should be a text, a number, or a list of them")
        }
    }
}

/// Whether the arguments are valid by themselves: the message should not blame the command line.
fn alone(added: &[OsString]) -> Result<()> {
    use clap::error::ErrorKind;
    let mut words: Vec<OsString> = vec!["heddle".into(), "check".into()];
    words.extend(added.iter().cloned());
    match Cli::try_parse_from(words) {
        Ok(_) => Ok(()),
        // Options that require or exclude others are checked together with the command line.
        Err(error) if matches!(error.kind(), ErrorKind::MissingRequiredArgument | ErrorKind::ArgumentConflict) => {
            Ok(())
        }
        Err(error) => {
            let text = error.to_string();
            let first = text.lines().next().unwrap_or_default();
            bail!("{}", first.strip_prefix("error: ").unwrap_or(first))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn added(text: &str, line: &str) -> Result<Vec<String>> {
        let matches = lenient().try_get_matches_from(line.split(' ')).expect("the line should parse");
        let (_, given) = matches.subcommand().expect("it should have a command");
        let words = arguments(text, Path::new("sub/heddle.toml"), given)?;
        Ok(words.into_iter().map(|word| word.to_string_lossy().into_owned()).collect())
    }

    #[test]
    fn settings_become_arguments() {
        let text = "[check]\nproperty = [\"race\", \"unreach\"]\ntimeout = 2.5\nfull = true\nassume-ra = false\n\
                    include = [\"a\", \"/b\"]\ndefine = \"X=1\"\nfiles = [\"m.c\"]\n";
        let expected = ["-DX=1", "sub/m.c", "--full", "-Isub/a", "-I/b", "--property=race,unreach", "--timeout=2.5"];
        assert_eq!(added(text, "heddle check").expect("it should be read"), expected);
    }

    #[test]
    fn the_command_line_counts_more() {
        let text = "[check]\nengine = \"staged\"\nproperty = \"race\"\nfiles = [\"m.c\"]\n";
        let got = added(text, "heddle check a.c --property unreach").expect("it should be read");
        assert_eq!(got, ["--engine=staged"]);
        let got = added(text, "heddle check a.c --slice run:1").expect("it should be read");
        assert_eq!(got, ["--property=race"], "a slice has no engine");
    }

    #[test]
    fn what_is_wrong_is_reported_with_its_line() {
        let problem = |text: &str| added(text, "heddle check a.c").expect_err("it should be refused").to_string();
        assert!(problem("[check]\ntimeout = 1\nproprety = \"race\"\n")
            .starts_with("sub/heddle.toml:3: there is no setting `proprety`"));
        assert!(problem("[check]\nengine = \"magic\"\n").starts_with("sub/heddle.toml:2: invalid value 'magic'"));
        assert!(problem("[check]\nfull = 1\n").contains("either true or false"));
        assert!(problem("[check]\nclang-args = [\"-fplugin=x.so\"]\n").contains("there is no setting"));
        assert!(problem("[chekc]\n").contains("unknown field"));
        assert!(problem("project = \"build\"\n").ends_with("\n  help: settings stand below a line [check]"));
        assert!(problem("[check]\nproject = [\"a\", \"b\"]\n").ends_with(":2: `project` is one path and no list"));
        for (wrong, right) in [("memory_model", "memory-model"), ("p", "project"), ("I", "include")] {
            let expected = format!("; perhaps `{right}` is meant");
            assert!(problem(&format!("[check]\n{wrong} = \"x\"\n")).ends_with(&expected), "{wrong}");
        }
        assert!(problem("[check\n").starts_with("sub/heddle.toml: "));
    }
}
