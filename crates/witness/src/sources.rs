//! The lines of the program's source files. The text is passed in, because only the command line touches files; a file
//! that cannot be read (a preprocessed program names files of another machine) has no lines, and reports do without.

use base::{FileId, Span};
use ir::{is_library_file, Program};

/// The lines of each source file of a program, as far as they could be read.
#[derive(Clone, Default, Debug)]
pub struct Sources {
    names: Vec<String>,
    lines: Vec<Vec<String>>,
}

impl Sources {
    /// Asks `read` for the text of each file of the program.
    pub fn new(program: &Program, mut read: impl FnMut(&str) -> Option<String>) -> Sources {
        let names: Vec<String> = program.files.iter().cloned().collect();
        let lines = names
            .iter()
            .map(|name| if is_library_file(name) { None } else { read(name) })
            .map(|text| text.map(|text| text.lines().map(str::to_owned).collect()).unwrap_or_default())
            .collect();
        Sources { names, lines }
    }

    /// The line at a position, if it is known.
    pub fn line(&self, span: Span) -> Option<&str> {
        let lines = self.lines.get(index(span.file))?;
        let line = usize::try_from(span.line).ok()?.checked_sub(1)?;
        lines.get(line).map(String::as_str)
    }

    /// The lines of a file, by its name, if they are known.
    pub fn file(&self, name: &str) -> Option<&[String]> {
        let index = self.names.iter().position(|other| other == name)?;
        self.lines.get(index).map(Vec::as_slice).filter(|lines| !lines.is_empty())
    }

    /// Whether the position is in user code, rather than in a model or a system header.
    pub fn is_users(&self, span: Span) -> bool {
        span.is_known() && self.names.get(index(span.file)).is_some_and(|name| !is_library_file(name))
    }
}

fn index(file: FileId) -> usize {
    base::Id::index(file)
}
