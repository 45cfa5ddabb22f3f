//! From the proof of a program to the invariants of a correctness witness: the facts of the proof as C expressions at
//! loops and at statements with visible steps. The proofs are the trees of `impact` and, thread by thread, those of
//! `tar`.
//!
//! A proof has nodes where a thread is about to take a visible step, or where a loop begins. So the invariant of a
//! statement is the disjunction over the nodes that the thread reaches next. Conjuncts common to all of them become one
//! invariant each; the rest becomes a disjunction, if it is short, or bounds of numbers. More may hold where other
//! threads have ended: a ghost variable (`work_done`) records that the only thread of a function reaches its end. All
//! of these are candidates ([`super::invariants`]), which are checked before they are written.

use super::invariants::is_users;
use super::places::{Places, Spot};
use super::text::{CText, Position};
use super::{instrument, Claims, Ghost, GhostUpdate, Invariant};
use ir::analysis::graph::loop_heads;
use ir::invariants::{Comparison, Condition, Fact, Form, LocationInvariant, Range, Term};
use ir::{Callee, FunctionId, LocId, LocalId, Program, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// Limits past which checking costs more than it is worth: invariants, cases of one, and letters.
const MAX_INVARIANTS: usize = 24;
const MAX_CASES: usize = 4;
const LONGEST: usize = 160;
/// Cases past this number are not merged: they would not become few.
const MANY_CASES: usize = 200;

/// The candidate invariants of loops and statements. Loops come first: if there are too many, the others are left out.
pub fn candidates(program: &Program, places: &Places, known: &[LocationInvariant]) -> Claims {
    let mut by_place: BTreeMap<(FunctionId, LocId), Vec<&LocationInvariant>> = BTreeMap::new();
    for item in known {
        by_place.entry(item.at).or_default().push(item);
    }
    let proof = Proof { program, places, by_place };
    let spots = proof.spots();
    let loops = spots.iter().filter(|(_, (is_of_loop, _))| *is_of_loop);
    let others = spots.iter().filter(|(_, (is_of_loop, _))| !is_of_loop);
    let mut claims = Claims::default();
    for (spot, (is_of_loop, starts)) in loops.chain(others) {
        proof.add(&mut claims, *spot, *is_of_loop, starts);
    }
    claims.invariants.truncate(MAX_INVARIANTS);
    claims
}

struct Proof<'t> {
    program: &'t Program,
    places: &'t Places,
    by_place: BTreeMap<(FunctionId, LocId), Vec<&'t LocationInvariant>>,
}

/// The facts of one case.
type Case = BTreeSet<Condition>;

/// Locations of functions.
type Locs = BTreeSet<(FunctionId, LocId)>;

impl Proof<'_> {
    /// Loops, and statements at which threads stop in nodes, with the locations at which they are reached; of loops,
    /// those at which their condition is evaluated.
    fn spots(&self) -> BTreeMap<Spot, (bool, Locs)> {
        let (mut all, mut firsts, mut heads): (BTreeMap<Spot, Locs>, BTreeMap<Spot, Locs>, BTreeMap<Spot, Locs>) =
            Default::default();
        for (function, code) in self.program.functions.enumerate() {
            let is_head = loop_heads(code);
            for (edge, item) in code.edges.enumerate() {
                let Some(spot) = self.places.statement((function, edge)) else { continue };
                all.entry(spot).or_default().insert((function, item.from));
                if self.places.is_entry((function, edge)) {
                    firsts.entry(spot).or_default().insert((function, item.from));
                }
                if is_head.contains(&item.from) {
                    heads.entry(spot).or_default().insert((function, item.from));
                }
            }
        }
        let stops = |locs: &Locs| locs.iter().any(|at| self.by_place.contains_key(at));
        let mut spots = BTreeMap::new();
        for (file, text) in self.places.texts.iter().enumerate() {
            for at in text.loops() {
                // A condition that is always true is no step of the program: then the body begins the loop.
                let body = || text.body_of(at).and_then(|at| firsts.get(&Spot { file, at }));
                if let Some(starts) = heads.get(&Spot { file, at }).or_else(body) {
                    spots.insert(Spot { file, at }, (true, starts.clone()));
                }
            }
        }
        for (spot, starts) in &firsts {
            let word = self.places.texts[spot.file].word_at(spot.at);
            if !matches!(word, Some("while" | "for" | "do")) && all.get(spot).is_some_and(stops) {
                spots.entry(*spot).or_insert((false, starts.clone()));
            }
        }
        spots
    }

    /// Adds the candidates of a loop or a statement.
    fn add(&self, claims: &mut Claims, spot: Spot, is_of_loop: bool, starts: &Locs) {
        let text = &self.places.texts[spot.file];
        let cases = self.cases(spot, starts);
        let always = said(cases.iter().map(|(facts, _)| facts.clone()).collect());
        let location = text.location(spot.at);
        let invariant = |value: String| Invariant {
            is_of_loop,
            location: location.clone(),
            value,
            stands_at: 0,
            is_everywhere: false,
        };
        claims.invariants.extend(always.iter().map(|value| invariant(value.to_string())));
        let mut ended: BTreeSet<FunctionId> = cases.iter().flat_map(|(_, ended)| ended.iter().copied()).collect();
        ended.retain(|function| cases.iter().any(|(_, ended)| !ended.contains(function)));
        for function in ended {
            let then = cases.iter().filter(|(_, ended)| ended.contains(&function)).map(|(facts, _)| facts.clone());
            let mut then = said(then.collect());
            then.retain(|value| !always.contains(value));
            let Some(ends) = self.ends(text, function).filter(|_| !then.is_empty()) else { continue };
            let variable = format!("{}_done", self.program.functions[function].name);
            claims.invariants.extend(then.iter().map(|value| invariant(format!("!{variable} || ({value})"))));
            if claims.ghosts.iter().any(|ghost| ghost.name == variable) {
                continue;
            }
            claims.updates.extend(ends.into_iter().map(|at| GhostUpdate {
                location: text.location(at),
                variable: variable.clone(),
                value: "1".to_owned(),
                stands_at: 0,
            }));
            claims.ghosts.push(Ghost { name: variable, ty: "int".to_owned(), initial: "0".to_owned(), stands_at: 0 });
        }
    }

    /// The expressible facts at a spot of each node that a thread reaches next, and the functions whose threads have
    /// ended there.
    fn cases(&self, spot: Spot, starts: &Locs) -> Vec<(Case, &BTreeSet<FunctionId>)> {
        let (stops, written) = self.next(starts);
        let all: Vec<&LocationInvariant> = stops.iter().flat_map(|at| &self.by_place[at]).copied().collect();
        let mut names: BTreeSet<(FunctionId, &str)> = BTreeSet::new();
        for known in &all {
            names.extend(known.facts.iter().flat_map(|fact| fact.condition.names()).map(|name| (known.at.0, name)));
        }
        names.retain(|(function, name)| self.is_nameable(spot, *function, name));
        let mut cases = Vec::new();
        for known in all {
            let (function, _) = known.at;
            let is_own = starts.iter().any(|(own, _)| *own == function);
            let can_be_said = |fact: &&Fact| {
                fact.locals.iter().all(|local| is_own && !written.contains(&(function, *local)))
                    && fact.condition.names().iter().all(|name| names.contains(&(function, *name)))
            };
            cases.push((
                known.facts.iter().filter(can_be_said).map(|fact| fact.condition.clone()).collect(),
                &known.ended,
            ));
        }
        cases
    }

    /// The locations at which threads stop next, and the variables that change on the way there.
    fn next(&self, starts: &Locs) -> (Locs, BTreeSet<(FunctionId, LocalId)>) {
        let (mut stops, mut written) = (Locs::new(), BTreeSet::new());
        let mut open: Vec<(FunctionId, LocId)> = starts.iter().copied().collect();
        let mut seen: Locs = starts.clone();
        while let Some(at) = open.pop() {
            if self.by_place.contains_key(&at) {
                stops.insert(at);
                continue;
            }
            let (function, loc) = at;
            for edge in self.program.functions[function].edges.iter().filter(|edge| edge.from == loc) {
                // A library function without a stop is passed.
                let to = match &edge.stmt {
                    Stmt::Call { callee: Callee::Direct(callee), .. } if self.is_of_user(*callee) => {
                        (*callee, self.program.functions[*callee].entry)
                    }
                    _ => (function, edge.to),
                };
                written.extend(edge.stmt.writes().into_iter().map(|local| (function, local)));
                if seen.insert(to) {
                    open.push(to);
                }
            }
        }
        (stops, written)
    }

    fn is_of_user(&self, function: FunctionId) -> bool {
        self.program.is_users(self.program.functions[function].span)
    }

    /// Whether an expression at a spot can mention a variable that is global or belongs to a function.
    fn is_nameable(&self, spot: Spot, function: FunctionId, name: &str) -> bool {
        let text = &self.places.texts[spot.file];
        let is_local = self.program.functions[function].locals.iter().any(|local| local.name == name);
        let is_known = if is_local { text.is_visible(name, spot.at) } else { text.is_declared_before(name, spot.at) };
        is_known && is_users(self.places, name)
    }

    /// The last statements of the only thread of a function.
    fn ends(&self, text: &CText, function: FunctionId) -> Option<Vec<Position>> {
        let name = &self.program.functions[function].name;
        let is_fresh = text.tokens.iter().all(|token| token.text != format!("{name}_done"));
        let (open, close) = text.body(name)?;
        // The name occurs in its definition and in its start, and nowhere else.
        let mentions = text.tokens.iter().filter(|token| token.text == *name).count();
        if !is_fresh || mentions != 2 {
            return None;
        }
        let ends: Vec<usize> = (open..close).filter(|at| instrument::leaves(text, *at)).collect();
        let last = text.index_at(text.start_of(text.tokens[close].at)?)?;
        let mut all = ends.clone();
        if !ends.contains(&last) {
            all.push(last);
        }
        // The last statement is reached on every path.
        let is_plain = matches!(text.tokens[last - 1].text.as_str(), ";" | "{" | "}") && text.depth(last) == 1;
        let all_can = all.iter().all(|at| instrument::can_update(text, *at));
        (is_plain && all_can).then(|| all.into_iter().map(|at| text.tokens[at].at).collect())
    }
}

/// Expressions that all hold, implied by a disjunction of cases.
fn said(cases: Vec<Case>) -> Vec<Condition> {
    let cases: BTreeSet<Case> = cases.into_iter().collect();
    let cases = if cases.len() > MANY_CASES { cases } else { merged(cases) };
    let Some(first) = cases.first() else { return Vec::new() };
    let is_common = |fact: &&Condition| cases.iter().all(|case| case.contains(*fact));
    let common: Case = first.iter().filter(is_common).cloned().collect();
    let rest: Vec<Case> = cases.iter().map(|case| case.difference(&common).cloned().collect()).collect();
    let parts = |case: &Case| Form::all(case.iter().map(|fact| fact.form().clone()));
    let by_cases = Condition::new(Form::Any(rest.iter().map(parts).collect()));
    let mut all: Vec<Condition> = common.into_iter().collect();
    if rest.len() > MAX_CASES || by_cases.text().len() > LONGEST {
        all.extend(bounds(&rest));
    } else if rest.iter().all(|case| !case.is_empty()) {
        all.push(by_cases);
    }
    all
}

/// Equivalent but fewer cases: two that differ only in whether a condition holds become one, and subsumed cases are
/// dropped.
fn merged(mut cases: BTreeSet<Case>) -> BTreeSet<Case> {
    let without =
        |case: &Case, fact: &Condition| -> Case { case.iter().filter(|other| *other != fact).cloned().collect() };
    loop {
        let joined = cases.iter().find_map(|case| {
            case.iter().find_map(|fact| {
                let rest = without(case, fact);
                let negated = fact.negated()?;
                let is_other = |other: &Case| other.contains(&negated) && without(other, &negated) == rest;
                cases.iter().any(is_other).then_some(rest)
            })
        });
        let Some(joined) = joined else { break };
        cases.retain(|case| !joined.is_subset(case));
        cases.insert(joined);
    }
    let all = cases.clone();
    cases.retain(|case| !all.iter().any(|other| other != case && other.is_subset(case)));
    cases
}

/// The bounds of expressions that equal some number in every case.
fn bounds(cases: &[Case]) -> Vec<Condition> {
    let numbers = |case: &Case| -> BTreeMap<Term, Range> {
        let number = |fact: &Condition| match fact.form() {
            Form::Compare(term, Comparison::Equal, Term::Constant(value)) => {
                Some((term.clone(), Range { least: Some(*value), greatest: Some(*value) }))
            }
            Form::Compare(..) | Form::Holds(_) | Form::All(_) | Form::Any(_) => None,
        };
        case.iter().filter_map(number).collect()
    };
    let joined = cases.iter().map(numbers).reduce(|all, own| {
        all.into_iter().filter_map(|(term, range)| Some((term.clone(), range.joined(own.get(&term)?)))).collect()
    });
    joined.unwrap_or_default().iter().filter_map(|(term, range)| range.condition(term)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A condition as the tests write it.
    fn condition(text: &str) -> Condition {
        let term = |text: &str| match text.parse() {
            Ok(number) => Term::Constant(number),
            Err(_) => Term::Name(text.to_owned()),
        };
        let form = |text: &str| match text.split(' ').collect::<Vec<_>>()[..] {
            [left, "==", right] => Form::Compare(term(left), Comparison::Equal, term(right)),
            [left, "!=", right] => Form::Compare(term(left), Comparison::Unequal, term(right)),
            [left, "<", right] => Form::Compare(term(left), Comparison::Less, term(right)),
            [left, "<=", right] => Form::Compare(term(left), Comparison::AtMost, term(right)),
            _ => Form::Holds(term(text)),
        };
        Condition::new(match text.split(" || ").map(form).collect::<Vec<_>>() {
            mut parts if parts.len() == 1 => parts.remove(0),
            parts => Form::Any(parts),
        })
    }

    #[test]
    fn what_cases_have_in_common_is_said_once() {
        let cases = |all: &[&[&str]]| -> Vec<Case> {
            all.iter().map(|case| case.iter().map(|fact| condition(fact)).collect()).collect()
        };
        for (given, expected) in [
            (cases(&[&["x == y"]]), vec!["x == y"]),
            (cases(&[&["x == y", "z == 0"], &["x == y", "z == 1"]]), vec!["x == y", "z == 0 || z == 1"]),
            (cases(&[&["x == y"], &[]]), vec![]),
            (cases(&[&["a == 1", "b < 2 || c < 2"], &["d == 0"]]), vec!["(a == 1 && (b < 2 || c < 2)) || d == 0"]),
            (cases(&[&["a == 1"], &["a == 1", "b == 1"]]), vec!["a == 1"]),
            (cases(&[&["a != 0"], &["a == 0"]]), vec![]),
            (cases(&[&["x", "a < b"], &["x", "b <= a", "c == 1"], &["x", "b <= a", "c != 1"]]), vec!["x"]),
            (cases(&[&["a == 0"], &["a == 1"], &["a == 2"], &["a == 3"], &["a == 5"]]), vec!["0 <= a && a <= 5"]),
            (vec![], vec![]),
        ] {
            let said = said(given.clone());
            assert_eq!(said.iter().map(Condition::text).collect::<Vec<_>>(), expected, "{given:?}");
        }
    }
}
