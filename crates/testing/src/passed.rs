//! A record of passed questions, by the texts of programs. A mutant that leaves the core form of a program unchanged
//! leaves the answer unchanged, so the program need not be checked again.
//!
//! The environment variable HEDDLE_PASSED names the directory of the record; without it there is none. It is valid for
//! one set of engines, so another set needs another directory.

use ir::Program;
use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

/// A question, for which it may be recorded that it was answered correctly.
#[derive(Clone, Debug)]
pub struct Question(Option<PathBuf>);

impl Question {
    /// The question for these texts.
    pub fn new(texts: impl FnOnce() -> Vec<String>) -> Question {
        Question(std::env::var_os("HEDDLE_PASSED").map(|dir| PathBuf::from(dir).join(digest(&texts()))))
    }

    /// Whether it was answered correctly before.
    pub fn is_answered(&self) -> bool {
        self.0.as_ref().is_some_and(|file| file.exists())
    }

    /// Records that it was answered correctly. If that fails it is asked again.
    pub fn answered(&self) {
        if let Some(file) = &self.0 {
            let _ = std::fs::File::create(file);
        }
    }
}

/// A name for texts, of 128 bits.
fn digest(texts: &[String]) -> String {
    let hash = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, texts).hash(&mut hasher);
        hasher.finish()
    };
    format!("{:016x}{:016x}", hash(0), hash(1))
}

/// The text of the reachable part of a program, if that contains none of the functions of `without`.
pub fn reachable(program: &Program, without: &BTreeSet<String>) -> String {
    let text = program.to_string();
    let mut items: BTreeMap<&str, String> = BTreeMap::new();
    let (mut result, mut current) = (String::new(), None);
    // The paths of files make no difference.
    for line in text.lines().filter(|line| !line.starts_with("file ")) {
        if let Some(item) = line.strip_prefix("object ").or_else(|| line.strip_prefix("function ")) {
            current = symbols(item).into_iter().next();
        }
        let into = current.map_or(&mut result, |name| items.entry(name).or_default());
        into.extend([line, "\n"]);
    }
    let mut waiting = vec![result.clone()];
    while let Some(text) = waiting.pop() {
        for name in symbols(&text) {
            if let Some(item) = items.get(name).filter(|_| !without.contains(name)).cloned() {
                result.push_str(&item);
                items.remove(name);
                waiting.push(item);
            }
        }
    }
    result.push_str(&format!("{:?}", program.premises));
    result
}

/// The names after each `@`; text in a string may be mistaken for one.
fn symbols(text: &str) -> Vec<&str> {
    let ends = |rest: &str| match rest.strip_prefix('"') {
        Some(quoted) => quoted.find('"').map_or(rest.len(), |end| end + 2),
        None => rest.find(|c: char| !c.is_ascii_alphanumeric() && !"_.$".contains(c)).unwrap_or(rest.len()),
    };
    text.match_indices('@').map(|(at, _)| &text[at + 1..at + 1 + ends(&text[at + 1..])]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_reached_is_left_out() {
        let text = "heddle-ir 1\ndata-model lp64\nentry @main\nobject @a size 4 align 4 global = zero\n\
                    object @b size 4 align 4 global = zero\n\
                    function @main() {\n  locs 3 entry l0 exit l2\n  l0 -> l1: call @f()\n  l1 -> l2: call @g()\n}\n\
                    function @f() {\n  locs 2 entry l0 exit l1\n  l0 -> l1: store i32 @a, 1:i32\n}\n\
                    function @g() {\n  locs 2 entry l0 exit l1\n  l0 -> l1: store i32 @b, 1:i32\n}\n";
        let program = ir::parse(text).expect("a program");
        let all = reachable(&program, &BTreeSet::new());
        let part = reachable(&program, &BTreeSet::from(["f".to_owned()]));
        assert!(all.contains("object @a") && all.contains("object @b") && all.contains("function @g"), "{all}");
        assert!(!part.contains("object @a") && part.contains("object @b") && !part.contains("function @f"), "{part}");
        assert!(digest(&[all]) != digest(&[part]));
    }
}
