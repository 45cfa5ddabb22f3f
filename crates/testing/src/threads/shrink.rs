//! Minimising a program that breaks a law, greedily: removes statements, then simplifies their surroundings and syntax,
//! and removes unused parts. The parts of a seeded bug stay, since the ground truth depends on them.

use super::ast::*;
use std::collections::BTreeSet;

/// The smallest program reached such that `shows` still holds of it, after at most `tests` calls of `shows`.
pub fn shrink(program: &Program, tests: usize, shows: &mut dyn FnMut(&Program) -> bool) -> Program {
    let mut best = program.clone();
    let mut left = tests;
    'again: loop {
        for candidate in candidates(&best) {
            if left == 0 {
                return best;
            }
            left -= 1;
            if shows(&candidate) {
                best = candidate;
                continue 'again;
            }
        }
        return best;
    }
}

/// Slightly smaller programs.
fn candidates(program: &Program) -> Vec<Program> {
    let mut found: Vec<Program> = without_unused(program).into_iter().collect();
    if program.threads.len() > 2 && program.threads.last().is_some_and(|last| last.phases.iter().all(Vec::is_empty)) {
        let mut fewer = program.clone();
        fewer.threads.pop();
        found.push(fewer);
    }
    let phases = program.threads.iter().map(|thread| thread.phases.len()).max().unwrap_or(0);
    if phases > 1 && program.threads.iter().all(|thread| thread.phases.last().is_none_or(Vec::is_empty)) {
        let mut fewer = program.clone();
        fewer.threads.iter_mut().for_each(|thread| drop(thread.phases.pop()));
        found.push(fewer);
    }
    for channel in 0..program.channels.len() {
        let mut fewer = program.clone();
        retain(
            &mut fewer,
            |act| !matches!(act, Act::Give { channel: c, .. } | Act::Take { channel: c } if *c == channel),
        );
        found.push(fewer);
    }
    for place in places(program) {
        let mut fewer = program.clone();
        fewer.threads[place.0].phases[place.1].remove(place.2);
        found.push(fewer);
    }
    for (thread, phase, index) in places(program) {
        for simpler in simpler(&program.threads[thread].phases[phase][index]) {
            let mut changed = program.clone();
            changed.threads[thread].phases[phase][index] = simpler;
            found.push(changed);
        }
    }
    if program.arguments != Arguments::Variables {
        found.push(Program { arguments: Arguments::Variables, ..program.clone() });
    }
    found
}

fn retain(program: &mut Program, keep: impl Fn(&Act) -> bool) {
    for body in program.threads.iter_mut().flat_map(|thread| &mut thread.phases) {
        body.retain(|stmt| keep(&stmt.act));
    }
}

/// Statements that may be removed one by one.
fn places(program: &Program) -> Vec<(usize, usize, usize)> {
    let mut found = Vec::new();
    for (thread, one) in program.threads.iter().enumerate() {
        for (phase, body) in one.phases.iter().enumerate() {
            let may_go = |stmt: &Stmt| !matches!(stmt.act, Act::Bug(_) | Act::Give { .. } | Act::Take { .. });
            let indices = (0..body.len()).filter(|index| may_go(&body[*index]));
            found.extend(indices.map(|index| (thread, phase, index)));
        }
    }
    found
}

/// Removes unused cells, atomic objects and channels.
fn without_unused(program: &Program) -> Option<Program> {
    let used = |wanted: &dyn Fn(&Act) -> Option<usize>, count: usize| {
        let used: BTreeSet<usize> = program.statements().filter_map(|stmt| wanted(&stmt.act)).collect();
        (0..count).filter(|index| used.contains(index)).collect::<Vec<usize>>()
    };
    let cells = used(&cell_of, program.cells.len());
    let atomics = used(&object_of, program.atomics.len());
    let channels = used(&channel_of, program.channels.len());
    let mut fewer = Program {
        cells: cells.iter().map(|index| program.cells[*index]).collect(),
        atomics: atomics.iter().map(|index| program.atomics[*index]).collect(),
        channels: channels.iter().map(|index| program.channels[*index]).collect(),
        ..program.clone()
    };
    let renumber = |index: &mut usize, kept: &[usize]| {
        *index = kept.iter().position(|one| one == index).unwrap_or(*index);
    };
    for stmt in fewer.threads.iter_mut().flat_map(|thread| thread.phases.iter_mut().flatten()) {
        match &mut stmt.act {
            Act::Update { cell, .. } | Act::Observe { cell, .. } => renumber(cell, &cells),
            Act::Atomic { object, .. } => renumber(object, &atomics),
            Act::Give { channel, .. } | Act::Take { channel } => renumber(channel, &channels),
            Act::Compute { .. } | Act::Local { .. } | Act::Key { .. } | Act::Once | Act::Bug(_) => {}
        }
    }
    (fewer != *program).then_some(fewer)
}

fn cell_of(act: &Act) -> Option<usize> {
    match act {
        Act::Update { cell, .. } | Act::Observe { cell, .. } => Some(*cell),
        _ => None,
    }
}

fn object_of(act: &Act) -> Option<usize> {
    match act {
        Act::Atomic { object, .. } => Some(*object),
        _ => None,
    }
}

fn channel_of(act: &Act) -> Option<usize> {
    match act {
        Act::Give { channel, .. } | Act::Take { channel } => Some(*channel),
        _ => None,
    }
}

/// A statement with simpler syntax.
fn simpler(stmt: &Stmt) -> Vec<Stmt> {
    let mut found = Vec::new();
    if stmt.shell != Shell::Bare {
        found.push(Stmt { shell: Shell::Bare, ..*stmt });
    }
    match stmt.act {
        Act::Update { cell, value, dress, taking } => {
            if dress != Dress::Plain {
                found.push(Stmt { act: Act::Update { cell, value, dress: Dress::Plain, taking }, ..*stmt });
            }
            if taking != Taking::Calls {
                found.push(Stmt { act: Act::Update { cell, value, dress, taking: Taking::Calls }, ..*stmt });
            }
        }
        Act::Observe { cell, dress, taking } => {
            if dress != Dress::Plain {
                found.push(Stmt { act: Act::Observe { cell, dress: Dress::Plain, taking }, ..*stmt });
            }
            if taking != Taking::Calls {
                found.push(Stmt { act: Act::Observe { cell, dress, taking: Taking::Calls }, ..*stmt });
            }
        }
        Act::Atomic { .. } | Act::Give { .. } | Act::Take { .. } | Act::Compute { .. } => {}
        Act::Local { .. } | Act::Key { .. } | Act::Once | Act::Bug(_) => {}
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::make::make;

    #[test]
    fn shrinking_keeps_what_shows_and_the_bug() {
        let is_observing = |program: &Program| program.statements().any(|stmt| matches!(stmt.act, Act::Compute { .. }));
        let program = (0..).map(make).find(|program| program.bug.is_some() && is_observing(program));
        let program = program.expect("there should be one");
        let small = shrink(&program, 1000, &mut |candidate| is_observing(candidate));
        assert!(is_observing(&small) && small.bug == program.bug);
        let parts = if program.bug.is_some_and(Bug::has_two_parts) { 2 } else { 1 };
        assert_eq!(small.statements().count(), 1 + parts + small.channels.len() * 2);
    }
}
