//! Runs clang: from a C or C++ file, or from text, to bitcode in memory.

use crate::flags::{CLANG, FLAGS};
use base::Diagnostic;
use ir::DataModel;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// The language of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Language {
    /// C.
    C,
    /// C after the preprocessor.
    PreprocessedC,
    /// C++.
    Cpp,
    /// C++ after the preprocessor.
    PreprocessedCpp,
}

/// The input of clang.
#[derive(Clone, Copy)]
pub(crate) enum Input<'a> {
    /// A file.
    File(&'a Path),
    /// Text, with its name in messages.
    Text(&'a str, &'a str),
}

/// Not even always-inlined functions are inlined: the parameters of the copies would live too long.
const PLAIN: &[&str] = &["-Xclang", "-disable-llvm-passes"];

/// In C++: marks the beginnings and ends of lifetimes, which optimisation does anyway, and distinguishes the end of a
/// function that has to return a value from `__builtin_trap`.
const MARKED: &[&str] = &["-Xclang", "-fsanitize-address-use-after-scope", "-fsanitize=return"];

/// For a switch on a constant, clang emits the selected statements and forgets the block that contains them. A label in
/// the condition prevents that.
const KEPT_SWITCHES: &str =
    "-Dswitch(...)=switch(__extension__({__label__ __heddle_switch;__heddle_switch:(__VA_ARGS__);}))";

/// Whether arguments for clang ask it to optimise: the last such argument counts.
pub(crate) fn is_optimised(args: &[String]) -> bool {
    args.iter().rev().find(|arg| arg.starts_with("-O")).is_some_and(|arg| arg != "-O0")
}

/// Makes output of gcc's preprocessor and headers acceptable to clang.
const COMPATIBILITY: &str = include_str!("compatibility.h");

/// Maximum length of clang's messages that is shown.
const MAX_MESSAGE: usize = 4000;

/// The kind of output.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Output {
    /// Bitcode.
    Bitcode,
    /// Text about the layouts of the structures and unions that are used.
    Layouts,
}

/// The result of a compilation.
pub(crate) struct Compiled {
    /// The requested output.
    pub(crate) output: Vec<u8>,
    /// Whether clang warns of an expression that lacks a sequence point, whose behaviour C leaves undefined (C11
    /// 6.5p2).
    pub(crate) is_unsequenced: bool,
}

/// Makes an expression that lacks a sequence point an error.
const REFUSED: &str = "-Werror=unsequenced";
/// Does not make it an error.
const ACCEPTED: &str = "-Wno-error=unsequenced";

/// Compiles the input. A C file that clang rejects for a reason that the compatibility header may remove is tried again
/// with it.
pub(crate) fn compile(
    input: Input<'_>,
    language: Language,
    data_model: DataModel,
    extra: &[String],
    output: Output,
) -> Result<Compiled, Diagnostic> {
    // The exit status shows whether there are such expressions. Other warnings stay warnings, which are not read.
    for (warning, is_unsequenced) in [(REFUSED, false), (ACCEPTED, true)] {
        if let Ok(output) = run(input, language, data_model, extra, (output, false, Some(warning)))? {
            return Ok(Compiled { output, is_unsequenced });
        }
    }
    let compiled = |output| Compiled { output, is_unsequenced: false };
    let message = match run(input, language, data_model, extra, (output, false, None))? {
        Ok(bitcode) => return Ok(compiled(bitcode)),
        Err(message) => message,
    };
    let is_curable = ["malloc", "_Float", "__float128", "atomic"].iter().any(|cause| message.contains(cause));
    if is_curable && matches!(language, Language::C | Language::PreprocessedC) {
        if let Ok(bitcode) = run(input, language, data_model, extra, (output, true, None))? {
            return Ok(compiled(bitcode));
        }
    }
    Err(failure(input, &message))
}

/// Whether a file mentions something that a macro of ours replaces (a weak compare-exchange, a switch), so that it must
/// be preprocessed again.
fn has_macros(input: Input<'_>) -> bool {
    let is_in = |text: &[u8]| {
        ["compare_exchange", "switch"]
            .iter()
            .any(|name| text.windows(name.len()).any(|window| window == name.as_bytes()))
    };
    match input {
        Input::File(path) => is_in(&std::fs::read(path).unwrap_or_default()),
        Input::Text(_, text) => is_in(text.as_bytes()),
    }
}

/// Runs clang once. The outer error is that it could not be run, the inner one is its message.
fn run(
    input: Input<'_>,
    language: Language,
    data_model: DataModel,
    extra: &[String],
    (output, is_compatible, warning): (Output, bool, Option<&str>),
) -> Result<Result<Vec<u8>, String>, Diagnostic> {
    let mut command = Command::new(CLANG);
    command.args(FLAGS.iter().filter(|&&flag| warning.is_none() || flag != "-w"));
    command.arg(match data_model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    });
    command.args(language_args(language, is_compatible || has_macros(input)));
    if !is_optimised(extra) {
        command.args(PLAIN);
        match language {
            Language::C | Language::PreprocessedC => command.arg(KEPT_SWITCHES),
            Language::Cpp | Language::PreprocessedCpp => command.args(MARKED),
        };
    }
    command.args(extra).args(warning.iter().flat_map(|flag| ["-Wno-error", flag])).args(match output {
        Output::Bitcode => ["-o", "-"].as_slice(),
        Output::Layouts => &["-Xclang", "-fdump-record-layouts", "-o", "/dev/null"],
    });
    let mut text = if is_compatible { COMPATIBILITY.to_owned() } else { String::new() };
    match input {
        Input::File(path) if is_compatible && language == Language::PreprocessedC => {
            let source = std::fs::read(path).unwrap_or_default();
            text.push_str(&format!("\n# 1 {:?}\n", path.display().to_string()));
            text.push_str(&with_plain_flag(&String::from_utf8_lossy(&source)));
            command.arg("-");
        }
        Input::File(path) => {
            if is_compatible {
                command.args(["-include", "/dev/stdin"]);
            }
            command.arg("--").arg(path);
        }
        Input::Text(name, source) => {
            let name = name.replace(['\\', '"', '\n'], "_");
            text.push_str(&format!("\n# 1 \"{name}\"\n{source}"));
            command.arg("-");
        }
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| {
        Diagnostic::error(format!("cannot run {CLANG}: {error}"))
            .help("install clang 19 (Debian: apt install clang-19)")
    })?;
    let stdin = child.stdin.take();
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            // clang may stop reading when it has found errors: a broken pipe is no error of its own.
            stdin.map(|mut stdin| stdin.write_all(text.as_bytes()))
        });
        child.wait_with_output()
    });
    let output = output.map_err(|error| Diagnostic::error(format!("cannot read the output of {CLANG}: {error}")))?;
    if output.status.success() {
        return Ok(Ok(output.stdout));
    }
    let message = String::from_utf8_lossy(&output.stderr[..output.stderr.len().min(4 * MAX_MESSAGE)]).into_owned();
    Ok(Err(if message.trim().is_empty() { format!("{CLANG} failed: {}", output.status) } else { message }))
}

/// gcc declares `typedef _Atomic struct { ... } atomic_flag;`, which clang does not allow to be initialised. Flags are
/// only accessed by their own atomic operations, so the type itself need not be atomic.
fn with_plain_flag(source: &str) -> String {
    let start = "typedef _Atomic struct";
    let mut text = source.to_owned();
    if let Some(at) = text.find(start) {
        let is_flag = text[at..].split_once('}').is_some_and(|(_, rest)| rest.trim_start().starts_with("atomic_flag"));
        if is_flag {
            text.replace_range(at..at + start.len(), "typedef struct");
        }
    }
    text
}

/// The language argument; `has_macros`: preprocessed text has macros to expand.
fn language_args(language: Language, has_macros: bool) -> Vec<&'static str> {
    match language {
        Language::C => vec!["-x", "c"],
        Language::PreprocessedC if has_macros => vec!["-x", "c"],
        Language::PreprocessedC => vec!["-x", "cpp-output"],
        Language::Cpp => vec!["-x", "c++", "-std=c++17"],
        Language::PreprocessedCpp if has_macros => vec!["-x", "c++", "-std=c++17"],
        Language::PreprocessedCpp => vec!["-x", "c++-cpp-output", "-std=c++17"],
    }
}

/// clang's own message, up to a readable length.
fn failure(input: Input<'_>, message: &str) -> Diagnostic {
    let name = match input {
        Input::File(path) => path.display().to_string(),
        Input::Text(name, _) => name.to_owned(),
    };
    let mut text: String = message.trim_end().chars().take(MAX_MESSAGE).collect();
    if text.len() < message.trim_end().len() {
        text.push_str(" ...");
    }
    Diagnostic::error(format!("{name} does not compile\n{text}"))
}
