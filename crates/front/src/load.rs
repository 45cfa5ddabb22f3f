//! From source files to a program: the public interface of this crate.

use crate::clang::{self, Input, Language};
use crate::llvm::{Context, Linkage, Module, Opcode, Ty, TypeKind, Value};
use crate::lowering::Lowering;
use crate::models::Models;
use crate::project::Project;
use crate::{layout, start};
use base::{Diagnostic, Severity};
use ir::{DataModel, Program};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// How to load a program.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The data model; without one, that of the LLVM files given, or else `lp64`.
    pub data_model: Option<DataModel>,
    /// The function the program starts in; `main` if not given.
    pub entry: Option<String>,
    /// More arguments for clang: `-I`, `-D`, `-U`, `-std`, ...
    pub clang_args: Vec<String>,
    /// The project that the files belong to: it says how each is compiled, and has the files that these need.
    pub project: Option<Project>,
}

/// How long loading took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LoadTimes {
    /// Running clang on all files.
    pub clang: Duration,
    /// Reading, linking and lowering what clang made.
    pub lowering: Duration,
}

/// What loading gave.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The program, if there is one.
    pub program: Option<Program>,
    /// The files it is made of: those that were named, and what they need of a project.
    pub files: Vec<PathBuf>,
    /// What is to be said about the input. If there is no program, at least one is an error.
    pub diagnostics: Vec<Diagnostic>,
    /// How long it took.
    pub times: LoadTimes,
}

/// Loads a program from C, C++, LLVM text or LLVM bitcode files, linked into one.
pub fn load(paths: &[PathBuf], options: &LoadOptions) -> (Option<Program>, Vec<Diagnostic>) {
    let loaded = load_timed(paths, options);
    (loaded.program, loaded.diagnostics)
}

/// The same, and how long it took.
pub fn load_timed(paths: &[PathBuf], options: &LoadOptions) -> Loaded {
    let mut loaded = Loaded { files: paths.to_vec(), ..Loaded::default() };
    let started = Instant::now();
    let images = match &options.project {
        None => images_of(&as_inputs(paths), options, &[]),
        Some(project) => project_images(paths, project, options, &mut loaded.diagnostics),
    };
    loaded.times.clang = started.elapsed();
    let result = images.and_then(|images| {
        loaded.files = images.iter().map(|image| PathBuf::from(&image.name)).collect();
        load_images(images, &as_inputs(&loaded.files), options, &mut loaded.times)
    });
    loaded.finish(result)
}

/// Loads a program from C text, which is called `name` in positions and messages.
pub fn load_text(name: &str, c_source: &str, options: &LoadOptions) -> (Option<Program>, Vec<Diagnostic>) {
    let inputs = [Input::Text(name, c_source)];
    let images = images_of(&inputs, options, &[]);
    let result = images.and_then(|images| load_images(images, &inputs, options, &mut LoadTimes::default()));
    let loaded = Loaded::default().finish(result);
    (loaded.program, loaded.diagnostics)
}

fn as_inputs(paths: &[PathBuf]) -> Vec<Input<'_>> {
    paths.iter().map(|path| Input::File(path)).collect()
}

fn load_images(
    images: Vec<Image>,
    inputs: &[Input<'_>],
    options: &LoadOptions,
    times: &mut LoadTimes,
) -> Result<Program, Diagnostic> {
    let context = Context::new();
    let module = link_timed(&context, images, times)?;
    let data_model = data_model_of(&module, options)?;
    let missing = missing_functions(&module);
    // A C99 `inline` function has no definition that others may call, but old programs think that it has.
    if missing > 0 && inputs.iter().any(is_c) {
        let started = Instant::now();
        let images = images_of(inputs, options, &["-fgnu89-inline"]);
        times.clang += started.elapsed();
        let again = images.and_then(|images| link_timed(&context, images, times)).ok();
        if let Some(again) = again.filter(|again| missing_functions(again) < missing) {
            return lower_timed(&context, &again, data_model, options, times);
        }
    }
    lower_timed(&context, &module, data_model, options, times)
}

fn is_c(input: &Input<'_>) -> bool {
    match input {
        Input::File(path) => matches!(path.extension().and_then(|e| e.to_str()), Some("c" | "i")),
        Input::Text(..) => true,
    }
}

fn link_timed<'c>(context: &'c Context, images: Vec<Image>, times: &mut LoadTimes) -> Result<Module<'c>, Diagnostic> {
    let started = Instant::now();
    let module = link(context, images);
    times.lowering += started.elapsed();
    module
}

/// Compiles the files that are named, and those of the project that define what is missing then.
fn project_images(
    named: &[PathBuf],
    project: &Project,
    options: &LoadOptions,
    diagnostics: &mut Vec<Diagnostic>,
) -> Result<Vec<Image>, Diagnostic> {
    let entry = options.entry.as_deref().unwrap_or("main");
    let mut chosen: Vec<Image> = Vec::new();
    let mut others: BTreeMap<PathBuf, (Image, Symbols)> = BTreeMap::new();
    let mut symbols = Symbols { missing: BTreeSet::from([entry.to_owned()]), ..Symbols::default() };
    for image in images_or_not(&as_inputs(named), options, &[]) {
        let image = image?;
        symbols.add(symbols_of(&image)?);
        chosen.push(image);
    }
    let mut known: BTreeSet<PathBuf> = named.iter().filter_map(|file| Some(project.unit(file)?.file.clone())).collect();
    // What no file defines, and files that might have and do not compile.
    let mut without: BTreeSet<String> = BTreeSet::new();
    let mut bad: Vec<Diagnostic> = Vec::new();
    loop {
        let missing: BTreeSet<String> = symbols.wanted().filter(|name| !without.contains(*name)).cloned().collect();
        if missing.is_empty() {
            break;
        }
        let files = project.mentioning(&missing, &known);
        for (file, image) in files.iter().zip(images_or_not(&as_inputs(&files), options, &[])) {
            match image.and_then(|image| Ok((symbols_of(&image)?, image))) {
                Ok((of_image, image)) => drop(others.insert(file.clone(), (image, of_image))),
                Err(problem) => bad.push(problem),
            }
        }
        known.extend(files);
        let mut needed: BTreeSet<PathBuf> = BTreeSet::new();
        for name in missing {
            match definer(&name, &symbols, &others)? {
                None => drop(without.insert(name)),
                Some(file) => {
                    if symbols.weak.contains(&name) {
                        let message =
                            format!("the weak definition of `{name}` gives way to that in {}", file.display());
                        diagnostics.push(Diagnostic::warning(message));
                    }
                    needed.insert(file);
                }
            }
        }
        for (image, of_image) in needed.iter().filter_map(|file| others.remove(file)) {
            symbols.add(of_image);
            chosen.push(image);
        }
    }
    if !without.is_empty() {
        let warn = |problem: Diagnostic| Diagnostic { severity: Severity::Warning, ..problem };
        diagnostics.extend(bad.into_iter().map(warn));
    }
    if without.contains(entry) && !symbols.weak.contains(entry) {
        let message = format!("no file of {} defines the function `{entry}` to start in", project.name());
        return Err(Diagnostic::error(message).help("name another function with --entry"));
    }
    diagnostics.extend(chosen.iter().filter_map(|image| project.choice(Path::new(&image.name))));
    Ok(chosen)
}

/// The file that defines a name, as a linker would choose: a definition that is weak gives way to one that is not.
fn definer(
    name: &str,
    symbols: &Symbols,
    others: &BTreeMap<PathBuf, (Image, Symbols)>,
) -> Result<Option<PathBuf>, Diagnostic> {
    let which = |defines: fn(&Symbols) -> &BTreeSet<String>| -> Vec<&PathBuf> {
        others.iter().filter(|(_, (_, of))| defines(of).contains(name)).map(|(file, _)| file).collect()
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

/// What a file defines for others, and what it needs of them.
#[derive(Default)]
struct Symbols {
    defined: BTreeSet<String>,
    /// Defined unless another file does.
    weak: BTreeSet<String>,
    missing: BTreeSet<String>,
}

impl Symbols {
    fn add(&mut self, other: Symbols) {
        self.defined.extend(other.defined);
        self.weak.extend(other.weak);
        self.weak.retain(|name| !self.defined.contains(name));
        self.missing.extend(other.missing);
        self.missing.retain(|name| !self.defined.contains(name) && !self.weak.contains(name));
    }

    /// What a file is looked for that defines it.
    fn wanted(&self) -> impl Iterator<Item = &String> {
        self.missing.union(&self.weak)
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
        }
    }
    Ok(symbols)
}

/// Whether other files may use the definition, and no other may take its place.
fn is_for_others(global: Value<'_>) -> bool {
    matches!(
        global.linkage(),
        Some(Linkage::LLVMExternalLinkage | Linkage::LLVMWeakODRLinkage | Linkage::LLVMCommonLinkage)
    )
}

/// Variables of the C library.
const LIBRARY_VARIABLES: &[&str] =
    &["stdin", "stdout", "stderr", "environ", "optarg", "optind", "opterr", "optopt", "timezone", "daylight", "tzname"];

/// Whether it is known what a function does, or that a variable is not the program's.
fn is_from_library(name: &str) -> bool {
    name.starts_with("llvm.")
        || crate::calls::is_known(name)
        || crate::models::is_modelled(name)
        || LIBRARY_VARIABLES.contains(&name)
}

/// How many functions the program calls that neither it nor a model defines.
fn missing_functions(module: &Module<'_>) -> usize {
    let called = module.functions().filter(|f| f.is_declaration() && f.users().next().is_some());
    called.filter(|f| !is_from_library(&f.name())).count()
}

fn lower_timed(
    context: &Context,
    module: &Module<'_>,
    data_model: DataModel,
    options: &LoadOptions,
    times: &mut LoadTimes,
) -> Result<Program, Diagnostic> {
    let started = Instant::now();
    let program = lower_module(context, module, data_model, options);
    times.lowering += started.elapsed();
    program
}

impl Loaded {
    fn finish(mut self, result: Result<Program, Diagnostic>) -> Loaded {
        match result {
            Ok(program) => self.program = Some(program),
            Err(diagnostic) => self.diagnostics.push(diagnostic),
        }
        self
    }
}

/// A module that is not read yet.
struct Image {
    name: String,
    kind: ImageKind,
    bytes: Vec<u8>,
}

/// Where a module comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ImageKind {
    /// clang.
    Compiled,
    /// A `.ll` file.
    Text,
    /// A `.bc` file.
    Bitcode,
}

/// What a file is, by its name.
enum FileKind {
    Source(Language),
    Llvm(ImageKind),
}

fn file_kind(path: &Path) -> Result<FileKind, Diagnostic> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or("");
    Ok(match extension {
        "c" => FileKind::Source(Language::C),
        "i" => FileKind::Source(Language::PreprocessedC),
        "cc" | "cpp" | "cxx" | "C" | "c++" => FileKind::Source(Language::Cpp),
        "ii" => FileKind::Source(Language::PreprocessedCpp),
        "ll" => FileKind::Llvm(ImageKind::Text),
        "bc" => FileKind::Llvm(ImageKind::Bitcode),
        _ => {
            return Err(Diagnostic::error(format!("{}: do not know what kind of file this is", path.display()))
                .help("known are .c, .i, .cc, .cpp, .cxx, .C, .ii, .ll and .bc"))
        }
    })
}

fn check_readable(path: &Path) -> Result<(), Diagnostic> {
    let metadata =
        fs::metadata(path).map_err(|error| Diagnostic::error(format!("cannot read {}: {error}", path.display())))?;
    if metadata.is_dir() {
        return Err(Diagnostic::error(format!("{} is a directory", path.display())));
    }
    if !metadata.is_file() {
        return Err(Diagnostic::error(format!("{} is not a regular file", path.display())));
    }
    Ok(())
}

/// Compiles or reads all inputs.
fn images_of(inputs: &[Input<'_>], options: &LoadOptions, flags: &[&str]) -> Result<Vec<Image>, Diagnostic> {
    if inputs.is_empty() {
        return Err(Diagnostic::error("no input files"));
    }
    images_or_not(inputs, options, flags).into_iter().collect()
}

/// What comes of each input, compiling as many at a time as there are processors.
fn images_or_not(inputs: &[Input<'_>], options: &LoadOptions, flags: &[&str]) -> Vec<Result<Image, Diagnostic>> {
    let next = AtomicUsize::new(0);
    let workers = std::thread::available_parallelism().map_or(1, usize::from).min(inputs.len());
    let mut images: Vec<(usize, Result<Image, Diagnostic>)> = std::thread::scope(|scope| {
        let work = || {
            let mut done = Vec::new();
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                let Some(input) = inputs.get(index) else { return done };
                done.push((index, image_of(*input, options, flags)));
            }
        };
        let handles: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        handles.into_iter().flat_map(|handle| handle.join().expect("compiling should not panic")).collect()
    });
    images.sort_by_key(|(index, _)| *index);
    images.into_iter().map(|(_, image)| image).collect()
}

fn image_of(input: Input<'_>, options: &LoadOptions, flags: &[&str]) -> Result<Image, Diagnostic> {
    let unit = match (input, &options.project) {
        (Input::File(path), Some(project)) => project.unit(path),
        (Input::Text(..), _) | (_, None) => None,
    };
    let data_model = options.data_model.or(unit.and_then(|unit| unit.data_model)).unwrap_or(DataModel::Lp64);
    let mut args: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    args.extend(unit.iter().flat_map(|unit| unit.args.iter().cloned()));
    args.extend(options.clang_args.iter().cloned());
    let (name, language) = match input {
        Input::Text(name, _) => (name.to_owned(), Language::C),
        Input::File(path) => {
            check_readable(path)?;
            let name = path.display().to_string();
            match file_kind(path)? {
                FileKind::Source(language) => (name, language),
                FileKind::Llvm(kind) => {
                    let unreadable = |error| Diagnostic::error(format!("cannot read {name}: {error}"));
                    let bytes = fs::read(path).map_err(unreadable)?;
                    return Ok(Image { name, kind, bytes });
                }
            }
        }
    };
    let bytes = clang::compile(input, language, data_model, &args)?;
    Ok(Image { name, kind: ImageKind::Compiled, bytes })
}

fn link(context: &Context, images: Vec<Image>) -> Result<Module<'_>, Diagnostic> {
    let mut linked: Option<(String, Module<'_>)> = None;
    for image in images {
        let module = read(context, &image)?;
        linked = Some(match linked {
            None => (image.name, module),
            Some((name, mut first)) => {
                if first.layout_text() != module.layout_text() {
                    let message = format!("{name} and {} are compiled for different machines", image.name);
                    return Err(Diagnostic::error(message));
                }
                first.link(module).map_err(|error| {
                    Diagnostic::error(format!("cannot link {} with the files before it: {error}", image.name))
                })?;
                (name, first)
            }
        });
    }
    linked.map(|(_, module)| module).ok_or_else(|| Diagnostic::error("no input files"))
}

fn read<'c>(context: &'c Context, image: &Image) -> Result<Module<'c>, Diagnostic> {
    let describe = |error: String| {
        let error: String = error.chars().take(2000).collect();
        Diagnostic::error(format!("{} is not a valid LLVM module: {}", image.name, error.trim()))
    };
    let module = match image.kind {
        ImageKind::Text => context.parse_text(&image.bytes),
        ImageKind::Compiled | ImageKind::Bitcode => context.parse_bitcode(&image.bytes),
    };
    let module = module.map_err(describe)?;
    if image.kind != ImageKind::Compiled {
        module.verify().map_err(describe)?;
    }
    Ok(module)
}

/// The data model of a module, if it is the one that was asked for.
fn data_model_of(module: &Module<'_>, options: &LoadOptions) -> Result<DataModel, Diagnostic> {
    let data_model = match module.pointer_bytes() {
        4 => DataModel::Ilp32,
        8 => DataModel::Lp64,
        other => return Err(Diagnostic::error(format!("pointers of {other} bytes are not supported"))),
    };
    if !module.layout_text().starts_with('e') && !module.layout_text().is_empty() {
        return Err(Diagnostic::error("big-endian machines are not supported"));
    }
    if let Some(asked) = options.data_model.filter(|asked| *asked != data_model) {
        let (asked, is) = (asked.name(), data_model.name());
        return Err(Diagnostic::error(format!("the input is compiled for {is}, not for {asked}")));
    }
    Ok(data_model)
}

fn lower_module(
    context: &Context,
    module: &Module<'_>,
    data_model: DataModel,
    options: &LoadOptions,
) -> Result<Program, Diagnostic> {
    let name = options.entry.as_deref().unwrap_or("main");
    let entry = find_entry(module, name)?;
    let models = Models::needed_by(context, module, data_model);
    let mut lowering = Lowering::new(module, &models, data_model);
    choose_variants(&mut lowering);
    let start = start::lower(&mut lowering, entry);
    lowering.run();
    let program = lowering.finish(start);
    if cfg!(debug_assertions) {
        let problems = ir::validate(&program);
        assert!(problems.is_empty(), "a loaded program should be valid: {problems:?}");
    }
    Ok(program)
}

/// There is no such function: says which ones there are, those with similar names first.
fn no_entry(module: &Module<'_>, name: &str) -> Diagnostic {
    const MOST: usize = 5;
    let diagnostic = Diagnostic::error(format!("the program defines no function `{name}` to start in"));
    let defined = module.functions().filter(|function| !function.is_declaration()).map(|function| function.name());
    // The mangled names of C++ are nothing that a person would type.
    let mut names: Vec<String> = defined.filter(|name| !name.starts_with("_Z")).collect();
    names.sort_by_cached_key(|other| (edits(name, other), other.clone()));
    let rest = names.len().saturating_sub(MOST);
    names.truncate(MOST);
    let list = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match (names.is_empty(), rest) {
        (true, _) => diagnostic.help("it defines no function at all"),
        (false, 0) => diagnostic.help(format!("it defines {list}: name one with --entry")),
        (false, rest) => diagnostic.help(format!("it defines {list} and {rest} more: name one with --entry")),
    }
}

/// How many letters have to be inserted, deleted or replaced to make one name of another.
fn edits(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], index + 1);
        for column in 1..=other.len() {
            let replaced = diagonal + usize::from(other[column - 1] != letter);
            diagonal = row[column];
            row[column] = replaced.min(row[column - 1] + 1).min(diagonal + 1);
        }
    }
    row[other.len()]
}

/// The entry function: without parameters, or with those of `main`.
fn find_entry<'m>(module: &'m Module<'_>, name: &str) -> Result<Value<'m>, Diagnostic> {
    let Some(entry) = module.function(name).filter(|entry| !entry.is_declaration()) else {
        return Err(no_entry(module, name));
    };
    let params: Vec<Ty<'_>> = entry.params().into_iter().map(Value::ty).collect();
    let is_main_like = params.len() <= 3
        && params.iter().enumerate().all(|(i, ty)| match i {
            0 => ty.int_width() == 32,
            _ => ty.kind() == TypeKind::LLVMPointerTypeKind,
        });
    if !is_main_like || params.iter().any(|ty| layout::scalar(*ty).is_none()) {
        let message = format!("`{name}` cannot be the entry: it has parameters other than those of main");
        return Err(Diagnostic::error(message));
    }
    Ok(entry)
}

/// Decides which variants of models are right for the program (`models/heddle.h` says what each is for).
fn choose_variants(lowering: &mut Lowering<'_>) {
    let any = |lowering: &Lowering<'_>, names: &[&str]| names.iter().any(|name| lowering.mentions(name));
    let has_mutex_kinds = any(
        lowering,
        &["pthread_mutexattr_settype", "pthread_mutexattr_setrobust", "pthread_mutexattr_setprotocol", "mtx_init"],
    ) || has_special_mutex(lowering.user.module);
    if !has_mutex_kinds {
        lowering.variants.push("__simple");
    }
    let ends = ["pthread_key_create", "tss_create", "__cxa_thread_atexit", "__cxa_thread_atexit_impl"];
    if !any(lowering, &ends) {
        lowering.variants.push("__plain");
    }
    if any(lowering, &["realloc", "reallocarray", "malloc_usable_size"]) {
        lowering.variants.push("__sized");
    }
    lowering.uses_exit_handlers = any(lowering, &["atexit", "__cxa_atexit", "__cxa_thread_atexit"])
        || lowering.user.module.global("llvm.global_dtors").is_some();
}

/// Whether a mutex has an initialiser other than the normal one, or is a recursive one of C++. The initialiser of a
/// static mutex is a constant, whose type has no name in 32-bit programs because it ends in a union; that of a local
/// mutex is code that stores the kind.
fn has_special_mutex(module: &Module<'_>) -> bool {
    fn is_mutex(ty: Ty<'_>) -> bool {
        ty.struct_name().is_some_and(|name| name.contains("pthread_mutex"))
    }
    fn is_nonzero(value: Value<'_>) -> bool {
        value.as_int().is_some_and(|int| int != 0)
    }
    // 32-bit glibc: four integers, of which the last is the kind, an integer, and a union of two.
    fn is_unnamed_mutex(value: Value<'_>) -> bool {
        value.ty().struct_name().is_none()
            && value.ty().fields().len() == 6
            && (0..5).all(|i| value.ty().fields()[i].int_width() == 32)
            && value.element(3).is_some_and(is_nonzero)
    }
    fn contains_one(value: Value<'_>) -> bool {
        if value.is_null() || value.is_undef() || value.as_bytes().is_some() {
            return false;
        }
        if is_mutex(value.ty()) || is_unnamed_mutex(value) {
            return true;
        }
        let count = value.ty().elements().map_or(value.ty().fields().len() as u64, |(_, count)| count);
        (0..count).filter_map(|i| value.element(i as u32)).any(contains_one)
    }
    let stores_kind = |instruction: Value<'_>| {
        instruction.opcode() == Some(Opcode::LLVMStore)
            && is_nonzero(instruction.operand(0))
            && instruction.operand(1).gep_source_type().is_some_and(is_mutex)
    };
    let has_structs = |value: &Value<'_>| layout::scalar(value.ty()).is_none();
    module.functions().any(|f| f.name().contains("recursive_"))
        || module.globals().filter_map(Value::initializer).filter(has_structs).any(contains_one)
        || module.functions().flat_map(Value::blocks).any(|block| block.instructions().any(stores_kind))
}
