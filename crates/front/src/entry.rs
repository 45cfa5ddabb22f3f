//! The entry function of a program: `main`, `NAME`, or `FILE:NAME`.
//!
//! A function with external linkage is found by its name in the linked program. A `static` one may not be: clang leaves
//! it out if its file does not use it, linking does too, and another file may have one with the same name. So the front
//! end looks for the file that defines it, compiles that file with all its definitions if necessary, and before linking
//! gives the function a name that no other file shares.

use crate::project::absolute;
use base::Diagnostic;
use std::path::{Component, Path, PathBuf};

/// The requested entry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    /// The file that defines it, or a suffix of its path; `None` if not given.
    pub(crate) file: Option<PathBuf>,
}

/// The place of the entry function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Start {
    /// Linking finds it by its name.
    Shared,
    /// Only the file with this name sees it.
    Hidden { file: String, is_unused: bool },
}

impl Entry {
    /// Parses `NAME` or `FILE:NAME`; without a text it is `main`.
    pub(crate) fn read(text: Option<&str>) -> Entry {
        let text = text.unwrap_or("main");
        match text.rsplit_once(':') {
            // `scope::name` is a C++ name, not a file.
            Some((file, name)) if !file.is_empty() && !file.ends_with(':') => {
                let parts = Path::new(file).components().filter(|part| *part != Component::CurDir);
                Entry { name: name.to_owned(), file: Some(parts.collect()) }
            }
            _ => Entry { name: text.to_owned(), file: None },
        }
    }

    /// The files that the entry may be in: all, if no file was named.
    pub(crate) fn meant<'f>(&self, files: &[&'f Path]) -> Vec<&'f Path> {
        let Some(file) = &self.file else { return files.to_vec() };
        let is_it = |other: &&&Path| absolute(other) == absolute(file);
        let ends_so = |other: &&&Path| absolute(other).ends_with(file);
        match files.iter().find(is_it) {
            Some(exactly) => vec![*exactly],
            None => files.iter().filter(ends_so).copied().collect(),
        }
    }

    /// Error: several files define it.
    pub(crate) fn ambiguous(&self, files: &[&Path]) -> Diagnostic {
        let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
        let first = names.first().map(String::as_str).unwrap_or_default();
        let message = format!("the function `{}` to start in may be that of {}", self.name, names.join(" or of "));
        Diagnostic::error(message).help(format!("say which is meant, for example with --entry {first}:{}", self.name))
    }

    /// Error: the requested definition is weak and overridden.
    pub(crate) fn weak(&self, other: &str) -> Diagnostic {
        let file = self.file.as_deref().unwrap_or(Path::new("")).display();
        Diagnostic::error(format!("the weak definition of `{}` in {file} gives way to that in {other}", self.name))
    }

    /// Error: no file defines it, although one was named.
    pub(crate) fn missing(&self, files: &[&Path]) -> Diagnostic {
        let file = self.file.as_deref().unwrap_or(Path::new("")).display();
        Diagnostic::error(match self.meant(files).as_slice() {
            [] => format!("there is no file {file} among those that are named"),
            _ => format!("{file} defines no function `{}` to start in", self.name),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read() {
        let read = |text: &str| {
            let entry = Entry::read(Some(text));
            (entry.file.map(|file| file.display().to_string()), entry.name)
        };
        assert_eq!(read("f"), (None, "f".to_owned()));
        assert_eq!(read("./a b/c:d.c:f"), (Some("a b/c:d.c".to_owned()), "f".to_owned()));
        assert_eq!(read("scope::f"), (None, "scope::f".to_owned()));
        assert_eq!(Entry::read(None).name, "main");
    }

    #[test]
    fn a_file_is_meant_exactly_or_by_the_end_of_its_path() {
        let files = [Path::new("a.c"), Path::new("sub/a.c"), Path::new("sub/ba.c")];
        let meant = |text: &str| Entry::read(Some(text)).meant(&files);
        assert_eq!(meant("f"), files);
        assert_eq!(meant("a.c:f"), [files[0]]);
        assert_eq!(meant("sub/../sub/a.c:f"), [files[1]]);
        assert_eq!(meant("ba.c:f"), [files[2]]);
        assert_eq!(meant("c.c:f"), [] as [&Path; 0]);
    }
}
