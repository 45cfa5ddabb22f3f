//! The law `interference`: the engine in several modes and forms, with some of its heuristics switched off and as a preset, next to
//! `staged` and exploration.

use super::laws::STAGED_BOUND;
use super::subject::{Answer, Limits};
use crate::exact::MODES;
use crate::programs::rng::Rng;
use check::{Focus, Form, Interference, Mode, Options, Preset, ReasonKind, Task, Verdict};
use ir::{MemoryModel, Program, Property};

/// The ways in which the engine is asked: in its default mode, in another mode or form that knows the model and the property, with a random
/// selection of heuristics, and every other time as a preset. Which these are, the seed says.
fn ways(model: MemoryModel, property: Property, seed: u64) -> Vec<(String, Interference)> {
    let has_clock = model == MemoryModel::Sc && property != Property::Atomicity;
    let mut rng = Rng::new(seed);
    let mut ways: Vec<(String, Interference)> = Vec::new();
    let known: Vec<_> = MODES.into_iter().filter(|way| way.2 == Form::Order || has_clock).collect();
    let one = known[rng.between(0, known.len() - 1)];
    for (name, mode, form) in known {
        if name == "mixed" || name == one.0 {
            ways.push((name.to_owned(), Interference { mode, form, ..Interference::default() }));
        }
    }
    let forms: &[Form] = if has_clock { &[Form::Order, Form::Clock] } else { &[Form::Order] };
    let form = forms[rng.between(0, forms.len() - 1)];
    let mode = [Mode::Over, Mode::Under, Mode::Mixed][rng.between(0, 2)];
    let mut flag = || rng.between(0, 1) == 0;
    let focus = Focus { pruning: flag(), biased: flag(), lock_links: flag(), lock_orders: flag(), orders: flag() };
    let told = format!("{mode:?} in the form {form:?} with {focus:?}");
    ways.push((told, Interference { mode, form, focus, ..Interference::default() }));
    if seed.is_multiple_of(2) {
        return ways;
    }
    let preset = [Preset::ControlState, Preset::Serial, Preset::LargelySerial][(seed % 3) as usize];
    let told = format!("preset {preset:?} in the form {form:?}");
    ways.push((told, Interference { form, preset: Some(preset), ..Interference::default() }));
    ways
}

/// An answer of the engine that exploration or `staged` contradicts, or that cannot be confirmed.
pub(super) fn breach(
    program: &Program,
    (model, property): (MemoryModel, Property),
    answer: &Answer,
    seed: u64,
    limits: &Limits,
) -> Option<String> {
    let ask = |name: &str, interference: Interference| {
        let budget = base::Budget::new(Some(limits.timeout), Some(limits.memory_bytes));
        let options =
            Options { bound: Some(STAGED_BOUND), strengthen_relaxed: true, interference, ..Options::default() };
        let task = Task { program, property, model, options, budget };
        Some(plan::solve(&task, plan::engine_named(name)?, false).outcome.verdict)
    };
    let staged = ask("staged", Interference::default())?;
    for (name, way) in ways(model, property, seed) {
        let verdict = ask("interference", way)?;
        let contradiction = match (&verdict, answer, &staged) {
            (Verdict::Safe(_), Answer::Violated(_, violation), _) => {
                Some(format!("safe, but exploration finds: {}", violation.message()))
            }
            (Verdict::Unsafe(_), Answer::Safe, _) => Some("unsafe, but exploration says safe".to_owned()),
            (Verdict::Safe(_), _, Verdict::Unsafe(_)) | (Verdict::Unsafe(_), _, Verdict::Safe(_)) => {
                Some(format!("{}, but staged says {}", verdict.name(), staged.name()))
            }
            (Verdict::Unknown(reasons), ..) => {
                let defect = reasons.iter().find(|reason| reason.kind.is_defect());
                let is_out = |kind: ReasonKind| matches!(kind, ReasonKind::Time | ReasonKind::Memory);
                let has_answer = staged.is_decided() && way.preset.is_none();
                match defect {
                    Some(defect) => Some(defect.detail.clone()),
                    None if has_answer && !reasons.iter().any(|reason| is_out(reason.kind)) => {
                        Some(format!("unknown ({}), but staged says {}", reasons[0].detail, staged.name()))
                    }
                    None => None,
                }
            }
            (Verdict::Safe(_) | Verdict::Unsafe(_), ..) => None,
        };
        if let Some(contradiction) = contradiction {
            return Some(format!("interference, {name}: {contradiction}"));
        }
    }
    None
}
