//! `heddle man` and `heddle completions`: generated from the grammar of the command line, so that they always agree
//! with it.

use crate::cli::{Cli, CompletionsArgs, ManArgs};
use crate::output;
use crate::status::Status;
use anyhow::{bail, Context, Result};
use clap::CommandFactory;

/// Runs `heddle man`.
pub(crate) fn run(args: &ManArgs) -> Result<Status> {
    let mut heddle = Cli::command();
    heddle.build();
    if let Some(dir) = &args.dir {
        std::fs::create_dir_all(dir).with_context(|| format!("cannot create {}", dir.display()))?;
        output::write_whole(&dir.join("heddle.1"), &page(&heddle)?)?;
        for command in heddle.get_subcommands() {
            output::write_whole(&dir.join(format!("heddle-{}.1", command.get_name())), &page(command)?)?;
        }
        return Ok(Status::Safe);
    }
    let bytes = match &args.command {
        None => page(&heddle)?,
        Some(name) => match heddle.find_subcommand(name) {
            Some(command) => page(command)?,
            None => bail!("there is no command `{name}`"),
        },
    };
    output::emit(&String::from_utf8_lossy(&bytes))?;
    Ok(Status::Safe)
}

fn page(command: &clap::Command) -> Result<Vec<u8>> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let source = concat!("heddle ", env!("CARGO_PKG_VERSION"));
    let mut bytes = Vec::new();
    let page = clap_mangen::Man::new(command.clone()).title(name).section("1").source(source).manual("Heddle");
    page.render(&mut bytes).context("cannot make the page")?;
    Ok(with_sections(&with_empty_date(&String::from_utf8_lossy(&bytes))).into_bytes())
}

/// The title's fields are the name, the section, the date, the source and the manual. A missing date has to be written
/// as an empty text, or the source would take its place.
fn with_empty_date(page: &str) -> String {
    let Some((before, title)) = page.split_once(".TH ") else { return page.to_owned() };
    format!("{before}.TH {}", title.replacen(" 1  ", " 1 \"\" ", 1))
}

/// Turns the text after the options into sections of their own: `Examples:` begins one, and the lines below it keep
/// their breaks.
fn with_sections(page: &str) -> String {
    let Some((before, extra)) = page.split_once(".SH EXTRA\n") else { return page.to_owned() };
    let (extra, after) = match extra.find("\n.SH ") {
        Some(end) => extra.split_at(end + 1),
        None => (extra, ""),
    };
    let mut sections = String::new();
    let mut keeps_breaks = false;
    for line in extra.lines() {
        let heading = line.split_once(':').filter(|(words, _)| {
            words.starts_with(char::is_uppercase) && words.chars().all(|c| c.is_alphabetic() || c == ' ')
        });
        if keeps_breaks && (heading.is_some() || line.is_empty()) {
            sections.push_str(".fi\n");
            keeps_breaks = false;
        }
        match heading {
            Some((words, rest)) => {
                sections.push_str(&format!(".SH {}\n", words.to_uppercase()));
                keeps_breaks = rest.trim().is_empty();
                sections.push_str(if keeps_breaks { ".nf" } else { rest.trim() });
                sections.push('\n');
            }
            None if line.is_empty() => {}
            None => sections.push_str(&format!("{line}\n")),
        }
    }
    if keeps_breaks {
        sections.push_str(".fi\n");
    }
    format!("{before}{sections}{after}")
}

/// Runs `heddle completions`.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<Status> {
    let mut bytes = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "heddle", &mut bytes);
    output::emit(&String::from_utf8_lossy(&bytes))?;
    Ok(Status::Safe)
}

#[cfg(test)]
mod tests {
    use super::{with_empty_date, with_sections};

    #[test]
    fn the_title_has_all_its_fields() {
        let page = ".el .ds Aq '\n.TH x-y 1  \"x 0.1\" X\n.SH NAME\nx 1  y\n";
        assert_eq!(with_empty_date(page), ".el .ds Aq '\n.TH x-y 1 \"\" \"x 0.1\" X\n.SH NAME\nx 1  y\n");
    }

    #[test]
    fn what_comes_after_the_options_is_put_into_sections() {
        let page = ".SH NAME\nx\n.SH EXTRA\nExit status: 0 or 1.\n\nExamples:\n  x a: b\n  x c\n.SH VERSION\nv1\n";
        let expected =
            ".SH NAME\nx\n.SH EXIT STATUS\n0 or 1.\n.SH EXAMPLES\n.nf\n  x a: b\n  x c\n.fi\n.SH VERSION\nv1\n";
        assert_eq!(with_sections(page), expected);
        assert_eq!(with_sections("no extra"), "no extra");
    }
}
