//! Checks of single files: headers, lengths of files and functions, leftovers.

use super::Finding;

/// Past these a reviewer is asked; files past the second are an error.
const FUNCTION_LINES: usize = 80;
const FILE_LINES: usize = 1000;

/// Text that must not occur in a Rust file. Written in two parts so that this file passes its own check.
const UNFINISHED: [(&str, &str); 6] = [
    (concat!("to", "do!("), "unfinished code"),
    (concat!("unimple", "mented!("), "unfinished code"),
    (concat!("FIX", "ME"), "unfinished code"),
    (concat!("XX", "X"), "unfinished code"),
    (concat!("#[ig", "nore"), "a test that does not run"),
    (concat!("#[should_", "panic"), "a test that cannot say what it expects"),
];

/// Comparisons that a new memory model would pass without a decision.
const ONE_MODEL: [&str; 2] = [concat!("== Memory", "Model::"), concat!("!= Memory", "Model::")];

/// Directories of a user's machine, and addresses of package registries.
const MACHINE: [&str; 9] = [
    concat!("/ho", "me/"),
    concat!("/ro", "ot/"),
    concat!("/Us", "ers/"),
    concat!("/wo", "rk/"),
    concat!("/tm", "p/"),
    concat!("index.crates", ".io"),
    concat!("static.crates", ".io"),
    concat!("deb.debian", ".org"),
    concat!("archive.ubuntu", ".com"),
];

/// The only package source that the lock file may name.
const CRATES_IO: &str = "source = \"registry+https://github.com/rust-lang/crates.io-index\"";

pub(super) fn check(path: &str, text: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    if path.ends_with(".rs") {
        check_rust(path, text, &mut findings);
    }
    for (index, line) in text.lines().enumerate() {
        for needle in MACHINE {
            if line.contains(needle) {
                findings.push(Finding::error(path, index + 1, format!("names a place outside the project: {needle}")));
            }
        }
        if path == "Cargo.lock" && line.starts_with("source = ") && line != CRATES_IO {
            findings.push(Finding::error(path, index + 1, "a package from somewhere else than crates.io"));
        }
    }
    findings
}

fn check_rust(path: &str, text: &str, findings: &mut Vec<Finding>) {
    if !text.starts_with("//!") {
        findings.push(Finding::error(
            path,
            1,
            "does not open with `//!`: what it does, which paper, what it cannot do",
        ));
    }
    let lines = text.lines().count();
    if lines > FILE_LINES {
        findings.push(Finding::error(path, 0, format!("{lines} lines: a second idea wants its own file")));
    }
    for (index, line) in text.lines().enumerate() {
        for (needle, what) in UNFINISHED {
            if line.contains(needle) {
                findings.push(Finding::error(path, index + 1, format!("{what}: {needle}")));
            }
        }
        // The crate depends on `ir`, and with it on the analyses that the engines use: their errors would be its own.
        if path.starts_with("crates/recheck/") && line.contains("analysis::") {
            findings.push(Finding::error(path, index + 1, "`recheck` asks an analysis that the engines ask, too"));
        }
    }
    for (index, line) in text.lines().enumerate().filter(|_| path.contains("/src/")) {
        if ONE_MODEL.iter().any(|needle| line.contains(needle)) {
            let message = "compares memory models: ask what the model does (`ir::memory_model`) or match exhaustively";
            findings.push(Finding::error(path, index + 1, message));
        }
    }
    for (line, name, length) in functions(text) {
        if length > FUNCTION_LINES {
            findings.push(Finding::question(path, line, format!("`{name}` has {length} lines")));
        }
    }
}

/// Line, name and length of every function, by rustfmt's layout: it ends at the brace in its own column.
fn functions(text: &str) -> Vec<(usize, String, usize)> {
    let mut found = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    for (start, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let column = line.len() - line.trim_start().len();
        let closing = format!("{}}}", " ".repeat(column));
        if let Some(length) = lines[start..].iter().position(|line| *line == closing) {
            found.push((start + 1, name.to_owned(), length + 1));
        }
    }
    found
}

/// The name of the function whose signature starts on this line, unless it also ends there.
fn function_name(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    for word in ["pub ", "pub(crate) ", "pub(super) ", "const ", "unsafe ", "extern \"C\" "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let rest = rest.strip_prefix("fn ")?;
    if line.ends_with('}') || line.ends_with(';') {
        return None;
    }
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(path: &str, text: &str) -> Vec<String> {
        check(path, text).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_good_file_passes() {
        assert_eq!(messages("a.rs", "//! Does a thing.\n\nfn f() {}\n"), [""; 0]);
    }

    #[test]
    fn files_open_with_what_they_do() {
        assert!(messages("a.rs", "use b;\n")[0].starts_with("a.rs:1: error: does not open with"));
        assert_eq!(messages("a.c", "int x;\n"), [""; 0]);
    }

    #[test]
    fn nothing_unfinished_is_left() {
        for (needle, _) in UNFINISHED {
            let found = messages("a.rs", &format!("//! A.\nfn f() {{ {needle}) }}\n"));
            assert_eq!(found.len(), 1, "{needle}: {found:?}");
            assert!(found[0].starts_with("a.rs:2: error: "), "{found:?}");
        }
    }

    #[test]
    fn memory_models_are_not_compared() {
        for needle in ONE_MODEL {
            let text = format!("//! A.\nfn f() {{ model {needle}Sc }}\n");
            assert_eq!(messages("crates/a/src/b.rs", &text).len(), 1, "{needle}");
            assert_eq!(messages("crates/a/tests/b.rs", &text), [""; 0]);
        }
    }

    #[test]
    fn the_judge_asks_no_analysis() {
        let text = "//! A.\nuse ir::analysis::Escape;\n";
        assert_eq!(messages("crates/recheck/src/a.rs", text).len(), 1);
        assert_eq!(messages("crates/engines/src/a.rs", text), [""; 0]);
    }

    #[test]
    fn no_machine_is_named() {
        for needle in MACHINE {
            assert_eq!(messages("docs/a.md", &format!("See {needle}x.\n")).len(), 1, "{needle}");
        }
    }

    #[test]
    fn packages_come_from_one_place() {
        assert_eq!(messages("Cargo.lock", &format!("{CRATES_IO}\n")), [""; 0]);
        assert_eq!(messages("Cargo.lock", "source = \"registry+https://example.org/index\"\n").len(), 1);
    }

    #[test]
    fn length_is_an_error_for_files_and_a_question_for_functions() {
        let long = format!("//! A.\n{}", "// b\n".repeat(FILE_LINES));
        assert!(messages("a.rs", &long)[0].contains("error: 1001 lines"));
        let body = "    f();\n".repeat(FUNCTION_LINES - 1);
        let text = format!("//! A.\nimpl A {{\n    pub fn g(\n        a: u8,\n    ) {{\n{body}    }}\n}}\n");
        assert_eq!(messages("a.rs", &text), ["a.rs:3: question: `g` has 83 lines"]);
        let short = format!("//! A.\nfn g() {{\n{}}}\n", "    f();\n".repeat(FUNCTION_LINES - 2));
        assert_eq!(messages("a.rs", &short), [""; 0]);
    }
}
