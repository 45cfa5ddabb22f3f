//! From source files to a program: the public interface of this crate.

use crate::bitfields::{self, Records};
use crate::clang::{self, Input, Language, Output};
use crate::entry::{Entry, Start};
use crate::llvm::{Block, Context, Module, Opcode, Ty, TypeKind, Value};
use crate::lowering::Lowering;
use crate::models::Models;
use crate::needs::Needs;
use crate::project::Project;
use crate::{gather, layout, start, Libc};
use base::Diagnostic;
use ir::{DataModel, Premise, Program};
use passes::Loading;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Options for loading a program.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// The data model; without one, that of the LLVM files given, or else `lp64`.
    pub data_model: Option<DataModel>,
    /// The entry function, `NAME` or `FILE:NAME`; `main` if not given.
    pub entry: Option<String>,
    /// More arguments for clang: `-I`, `-D`, `-U`, `-std`, ...
    pub clang_args: Vec<String>,
    /// The project that the files belong to: it has the compile commands, and further files of the program.
    pub project: Option<Project>,
    /// The source of promises about thread safety.
    pub libc: Libc,
    /// The failures besides assertions.
    pub failure: Failure,
}

/// How test programs report failures.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Failure {
    /// By assertions and `reach_error` only.
    #[default]
    Assertions,
    /// Also by calling `abort`.
    Abort,
    /// Also by calling `abort`, or by a status other than 0: of `main`, or of `exit` and the like.
    Status,
}

/// The duration of loading.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct LoadTimes {
    /// Running clang on all files.
    pub clang: Duration,
    /// Reading, linking and lowering clang's output.
    pub lowering: Duration,
}

/// The result of loading.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The program, if there is one.
    pub program: Option<Program>,
    /// Its files: the named ones, and those added from a project.
    pub files: Vec<PathBuf>,
    /// Diagnostics about the input. If there is no program, at least one is an error.
    pub diagnostics: Vec<Diagnostic>,
    /// The duration.
    pub times: LoadTimes,
}

/// Loads a program from C, C++, LLVM text or LLVM bitcode files, linked into one.
pub fn load(paths: &[PathBuf], options: &LoadOptions) -> (Option<Program>, Vec<Diagnostic>) {
    let loaded = load_timed(paths, options);
    (loaded.program, loaded.diagnostics)
}

/// Like [`load`], with the duration.
pub fn load_timed(paths: &[PathBuf], options: &LoadOptions) -> Loaded {
    let mut loaded = Loaded { files: paths.to_vec(), ..Loaded::default() };
    let started = Instant::now();
    let images = match &options.project {
        None => gather::of_files(&as_inputs(paths), options),
        Some(project) => gather::of_project(paths, project, options, &mut loaded.diagnostics),
    };
    loaded.times.clang = started.elapsed();
    let result = images.and_then(|(images, start)| {
        loaded.files = images.iter().map(|image| PathBuf::from(&image.name)).collect();
        load_images(images, &start, &as_inputs(&loaded.files), options, &mut loaded.times)
    });
    loaded.finish(result)
}

/// Loads a program from C text, with its name in positions and messages.
pub fn load_text(name: &str, c_source: &str, options: &LoadOptions) -> (Option<Program>, Vec<Diagnostic>) {
    let inputs = [Input::Text(name, c_source)];
    let images = gather::of_files(&inputs, options);
    let mut times = LoadTimes::default();
    let result = images.and_then(|(images, start)| load_images(images, &start, &inputs, options, &mut times));
    let loaded = Loaded::default().finish(result);
    (loaded.program, loaded.diagnostics)
}

pub(crate) fn as_inputs(paths: &[PathBuf]) -> Vec<Input<'_>> {
    paths.iter().map(|path| Input::File(path)).collect()
}

fn load_images(
    images: Vec<Image>,
    start: &Start,
    inputs: &[Input<'_>],
    options: &LoadOptions,
    times: &mut LoadTimes,
) -> Result<Program, Diagnostic> {
    let context = Context::new();
    let is_unsequenced = images.iter().any(|image| image.is_unsequenced);
    let mut linked = link_timed(&context, images, start, options, times)?;
    let data_model = data_model_of(&linked.module, options)?;
    let missing = missing_functions(&linked.module);
    // A C99 `inline` function has no external definition, but old programs rely on one.
    if missing > 0 && inputs.iter().any(is_c) {
        let started = Instant::now();
        let images = old_images(inputs, start, options);
        times.clang += started.elapsed();
        let again = images.and_then(|images| link_timed(&context, images, start, options, times)).ok();
        if let Some(again) = again.filter(|again| missing_functions(&again.module) < missing) {
            linked = again;
        }
    }
    let started = Instant::now();
    let records = if bitfields::occur(&linked.module) { records_of(inputs, options)? } else { Records::default() };
    times.clang += started.elapsed();
    let target = Target { data_model, libc: options.libc, failure: options.failure, records };
    let mut program = lower_timed(&context, &linked, target, times)?;
    if is_unsequenced {
        program.premises.insert(Premise::Sequence);
    }
    Ok(program)
}

/// The structures and unions with bit-fields in all source inputs.
fn records_of(inputs: &[Input<'_>], options: &LoadOptions) -> Result<Records, Diagnostic> {
    let mut records = Records::default();
    for input in inputs {
        let unit = unit_of(*input, options, &[])?;
        if let FileKind::Source(language) = unit.kind {
            let text = clang::compile(*input, language, unit.data_model, &unit.args, Output::Layouts)?;
            records.add(Records::read(&String::from_utf8_lossy(&text.output)));
        }
    }
    Ok(records)
}

/// Compiles all inputs with the meaning of `inline` before C99.
fn old_images(inputs: &[Input<'_>], start: &Start, options: &LoadOptions) -> Result<Vec<Image>, Diagnostic> {
    const OLD: &str = "-fgnu89-inline";
    let mut images = images_of(inputs, options, &[OLD])?;
    if let Start::Hidden { file, is_unused: true } = start {
        for (image, input) in images.iter_mut().zip(inputs).filter(|(image, _)| image.name == *file) {
            *image = image_of(*input, options, &[OLD, gather::EVERYTHING])?;
        }
    }
    Ok(images)
}

fn is_c(input: &Input<'_>) -> bool {
    match input {
        Input::File(path) => matches!(path.extension().and_then(|e| e.to_str()), Some("c" | "i")),
        Input::Text(..) => true,
    }
}

fn link_timed<'c>(
    context: &'c Context,
    images: Vec<Image>,
    start: &Start,
    options: &LoadOptions,
    times: &mut LoadTimes,
) -> Result<Linked<'c>, Diagnostic> {
    let started = Instant::now();
    let linked = link(context, images, start, options);
    times.lowering += started.elapsed();
    linked
}

/// Variables of the C library.
const LIBRARY_VARIABLES: &[&str] =
    &["stdin", "stdout", "stderr", "environ", "optarg", "optind", "opterr", "optopt", "timezone", "daylight", "tzname"];

/// Whether a function's behaviour is known, or a variable is not the program's.
pub(crate) fn is_from_library(name: &str) -> bool {
    name.starts_with("llvm.")
        || crate::calls::has_meaning_by_name(name)
        || crate::models::is_modelled(name)
        || LIBRARY_VARIABLES.contains(&name)
}

/// The number of functions that the program calls and that neither it nor a model defines.
fn missing_functions(module: &Module<'_>) -> usize {
    let called = module.functions().filter(|f| f.is_declaration() && f.users().next().is_some());
    called.filter(|f| !is_from_library(&f.name())).count()
}

/// The target of lowering, and facts about the program beside its module.
struct Target {
    data_model: DataModel,
    libc: Libc,
    failure: Failure,
    records: Records,
}

fn lower_timed(
    context: &Context,
    linked: &Linked<'_>,
    target: Target,
    times: &mut LoadTimes,
) -> Result<Program, Diagnostic> {
    let started = Instant::now();
    let program = lower_module(context, linked, target);
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

/// A module that is not parsed yet.
pub(crate) struct Image {
    pub(crate) name: String,
    kind: ImageKind,
    bytes: Vec<u8>,
    /// Whether clang warns of an expression that lacks a sequence point.
    is_unsequenced: bool,
}

/// The origin of a module.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ImageKind {
    /// clang, without optimisation.
    Compiled,
    /// clang, with optimisation.
    Optimised,
    /// A `.ll` file.
    Text,
    /// A `.bc` file.
    Bitcode,
}

/// The kind of a file, by its name.
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
pub(crate) fn images_of(inputs: &[Input<'_>], options: &LoadOptions, flags: &[&str]) -> Result<Vec<Image>, Diagnostic> {
    if inputs.is_empty() {
        return Err(Diagnostic::error("no input files"));
    }
    images_or_not(inputs, options, flags).into_iter().collect()
}

/// The result for each input, compiling as many at a time as there are processors.
pub(crate) fn images_or_not(
    inputs: &[Input<'_>],
    options: &LoadOptions,
    flags: &[&str],
) -> Vec<Result<Image, Diagnostic>> {
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

/// The compilation of an input.
struct Unit {
    name: String,
    kind: FileKind,
    data_model: DataModel,
    args: Vec<String>,
}

fn unit_of(input: Input<'_>, options: &LoadOptions, flags: &[&str]) -> Result<Unit, Diagnostic> {
    let unit = match (input, &options.project) {
        (Input::File(path), Some(project)) => project.unit(path),
        (Input::Text(..), _) | (_, None) => None,
    };
    let data_model = options.data_model.or(unit.and_then(|unit| unit.data_model)).unwrap_or(DataModel::Lp64);
    let mut args: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
    args.extend(unit.iter().flat_map(|unit| unit.args.iter().cloned()));
    args.extend(options.clang_args.iter().cloned());
    let (name, kind) = match input {
        Input::Text(name, _) => (name.to_owned(), FileKind::Source(Language::C)),
        Input::File(path) => {
            check_readable(path)?;
            (path.display().to_string(), file_kind(path)?)
        }
    };
    Ok(Unit { name, kind, data_model, args })
}

fn image_of(input: Input<'_>, options: &LoadOptions, flags: &[&str]) -> Result<Image, Diagnostic> {
    let Unit { name, kind, data_model, args } = unit_of(input, options, flags)?;
    match kind {
        FileKind::Llvm(kind) => {
            let unreadable = |error| Diagnostic::error(format!("cannot read {name}: {error}"));
            let path = match input {
                Input::File(path) => path,
                Input::Text(name, _) => Path::new(name),
            };
            let bytes = fs::read(path).map_err(unreadable)?;
            Ok(Image { name, kind, bytes, is_unsequenced: false })
        }
        FileKind::Source(language) => {
            let compiled = clang::compile(input, language, data_model, &args, Output::Bitcode)?;
            let kind = if clang::is_optimised(&args) { ImageKind::Optimised } else { ImageKind::Compiled };
            Ok(Image { name, kind, bytes: compiled.output, is_unsequenced: compiled.is_unsequenced })
        }
    }
}

/// All files in one module.
struct Linked<'c> {
    module: Module<'c>,
    /// The name of the entry function.
    entry: String,
}

fn link<'c>(
    context: &'c Context,
    images: Vec<Image>,
    start: &Start,
    options: &LoadOptions,
) -> Result<Linked<'c>, Diagnostic> {
    let modules = images.iter().map(|image| Ok((image.name.clone(), read(context, image)?)));
    let mut modules = modules.collect::<Result<Vec<(String, Module<'_>)>, Diagnostic>>()?;
    let mut entry = Entry::read(options.entry.as_deref()).name;
    if let Start::Hidden { file, .. } = start {
        entry = expose(&mut modules, file, &entry);
    }
    let mut modules = modules.into_iter();
    let (first, mut module) = modules.next().ok_or_else(|| Diagnostic::error("no input files"))?;
    for (name, other) in modules {
        if module.layout_text() != other.layout_text() {
            return Err(Diagnostic::error(format!("{first} and {name} are compiled for different machines")));
        }
        module
            .link(other)
            .map_err(|error| Diagnostic::error(format!("cannot link {name} with the files before it: {error}")))?;
    }
    Ok(Linked { module, entry })
}

/// Gives a function with internal linkage external linkage. It keeps its name unless another file shares that one,
/// otherwise it gets a number. Returns the name.
fn expose(modules: &mut [(String, Module<'_>)], file: &str, function: &str) -> String {
    let Some(own) = modules.iter().position(|(name, _)| name == file) else { return function.to_owned() };
    let mut name = function.to_owned();
    for number in 0.. {
        let wanted = if number == 0 { function.to_owned() } else { format!("{function}.{number}") };
        let Some(given) = modules[own].1.expose(&name, &wanted) else { break };
        name = given;
        let is_shared = modules.iter().enumerate().any(|(index, (_, module))| index != own && module.shares(&name));
        if !is_shared {
            break;
        }
    }
    name
}

pub(crate) fn read<'c>(context: &'c Context, image: &Image) -> Result<Module<'c>, Diagnostic> {
    let describe = |error: String| {
        let error: String = error.chars().take(2000).collect();
        Diagnostic::error(format!("{} is not a valid LLVM module: {}", image.name, error.trim()))
    };
    let module = match image.kind {
        ImageKind::Text => context.parse_text(&image.bytes),
        ImageKind::Compiled | ImageKind::Optimised | ImageKind::Bitcode => context.parse_bitcode(&image.bytes),
    };
    let mut module = module.map_err(describe)?;
    match image.kind {
        ImageKind::Compiled => module.mark_blocks(),
        ImageKind::Optimised => {}
        ImageKind::Text | ImageKind::Bitcode => module.verify().map_err(describe)?,
    }
    Ok(module)
}

/// The data model of a module, if it is the requested one.
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
    linked: &Linked<'_>,
    Target { data_model, libc, failure, records }: Target,
) -> Result<Program, Diagnostic> {
    let module = &linked.module;
    let entry = find_entry(module, &linked.entry)?;
    let models = Models::needed_by(context, module, data_model);
    let lower = |needs: Needs| {
        let mut lowering = Lowering::new(module, &models, (data_model, libc));
        choose_variants(&mut lowering, needs);
        lowering.failure = failure;
        lowering.records = records.clone();
        let start = start::lower(&mut lowering, entry);
        lowering.run();
        let notes = std::mem::take(&mut lowering.notes);
        (lowering.finish(start), notes)
    };
    let mentions = |names: &[&str]| names.iter().any(|name| module.function(name).is_some());
    let first = Needs {
        unlocked: mentions_unlocked(module),
        preferences: has_preference(module),
        measured: mentions(MONOTONIC) && mentions(TAKES_TIME),
        ticks: mentions(&[STEADY_CLOCK]),
        ..Needs::default()
    };
    let (mut program, mut notes) = lower(first);
    let needs = first.of(&program, libc);
    if needs != first {
        (program, notes) = lower(needs);
    }
    passes::on_loading(&mut program, &Loading { notes: &notes, size_of: &|names| module.size_of_declared(names) });
    if cfg!(debug_assertions) {
        let problems = ir::validate(&program);
        assert!(problems.is_empty(), "a loaded program should be valid: {problems:?}");
    }
    Ok(program)
}

/// Error: no such function; lists the existing ones, those with similar names first.
fn no_entry(module: &Module<'_>, name: &str) -> Diagnostic {
    const MAX: usize = 5;
    let diagnostic = Diagnostic::error(format!("the program defines no function `{name}` to start in"));
    let defined = module.functions().filter(|function| !function.is_declaration()).map(|function| function.name());
    // Mangled C++ names are nothing that a user would type.
    let mut names: Vec<String> = defined.filter(|name| !name.starts_with("_Z")).collect();
    names.sort_by_cached_key(|other| (edits(name, other), other.clone()));
    let rest = names.len().saturating_sub(MAX);
    names.truncate(MAX);
    let list = names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match (names.is_empty(), rest) {
        (true, _) => diagnostic.help("it defines no function at all"),
        (false, 0) => diagnostic.help(format!("it defines {list}: name one with --entry")),
        (false, rest) => diagnostic.help(format!("it defines {list} and {rest} more: name one with --entry")),
    }
}

/// The edit distance of two names.
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

/// The functions of C++ streams that report whether output has failed: those of `std::basic_ios<char>` for `bool`, `!`,
/// `fail`, `good`, `bad`, `rdstate`.
const LOOKS_AT_STREAMS: &[&str] = &[
    "_ZNKSt9basic_iosIcSt11char_traitsIcEEcvbEv",
    "_ZNKSt9basic_iosIcSt11char_traitsIcEEntEv",
    "_ZNKSt9basic_iosIcSt11char_traitsIcEE4failEv",
    "_ZNKSt9basic_iosIcSt11char_traitsIcEE4goodEv",
    "_ZNKSt9basic_iosIcSt11char_traitsIcEE3badEv",
    "_ZNKSt9basic_iosIcSt11char_traitsIcEE7rdstateEv",
];

/// The functions that read a monotonic clock: `clock_gettime`, and `now()` of `std::chrono::steady_clock`.
const MONOTONIC: &[&str] = &["clock_gettime", STEADY_CLOCK];
const STEADY_CLOCK: &str = "_ZNSt6chrono3_V212steady_clock3nowEv";

/// The functions that sleep, with that of older headers for `std::this_thread`, and those that wait until a time of a
/// monotonic clock.
const TAKES_TIME: &[&str] = &[
    "pthread_condattr_setclock",
    "pthread_cond_clockwait",
    "pthread_mutex_clocklock",
    "pthread_rwlock_clockrdlock",
    "pthread_rwlock_clockwrlock",
    "sem_clockwait",
    "sleep",
    "usleep",
    "nanosleep",
    "clock_nanosleep",
    "thrd_sleep",
    "_ZNSt11this_thread11__sleep_forENSt6chrono8durationIlSt5ratioILl1ELl1EEEENS1_IlS2_ILl1ELl1000000000EEEE",
];

/// Chooses the variants of models for the program (`models/heddle.h` describes each).
fn choose_variants(lowering: &mut Lowering<'_>, needs: Needs) {
    lowering.needs = needs;
    lowering.variants.extend(lowering.libc.variant());
    let any = |lowering: &Lowering<'_>, names: &[&str]| names.iter().any(|name| lowering.mentions(name));
    let has_mutex_kinds = any(
        lowering,
        &[
            "pthread_mutexattr_settype",
            "pthread_mutexattr_setkind_np",
            "pthread_mutexattr_setrobust",
            "pthread_mutexattr_setprotocol",
            "mtx_init",
        ],
    ) || has_special_mutex(lowering.user.module);
    let kinds = [
        ("__simple_bound", needs.is_bound && !has_mutex_kinds),
        ("__bound", needs.is_bound),
        ("__simple", !has_mutex_kinds),
    ];
    lowering.variants.extend(kinds.iter().filter(|(_, holds)| *holds).map(|(suffix, _)| *suffix));
    if lowering.user.module.functions().flat_map(Value::blocks).any(unwinds) {
        lowering.variants.push("__unwinds");
    }
    let ends =
        ["pthread_key_create", "__pthread_key_create", "tss_create", "__cxa_thread_atexit", "__cxa_thread_atexit_impl"];
    let (is_plain, is_bare) = (!any(lowering, &ends), !any(lowering, &["pthread_attr_init", "pthread_getattr_np"]));
    let endings = [("__plain_bare", is_plain && is_bare), ("__plain", is_plain), ("__bare", is_bare)];
    lowering.variants.extend(endings.iter().filter(|(_, holds)| *holds).map(|(suffix, _)| *suffix));
    let is_operator = |name: &str| ["_Znw", "_Zna", "_Zdl", "_Zda"].iter().any(|prefix| name.starts_with(prefix));
    if lowering.user.module.functions().any(|function| !function.is_declaration() && is_operator(&function.name())) {
        lowering.variants.push("__replaced");
    }
    if any(lowering, &["realloc", "reallocarray", "malloc_usable_size"]) {
        lowering.variants.push("__sized");
    }
    if lowering.user_mentions(&["feof", "ferror", "fileno"]) {
        lowering.variants.push("__indicated");
    }
    if lowering.user_mentions(LOOKS_AT_STREAMS) {
        lowering.variants.push("__looked_at");
    }
    let module = lowering.user.module;
    if lowering.libc == Libc::Standard && module.functions().any(|f| f.name().starts_with("_ZNSt18shared_timed_mutex"))
    {
        lowering.variants.push("__weakly");
    }
    lowering.uses_exit_handlers =
        any(lowering, &["atexit", "__cxa_atexit", "__cxa_thread_atexit", "__cxa_thread_atexit_impl"])
            || lowering.user.module.global("llvm.global_dtors").is_some();
}

/// Whether a basic block has a call with clean-up work if the stack is unwound.
fn unwinds(block: Block<'_>) -> bool {
    block.terminator().is_some_and(|last| last.opcode() == Some(Opcode::LLVMInvoke))
}

/// Whether the program uses functions of `<stdio.h>` that do not lock the stream.
fn mentions_unlocked(module: &Module<'_>) -> bool {
    module.functions().any(|function| function.is_declaration() && function.name().ends_with("_unlocked"))
}

/// Whether a read-write lock has an initialiser that prefers writers: a constant, or code that stores into one.
fn has_preference(module: &Module<'_>) -> bool {
    fn is_lock(ty: Ty<'_>) -> bool {
        ty.struct_name().is_some_and(|name| name.contains("pthread_rwlock"))
    }
    fn has_one(value: Value<'_>, is_inside: bool) -> bool {
        if value.is_null() || value.is_undef() || value.as_bytes().is_some() {
            return false;
        }
        if let Some(int) = value.as_int() {
            return is_inside && int != 0;
        }
        let is_inside = is_inside || is_lock(value.ty());
        let count = value.ty().elements().map_or(value.ty().fields().len() as u64, |(_, count)| count);
        (0..count).filter_map(|index| value.element(index as u32)).any(|part| has_one(part, is_inside))
    }
    let has_structs = |value: &Value<'_>| layout::scalar(value.ty()).is_none();
    let stores = |instruction: Value<'_>| {
        instruction.opcode() == Some(Opcode::LLVMStore) && instruction.operand(1).gep_source_type().is_some_and(is_lock)
    };
    module.globals().filter_map(Value::initializer).filter(has_structs).any(|value| has_one(value, false))
        || module.functions().flat_map(Value::blocks).any(|block| block.instructions().any(stores))
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
    // 32-bit glibc: four integers, the last of which is the kind, an integer, and a union of two.
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
