//! Gathers the files of a program: the named ones, and those of a project that define the missing symbols, chosen as by
//! a linker; and finds which of them defines the entry function.

use crate::clang::Input;
use crate::entry::{Entry, Start};
use crate::llvm::{Context, Linkage, Value};
use crate::load::{as_inputs, images_of, images_or_not, is_from_library, read, Image, LoadOptions};
use crate::project::Project;
use base::{Diagnostic, Severity};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Makes clang compile unused definitions too.
pub(crate) const EVERYTHING: &str = "-femit-all-decls";

/// Compiles the named files, and finds the entry function.
pub(crate) fn of_files(inputs: &[Input<'_>], options: &LoadOptions) -> Result<(Vec<Image>, Start), Diagnostic> {
    let entry = Entry::read(options.entry.as_deref());
    let images = images_of(inputs, options, &[])?;
    // `main` cannot be static, so it needs no search.
    if entry == Entry::read(None) {
        return Ok((images, Start::Shared));
    }
    let mut parts = images.into_iter().map(Part::new).collect::<Result<Vec<Part>, Diagnostic>>()?;
    let start = match locate(&entry, &mut parts, inputs, options)? {
        Some(start) => start,
        None if entry.file.is_some() => return Err(entry.missing(&paths(&parts))),
        // Linking reports which functions there are.
        None => Start::Shared,
    };
    Ok((parts.into_iter().map(|part| part.image).collect(), start))
}

/// Compiles the named files, and those of the project that define missing symbols.
pub(crate) fn of_project(
    named: &[PathBuf],
    project: &Project,
    options: &LoadOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<(Vec<Image>, Start), Diagnostic> {
    let entry = Entry::read(options.entry.as_deref());
    let mut named = named.to_vec();
    named.extend(file_of(&entry, &named, project)?);
    let images = images_or_not(&as_inputs(&named), options, &[]).into_iter();
    let mut parts = images.map(|image| Part::new(image?)).collect::<Result<Vec<Part>, Diagnostic>>()?;
    let mut start = locate(&entry, &mut parts, &as_inputs(&named), options)?;
    if start.is_none() && entry.file.is_some() {
        return Err(entry.missing(&paths(&parts)));
    }
    let mut program = Gathering::new(project, options);
    program.known = named.iter().filter_map(|file| Some(project.unit(file)?.file.clone())).collect();
    parts.into_iter().for_each(|part| program.add(part));
    if start.is_none() {
        start = program.start(&entry)?;
    }
    let is_complete = start.is_some() && program.complete(diagnostics)?;
    if !is_complete {
        let warn = |problem: Diagnostic| Diagnostic { severity: Severity::Warning, ..problem };
        diagnostics.extend(program.bad.into_iter().map(warn));
    }
    let Some(start) = start else {
        let message = format!("no file of {} defines the function `{}` to start in", project.name(), entry.name);
        return Err(Diagnostic::error(message).help("name another function with --entry"));
    };
    diagnostics.extend(program.chosen.iter().filter_map(|image| project.choice(Path::new(&image.name))));
    Ok((program.chosen, start))
}

/// The file given for the entry, unless it is among the named ones.
fn file_of(entry: &Entry, named: &[PathBuf], project: &Project) -> Result<Option<PathBuf>, Diagnostic> {
    let named: Vec<&Path> = named.iter().map(PathBuf::as_path).collect();
    let Some(file) = entry.file.as_deref().filter(|_| entry.meant(&named).is_empty()) else { return Ok(None) };
    match entry.meant(&project.files()).as_slice() {
        [] if file.is_file() => Ok(Some(file.to_owned())),
        [] => Err(Diagnostic::error(format!("{} has no file {}", project.name(), file.display()))),
        [one] => Ok(Some(one.to_path_buf())),
        several => Err(entry.ambiguous(several)),
    }
}

/// Finds the entry function among compiled files. If its file does not use it, the file is compiled again with all its
/// definitions.
fn locate(
    entry: &Entry,
    parts: &mut [Part],
    inputs: &[Input<'_>],
    options: &LoadOptions,
) -> Result<Option<Start>, Diagnostic> {
    let name = &entry.name;
    let all = paths(parts);
    let meant = entry.meant(&all);
    let meant: Vec<usize> = (0..parts.len()).filter(|index| meant.contains(&all[*index])).collect();
    if meant.iter().any(|index| parts[*index].symbols.shares(name)) {
        let is_other = |part: &&Part| part.symbols.defined.contains(name) && entry.file.is_some();
        let is_weak = !meant.iter().any(|index| parts[*index].symbols.defined.contains(name));
        return match parts.iter().find(is_other).filter(|_| is_weak) {
            Some(other) => Err(entry.weak(&other.image.name)),
            None => Ok(Some(Start::Shared)),
        };
    }
    // `main` cannot be static.
    if name == "main" {
        return Ok(None);
    }
    let sources: Vec<Input<'_>> = meant.iter().map(|index| inputs[*index]).collect();
    let mut found: Vec<(usize, Part)> = Vec::new();
    for (index, image) in meant.into_iter().zip(images_or_not(&sources, options, &[EVERYTHING])) {
        let whole = Part::new(image?)?;
        if whole.symbols.hidden.contains(name) {
            found.push((index, whole));
        }
    }
    if found.len() > 1 {
        let files: Vec<&Path> = found.iter().map(|(index, _)| all[*index]).collect();
        return Err(entry.ambiguous(&files));
    }
    let Some((index, whole)) = found.pop() else { return Ok(None) };
    let file = whole.image.name.clone();
    let is_unused = !parts[index].symbols.hidden.contains(name);
    if is_unused {
        parts[index] = whole;
    }
    Ok(Some(Start::Hidden { file, is_unused }))
}

fn paths(parts: &[Part]) -> Vec<&Path> {
    parts.iter().map(|part| Path::new(&part.image.name)).collect()
}

/// A program assembled from files of a project.
struct Gathering<'p> {
    project: &'p Project,
    options: &'p LoadOptions,
    /// The files of the program so far, with their joint definitions and undefined symbols.
    chosen: Vec<Image>,
    symbols: Symbols,
    /// Compiled files that are not needed so far.
    others: BTreeMap<PathBuf, Part>,
    /// All files examined.
    known: BTreeSet<PathBuf>,
    /// Files that might be needed and do not compile.
    bad: Vec<Diagnostic>,
}

impl<'p> Gathering<'p> {
    fn new(project: &'p Project, options: &'p LoadOptions) -> Gathering<'p> {
        Gathering {
            project,
            options,
            chosen: Vec::new(),
            symbols: Symbols::default(),
            others: BTreeMap::new(),
            known: BTreeSet::new(),
            bad: Vec::new(),
        }
    }

    fn add(&mut self, part: Part) {
        self.symbols.add(part.symbols);
        self.chosen.push(part.image);
    }

    /// Compiles the files that might define one of the names.
    fn look_for(&mut self, names: &BTreeSet<String>) {
        let files = self.project.mentioning(names, &self.known);
        for (file, image) in files.iter().zip(images_or_not(&as_inputs(&files), self.options, &[])) {
            match image.and_then(Part::new) {
                Ok(part) => drop(self.others.insert(file.clone(), part)),
                Err(problem) => self.bad.push(problem),
            }
        }
        self.known.extend(files);
    }

    /// Finds the entry function among the files of the project, and adds the file that defines it.
    fn start(&mut self, entry: &Entry) -> Result<Option<Start>, Diagnostic> {
        self.look_for(&BTreeSet::from([entry.name.clone()]));
        let (file, start) = match definer(&entry.name, &self.symbols, &self.others)? {
            Some(file) => (file, Start::Shared),
            None => {
                let (files, mut parts): (Vec<PathBuf>, Vec<Part>) =
                    std::mem::take(&mut self.others).into_iter().unzip();
                let found = locate(entry, &mut parts, &as_inputs(&files), self.options)?;
                self.others = files.into_iter().zip(parts).collect();
                match found {
                    Some(Start::Hidden { file, is_unused }) => {
                        (PathBuf::from(&file), Start::Hidden { file, is_unused })
                    }
                    Some(Start::Shared) | None => return Ok(None),
                }
            }
        };
        if let Some(part) = self.others.remove(&file) {
            self.add(part);
        }
        Ok(Some(start))
    }

    /// Adds the files that define missing symbols, until no file defines the rest; returns whether nothing is missing.
    fn complete(&mut self, diagnostics: &mut Vec<Diagnostic>) -> Result<bool, Diagnostic> {
        let mut without: BTreeSet<String> = BTreeSet::new();
        loop {
            let missing: BTreeSet<String> =
                self.symbols.wanted().filter(|name| !without.contains(*name)).cloned().collect();
            if missing.is_empty() {
                return Ok(without.is_empty());
            }
            self.look_for(&missing);
            let mut needed: BTreeSet<PathBuf> = BTreeSet::new();
            for name in missing {
                match definer(&name, &self.symbols, &self.others)? {
                    None => drop(without.insert(name)),
                    Some(file) => {
                        if self.symbols.weak.contains(&name) {
                            let message =
                                format!("the weak definition of `{name}` gives way to that in {}", file.display());
                            diagnostics.push(Diagnostic::warning(message));
                        }
                        needed.insert(file);
                    }
                }
            }
            for file in needed {
                if let Some(part) = self.others.remove(&file) {
                    self.add(part);
                }
            }
        }
    }
}

/// The file that defines a name, as a linker would choose: strong definitions override weak ones.
fn definer(name: &str, symbols: &Symbols, others: &BTreeMap<PathBuf, Part>) -> Result<Option<PathBuf>, Diagnostic> {
    let which = |defines: fn(&Symbols) -> &BTreeSet<String>| -> Vec<&PathBuf> {
        others.iter().filter(|(_, part)| defines(&part.symbols).contains(name)).map(|(file, _)| file).collect()
    };
    let mut definers = which(|of| &of.defined);
    if definers.is_empty() && !symbols.weak.contains(name) {
        definers = which(|of| &of.weak);
    }
    match definers.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some((*one).clone())),
        several => Err(ambiguous(name, several)),
    }
}

fn ambiguous(name: &str, files: &[&PathBuf]) -> Diagnostic {
    let files: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    Diagnostic::error(format!("`{name}` is defined in {}", files.join(" and in ")))
        .help("name the file that is meant on the command line")
}

/// A compiled file.
struct Part {
    image: Image,
    symbols: Symbols,
}

impl Part {
    fn new(image: Image) -> Result<Part, Diagnostic> {
        Ok(Part { symbols: symbols_of(&image)?, image })
    }
}

/// The symbols that a file defines for others, and its undefined symbols.
#[derive(Default)]
struct Symbols {
    defined: BTreeSet<String>,
    /// Weak definitions: overridden by other files.
    weak: BTreeSet<String>,
    missing: BTreeSet<String>,
    /// Functions that only the file itself sees.
    hidden: BTreeSet<String>,
}

impl Symbols {
    fn add(&mut self, other: Symbols) {
        self.defined.extend(other.defined);
        self.weak.extend(other.weak);
        self.weak.retain(|name| !self.defined.contains(name));
        self.missing.extend(other.missing);
        self.missing.retain(|name| !self.defined.contains(name) && !self.weak.contains(name));
    }

    /// The undefined symbols that need a file.
    fn wanted(&self) -> impl Iterator<Item = &String> {
        self.missing.union(&self.weak)
    }

    /// Whether it defines the name for other files.
    fn shares(&self, name: &str) -> bool {
        self.defined.contains(name) || self.weak.contains(name)
    }
}

fn symbols_of(image: &Image) -> Result<Symbols, Diagnostic> {
    let context = Context::new();
    let module = read(&context, image)?;
    let mut symbols = Symbols::default();
    for global in module.functions().chain(module.globals()) {
        let name = global.name();
        if global.is_declaration() {
            if global.users().next().is_some() && !is_from_library(&name) {
                symbols.missing.insert(name);
            }
        } else if global.linkage() == Some(Linkage::LLVMWeakAnyLinkage) {
            symbols.weak.insert(name);
        } else if is_for_others(global) {
            symbols.defined.insert(name);
        } else if global.is_local() && global.is_function() {
            symbols.hidden.insert(name);
        }
    }
    Ok(symbols)
}

/// Whether other files may use the definition, and none may override it.
fn is_for_others(global: Value<'_>) -> bool {
    matches!(
        global.linkage(),
        Some(Linkage::LLVMExternalLinkage | Linkage::LLVMWeakODRLinkage | Linkage::LLVMCommonLinkage)
    )
}
