//! Random formulas in clauses, some of families that are hard for their size, and options that make the solver work on
//! them.

use super::random::Random;
use smt::Lit;

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn literal(&mut self, variables: usize) -> Lit {
        Lit::from_dimacs(self.below(variables) as i32 + 1).negate_if(self.chance(2))
    }
}

pub(crate) type Formula = Vec<Vec<Lit>>;

pub(crate) fn random_formula(random: &mut Random, variables: usize, clauses: usize) -> Formula {
    (0..clauses)
        .map(|_| {
            let size = if random.chance(8) { 2 + random.below(4) } else { 3 };
            (0..size).map(|_| random.literal(variables)).collect()
        })
        .collect()
}

/// One more pigeon than holes. Minimal: without any one clause it is satisfiable.
pub(crate) fn pigeons(holes: usize) -> Formula {
    let at = |pigeon: usize, hole: usize| Lit::from_dimacs((pigeon * holes + hole + 1) as i32);
    let mut formula: Formula = (0..=holes).map(|pigeon| (0..holes).map(|hole| at(pigeon, hole)).collect()).collect();
    for hole in 0..holes {
        for one in 0..=holes {
            formula.extend((0..one).map(|other| vec![!at(one, hole), !at(other, hole)]));
        }
    }
    formula
}

/// The sum modulo 2 of some variables, once in one order and once in another, is both 0 and 1.
pub(crate) fn parity(random: &mut Random, size: usize) -> Formula {
    let mut formula = Formula::new();
    let mut fresh = size as i32;
    for value in [false, true] {
        let mut terms: Vec<Lit> = (1..=size as i32).map(Lit::from_dimacs).collect();
        while terms.len() > 1 {
            let a = terms.swap_remove(random.below(terms.len()));
            let b = terms.swap_remove(random.below(terms.len()));
            fresh += 1;
            let sum = Lit::from_dimacs(fresh);
            formula.extend([vec![!sum, a, b], vec![!sum, !a, !b], vec![sum, !a, b], vec![sum, a, !b]]);
            terms.push(sum);
        }
        formula.push(vec![terms[0].negate_if(value)]);
    }
    formula
}

/// A formula of some family.
pub(crate) fn some_formula(random: &mut Random) -> Formula {
    match random.below(20) {
        0..=4 => {
            let variables = 3 + random.below(12);
            random_formula(random, variables, variables * 4)
        }
        5..=12 => {
            let variables = 20 + random.below(50);
            let clauses = variables * (38 + random.below(10)) / 10;
            random_formula(random, variables, clauses)
        }
        13..=15 => {
            let variables = 70 + random.below(60);
            let clauses = variables * (41 + random.below(5)) / 10;
            random_formula(random, variables, clauses)
        }
        16 => pigeons(3 + random.below(4)),
        _ if random.chance(200) => {
            let variables = 150 + random.below(100);
            random_formula(random, variables, variables * 43 / 10)
        }
        _ => {
            let size = 4 + random.below(14);
            parity(random, size)
        }
    }
}

/// Options of CaDiCaL that trigger on small problems the techniques it otherwise applies to large ones only.
pub(crate) const OPTIONS: [(&str, i32); 28] = [
    ("elimint", 20),
    ("inprobeint", 5),
    ("compactint", 20),
    ("compactmin", 1),
    ("compactlim", 0),
    ("reduceint", 10),
    ("reduceinit", 20),
    ("block", 1),
    ("cover", 1),
    ("condition", 1),
    ("conditionint", 20),
    ("instantiate", 1),
    ("elimdef", 1),
    ("elimboundmin", 16),
    ("ternarythresh", 0),
    ("sweepthresh", 0),
    ("sweepcomplete", 1),
    ("vivifythresh", 0),
    ("backbonethresh", 0),
    ("vivifydemote", 1),
    ("deduplicateallinit", 1),
    ("preprocesslight", 1),
    ("flush", 1),
    ("chronoalways", 1),
    ("restoreall", 2),
    ("restoreflush", 1),
    ("lucky", 0),
    ("walk", 0),
];
