//! Elimination and projection against all values of small variables.

use super::elimination::eliminate;
use super::projection::project;
use crate::term::value::Evaluation;
use crate::term::{Assignment, Bits, Sort, Term, Terms, Value};
use proptest::prelude::*;

/// Takes decisions from a list of bytes; zeros once it is exhausted.
struct Choices<'a>(std::slice::Iter<'a, u8>);

impl Choices<'_> {
    fn next(&mut self, below: u8) -> u8 {
        self.0.next().copied().unwrap_or(0) % below
    }
}

const WIDTH: u32 = 2;

fn word(terms: &mut Terms, words: &[Term], choices: &mut Choices, depth: u8) -> Term {
    if depth == 0 || choices.next(3) == 0 {
        return match choices.next(4) {
            0 => terms.number(WIDTH, u64::from(choices.next(4))),
            _ => words[usize::from(choices.next(words.len() as u8))],
        };
    }
    let (a, b) = (word(terms, words, choices, depth - 1), word(terms, words, choices, depth - 1));
    match choices.next(8) {
        0 | 1 => terms.add(a, b),
        2 => terms.sub(a, b),
        3 => terms.mul(a, b),
        4 => terms.bit_and([a, b]),
        5 => terms.bit_xor(a, b),
        6 => {
            let (high, low) = (terms.extract(0, 0, a), terms.extract(1, 1, b));
            terms.concat(high, low)
        }
        _ => {
            let bit = terms.extract(0, 0, a);
            terms.sign_extend(WIDTH - 1, bit)
        }
    }
}

fn formula(terms: &mut Terms, words: &[Term], flags: &[Term], choices: &mut Choices, depth: u8) -> Term {
    if depth > 0 {
        let parts = [(); 2].map(|()| formula(terms, words, flags, choices, depth - 1));
        return match choices.next(4) {
            0 => terms.or(parts),
            _ => terms.and(parts),
        };
    }
    let (a, b) = (word(terms, words, choices, 2), word(terms, words, choices, 1));
    let atom = match choices.next(8) {
        0..=3 => terms.eq(a, b),
        4 => terms.ult(a, b),
        5 => terms.slt(a, b),
        _ => {
            let same = terms.eq(a, b);
            let flag = flags[usize::from(choices.next(flags.len() as u8))];
            terms.eq(flag, same)
        }
    };
    if choices.next(3) == 0 {
        terms.not(atom)
    } else {
        atom
    }
}

/// All assignments to the variables.
fn all(terms: &Terms, variables: &[Term]) -> Vec<Assignment> {
    let mut states = vec![Assignment::default()];
    for &variable in variables {
        let values: Vec<Value> = match terms.sort(variable) {
            Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
            _ => (0..1 << WIDTH).map(|value| Value::Bits(Bits::from_u64(WIDTH, value))).collect(),
        };
        let with = |state: &Assignment| {
            let states = values.iter().map(|value| {
                let mut state = state.clone();
                state.insert(variable, value.clone());
                state
            });
            states.collect::<Vec<_>>()
        };
        states = states.iter().flat_map(with).collect();
    }
    states
}

fn holds(terms: &Terms, formula: Term, state: &Assignment) -> bool {
    Evaluation::new(terms, state).is_true(formula)
}

/// Whether some values of the other variables make the formula true.
fn holds_for_some(terms: &Terms, formula: Term, state: &Assignment, others: &[Assignment]) -> bool {
    others.iter().any(|other| {
        let mut both = state.clone();
        both.extend(other.iter().map(|(&variable, value)| (variable, value.clone())));
        holds(terms, formula, &both)
    })
}

proptest! {
    /// Elimination changes nothing; a projection holds in its model, implies the quantified formula and has no local variables.
    #[test]
    fn quantified_variables(bytes in proptest::collection::vec(any::<u8>(), 24..80)) {
        let mut terms = Terms::new();
        let words: Vec<Term> = (0..4).map(|i| terms.variable(format!("w{i}"), Sort::Bits(WIDTH))).collect();
        let flags: Vec<Term> = (0..2).map(|i| terms.variable(format!("f{i}"), Sort::Bool)).collect();
        let keep = [words[0], words[1], flags[0]];
        let locals = [words[2], words[3], flags[1]];
        let formula = formula(&mut terms, &words, &flags, &mut Choices(bytes.iter()), 2);
        let mut sorted = keep;
        sorted.sort_unstable();
        let reduced = eliminate(&mut terms, formula, &sorted);
        let (states, others) = (all(&terms, &keep), all(&terms, &locals));
        for state in &states {
            let expected = holds_for_some(&terms, formula, state, &others);
            prop_assert_eq!(holds_for_some(&terms, reduced, state, &others), expected);
        }
        let whole: Vec<Term> = keep.iter().chain(&locals).copied().collect();
        let models: Vec<Assignment> = all(&terms, &whole).into_iter().filter(|s| holds(&terms, formula, s)).collect();
        for model in models.iter().step_by(models.len() / 5 + 1) {
            let projected = project(&mut terms, formula, &sorted, model);
            prop_assert!(terms.variables(&[projected]).iter().all(|variable| keep.contains(variable)));
            prop_assert!(holds(&terms, projected, model));
            for state in states.iter().filter(|state| holds(&terms, projected, state)) {
                prop_assert!(holds_for_some(&terms, formula, state, &others));
            }
        }
    }
}
