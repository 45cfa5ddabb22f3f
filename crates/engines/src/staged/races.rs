//! Finds all races: while there is a race of a pair of source lines that is not known, its run is kept and the pair
//! excluded.
//!
//! Often one race comes before another in every run. Behaviour after a race is undefined, but a user who asks for all
//! races wants to fix them together: so a run is followed to the race that was sought, ignoring those before it.

use super::Search;
use crate::skeleton::compose::{Composition, Race};
use crate::skeleton::events::{EventId, Skeleton};
use base::{Span, Stats};
use check::{Counterexample, Task};
use ir::{EdgeId, FunctionId};
use smt::term::value::Evaluation;
use smt::{Answer, Term, Terms};

/// The source lines of two accesses, the lesser first.
type Pair = (String, String);

fn pair(a: String, b: String) -> Pair {
    if a <= b {
        (a, b)
    } else {
        (b, a)
    }
}

impl Search<'_> {
    /// The races besides the first, whose model was found last.
    pub(super) fn other_races(
        &self,
        task: &Task<'_>,
        skeleton: &Skeleton,
        composition: &mut Composition,
        first: &Counterexample,
        terms: &mut Terms,
        stats: &mut Stats,
    ) -> Vec<Counterexample> {
        let place = |span: Span| task.program.place(span);
        let mut known: Vec<Pair> = shown(task, first).into_iter().collect();
        let mut found = Vec::new();
        let mut lost = 0u32;
        // The first run shows the race that comes first in it, which need not be the one that was chosen.
        let mut tried: Option<Pair> = None;
        let Some(race) = composition.race.take() else { return found };
        let is_complete = loop {
            let never: Vec<&Pair> = known.iter().chain(&tried).collect();
            let lines = |event: EventId| place(skeleton.events[event].at);
            exclude(&race, &never, lines, composition, terms);
            let assumptions = composition.assumed.clone();
            match composition.solver.check_goals(terms, &race.goals(), &assumptions, &task.budget) {
                Ok(Answer::Sat) => {}
                Ok(Answer::Unsat) => break true,
                Err(_) => break false,
            }
            let sought = chosen(&race, composition, terms);
            tried = sought.map(|(a, b)| pair(place(skeleton.events[a].at), place(skeleton.events[b].at)));
            let sought = sought.and_then(|(a, b)| Some((statement(skeleton, a)?, statement(skeleton, b)?)));
            composition.race = Some(Race { first: race.first.clone(), second: race.second.clone() });
            let followed = self.follow(task, skeleton, composition, terms, sought);
            composition.race = None;
            match followed.ok().and_then(|run| Some((shown(task, &run)?, run))) {
                Some((pair, run)) if !known.contains(&pair) => {
                    known.push(pair);
                    found.push(run);
                }
                Some(_) | None => lost += 1,
            }
        };
        stats.set("races", found.len() as f64 + 1.0);
        stats.set("races_not_replayed", f64::from(lost));
        stats.set("races_complete", f64::from(u8::from(is_complete)));
        found
    }
}

/// The statement that an event belongs to.
fn statement(skeleton: &Skeleton, event: EventId) -> Option<(FunctionId, EdgeId)> {
    let steps = &skeleton.threads[skeleton.events[event].thread].steps;
    steps.iter().find(|step| step.events.contains(&event)).map(|step| step.at)
}

/// The accesses that race in a run.
fn shown(task: &Task<'_>, run: &Counterexample) -> Option<Pair> {
    let place =
        |(function, edge): (FunctionId, EdgeId)| task.program.place(task.program.functions[function].edges[edge].span);
    let (_, function, edge) = run.violation.other?;
    Some(pair(place(run.violation.at?), place((function, edge))))
}

/// The accesses that race in the model found last.
fn chosen(race: &Race, composition: &mut Composition, terms: &Terms) -> Option<(EventId, EventId)> {
    let model = composition.solver.model(terms).clone();
    let mut evaluation = Evaluation::new(terms, &model);
    let mut of = |accesses: &[(Term, EventId)]| {
        accesses.iter().find(|(choice, _)| evaluation.is_true(*choice)).map(|(_, event)| *event)
    };
    of(&race.first).zip(of(&race.second))
}

/// Excludes races of these pairs of lines.
fn exclude(
    race: &Race,
    pairs: &[&Pair],
    lines: impl Fn(EventId) -> String,
    composition: &mut Composition,
    terms: &mut Terms,
) {
    for (a, b) in pairs {
        for (x, y) in [(a, b), (b, a)] {
            let choices = |accesses: &[(Term, EventId)], line: &String| -> Vec<Term> {
                accesses.iter().filter(|(_, event)| lines(*event) == *line).map(|(choice, _)| *choice).collect()
            };
            let (first, second) = (choices(&race.first, x), choices(&race.second, y));
            let (first, second) = (terms.or(first), terms.or(second));
            let both = terms.and2(first, second);
            let never = terms.not(both);
            composition.solver.assert(terms, never);
        }
    }
}
