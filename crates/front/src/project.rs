//! Programs of a project, described by a compilation database: how each file is compiled, and which files belong to the requested
//! program.
//!
//! The database is `compile_commands.json` as CMake, Meson, Ninja and Bear write it (Clang's "JSON Compilation Database Format
//! Specification"). Of the compile commands only options that change the meaning of the text are kept: include paths, macros, the
//! language standard, the signedness of `char` and the like. Options for optimisation, warnings and the instruction set are left
//! out.
//!
//! The program consists of the named files, and of those files of the project that define undefined symbols, from the entry
//! function on. Files are searched for names before they are compiled, so the cost of a large project is that of the part used.

use base::Diagnostic;
use ir::DataModel;
use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

/// The usual name of the database.
const DATABASE: &str = "compile_commands.json";

/// How the files of a project are compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Project {
    database: PathBuf,
    units: Vec<Unit>,
}

/// How one file is compiled.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Unit {
    pub(crate) file: PathBuf,
    pub(crate) args: Vec<String>,
    pub(crate) data_model: Option<DataModel>,
    /// The number of other commands for the file with another meaning.
    others: usize,
}

impl Project {
    /// Reads a database, or the one in a directory.
    pub fn read(path: &Path) -> Result<Project, Diagnostic> {
        let database = if path.is_dir() { path.join(DATABASE) } else { path.to_owned() };
        let name = database.display();
        let text = std::fs::read_to_string(&database).map_err(|error| {
            Diagnostic::error(format!("cannot read {name}: {error}")).help(
                "CMake writes it with -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, Meson and Ninja into the build directory, `bear -- make` for make",
            )
        })?;
        let bad = |problem: &str| Diagnostic::error(format!("{name} is not a compilation database: {problem}"));
        let text = text.trim_start_matches('\u{feff}');
        let entries: serde_json::Value = serde_json::from_str(text).map_err(|error| bad(&error.to_string()))?;
        let entries = entries.as_array().ok_or_else(|| bad("it should be a list of compile commands"))?;
        let here = database.parent().map(Path::to_owned).unwrap_or_default();
        let mut units: Vec<Unit> = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            let unit = unit_of(entry, &here).map_err(|problem| bad(&format!("entry {}: {problem}", index + 1)))?;
            // A file that is compiled in several ways is taken as it is compiled first.
            match units.iter_mut().find(|other| other.file == unit.file) {
                Some(first) if first.args == unit.args && first.data_model == unit.data_model => {}
                Some(first) => first.others += 1,
                None if is_source(&unit.file) => units.push(unit),
                None => {}
            }
        }
        Ok(Project { database, units })
    }

    /// The database's name in messages.
    pub(crate) fn name(&self) -> String {
        self.database.display().to_string()
    }

    /// The compilation of a file, if the project has it.
    pub(crate) fn unit(&self, file: &Path) -> Option<&Unit> {
        let file = shortest(&absolute(file));
        self.units.iter().find(|unit| unit.file == file)
    }

    /// The files of the project.
    pub(crate) fn files(&self) -> Vec<&Path> {
        self.units.iter().map(|unit| unit.file.as_path()).collect()
    }

    /// A warning if a file is compiled in several ways, with the chosen one.
    pub(crate) fn choice(&self, file: &Path) -> Option<Diagnostic> {
        let unit = self.unit(file).filter(|unit| unit.others > 0)?;
        let mut args = unit.args.clone();
        args.extend(unit.data_model.map(|model| if model == DataModel::Ilp32 { "-m32" } else { "-m64" }.to_owned()));
        let how = if args.is_empty() { "without options".to_owned() } else { format!("with {}", args.join(" ")) };
        let message = format!(
            "{} is compiled in {} ways by {}; it is taken as in the first, {how}",
            unit.file.display(),
            unit.others + 1,
            self.name()
        );
        let help = "leave the commands that are not meant out of the compilation database";
        Some(Diagnostic::warning(message).help(help))
    }

    /// The files whose text mentions one of the names, except for those that are known already.
    pub(crate) fn mentioning(&self, names: &BTreeSet<String>, known: &BTreeSet<PathBuf>) -> Vec<PathBuf> {
        let unknown = self.units.iter().map(|unit| &unit.file).filter(|file| !known.contains(*file));
        unknown.filter(|file| mentions(file, names)).cloned().collect()
    }
}

/// Whether a name occurs in a file as a word.
fn mentions(file: &Path, names: &BTreeSet<String>) -> bool {
    let Ok(bytes) = std::fs::read(file) else { return false };
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    let mut words = bytes.split(|byte| !is_part(byte)).filter_map(|word| std::str::from_utf8(word).ok());
    words.any(|word| names.contains(word))
}

fn is_source(file: &Path) -> bool {
    let extension = file.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("c" | "i" | "cc" | "cpp" | "cxx" | "C" | "c++" | "ii"))
}

fn unit_of(entry: &serde_json::Value, here: &Path) -> Result<Unit, String> {
    let text = |key: &str| entry.get(key).and_then(serde_json::Value::as_str);
    let directory = here.join(text("directory").unwrap_or_default());
    let file = text("file").ok_or("there is no `file`")?;
    let words: Vec<String> = match (entry.get("arguments").and_then(serde_json::Value::as_array), text("command")) {
        (Some(list), _) => list.iter().filter_map(|word| word.as_str().map(str::to_owned)).collect(),
        (None, Some(command)) => split(command),
        (None, None) => return Err("there is neither `arguments` nor `command`".to_owned()),
    };
    let (args, data_model) = relevant(&with_responses(words, &directory), &directory);
    Ok(Unit { file: shortest(&absolute(&directory.join(file))), args, data_model, others: 0 })
}

/// The words of a command, as a shell would split it.
fn split(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote: Option<char> = None;
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (None, ' ' | '\t' | '\n') => words.extend(word.take()),
            (None, '\'' | '"') => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (Some(open), close) if open == close => quote = None,
            (None | Some('"'), '\\') => word.get_or_insert_default().extend(letters.next()),
            (_, other) => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    words
}

/// Replaces response files (`@file`) by their words.
fn with_responses(words: Vec<String>, directory: &Path) -> Vec<String> {
    let expanded = words.into_iter().flat_map(|word| {
        let text = word.strip_prefix('@').and_then(|file| std::fs::read_to_string(directory.join(file)).ok());
        text.map_or_else(|| vec![word], |text| split(&text))
    });
    expanded.collect()
}

/// Options followed by a path, in the same word or the next.
const WITH_PATH: &[&str] =
    &["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "-isysroot", "--sysroot=", "--sysroot", "-I"];
/// Options followed by another value.
const WITH_VALUE: &[&str] = &["-D", "-U", "-std="];
/// Options without a value.
const ALONE: &[&str] = &[
    "-ansi",
    "-pthread",
    "-nostdinc",
    "-ffreestanding",
    "-fno-builtin",
    "-fgnu89-inline",
    "-fms-extensions",
    "-fshort-enums",
    "-fshort-wchar",
    "-fsigned-char",
    "-funsigned-char",
    "-fwrapv",
];

/// The options of a compile command that change the meaning of the text.
fn relevant(words: &[String], directory: &Path) -> (Vec<String>, Option<DataModel>) {
    let mut args = Vec::new();
    let mut data_model = None;
    let mut words = words.iter().skip(1);
    while let Some(word) = words.next() {
        let starts = |options: &[&'static str]| options.iter().find(|option| word.starts_with(**option)).copied();
        if word == "-m32" {
            data_model = Some(DataModel::Ilp32);
        } else if word == "-m64" {
            data_model = Some(DataModel::Lp64);
        } else if ALONE.contains(&word.as_str()) {
            args.push(word.clone());
        } else if let Some(option) = starts(WITH_PATH) {
            let value = if word == option { words.next().cloned() } else { Some(word[option.len()..].to_owned()) };
            let value = value.unwrap_or_default();
            let path = directory.join(&value);
            // Files included by name may be found elsewhere than in the directory.
            let is_found_elsewhere = matches!(option, "-include" | "-imacros") && !path.exists();
            let path = if is_found_elsewhere { value } else { shortest(&absolute(&path)).display().to_string() };
            match option {
                "--sysroot=" | "-I" => args.push(format!("{option}{path}")),
                _ => args.extend([option.to_owned(), path]),
            }
        } else if let Some(option) = starts(WITH_VALUE) {
            args.push(word.clone());
            if word == option {
                args.extend(words.next().cloned());
            }
        } else if word == "-o" || word == "-x" || word == "-MF" || word == "-MT" || word == "-MQ" {
            words.next();
        }
    }
    (args, data_model)
}

/// The absolute path without `.` and `..`.
pub(crate) fn absolute(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                clean.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => clean.push(part),
        }
    }
    clean
}

/// The path relative to the current directory, if it is below.
fn shortest(path: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).map_or_else(|_| path.to_owned(), Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_split_as_a_shell_would() {
        assert_eq!(split(r#"cc -DA="x y" '-DB=\n' -DC=\"q\"  f.c"#), ["cc", "-DA=x y", r"-DB=\n", r#"-DC="q""#, "f.c"]);
        assert_eq!(split("cc '' a"), ["cc", "", "a"]);
    }

    #[test]
    fn only_what_matters_is_kept() {
        let line = "cc -O2 -DFIRST -Wall -I inc -I/usr/x -DA=1 -D B -std=gnu11 -m32 -o -DNAME -march=native \
                    -include no_such_file.h -c f.c";
        let (args, data_model) = relevant(&split(line), Path::new("/nowhere/build"));
        let expected = [
            "-DFIRST",
            "-I/nowhere/build/inc",
            "-I/usr/x",
            "-DA=1",
            "-D",
            "B",
            "-std=gnu11",
            "-include",
            "no_such_file.h",
        ];
        assert_eq!(args, expected);
        assert_eq!(data_model, Some(DataModel::Ilp32));
    }
}
