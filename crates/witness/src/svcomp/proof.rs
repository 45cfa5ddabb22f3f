//! From the proof of a program to the invariants of a correctness witness: what it says where threads are, as C expressions at loops and at
//! statements in which something happens that other threads notice. The proofs are the trees of `impact` and, thread by thread, those of `tar`.
//!
//! A proof has nodes where a thread is about to do such a thing, or where a loop begins, so what holds when a statement is
//! reached is what holds in one of the nodes that the thread gets to next. What all of these say is one invariant for each
//! expression; the rest is said by cases, if there are few, or as the bounds of numbers. Where other threads have ended,
//! more may hold: a ghost variable (`work_done`) tells that the only thread of a function gets to its end. All of it are
//! candidates ([`super::invariants`]), which are checked before they are written.

use super::invariants::{expression, is_users, range, Range};
use super::places::{Places, Spot};
use super::text::{is_word, CText, Position};
use super::{instrument, Claims, Ghost, GhostUpdate, Invariant};
use ir::analysis::graph::loop_heads;
use ir::{Callee, FunctionId, LocId, LocalId, Program, Stmt};
use std::collections::{BTreeMap, BTreeSet};

/// More would cost more to check than they tell: invariants, cases of one, and letters.
const MOST_INVARIANTS: usize = 24;
const MOST_CASES: usize = 4;
const LONGEST: usize = 160;

/// Something that holds in a node: a C expression, and the variables of the thread's function that it mentions.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Fact {
    /// The expression.
    pub text: String,
    /// The variables of the function that it mentions.
    pub locals: BTreeSet<LocalId>,
}

/// A thread in a node.
pub struct Known {
    /// Where it is, in a function of the user's.
    pub at: (FunctionId, LocId),
    /// What holds.
    pub facts: BTreeSet<Fact>,
    /// The functions whose threads have ended.
    pub ended: BTreeSet<FunctionId>,
}

/// What should hold at loops and statements. Loops come first: if there is too much, it is the rest that is left out.
pub fn candidates(program: &Program, places: &Places, known: &[Known]) -> Claims {
    let mut by_place: BTreeMap<(FunctionId, LocId), Vec<&Known>> = BTreeMap::new();
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
    claims.invariants.truncate(MOST_INVARIANTS);
    claims
}

struct Proof<'t> {
    program: &'t Program,
    places: &'t Places,
    by_place: BTreeMap<(FunctionId, LocId), Vec<&'t Known>>,
}

/// Locations of functions.
type Locs = BTreeSet<(FunctionId, LocId)>;

impl Proof<'_> {
    /// Loops, and statements at which threads stop in nodes, with the locations at which they are reached; of loops, those at which their
    /// condition is evaluated.
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

    /// Adds what should hold at a loop or a statement.
    fn add(&self, claims: &mut Claims, spot: Spot, is_of_loop: bool, starts: &Locs) {
        let text = &self.places.texts[spot.file];
        let (stops, written) = self.next(starts);
        let known: Vec<&Known> = stops.iter().flat_map(|at| &self.by_place[at]).copied().collect();
        let case = |known: &Known| -> BTreeSet<String> {
            let is_own = starts.iter().any(|(function, _)| *function == known.at.0);
            let can_be_said = |fact: &&Fact| {
                fact.locals.iter().all(|local| is_own && !written.contains(&(known.at.0, *local)))
                    && words(&fact.text).all(|word| self.is_nameable(text, spot.at, known.at.0, word))
            };
            known.facts.iter().filter(can_be_said).map(|fact| fact.text.clone()).collect()
        };
        let always = said(known.iter().map(|known| case(known)).collect());
        let location = text.location(spot.at);
        let mut add = |value: String| {
            claims.invariants.push(Invariant { is_of_loop, location: location.clone(), value, stands_at: 0 });
        };
        always.iter().cloned().for_each(&mut add);
        let mut ended: BTreeSet<FunctionId> = known.iter().flat_map(|known| known.ended.iter().copied()).collect();
        ended.retain(|function| known.iter().any(|known| !known.ended.contains(function)));
        for function in ended {
            let Some(ends) = self.ends(text, function) else { continue };
            let then =
                said(known.iter().filter(|known| known.ended.contains(&function)).map(|known| case(known)).collect());
            let variable = format!("{}_done", self.program.functions[function].name);
            for value in then.iter().filter(|value| !always.contains(value)) {
                add(format!("!{variable} || ({value})"));
            }
            if then.iter().any(|value| !always.contains(value))
                && claims.ghosts.iter().all(|ghost| ghost.name != variable)
            {
                claims.updates.extend(ends.into_iter().map(|at| GhostUpdate {
                    location: text.location(at),
                    variable: variable.clone(),
                    value: "1".to_owned(),
                    stands_at: 0,
                }));
                claims.ghosts.push(Ghost {
                    name: variable,
                    ty: "int".to_owned(),
                    initial: "0".to_owned(),
                    stands_at: 0,
                });
            }
        }
    }

    /// Where threads stop next that are at some locations, and the variables that change on the way there.
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
                // A function of a library in which nobody stops is passed.
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

    /// Whether an expression at a position can mention a variable of the whole program, or of a function.
    fn is_nameable(&self, text: &CText, at: Position, function: FunctionId, name: &str) -> bool {
        let is_local = self.program.functions[function].locals.iter().any(|local| local.name == name);
        is_users(self.places, name)
            && if is_local { text.is_visible(name, at) } else { text.is_declared_before(name, at) }
    }

    /// The statements with which the only thread of a function ends.
    fn ends(&self, text: &CText, function: FunctionId) -> Option<Vec<Position>> {
        let name = &self.program.functions[function].name;
        let is_fresh = text.tokens.iter().all(|token| token.text != format!("{name}_done"));
        let (open, close) = text.body(name)?;
        // It is defined, and started, and nothing else.
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
        // The last statement is reached whatever happens before.
        let is_plain = matches!(text.tokens[last - 1].text.as_str(), ";" | "{" | "}") && text.depth(last) == 1;
        let all_can = all.iter().all(|at| instrument::can_update(text, *at));
        (is_plain && all_can).then(|| all.into_iter().map(|at| text.tokens[at].at).collect())
    }
}

/// What can be said of something that is as one of some cases say: expressions all of which hold.
fn said(mut cases: Vec<BTreeSet<String>>) -> Vec<String> {
    cases.sort();
    cases.dedup();
    let Some(first) = cases.first() else { return Vec::new() };
    let common: BTreeSet<String> =
        first.iter().filter(|fact| cases.iter().all(|case| case.contains(*fact))).cloned().collect();
    let mut all: Vec<String> = common.iter().cloned().collect();
    let rest: Vec<BTreeSet<String>> = cases.iter().map(|case| case.difference(&common).cloned().collect()).collect();
    // What is said by a case that says less need not be said.
    let is_least = |case: &&BTreeSet<String>| !rest.iter().any(|other| other.is_subset(case) && other != *case);
    let least: Vec<String> = rest.iter().filter(is_least).map(conjunction).collect();
    let by_cases = least.join(" || ");
    if least.len() <= MOST_CASES && by_cases.len() <= LONGEST {
        all.extend(Some(by_cases).filter(|_| least.iter().all(|case| !case.is_empty())));
    } else {
        all.extend(bounds(&rest));
    }
    all.retain(|value| value.len() <= LONGEST);
    all
}

fn conjunction(case: &BTreeSet<String>) -> String {
    let fact = |fact: &String| if fact.contains("||") { format!("({fact})") } else { fact.clone() };
    let text = case.iter().map(fact).collect::<Vec<_>>().join(" && ");
    if case.len() > 1 {
        format!("({text})")
    } else {
        text
    }
}

/// The bounds of variables that are equal to some number in every case.
fn bounds(cases: &[BTreeSet<String>]) -> Vec<String> {
    let numbers = |case: &BTreeSet<String>| -> BTreeMap<String, Range> {
        let number = |fact: &String| {
            let (name, value) = fact.split_once(" == ")?;
            is_word(name).then_some((name.to_owned(), range(&format!("= {value}"))?))
        };
        case.iter().filter_map(number).collect()
    };
    let joined = cases.iter().map(numbers).reduce(|all, own| {
        all.into_iter().filter_map(|(name, range)| Some((name.clone(), range.joined(own.get(&name)?)))).collect()
    });
    joined.unwrap_or_default().iter().filter_map(|(name, range)| expression(name, *range)).collect()
}

/// The names in an expression.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let all = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '.'));
    all.filter(|word| is_word(word) && !matches!(*word, "unsigned" | "char" | "short" | "int" | "long"))
}

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn what_cases_have_in_common_is_said_once() {
        let cases = |all: &[&[&str]]| -> Vec<std::collections::BTreeSet<String>> {
            all.iter().map(|case| case.iter().map(|fact| (*fact).to_owned()).collect()).collect()
        };
        for (given, expected) in [
            (cases(&[&["x == y"]]), vec!["x == y"]),
            (cases(&[&["x == y", "z == 0"], &["x == y", "z == 1"]]), vec!["x == y", "z == 0 || z == 1"]),
            (cases(&[&["x == y"], &[]]), vec![]),
            (cases(&[&["a == 1", "b < 2 || c < 2"], &["d == 0"]]), vec!["(a == 1 && (b < 2 || c < 2)) || d == 0"]),
            (cases(&[&["a == 1"], &["a == 1", "b == 1"]]), vec!["a == 1"]),
            (cases(&[&["a == 0"], &["a == 1"], &["a == 2"], &["a == 3"], &["a == 5"]]), vec!["0 <= a && a <= 5"]),
            (vec![], vec![]),
        ] {
            assert_eq!(said(given.clone()), expected, "{given:?}");
        }
    }
}
