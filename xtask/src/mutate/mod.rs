//! Mutation of what all engines share: random mutants of the front end and of the models of library functions, each of
//! which tests have to detect. No comparison between engines can detect such errors.
//!
//! All mutants of the front end are in one copy of the project and are chosen at run time (`tree`), so it is built once.
//! Mutants of the models are compiled one by one (`models`) and read by the same copy.

pub mod c;
mod judge;
mod models;
pub mod rust;
pub mod site;
mod tree;

use anyhow::{ensure, Context, Result};
use judge::{Change, Fate, Judge};
use models::Models;
use site::{Operator, Site};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use testing::programs::rng::Rng;
use tree::Tree;

/// The options of a run.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The project.
    pub root: PathBuf,
    /// The seed of the mutants.
    pub seed: u64,
    /// The number of mutants; half of them are of the models.
    pub count: usize,
    /// The number tried concurrently.
    pub jobs: usize,
    /// The directory of the copy and the results.
    pub work: PathBuf,
}

/// A mutant.
#[derive(Clone, Debug)]
struct Mutant {
    /// The file, relative to the root of the project.
    file: String,
    line: usize,
    operator: Operator,
    before: String,
    after: String,
    /// Its number in the copy, or the directory of its images.
    place: Place,
}

#[derive(Clone, Debug)]
enum Place {
    Front(usize),
    Models(PathBuf),
}

/// Draws mutants and tries each; prints a table. Mutants detected before, with the same seed, are not tried again.
pub fn run(plan: &Plan, tell: &mut (dyn Write + Send)) -> Result<()> {
    std::fs::create_dir_all(&plan.work)?;
    let tree = Tree::copy(&plan.root, &plan.work)?;
    let mut rng = Rng::new(plan.seed);
    let front = draw_front(plan, &tree, plan.count - plan.count / 2, &mut rng)?;
    let of_models = draw_models(plan, plan.count / 2, &mut rng)?;
    writeln!(tell, "{} mutants of the front end, {} of the models", front.len(), of_models.len())?;
    let judge = Judge::new(&tree, &plan.work)?;
    // Those of the models first: they change few programs.
    let mutants: Vec<Mutant> = of_models.into_iter().chain(front).collect();

    let results = plan.work.join(format!("results-{}.tsv", plan.seed));
    let known = read_results(&results)?;
    let fates: Mutex<Vec<(Mutant, Fate)>> = Mutex::new(Vec::new());
    let waiting = Mutex::new(mutants.into_iter());
    let tell = Mutex::new(tell);
    std::thread::scope(|scope| -> Result<()> {
        let workers: Vec<_> = (0..plan.jobs.max(1))
            .map(|_| {
                scope.spawn(|| -> Result<()> {
                    loop {
                        let next = waiting.lock().expect("the list").next();
                        let Some(mutant) = next else { return Ok(()) };
                        let fate = match known.get(&mutant.key()) {
                            Some(fate @ (Fate::Noticed(_) | Fate::Endless(_))) => fate.clone(),
                            _ => judge.decide(&mutant.change())?,
                        };
                        let mut tell = tell.lock().expect("the output");
                        writeln!(tell, "{fate}\t{}", mutant.key())?;
                        let mut fates = fates.lock().expect("the results");
                        fates.push((mutant, fate));
                        write_results(&results, &fates, &known)?;
                    }
                })
            })
            .collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker should not panic"))
    })?;
    let fates = fates.into_inner().expect("the results");
    let tell = tell.into_inner().expect("the output");
    writeln!(tell, "seconds that tests take without a mutant: {:?}", judge.seconds())?;
    write!(tell, "{}", table(&fates))?;
    Ok(())
}

impl Mutant {
    fn key(&self) -> String {
        let line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let (before, after) = (line(&self.before), line(&self.after));
        format!("{}:{}\t{}\t{before}\t{after}", self.file, self.line, self.operator)
    }

    fn change(&self) -> Change<'_> {
        match &self.place {
            Place::Front(id) => Change::Front(*id),
            Place::Models(images) => Change::Models(images),
        }
    }
}

/// Draws one site: first the operator, so that rare ones come up too.
fn draw<'s>(sites: &[&'s (String, Site)], rng: &mut Rng) -> &'s (String, Site) {
    let operators: BTreeSet<Operator> = sites.iter().map(|(_, site)| site.operator).collect();
    let operators: Vec<Operator> = operators.into_iter().collect();
    let operator = *rng.pick(&operators);
    let of_kind: Vec<&(String, Site)> = sites.iter().copied().filter(|(_, site)| site.operator == operator).collect();
    of_kind[rng.below(of_kind.len())]
}

fn draw_front(plan: &Plan, tree: &Tree, count: usize, rng: &mut Rng) -> Result<Vec<Mutant>> {
    let sources = sources(&plan.root)?;
    let mut names = rust::Names::default();
    sources.values().try_for_each(|text| names.add(text))?;
    let mut sites: Vec<(String, Site)> = Vec::new();
    for (file, text) in &sources {
        sites.extend(rust::sites(text, &names)?.into_iter().map(|site| (file.clone(), site)));
    }
    let mut chosen: BTreeMap<usize, (String, Site)> = BTreeMap::new();
    let (mut next, mut bad) = (0, BTreeSet::new());
    loop {
        // Sites may be nested; then only one of them can be chosen, because they change the same text.
        while chosen.len() < count {
            let taken = |(file, site): &(String, Site)| {
                chosen.values().any(|(other_file, other)| file == other_file && site.overlaps(other))
            };
            let free: Vec<&(String, Site)> = sites.iter().filter(|place| !taken(place)).collect();
            ensure!(!free.is_empty(), "there are only {} places for mutants", chosen.len());
            let drawn = draw(&free, rng).clone();
            chosen.insert(next, drawn);
            next += 1;
        }
        let mut by_file: BTreeMap<String, Vec<(usize, Site)>> = BTreeMap::new();
        for (id, (file, site)) in &chosen {
            by_file.entry(file.clone()).or_default().push((*id, site.clone()));
        }
        let refused = tree.instrument(&sources, &by_file, next)?;
        if refused.is_empty() {
            break;
        }
        bad.extend(
            refused.iter().filter_map(|id| chosen.remove(id)).map(|(file, site)| (file, site.range.start, site.after)),
        );
        sites.retain(|(file, site)| !bad.contains(&(file.clone(), site.range.start, site.after.clone())));
    }
    Ok(chosen
        .into_iter()
        .map(|(id, (file, site))| {
            let text = &sources[&file];
            let (line, before) = (site.line(text), site.before(text).to_owned());
            Mutant { file, line, operator: site.operator, before, after: site.after, place: Place::Front(id) }
        })
        .collect())
}

fn draw_models(plan: &Plan, count: usize, rng: &mut Rng) -> Result<Vec<Mutant>> {
    let images = plan.work.join("images");
    let _ = std::fs::remove_dir_all(&images);
    std::fs::create_dir_all(&images)?;
    let models = Models::read(&plan.root.join("crates/front/models"), &plan.work)?;
    let sites = models.sites();
    let mut left: Vec<&(String, Site)> = sites.iter().collect();
    let mut mutants = Vec::new();
    while mutants.len() < count {
        ensure!(!left.is_empty(), "there are only {} places for mutants", mutants.len());
        let drawn = draw(&left, rng);
        left.retain(|other| *other != drawn);
        let (file, site) = drawn;
        let dir = images.join(mutants.len().to_string());
        let _ = std::fs::remove_dir_all(&dir);
        if !models.compile(file, site, &dir)? {
            continue;
        }
        let text = &models.texts[file];
        mutants.push(Mutant {
            file: models.path(&plan.root, file).display().to_string(),
            line: site.line(text),
            operator: site.operator,
            before: site.before(text).to_owned(),
            after: site.after.clone(),
            place: Place::Models(dir),
        });
    }
    Ok(mutants)
}

/// The sources of the front end and of the passes after it, by their paths from the root.
fn sources(root: &Path) -> Result<BTreeMap<String, String>> {
    fn collect(root: &Path, dir: &str, sources: &mut BTreeMap<String, String>) -> Result<()> {
        for entry in std::fs::read_dir(root.join(dir)).with_context(|| format!("cannot read {dir}"))? {
            let entry = entry?;
            let name = format!("{dir}/{}", entry.file_name().to_string_lossy());
            if entry.path().is_dir() {
                collect(root, &name, sources)?;
            } else if name.ends_with(".rs") {
                sources.insert(name, std::fs::read_to_string(entry.path())?);
            }
        }
        Ok(())
    }
    let mut sources = BTreeMap::new();
    for package in tree::MUTATED {
        collect(root, &format!("crates/{package}/src"), &mut sources)?;
    }
    Ok(sources)
}

fn read_results(path: &Path) -> Result<BTreeMap<String, Fate>> {
    let Ok(text) = std::fs::read_to_string(path) else { return Ok(BTreeMap::new()) };
    let mut known = BTreeMap::new();
    for line in text.lines() {
        let mut parts = line.splitn(3, '\t');
        let (Some(fate), Some(test), Some(key)) = (parts.next(), parts.next(), parts.next()) else { continue };
        known.insert(key.to_owned(), format!("{fate}\t{test}").parse()?);
    }
    Ok(known)
}

fn write_results(path: &Path, fates: &[(Mutant, Fate)], known: &BTreeMap<String, Fate>) -> Result<()> {
    let mut all: BTreeMap<String, Fate> = known.clone();
    all.extend(fates.iter().map(|(mutant, fate)| (mutant.key(), fate.clone())));
    let mut text = String::new();
    for (key, fate) in &all {
        let _ = writeln!(text, "{fate}\t{key}");
    }
    std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// By operator: the numbers of mutants of the front end and the models, and how many of them are detected.
fn table(fates: &[(Mutant, Fate)]) -> String {
    let mut text = String::from("\n| mistake | front end | noticed | models | noticed |\n|---|---:|---:|---:|---:|\n");
    let count = |operator: Option<Operator>, is_front: bool, is_noticed: bool| {
        let of_kind = fates.iter().filter(|(mutant, fate)| {
            operator.is_none_or(|operator| mutant.operator == operator)
                && matches!(mutant.place, Place::Front(_)) == is_front
                && (!is_noticed || matches!(fate, Fate::Noticed(_) | Fate::Endless(_)))
        });
        of_kind.count()
    };
    for operator in Operator::ALL.into_iter().map(Some).chain([None]) {
        let name = operator.map_or("all".to_owned(), |operator| operator.to_string());
        let numbers = [(true, false), (true, true), (false, false), (false, true)];
        let numbers = numbers.map(|(is_front, is_noticed)| count(operator, is_front, is_noticed).to_string());
        let _ = writeln!(text, "| {name} | {} |", numbers.join(" | "));
    }
    text.push_str("\nnot noticed:\n");
    for (mutant, fate) in fates.iter().filter(|(_, fate)| matches!(fate, Fate::Survived | Fate::Unreached)) {
        let _ = writeln!(text, "{fate}{}", mutant.key());
    }
    text
}
