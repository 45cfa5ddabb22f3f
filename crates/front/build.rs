//! Compiles the models of library functions (`models/*.c`) to bitcode for both data models, and writes the table that
//! `src/models.rs` includes: the name of each file, its bitcode, and its definitions.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

#[path = "src/flags.rs"]
mod flags;

fn main() {
    println!("cargo::rerun-if-changed=models");
    println!("cargo::rerun-if-changed=src/flags.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo should set OUT_DIR"));
    let mut files: Vec<PathBuf> = fs::read_dir("models")
        .map(|entries| entries.filter_map(|entry| Some(entry.ok()?.path())).collect())
        .unwrap_or_default();
    files.retain(|file| file.extension().is_some_and(|extension| extension == "c"));
    files.sort();
    let mut table = String::from("pub(super) static TABLE: &[ModelFile] = &[\n");
    for file in &files {
        let name = file.file_stem().expect("a file should have a name").to_string_lossy().into_owned();
        for (model, flag) in [("ilp32", "-m32"), ("lp64", "-m64")] {
            compile(file, &["-o", &format!("{}/{name}.{model}.bc", out.display()), flag]);
        }
        let text = out.join(format!("{name}.ll"));
        compile(file, &["-S", "-o", &text.to_string_lossy(), "-m64"]);
        let text = fs::read_to_string(&text).expect("clang should have written its output");
        let _ = write!(
            table,
            "    ModelFile {{\n        name: {name:?},\n        \
             ilp32: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.ilp32.bc\")),\n        \
             lp64: include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.lp64.bc\")),\n        \
             defines: &{:?},\n    }},\n",
            definitions(&text)
        );
    }
    table.push_str("];\n");
    fs::write(out.join("models.rs"), table).expect("the output directory should be writable");
}

/// Runs clang on one model; the build fails with a reason if that fails.
fn compile(file: &Path, args: &[&str]) {
    let status = Command::new(flags::CLANG).args(flags::FLAGS).args(flags::MODEL_FLAGS).args(args).arg(file).status();
    match status {
        Ok(status) if status.success() => {}
        Ok(_) => panic!("{} does not compile {}", flags::CLANG, file.display()),
        Err(error) => panic!("{} is needed to build Heddle (Debian: apt install clang-19): {error}", flags::CLANG),
    }
}

/// The names of the functions and variables that a module in text form defines for others.
fn definitions(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for line in text.lines() {
        let is_function = line.starts_with("define ");
        let is_variable = line.starts_with('@') && !line.contains(" = external ");
        let head = line.split('(').next().unwrap_or("");
        if !(is_function || is_variable) || head.contains(" internal ") || head.contains(" private ") {
            continue;
        }
        let Some((_, rest)) = line.split_once('@') else { continue };
        let end = rest.find(['(', ' ']).unwrap_or(rest.len());
        names.push(rest[..end].trim_matches('"'));
    }
    names.sort_unstable();
    names
}
