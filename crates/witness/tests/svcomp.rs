//! Every violation that exploration finds in a program under `tests/programs` is written as a witness of the software
//! verification competition, in both formats, read back, followed and replayed.

use base::Budget;
use interp::{Config, ExploreOptions, Explored, InputDomain, Machine, RunEnd};
use ir::{DataModel, MemoryModel, Property};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;
use witness::svcomp::{
    self, graphml, CText, Claim, Content, Followed, Places, Producer, Specification, Subject, Witness,
};

const WORKERS: usize = 2;
const TIME_TO_EXPLORE: Duration = Duration::from_secs(60);
const TIME_TO_FOLLOW: Duration = Duration::from_secs(60);
const STACK_BYTES: usize = 256 << 20;

/// A question whose answer is a violation.
struct Unsafe {
    path: PathBuf,
    property: Property,
    inputs: Option<Vec<i128>>,
    data_model: Option<DataModel>,
    args: Vec<String>,
}

fn collect(folder: &Path, found: &mut Vec<Unsafe>) {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("a readable entry").path()).collect();
    paths.sort();
    for path in paths {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("").to_owned();
        if path.is_dir() {
            collect(&path, found);
        } else if matches!(ending.as_str(), "c" | "cc" | "cpp" | "i") {
            let text = std::fs::read_to_string(&path).expect("a readable program");
            // Only what exploration is recorded to find.
            let lines = text.lines().zip(text.lines().skip(1));
            let found_ones = lines.filter(|(_, recorded)| recorded.starts_with("// explore: unsafe"));
            found.extend(found_ones.filter_map(|(line, _)| question(&path, line)));
        }
    }
}

/// `// property: unreach   truth: unsafe`, of a property that the competition has, under sc.
fn question(path: &Path, line: &str) -> Option<Unsafe> {
    let parts = line.strip_prefix("//")?.split("  ").map(str::trim).filter(|part| !part.is_empty());
    let pairs: Vec<(&str, &str)> = parts.map(|part| part.split_once(':')).collect::<Option<_>>()?;
    let get = |key: &str| pairs.iter().find(|(own, _)| own.trim() == key).map(|(_, value)| value.trim());
    let property: Property = get("property")?.parse().ok()?;
    let is_asked = matches!(property, Property::Unreach | Property::Race | Property::Memory);
    let is_sc = get("model").is_none_or(|model| model == "sc");
    (is_asked && is_sc && get("truth") == Some("unsafe")).then(|| Unsafe {
        path: path.to_owned(),
        property,
        inputs: get("inputs")
            .map(|list| list.split(',').map(|value| value.trim().parse().expect("a number")).collect()),
        data_model: get("data-model").map(|name| if name == "ilp32" { DataModel::Ilp32 } else { DataModel::Lp64 }),
        args: get("args").map(|args| args.split_ascii_whitespace().map(str::to_owned).collect()).unwrap_or_default(),
    })
}

/// Finds the violation, writes it down in both formats and has it confirmed from what was written; whether it was found.
fn round_trip(question: &Unsafe) -> Result<bool, String> {
    let options =
        front::LoadOptions { data_model: question.data_model, clang_args: question.args.clone(), ..Default::default() };
    let (program, diagnostics) = front::load(std::slice::from_ref(&question.path), &options);
    let program = program.ok_or_else(|| format!("{diagnostics:?}"))?;
    let inputs = match &question.inputs {
        Some(values) => InputDomain { values: values.clone(), exclusive: false },
        None => InputDomain::default(),
    };
    let config = Config { model: MemoryModel::Sc, property: question.property, inputs, regions: Vec::new() };
    let machine = Machine::new(&program, config);
    let options = ExploreOptions { reduction: true, max_depth: None };
    let budget = Budget::new(Some(TIME_TO_EXPLORE), None);
    let found = interp::explore(&machine, &options, &budget).result;
    let Explored::Violated { steps, violation } = found else { return Ok(false) };
    // Equal states may have been reached in different ways: the replayed run's words.
    let violation = match interp::replay(&machine, &steps, None) {
        Ok(RunEnd::Violation(replayed)) => replayed,
        other => return Err(format!("{violation:?} does not replay: {other:?}")),
    };
    let (steps, violation) = (&steps, &violation);
    let name = question.path.to_str().expect("a name in UTF-8");
    let source = std::fs::read_to_string(&question.path).expect("a readable program");
    let places = Places::new(&program, vec![CText::new(name, &source)]);
    let segments = svcomp::waypoints(&machine, &places, steps, violation)?;
    let subject = Subject {
        files: vec![(name.to_owned(), svcomp::sha256::hex(source.as_bytes()))],
        specification: Specification::of(claims(question.property)).to_string(),
        data_model: "LP64".to_owned(),
    };
    let producer = Producer { version: "test".to_owned(), time: 0 };
    let witness = Witness { subject: subject.clone(), content: Content::Violation(segments) };
    let yaml = svcomp::write::to_yaml(&witness, &producer);
    let read = Witness::parse(&yaml).map_err(|error| format!("{error}\n{yaml}"))?;
    assert_eq!(read.subject, subject);
    confirm(&program, &places, read, question.property).map_err(|error| format!("{error}\n{yaml}"))?;
    let path = svcomp::path(&machine, &places, steps, violation)?;
    let text = graphml::to_graphml(&subject, &path, &producer);
    let read = Witness::parse(&text).map_err(|error| format!("{error}\n{text}"))?;
    assert_eq!(read.subject, subject);
    confirm(&program, &places, read, question.property).map_err(|error| format!("GraphML: {error}\n{text}"))?;
    Ok(true)
}

fn claims(property: Property) -> Vec<Claim> {
    match property {
        Property::Unreach => vec![Claim::UnreachCall("__assert_fail".to_owned())],
        Property::Race => vec![Claim::NoDataRace],
        _ => vec![Claim::ValidFree, Claim::ValidDeref],
    }
}

/// Follows a witness, and replays what comes of it.
fn confirm(program: &ir::Program, places: &Places, witness: Witness, property: Property) -> Result<(), String> {
    let Content::Violation(segments) = witness.content else { return Err("it is of correctness".to_owned()) };
    let budget = Budget::new(Some(TIME_TO_FOLLOW), None);
    let model = MemoryModel::Sc;
    match svcomp::follow(program, places, &segments, (model, property), &budget) {
        Followed::Violated { steps, inputs, .. } => {
            let inputs = InputDomain { values: inputs, exclusive: true };
            let machine = Machine::new(program, Config { model, property, inputs, regions: Vec::new() });
            match interp::replay(&machine, &steps, None) {
                Ok(RunEnd::Violation(violation)) if violation.property() == property => Ok(()),
                other => Err(format!("the run that was found does not replay: {other:?}")),
            }
        }
        Followed::Unknown(reasons) => Err(reasons.join("; ")),
    }
}

#[test]
fn every_violation_witness_is_confirmed() {
    let mut all = Vec::new();
    collect(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs").canonicalize().expect("the programs"),
        &mut all,
    );
    assert!(all.len() > 40, "{} questions are few", all.len());
    let next = Mutex::new(0);
    let (problems, confirmed) = (Mutex::new(Vec::new()), Mutex::new(0));
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            let worker = std::thread::Builder::new().stack_size(STACK_BYTES);
            let work = || loop {
                let index = {
                    let mut next = next.lock().expect("the lock");
                    *next += 1;
                    *next - 1
                };
                let Some(question) = all.get(index) else { break };
                match round_trip(question) {
                    Ok(is_found) => *confirmed.lock().expect("the lock") += usize::from(is_found),
                    Err(problem) => {
                        let name = question.path.display();
                        problems.lock().expect("the lock").push(format!("{name} ({}): {problem}", question.property));
                    }
                }
            };
            worker.spawn_scoped(scope, work).expect("a thread");
        }
    });
    let problems = problems.into_inner().expect("the lock");
    assert!(problems.is_empty(), "{} of {}:\n{}", problems.len(), all.len(), problems.join("\n\n"));
    let confirmed = confirmed.into_inner().expect("the lock");
    assert!(confirmed * 10 >= all.len() * 9, "only {confirmed} of {} violations were found", all.len());
}
