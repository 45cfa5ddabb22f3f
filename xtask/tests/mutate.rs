//! Mutants of the front end and the models: there are sites for each operator, and mutants are valid Rust or C. Whether
//! tests detect mutants is checked by the command, which builds a copy of the project.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use xtask::mutate::site::{Operator, Site};
use xtask::mutate::{c, rust};

fn files(dir: &str, ending: &str) -> Vec<PathBuf> {
    fn collect(dir: &Path, ending: &str, found: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(dir).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                collect(&path, ending, found);
            } else if path.to_string_lossy().ends_with(ending) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(dir), ending, &mut found);
    found.sort();
    found
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).expect("a readable file")
}

/// A maximal set of sites that do not overlap.
fn apart(sites: &[Site]) -> Vec<(usize, Site)> {
    let mut chosen: Vec<(usize, Site)> = Vec::new();
    for site in sites {
        if chosen.iter().all(|(_, other)| !site.overlaps(other)) {
            chosen.push((chosen.len(), site.clone()));
        }
    }
    chosen
}

#[test]
fn the_front_end_has_places_for_every_mistake() {
    let files = files("crates/front/src", ".rs");
    let mut names = rust::Names::default();
    files.iter().for_each(|file| names.add(&read(file)).expect("Rust"));
    let mut operators = BTreeSet::new();
    for file in &files {
        let text = read(file);
        let sites = rust::sites(&text, &names).expect("Rust");
        operators.extend(sites.iter().map(|site| site.operator));
        // From both ends: of nested sites the outer ones come first.
        let mut backwards = sites.clone();
        backwards.reverse();
        for order in [sites, backwards] {
            let (instrumented, _) = rust::instrument(&text, &apart(&order));
            let parsed = rust::sites(&instrumented, &names);
            assert!(parsed.is_ok(), "{} is not Rust any more: {instrumented}", file.display());
        }
    }
    assert_eq!(operators, Operator::ALL.into_iter().collect());
}

#[test]
fn the_models_have_places_for_every_mistake() {
    let mut files = files("crates/front/models", ".c");
    files.extend(self::files("crates/front/models", ".h"));
    let mut names = c::Names::default();
    files.iter().for_each(|file| names.add(&read(file)));
    let operators: BTreeSet<Operator> =
        files.iter().flat_map(|file| c::sites(&read(file), &names)).map(|site| site.operator).collect();
    assert_eq!(operators, Operator::ALL.into_iter().collect());
}
