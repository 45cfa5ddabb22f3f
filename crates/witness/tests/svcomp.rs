//! Every violation that exploration finds in a program under `tests/programs` is written as a witness of the software
//! verification competition, in both formats, read back, followed and replayed.

use base::Budget;
use interp::{Config, ExploreOptions, Explored, InputDomain, Machine, RunEnd};
use ir::{MemoryModel, Property};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Duration;
use testing::headers::{self, Question};
use witness::svcomp::{
    self, graphml, CText, Claim, Content, Followed, Places, Producer, Specification, Subject, Witness,
};

const WORKERS: usize = 2;
const TIME_TO_EXPLORE: Duration = Duration::from_secs(60);
const TIME_TO_FOLLOW: Duration = Duration::from_secs(60);
const STACK_BYTES: usize = 256 << 20;

/// The questions about C programs for which exploration is recorded to find a violation under sc of a property that the
/// competition has.
fn collect() -> Vec<(PathBuf, Question)> {
    let is_asked = |question: &Question| {
        matches!(question.property, Property::Unreach | Property::Race | Property::Memory)
            && question.model == MemoryModel::Sc
            && !question.is_safe
            && question.recorded("explore") == Some("unsafe")
    };
    let is_c = |path: &PathBuf| path.extension().is_some_and(|ending| ending != "ll");
    let mut found = Vec::new();
    for path in headers::programs("programs").into_iter().filter(is_c) {
        let questions = headers::questions_of(&path).expect("first lines that are understood");
        found.extend(questions.into_iter().filter(is_asked).map(|question| (path.clone(), question)));
    }
    found
}

/// Finds the violation, writes it in both formats and has each witness confirmed; returns whether it was found.
fn round_trip(path: &Path, question: &Question) -> Result<bool, String> {
    let program = question.load(path)?;
    let inputs = match &question.inputs {
        Some(values) => InputDomain { values: values.clone(), exclusive: false },
        None => InputDomain::default(),
    };
    let config = Config {
        model: MemoryModel::Sc,
        property: question.property,
        inputs,
        regions: Vec::new(),
        race_free: Default::default(),
    };
    let machine = Machine::new(&program, config);
    let options = ExploreOptions { reduction: true, max_depth: None };
    let budget = Budget::new(Some(TIME_TO_EXPLORE), None);
    let found = interp::explore(&machine, &options, &budget).result;
    let Explored::Violated { steps, violation } = found else { return Ok(false) };
    // Equal states may be reached in different ways: use the message of the replayed run.
    let violation = match interp::replay(&machine, &steps, None) {
        Ok(RunEnd::Violation(replayed)) => replayed,
        other => return Err(format!("{violation:?} does not replay: {other:?}")),
    };
    let (steps, violation) = (&steps, &violation);
    let name = path.to_str().expect("a name in UTF-8");
    let source = std::fs::read_to_string(path).expect("a readable program");
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
    let way = svcomp::path(&machine, &places, steps, violation)?;
    let text = graphml::to_graphml(&subject, &way, &producer);
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

/// Follows a witness and replays the run that is found.
fn confirm(program: &ir::Program, places: &Places, witness: Witness, property: Property) -> Result<(), String> {
    let Content::Violation(segments) = witness.content else { return Err("it is of correctness".to_owned()) };
    let budget = Budget::new(Some(TIME_TO_FOLLOW), None);
    let model = MemoryModel::Sc;
    match svcomp::follow(program, places, &segments, (model, property), &budget) {
        Followed::Violated { steps, inputs, .. } => {
            let inputs = InputDomain { values: inputs, exclusive: true };
            let machine = Machine::new(
                program,
                Config { model, property, inputs, regions: Vec::new(), race_free: Default::default() },
            );
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
    let all = collect();
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
                let Some((path, question)) = all.get(index) else { break };
                match round_trip(path, question) {
                    Ok(is_found) => *confirmed.lock().expect("the lock") += usize::from(is_found),
                    Err(problem) => {
                        let name = path.display();
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
