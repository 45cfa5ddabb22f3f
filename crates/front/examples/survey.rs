//! Loads every program of an index (tab-separated, with a header line and the columns `file` and `data_model`) and
//! reports errors and unmodelled constructs: `survey INDEX [SUBSTRING]`. For work on the front end and the models.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (Some(index), filter) = (args.get(1), args.get(2)) else {
        eprintln!("usage: survey INDEX [SUBSTRING]");
        std::process::exit(3);
    };
    let text = std::fs::read_to_string(index).expect("the index should be readable");
    let root = Path::new(index).parent().unwrap_or(Path::new("."));
    let mut lines = text.lines();
    let header: Vec<&str> = lines.next().unwrap_or("").split('\t').collect();
    let column = |name: &str| header.iter().position(|field| *field == name).expect("the column should exist");
    let (file, model) = (column("file"), column("data_model"));
    let tasks: BTreeSet<(String, String)> = lines
        .map(|line| line.split('\t').collect::<Vec<_>>())
        .map(|fields| (fields[file].to_owned(), fields[model].to_owned()))
        .filter(|(file, _)| filter.is_none_or(|filter| file.contains(filter.as_str())))
        .collect();
    let (mut failed, mut slow) = (0, Vec::new());
    let mut reasons: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, model) in &tasks {
        let started = Instant::now();
        let options = front::LoadOptions { data_model: ir::DataModel::from_word(model), ..Default::default() };
        let loaded = front::load_timed(&[PathBuf::from(root).join(file)], &options);
        let ratio = loaded.times.lowering.as_secs_f64() / loaded.times.clang.as_secs_f64();
        slow.push((ratio, started.elapsed(), file));
        let Some(program) = loaded.program else {
            failed += 1;
            println!("FAILED {file}: {}", loaded.diagnostics[0].to_string().replace('\n', "\n    "));
            continue;
        };
        for problem in ir::validate(&program).iter().take(3) {
            println!("INVALID {file}: {problem}");
        }
        let printed = ir::print(&program);
        match ir::parse(&printed) {
            Ok(parsed) if ir::print(&parsed) == printed => {}
            Ok(_) => println!("DIFFERS {file}"),
            Err(error) => println!("UNPARSABLE {file}: {error:?}"),
        }
        for function in program.functions.iter() {
            for edge in function.edges.iter() {
                if let ir::Stmt::Unmodelled(what) = &edge.stmt {
                    let place = program.place(edge.span);
                    let place = place.rsplit('/').next().unwrap_or("").to_owned();
                    reasons.entry(what.to_string()).or_default().push(format!("{file} {place} in {}", function.name));
                }
            }
        }
    }
    for (what, files) in &reasons {
        println!("UNMODELLED {what}: {}", files.len());
        files.iter().take(6).for_each(|file| println!("    {file}"));
    }
    slow.sort_by(|a, b| b.0.total_cmp(&a.0));
    println!("{} programs, {failed} failed; lowering/clang at most:", tasks.len());
    slow.iter().take(5).for_each(|(ratio, total, file)| println!("    {ratio:.2} {total:?} {file}"));
}
