//! Programs of `csmith`, and variants of them. Text is changed by lines, as csmith writes them: a global variable, a
//! prototype and the head of a function each have a line of their own.

use anyhow::{ensure, Context, Result};
use ir::DataModel;
use std::fmt::Write as _;
use std::process::Command;

/// A variant of a program for Heddle.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Variant {
    /// The original, with 64-bit pointers.
    Lp64,
    /// The original, with 32-bit pointers.
    Ilp32,
    /// Every function `always_inline`.
    Inlined,
    /// Optimised by clang before it is lowered.
    Optimised,
    /// In two files.
    Split,
}

impl Variant {
    /// All of them.
    pub const ALL: [Variant; 5] = [Variant::Lp64, Variant::Ilp32, Variant::Inlined, Variant::Optimised, Variant::Split];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Variant::Lp64 => "lp64",
            Variant::Ilp32 => "ilp32",
            Variant::Inlined => "inlined",
            Variant::Optimised => "optimised",
            Variant::Split => "split",
        }
    }

    /// Its data model.
    pub(super) fn data_model(self) -> DataModel {
        match self {
            Variant::Ilp32 => DataModel::Ilp32,
            Variant::Lp64 | Variant::Inlined | Variant::Optimised | Variant::Split => DataModel::Lp64,
        }
    }

    /// More arguments for clang.
    pub(super) fn clang_args(self) -> Vec<String> {
        let mut args = vec!["-I/usr/include/csmith".to_owned()];
        match self {
            Variant::Lp64 | Variant::Ilp32 | Variant::Split => {}
            // The functions of csmith's library too.
            Variant::Inlined => args.push(format!("-DSTATIC={INLINE}")),
            Variant::Optimised => args.push("-O1".to_owned()),
        }
        args
    }

    /// The files of the program in this variant, with `end` where the checksum is computed.
    pub(super) fn files(self, source: &str, end: &str) -> Vec<(&'static str, String)> {
        let whole = with_end(source, end);
        match self {
            Variant::Lp64 | Variant::Ilp32 | Variant::Optimised => vec![("program.c", whole)],
            Variant::Inlined => vec![("program.c", inlined(&whole))],
            Variant::Split => {
                let (first, second) = split(&whole);
                vec![("first.c", first), ("second.c", second)]
            }
        }
    }
}

impl std::str::FromStr for Variant {
    type Err = String;

    fn from_str(name: &str) -> Result<Variant, String> {
        let found = Variant::ALL.into_iter().find(|variant| variant.name() == name);
        found.ok_or_else(|| format!("there is no variant `{name}`"))
    }
}

const INLINE: &str = "static inline __attribute__((always_inline))";

/// The options of csmith: for programs that an interpreter can finish.
const OPTIONS: &[&str] = &[
    "--concise",
    "--no-argc",
    "--max-funcs",
    "4",
    "--max-block-depth",
    "3",
    "--max-expr-complexity",
    "6",
    "--max-array-len-per-dim",
    "5",
];

/// The program with a seed.
pub(super) fn generate(seed: u64) -> Result<String> {
    // It writes a platform file into its working directory.
    let mut command = Command::new("csmith");
    command.args(OPTIONS).args(["--seed", &seed.to_string()]).current_dir(std::env::temp_dir());
    let output = command.output();
    let output = output.context("cannot run csmith (Debian: apt install csmith libcsmith-dev)")?;
    ensure!(output.status.success(), "csmith fails on seed {seed}");
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The name of the checksum in the replaced end of `main`.
const CHECKSUM: &str = "crc32_context ^ 0xFFFFFFFFUL";

/// An end that prints the checksum.
pub(super) fn print_checksum() -> String {
    format!("printf(\"%lu\\n\", (unsigned long)(uint32_t)({CHECKSUM}));")
}

/// An end that asserts it.
pub(super) fn assert_checksum(value: u32) -> String {
    format!("if ((uint32_t)({CHECKSUM}) != {value}u) reach_error();")
}

fn with_end(source: &str, end: &str) -> String {
    let mut text = "extern void reach_error(void);\n".to_owned();
    for line in source.lines() {
        let line = if line.trim_start().starts_with("platform_main_end(") { end } else { line };
        let _ = writeln!(text, "{line}");
    }
    text
}

/// Whether a line is a prototype of a function, or the head of its definition.
fn is_function(line: &str) -> bool {
    let name = line.split('(').next().and_then(|head| head.split_ascii_whitespace().last());
    line.starts_with("static ")
        && line.contains('(')
        && name.is_some_and(|name| name.trim_start_matches('*').starts_with("func_"))
}

fn is_global(line: &str) -> bool {
    line.starts_with("static ") && !is_function(line) && line.contains(" = ")
}

fn inlined(source: &str) -> String {
    let mut text = String::new();
    for line in source.lines() {
        match line.strip_prefix("static ").filter(|_| is_function(line)) {
            Some(rest) => {
                let _ = writeln!(text, "{INLINE} {}", rest.trim_start_matches("inline "));
            }
            None => {
                let _ = writeln!(text, "{line}");
            }
        }
    }
    text
}

/// Every second function goes into the second file; nothing is `static` any more.
fn split(source: &str) -> (String, String) {
    let (mut first, mut second) = (String::new(), String::new());
    // The destination of the lines of a body.
    let mut in_second = false;
    let mut in_body = false;
    let mut functions = 0;
    for line in source.lines() {
        let public = line.strip_prefix("static ").map(|rest| rest.trim_start_matches("inline "));
        if in_body {
            let _ = writeln!(if in_second { &mut second } else { &mut first }, "{line}");
            in_body = line != "}";
        } else if let Some(public) = public.filter(|_| is_function(line)) {
            if line.trim_end().ends_with(';') {
                let _ = writeln!(first, "{public}");
                let _ = writeln!(second, "{public}");
            } else {
                functions += 1;
                (in_body, in_second) = (true, functions % 2 == 0);
                let _ = writeln!(if in_second { &mut second } else { &mut first }, "{public}");
            }
        } else if let Some(public) = public.filter(|_| is_global(line)) {
            let _ = writeln!(first, "{public}");
            let declaration = public.split(" = ").next().unwrap_or(public);
            let _ = writeln!(second, "extern {declaration};");
        } else if line.starts_with("int main") {
            (in_body, in_second) = (true, false);
            let _ = writeln!(first, "{line}");
        } else {
            let _ = writeln!(first, "{line}");
            let _ = writeln!(second, "{line}");
        }
    }
    (first, second)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "#include \"csmith.h\"\nstruct S { int f; };\nstatic struct S g_1 = {3};\nstatic int  func_1(void);\n\
         static int * func_2(int p);\nstatic int  func_1(void)\n{\n    return g_1.f;\n}\nstatic int * func_2(int p)\n{\n    \
         return &g_1.f;\n}\nint main (void)\n{\n    platform_main_end(x, y);\n    return 0;\n}\n";

    #[test]
    fn every_function_is_inlined_and_nothing_else() {
        let text = inlined(SOURCE);
        assert_eq!(text.matches("always_inline").count(), 4, "{text}");
        assert!(text.contains("static struct S g_1"), "{text}");
    }

    #[test]
    fn a_split_program_has_each_function_once() {
        let (first, second) = split(&with_end(SOURCE, "END;"));
        let body = "return &g_1.f";
        assert!(first.contains("END;") && !first.contains(body) && second.contains(body), "{first}\n{second}");
        assert!(
            first.contains("\nstruct S g_1 = {3};") && second.contains("extern struct S g_1;"),
            "{first}\n{second}"
        );
        assert!(!second.contains("main") && !first.contains("static"), "{first}\n{second}");
    }
}
