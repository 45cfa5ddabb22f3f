//! The header of a program under `tests/programs` or `tests/tar`. `docs/testing.md` describes the format:
//!
//! ```text
//! // property: unreach   model: tso   truth: unsafe
//! // explore: unsafe
//! ```
//!
//! Keys are separated by two or more spaces. A line with `property:` begins a question; `model:` is `sc` unless given;
//! `data-model:`, `inputs:` (values separated by commas), `region:` (an atomic region), `args:` (for clang) and `libc:`
//! may follow. The recorded verdicts of engines are below it. Anything else in such a line is an error.

use ir::analysis::AtomicRegion;
use ir::{DataModel, MemoryModel, Program, Property};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The engines whose answers are recorded.
pub const ENGINES: [&str; 5] = ["explore", "staged", "priori", "impact", "tar"];

/// One question about a program, with its answer.
#[derive(Clone, Debug)]
pub struct Question {
    /// The property in question.
    pub property: Property,
    /// The memory model.
    pub model: MemoryModel,
    /// Whether the program has the property.
    pub is_safe: bool,
    /// The data model, if it is not the default.
    pub data_model: Option<DataModel>,
    /// The values of inputs, declared to be exhaustive.
    pub inputs: Option<Vec<i128>>,
    /// The regions meant to be atomic.
    pub regions: Vec<AtomicRegion>,
    /// Arguments for clang.
    pub args: Vec<String>,
    /// The source of promises about thread safety.
    pub libc: front::Libc,
    /// The recorded verdict of each engine, with the number of its line, from 0.
    pub recorded: BTreeMap<String, (String, usize)>,
    /// The line of the ground truth, from 0.
    pub line: usize,
}

impl Question {
    /// `safe` or `unsafe`.
    pub fn truth(&self) -> &'static str {
        if self.is_safe {
            "safe"
        } else {
            "unsafe"
        }
    }

    /// The recorded verdict of an engine.
    pub fn recorded(&self, engine: &str) -> Option<&str> {
        self.recorded.get(engine).map(|(says, _)| says.as_str())
    }

    /// The inputs in the form of a task.
    pub fn inputs(&self) -> check::Inputs {
        check::Inputs { values: self.inputs.clone(), promised: self.inputs.is_some() }
    }

    /// Whether another question loads the program in the same way.
    fn loads_as(&self, other: &Question) -> bool {
        (self.data_model, &self.args, self.libc) == (other.data_model, &other.args, other.libc)
    }

    /// Loads the program as the question asks.
    pub fn load(&self, path: &Path) -> Result<Program, String> {
        if path.extension().is_some_and(|ending| ending == "hir") {
            let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
            let program = ir::parse(&text).map_err(|error| error.to_string())?;
            let problems = ir::validate(&program);
            return if problems.is_empty() { Ok(program) } else { Err(format!("{problems:?}")) };
        }
        let options = front::LoadOptions {
            data_model: self.data_model,
            clang_args: self.args.clone(),
            libc: self.libc,
            ..Default::default()
        };
        let (program, diagnostics) = front::load(&[path.to_owned()], &options);
        program.ok_or_else(|| diagnostics.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
    }
}

/// The questions in a text; there is at least one.
pub fn questions(text: &str) -> Result<Vec<Question>, String> {
    let mut questions: Vec<Question> = Vec::new();
    for (line, content) in text.lines().enumerate() {
        let wrong = |what: &str| format!("line {}: {what}", line + 1);
        let Some(pairs) = keys(content) else { continue };
        match pairs.first() {
            Some(("property", _)) => questions.push(question(&pairs, line).map_err(|message| wrong(&message))?),
            Some((engine, _)) if ENGINES.contains(engine) => {
                let question =
                    questions.last_mut().ok_or_else(|| wrong("an engine's line comes before `property:`"))?;
                let says = pairs.iter().map(|(engine, says)| ((*engine).to_owned(), ((*says).to_owned(), line)));
                question.recorded.extend(says);
            }
            _ => {}
        }
    }
    if questions.is_empty() {
        return Err("there is no line `// property: ...   truth: ...`".to_owned());
    }
    Ok(questions)
}

/// The questions about a program.
pub fn questions_of(path: &Path) -> Result<Vec<Question>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string());
    text.and_then(|text| questions(&text)).map_err(|message| format!("{}: {message}", path.display()))
}

/// Asks the wanted questions about a program, which is loaded once for all questions that load it in the same way.
pub fn ask(
    path: &Path,
    wanted: impl Fn(&Question) -> bool,
    asked: &mut dyn FnMut(&Question, &Program),
) -> Result<(), String> {
    let mut loaded: Option<(Question, Program)> = None;
    for question in questions_of(path)?.into_iter().filter(|question| wanted(question)) {
        let (_, program) = match loaded.take().filter(|(before, _)| before.loads_as(&question)) {
            Some(same) => loaded.insert(same),
            None => {
                let program = question.load(path).map_err(|message| format!("{}: {message}", path.display()))?;
                loaded.insert((question.clone(), program))
            }
        };
        asked(&question, program);
    }
    Ok(())
}

/// The pairs in a comment line that consists of nothing else.
fn keys(line: &str) -> Option<Vec<(&str, &str)>> {
    let text = line.strip_prefix("//").or_else(|| line.strip_prefix(";"))?.trim();
    let pairs = text.split("  ").map(str::trim).filter(|part| !part.is_empty());
    pairs.map(|part| part.split_once(':').map(|(key, value)| (key.trim(), value.trim()))).collect()
}

fn question(pairs: &[(&str, &str)], line: usize) -> Result<Question, String> {
    let mut question = Question {
        property: Property::Unreach,
        model: MemoryModel::Sc,
        is_safe: false,
        data_model: None,
        inputs: None,
        regions: Vec::new(),
        args: Vec::new(),
        libc: front::Libc::default(),
        recorded: BTreeMap::new(),
        line,
    };
    let mut truth = None;
    for (key, value) in pairs {
        match *key {
            "property" => question.property = value.parse()?,
            "model" => question.model = value.parse()?,
            "truth" if matches!(*value, "safe" | "unsafe") => truth = Some(*value == "safe"),
            "data-model" if *value == "ilp32" => question.data_model = Some(DataModel::Ilp32),
            "data-model" if *value == "lp64" => question.data_model = Some(DataModel::Lp64),
            "inputs" => {
                let values: Result<Vec<i128>, _> = value.split(',').map(|value| value.trim().parse()).collect();
                question.inputs = Some(values.map_err(|_| format!("`{value}` is not a list of numbers"))?);
            }
            "libc" => question.libc = value.parse()?,
            "region" => question.regions.push(value.parse()?),
            "args" => question.args = value.split_ascii_whitespace().map(str::to_owned).collect(),
            _ => return Err(format!("`{key}: {value}` is not understood")),
        }
    }
    question.is_safe = truth.ok_or("the truth is missing")?;
    Ok(question)
}

/// All programs in a folder of `tests` and the folders below it, sorted. `HEDDLE_ONLY=TEXT` selects by name.
pub fn programs(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    collect(&tests().join(folder), &mut found);
    assert!(!found.is_empty(), "there should be programs in tests/{folder}");
    if let Ok(only) = std::env::var("HEDDLE_ONLY") {
        found.retain(|path| path.to_string_lossy().contains(&only));
    }
    found
}

/// The name of a program, relative to the folder `tests`.
pub fn name(path: &Path) -> String {
    path.strip_prefix(tests()).unwrap_or(path).display().to_string()
}

fn tests() -> PathBuf {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    path.canonicalize().expect("the folder of test programs")
}

fn collect(folder: &Path, programs: &mut Vec<PathBuf>) {
    let entries = std::fs::read_dir(folder).expect("a folder of test programs should be readable");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a readable entry").path()).collect();
    paths.sort();
    for path in paths {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        if path.is_dir() {
            collect(&path, programs);
        } else if matches!(ending, "c" | "cc" | "cpp" | "hir" | "i" | "ii" | "ll") {
            programs.push(path);
        }
    }
}
