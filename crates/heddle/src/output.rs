//! All output goes through here: standard output that copes with a closed pipe, messages on standard error, files
//! written atomically, the terminal's width and colours.

use anyhow::{Context, Result};
use std::io::{IsTerminal, Write};
use std::path::Path;
use witness::LaneStyle;

/// Writes to standard output. A closed pipe is not an error.
pub(crate) fn emit(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("cannot write to standard output"),
    }
}

/// Writes a line to standard error, if there is one.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}

/// Writes to the file, or to standard output if there is none.
pub(crate) fn deliver(text: &str, file: Option<&Path>) -> Result<()> {
    match file {
        Some(file) => write_whole(file, text.as_bytes()),
        None => emit(text),
    }
}

/// Writes a file atomically: to a new file beside it, which is then renamed. A device, pipe or other special file is
/// written directly.
pub(crate) fn write_whole(file: &Path, contents: &[u8]) -> Result<()> {
    let cannot = || format!("cannot write {}", file.display());
    if std::fs::metadata(file).is_ok_and(|old| !old.is_file()) {
        return std::fs::write(file, contents).with_context(cannot);
    }
    let name = file.file_name().with_context(cannot)?.to_string_lossy().into_owned();
    let beside = file.with_file_name(format!(".{name}.{}.tmp", std::process::id()));
    let written = std::fs::write(&beside, contents).and_then(|()| std::fs::rename(&beside, file));
    if written.is_err() {
        // Removing the remains of a failed attempt is best effort.
        let _ = std::fs::remove_file(&beside);
    }
    written.with_context(cannot)
}

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub(crate) enum Color {
    /// On a terminal, unless NO_COLOR is set.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How lanes are drawn on standard output; `to_file` if the text goes elsewhere.
pub(crate) fn lane_style(color: Color, full: bool, to_file: bool) -> LaneStyle {
    const WIDTH_OF_A_PIPE: usize = 120;
    let on_terminal = !to_file && std::io::stdout().is_terminal();
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let columns = std::env::var("COLUMNS").ok().and_then(|value| value.parse().ok());
    let terminal = terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0));
    let width = if on_terminal { terminal.or(columns) } else { columns }.unwrap_or(WIDTH_OF_A_PIPE);
    let color = match color {
        Color::Auto => on_terminal && !no_color,
        Color::Always => true,
        Color::Never => false,
    };
    LaneStyle { width: width.max(40), color, full }
}

/// A spinner with a message on a terminal's standard error; nothing in a pipe.
pub(crate) fn spinner(message: &str) -> indicatif::ProgressBar {
    if !std::io::stderr().is_terminal() {
        return indicatif::ProgressBar::hidden();
    }
    let bar = indicatif::ProgressBar::new_spinner();
    let style =
        indicatif::ProgressStyle::with_template("{spinner} {msg} {elapsed}").expect("the template should parse");
    bar.set_style(style);
    bar.set_message(message.to_owned());
    bar.enable_steady_tick(std::time::Duration::from_millis(120));
    bar
}
