//! Every program in `tests/programs` loads for both data models, is valid, survives printing and parsing, and nothing in
//! the program's own code is unmodelled. (What the programs assert is checked by running them, elsewhere.)

use front::{load, LoadOptions};
use ir::{DataModel, Program, Stmt};
use std::path::{Path, PathBuf};

fn programs() -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let entries = std::fs::read_dir(directory).expect("the programs should be there");
    let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    paths.sort();
    paths
}

fn is_cpp(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension != "c")
}

/// The texts of checks before undefined operations.
const UNDEFINED: [&str; 2] = [
    "a computed goto to no label of the function",
    "a conversion of a floating-point number to an integer type that does not have the value",
];

/// Unmodelled statements in files of the program (not of models, whose names are in angle brackets).
fn unmodelled(program: &Program) -> Vec<String> {
    let edges = program.functions.iter().flat_map(|function| function.edges.iter());
    edges
        .filter_map(|edge| match &edge.stmt {
            Stmt::Unmodelled(what) => Some(format!("{}: {what}", program.place(edge.span))),
            _ => None,
        })
        .filter(|text| !text.starts_with('<') && !UNDEFINED.iter().any(|what| text.ends_with(what)))
        .collect()
}

fn check(path: &Path, data_model: DataModel) {
    let options = LoadOptions { data_model: Some(data_model), ..LoadOptions::default() };
    let (program, diagnostics) = load(&[path.to_owned()], &options);
    let name = path.display();
    let program = program.unwrap_or_else(|| panic!("{name}: {}", diagnostics[0]));
    assert_eq!(program.data_model, data_model);
    assert_eq!(unmodelled(&program), Vec::<String>::new(), "{name}");
    let problems = ir::validate(&program);
    assert!(problems.is_empty(), "{name}: {problems:?}");
    let mut parsed = ir::parse(&ir::print(&program)).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    // These are not part of the text form.
    parsed.premises.clone_from(&program.premises);
    assert!(parsed == program, "{name} should survive printing and parsing");
}

#[test]
fn c_programs_load() {
    for path in programs().iter().filter(|path| !is_cpp(path)) {
        check(path, DataModel::Lp64);
        check(path, DataModel::Ilp32);
    }
}

#[test]
fn cpp_programs_load() {
    for path in programs().iter().filter(|path| is_cpp(path)) {
        check(path, DataModel::Lp64);
    }
}

#[test]
fn several_files_are_one_program() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/linked");
    let files = ["main.c", "other.c", "third.ll"].map(|name| directory.join(name));
    let (program, diagnostics) = load(&files, &LoadOptions::default());
    let program = program.unwrap_or_else(|| panic!("{}", diagnostics[0]));
    assert_eq!(unmodelled(&program), Vec::<String>::new());
    for name in ["main", "shared", "from_llvm"] {
        assert!(program.function_named(name).is_some(), "{name} should be in the program");
    }
    assert_eq!(program.functions.iter().filter(|function| function.name.starts_with("hidden")).count(), 2);
    assert!(program.object_named("variable").is_some());
    assert!(program.function_named("unused").is_none());
    let main = program.function_named("main").unwrap();
    assert!(program.place(program.functions[main].span).ends_with("main.c:8"));
}

#[test]
fn loading_twice_gives_the_same() {
    let path = programs().into_iter().find(|path| path.ends_with("threads.c")).unwrap();
    let text = || ir::print(&load(std::slice::from_ref(&path), &LoadOptions::default()).0.unwrap());
    assert_eq!(text(), text());
}
