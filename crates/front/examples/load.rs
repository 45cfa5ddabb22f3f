//! Loads a program and prints it in the text form: `load [--ilp32] FILE...`. For work on the front end.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::path::PathBuf;

fn main() {
    let mut options = front::LoadOptions::default();
    let mut paths = Vec::new();
    for arg in std::env::args().skip(1) {
        match arg.as_str() {
            "--ilp32" => options.data_model = Some(ir::DataModel::Ilp32),
            _ if arg.starts_with('-') => options.clang_args.push(arg),
            _ => paths.push(PathBuf::from(arg)),
        }
    }
    let loaded = front::load_timed(&paths, &options);
    loaded.diagnostics.iter().for_each(|diagnostic| eprintln!("{diagnostic}"));
    if let Some(program) = loaded.program {
        print!("{}", ir::print(&program));
    }
    eprintln!("clang {:?}, lowering {:?}", loaded.times.clang, loaded.times.lowering);
}
