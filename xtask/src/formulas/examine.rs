//! The laws for one script.

use super::ast::{Command, Dialect, Expr, Script, Sort};
use super::evaluate::{evaluate, mask, Value};
use super::make::bits_of;
use super::Report;
use base::Budget;
use smt::certificate::Uncertified;
use smt::script::Session;
use smt::term::value::Evaluation;
use smt::term::{ArrayValue, Assignment};
use smt::{Answer, Bits, Solver, Term, Terms};
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::time::Duration;
use testing::programs::rng::Rng;

/// A disagreement.
#[derive(Debug)]
pub struct Breach {
    /// The broken law.
    pub kind: &'static str,
    message: String,
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)
    }
}

fn breach<T>(kind: &'static str, message: impl Into<String>) -> Result<T, Breach> {
    Err(Breach { kind, message: message.into() })
}

/// The time limit of one check.
const LIMIT: Duration = Duration::from_millis(500);

/// In one script of this many, every `unsat` must have a valid proof.
const CERTIFIED: u64 = 4;

/// Maximum number of bits for brute force.
const MAX_BITS: u32 = 16;

/// Examines a script. `theirs`: another solver's answer to each check.
pub(super) fn examine(
    script: &Script,
    seed: u64,
    theirs: Option<&[String]>,
    report: &mut Report,
) -> Result<(), Breach> {
    let is_certified = seed.is_multiple_of(CERTIFIED);
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| {
        run_commands(script, theirs, is_certified, report)?;
        compare_values(script, seed, report)?;
        print_and_parse(script, report)?;
        minimal_core(script, is_certified, report)
    }));
    match outcome {
        Ok(result) => result,
        Err(panic) => {
            let message = panic.downcast_ref::<String>().map(String::as_str);
            let message = message.or_else(|| panic.downcast_ref::<&str>().copied());
            breach("panic", message.unwrap_or("a panic"))
        }
    }
}

fn send(session: &mut Session, text: &str) -> Result<String, Breach> {
    let mut output = String::new();
    let budget = Budget::new(Some(LIMIT), None);
    match session.run(text, &budget, &mut |text| output.push_str(text)) {
        Ok(()) => Ok(output.trim_end().to_owned()),
        Err(error) => breach("refused", format!("{error} in {text}")),
    }
}

/// Calls `visit` with every assignment until it returns true.
fn any_assignment(vars: &[Sort], mut visit: impl FnMut(&[Value]) -> bool) -> bool {
    let bits: u32 = vars.iter().map(|&sort| bits_of(sort)).sum();
    (0..1u128 << bits).any(|code| visit(&decode(vars, code)))
}

fn decode(vars: &[Sort], mut code: u128) -> Vec<Value> {
    let mut take = |width: u32| {
        let value = code & mask(width);
        code >>= width;
        value
    };
    vars.iter()
        .map(|sort| match *sort {
            Sort::Bool => Value::Bool(take(1) == 1),
            Sort::Bits(width) => Value::Bits(take(width)),
            Sort::Array(index, element) => Value::Dense((0..1 << index).map(|_| take(element)).collect()),
        })
        .collect()
}

fn is_satisfiable(vars: &[Sort], formulas: &[&Expr]) -> bool {
    any_assignment(vars, |values| formulas.iter().all(|formula| evaluate(formula, vars, values).bool()))
}

fn can_enumerate(vars: &[Sort]) -> bool {
    vars.iter().all(|sort| !matches!(sort, Sort::Array(index, _) if *index > 4))
        && vars.iter().map(|&sort| bits_of(sort)).sum::<u32>() <= MAX_BITS
}

fn new_session(is_certified: bool) -> Session {
    if is_certified {
        Session::with_certificates()
    } else {
        Session::new()
    }
}

/// The result of a proof check; running out of time is not a breach.
fn require_proof(result: Result<(), Uncertified>, report: &mut Report) -> Result<(), Breach> {
    match result {
        Ok(()) => {
            report.certificates += 1;
            Ok(())
        }
        Err(Uncertified::Stopped(_)) => Ok(()),
        Err(error) => breach("certificate", error.to_string()),
    }
}

fn certify(session: &mut Session, report: &mut Report) -> Result<(), Breach> {
    require_proof(session.certify(&Budget::new(Some(LIMIT), None)), report)
}

/// Runs the commands one by one: answers, models, cores and certificates must be right.
fn run_commands(
    script: &Script,
    theirs: Option<&[String]>,
    is_certified: bool,
    report: &mut Report,
) -> Result<(), Breach> {
    let vars = &script.vars;
    let questions = script.questions();
    let mut session = new_session(is_certified);
    send(&mut session, &script.declarations(Dialect::Standard))?;
    let mut asked = 0;
    for command in &script.commands {
        let answer = send(&mut session, &script.command_text(command, Dialect::Standard))?;
        let Command::Check(assumptions) = command else { continue };
        let (formulas, _) = &questions[asked];
        asked += 1;
        let expected = match theirs {
            None if can_enumerate(vars) => Some(if is_satisfiable(vars, formulas) { "sat" } else { "unsat" }),
            None => None,
            Some(answers) => answers.get(asked - 1).map(String::as_str).filter(|&answer| answer != "unknown"),
        };
        match (answer.as_str(), expected) {
            ("unknown", _) | (_, None) => report.unknown += 1,
            (ours, Some(expected)) if ours != expected => {
                return breach("answer", format!("check {asked}: {ours} where {expected} is right"));
            }
            _ => {}
        }
        match answer.as_str() {
            "sat" => {
                report.sat += 1;
                let values = model(&mut session, vars)?;
                if let Some(wrong) = formulas.iter().find(|formula| !evaluate(formula, vars, &values).bool()) {
                    let wrong = wrong.text(vars, Dialect::Standard);
                    return breach("model", format!("check {asked}: {values:?} does not satisfy {wrong}"));
                }
            }
            "unsat" => {
                report.unsat += 1;
                if is_certified {
                    certify(&mut session, report)?;
                }
                if !assumptions.is_empty() {
                    let core = core(&mut session, vars, formulas, assumptions)?;
                    check_core(script, &core, is_certified, report)?;
                    report.cores += 1;
                }
            }
            "unknown" => {}
            other => return breach("answer", format!("check {asked}: {other}")),
        }
    }
    Ok(())
}

/// The assertions, and the assumptions that the session reports as needed.
fn core<'e>(
    session: &mut Session,
    vars: &[Sort],
    formulas: &[&'e Expr],
    assumptions: &'e [Expr],
) -> Result<Vec<&'e Expr>, Breach> {
    let core = send(session, "(get-unsat-assumptions)")?;
    let mut rest = core.strip_prefix('(').and_then(|core| core.strip_suffix(')')).unwrap_or(&core).to_owned();
    let mut kept: Vec<&Expr> = formulas[..formulas.len() - assumptions.len()].to_vec();
    for assumption in assumptions {
        let text = assumption.text(vars, Dialect::Standard);
        if let Some(after) = rest.strip_prefix(&text) {
            kept.push(assumption);
            rest = after.trim_start().to_owned();
        }
    }
    if !rest.is_empty() {
        return breach("core", format!("the core {core} has parts that were not assumed, or not in their order"));
    }
    Ok(kept)
}

/// The core alone must be unsatisfiable: by brute force, or else by a fresh solver.
fn check_core(script: &Script, core: &[&Expr], is_certified: bool, report: &mut Report) -> Result<(), Breach> {
    let vars = &script.vars;
    let is_satisfiable = if can_enumerate(vars) {
        is_satisfiable(vars, core)
    } else {
        let mut fresh = new_session(is_certified);
        send(&mut fresh, &script.declarations(Dialect::Standard))?;
        for expr in core {
            send(&mut fresh, &format!("(assert {})", expr.text(vars, Dialect::Standard)))?;
        }
        let answer = send(&mut fresh, "(check-sat)")?;
        if is_certified && answer == "unsat" {
            certify(&mut fresh, report)?;
        }
        answer == "sat"
    };
    if is_satisfiable {
        return breach("core", "what is asserted and the core together are satisfiable");
    }
    Ok(())
}

/// The values of the variables, parsed from the output of `get-value`; `get-model` must agree.
fn model(session: &mut Session, vars: &[Sort]) -> Result<Vec<Value>, Breach> {
    let whole = send(session, "(get-model)")?;
    let mut values = Vec::new();
    for (index, &sort) in vars.iter().enumerate() {
        let printed = send(session, &format!("(get-value (v{index}))"))?;
        let text = printed.strip_prefix(&format!("((v{index} ")).and_then(|text| text.strip_suffix("))"));
        let Some(value) = text.and_then(|text| read_value(text, sort)) else {
            return breach("model", format!("the value {printed} cannot be read"));
        };
        let line = format!("(define-fun v{index} () {} {})", sort.text(), text.unwrap_or_default());
        if !whole.contains(&line) {
            return breach("model", format!("{whole} does not contain {line}"));
        }
        values.push(value);
    }
    Ok(values)
}

fn read_number(text: &str) -> Option<u128> {
    match text.split_at_checked(2)? {
        ("#x", digits) => u128::from_str_radix(digits, 16).ok(),
        ("#b", digits) => u128::from_str_radix(digits, 2).ok(),
        _ => None,
    }
}

fn read_value(text: &str, sort: Sort) -> Option<Value> {
    match sort {
        Sort::Bool => text.parse().ok().map(Value::Bool),
        Sort::Bits(_) => read_number(text).map(Value::Bits),
        Sort::Array(index, _) => {
            // (store (store ((as const SORT) x) i y) j z)
            let constant = format!("((as const {}) ", sort.text());
            let (stores, rest) = text.split_once(&constant)?;
            let mut words = rest.split([' ', ')']).filter(|word| !word.is_empty());
            let mut value = Value::constant_array(index, read_number(words.next()?)?);
            for _ in 0..stores.matches("(store ").count() {
                value.store(read_number(words.next()?)?, read_number(words.next()?)?);
            }
            words.next().is_none().then_some(value)
        }
    }
}

/// All formulas of the script.
fn formulas_of(script: &Script) -> Vec<&Expr> {
    let all = script.commands.iter().flat_map(|command| match command {
        Command::Assert(expr) => std::slice::from_ref(expr),
        Command::Check(assumptions) => &assumptions[..],
        Command::Push | Command::Pop => &[],
    });
    all.collect()
}

fn session_of(script: &Script) -> Result<Session, Breach> {
    let mut session = Session::new();
    send(&mut session, &script.declarations(Dialect::Standard))?;
    for expr in formulas_of(script) {
        send(&mut session, &format!("(assert {})", expr.text(&script.vars, Dialect::Standard)))?;
    }
    Ok(session)
}

/// Rewriting keeps values: terms and the naive evaluator agree under random assignments, on every part that is a bit-vector
/// or Boolean.
fn compare_values(script: &Script, seed: u64, report: &mut Report) -> Result<(), Breach> {
    let vars = &script.vars;
    let mut rng = Rng::new(seed ^ 0x5eed);
    let mut parts: Vec<&Expr> = Vec::new();
    for formula in formulas_of(script) {
        closed_parts(formula, &mut parts);
    }
    let mut session = Session::new();
    send(&mut session, &script.declarations(Dialect::Standard))?;
    for (index, part) in parts.iter().enumerate() {
        let (sort, text) = (part.sort(vars), part.text(vars, Dialect::Standard));
        send(&mut session, &format!("(declare-const r{index} {})(assert (= r{index} {text}))", sort.text()))?;
    }
    let (terms, equations) = session.formula();
    let variables = terms.variables(&equations);
    for _ in 0..4 {
        let values: Vec<Value> = vars.iter().map(|&sort| random_value(&mut rng, sort)).collect();
        let mut assignment = Assignment::default();
        for &variable in &variables {
            let name = terms.name(variable);
            let number: usize = name[1..].parse().expect("names should have numbers");
            let (value, sort) = if name.starts_with('v') {
                (values[number].clone(), vars[number])
            } else {
                (evaluate(parts[number], vars, &values), parts[number].sort(vars))
            };
            assignment.insert(variable, to_term_value(&value, sort));
        }
        let mut evaluation = Evaluation::new(terms, &assignment);
        for (index, &equation) in equations.iter().enumerate() {
            report.values += 1;
            if !evaluation.is_true(equation) {
                let text = parts[index].text(vars, Dialect::Standard);
                return breach("value", format!("{text} under {values:?}"));
            }
        }
    }
    Ok(())
}

/// Subterms without free names, arrays included.
fn closed_parts<'e>(expr: &'e Expr, parts: &mut Vec<&'e Expr>) {
    parts.push(expr);
    if let Expr::Op(_, _, _, args) = expr {
        args.iter().for_each(|arg| closed_parts(arg, parts));
    }
}

fn random_value(rng: &mut Rng, sort: Sort) -> Value {
    let mut number = |width: u32| {
        let random = (0..4).fold(0u128, |sum, _| sum << 32 | rng.below(u32::MAX as usize) as u128);
        [0, 1, mask(width), 1 << (width - 1), random, random, random, random][rng.below(8)] & mask(width)
    };
    match sort {
        Sort::Bool => Value::Bool(number(1) == 1),
        Sort::Bits(width) => Value::Bits(number(width)),
        Sort::Array(index, element) => {
            let mut array = Value::constant_array(index, number(element));
            for _ in 0..4 {
                array.store(number(index), number(element));
            }
            array
        }
    }
}

fn to_term_value(value: &Value, sort: Sort) -> smt::Value {
    match (value, sort) {
        (Value::Bool(value), _) => smt::Value::Bool(*value),
        (Value::Bits(value), Sort::Bits(width)) => smt::Value::Bits(Bits::from_u128(width, *value)),
        (Value::Dense(elements), Sort::Array(index, element)) => {
            let mut array = ArrayValue::new(index, Bits::zero(element));
            for (place, value) in elements.iter().enumerate() {
                array.set(Bits::from_u128(index, place as u128), Bits::from_u128(element, *value));
            }
            smt::Value::Array(array)
        }
        (Value::Sparse(default, elements), Sort::Array(index, element)) => {
            let mut array = ArrayValue::new(index, Bits::from_u128(element, *default));
            for (&place, &value) in elements {
                array.set(Bits::from_u128(index, place), Bits::from_u128(element, value));
            }
            smt::Value::Array(array)
        }
        _ => panic!("{value:?} should have sort {sort:?}"),
    }
}

/// Terms survive printing and parsing in the same session. Rewriting does not always reach its fixed point at once, so
/// a term may be parsed as another one; the two must then be equivalent.
fn print_and_parse(script: &Script, report: &mut Report) -> Result<(), Breach> {
    let mut session = session_of(script)?;
    let (terms, assertions) = session.formula();
    let count = assertions.len();
    let text = terms.to_script(&assertions);
    let is_kept = |line: &&str| line.starts_with("(define-fun ") || line.starts_with("(assert ");
    let defined: String = text.lines().filter(is_kept).collect();
    let with_let: String = assertions.iter().map(|&term| format!("(assert {})", terms.to_smtlib(term))).collect();
    send(&mut session, &defined)?;
    send(&mut session, &with_let)?;
    let (terms, all) = session.formula();
    for index in 0..2 * count {
        let (before, after) = (all[index % count], all[count + index]);
        if before == after {
            continue;
        }
        report.rewritten_again += 1;
        let differs = terms.xor(before, after);
        if is_sat_alone(terms, &[differs], &Budget::new(Some(LIMIT), None)) {
            let (before, after) = (terms.to_smtlib(before), terms.to_smtlib(after));
            return breach("print", format!("{before} is read as {after}"));
        }
    }
    Ok(())
}

/// With all formulas assumed at once: cores are unsatisfiable alone, minimal ones minimal, and the solver continues
/// correctly.
fn minimal_core(script: &Script, is_certified: bool, report: &mut Report) -> Result<(), Breach> {
    let mut session = session_of(script)?;
    let (terms, mut assertions) = session.formula();
    assertions.sort_unstable();
    assertions.dedup();
    let budget = Budget::new(Some(LIMIT), None);
    let mut solver = if is_certified { Solver::with_certificates() } else { Solver::new() };
    if solver.check(terms, &assertions, &budget) != Ok(Answer::Unsat) {
        return Ok(());
    }
    let core = solver.core().to_vec();
    if is_sat_alone(terms, &core, &budget) {
        return breach("core", "a core of assumptions is satisfiable");
    }
    let minimal = solver.minimal_core(terms, &budget);
    if budget.check().is_err() {
        return Ok(());
    }
    if is_certified {
        require_proof(solver.certify(terms, &budget), report)?;
    }
    if is_sat_alone(terms, &minimal, &budget) {
        return breach("minimal core", "a minimal core is satisfiable");
    }
    for index in 0..minimal.len() {
        let mut rest = minimal.clone();
        rest.remove(index);
        if !is_sat_alone(terms, &rest, &budget) && budget.check().is_ok() {
            return breach("minimal core", "a part of a minimal core can be left out");
        }
    }
    report.cores += 1;
    Ok(())
}

fn is_sat_alone(terms: &mut Terms, formulas: &[Term], budget: &Budget) -> bool {
    let mut solver = Solver::new();
    for &formula in formulas {
        solver.assert(terms, formula);
    }
    solver.check(terms, &[], budget) == Ok(Answer::Sat)
}
