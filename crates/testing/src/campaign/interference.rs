//! The law `interference`: the engine in several modes and forms, with some of its heuristics switched off and as a preset,
//! compared with `staged` and exploration.

use super::engines::{against, STAGED_BOUND};
use super::laws::{Check, Question, Subject};
use super::subject::Answer;
use crate::exact::MODES;
use crate::programs::rng::Rng;
use check::{Options, ReasonKind, Verdict};
use engines::interference::{FocusName, Form, Mode, Options as Interference, Preset};
use ir::{MemoryModel, Property};

/// The configurations of the engine: its default mode, another mode or form that supports the model and the property,
/// with a random selection of heuristics, and every other time a preset. The seed chooses them.
fn ways(model: MemoryModel, property: Property, seed: u64) -> Vec<(String, Interference)> {
    let has_clock = model.is_sequentially_consistent() && property != Property::Atomicity;
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
    let all = [FocusName::S0, FocusName::S1, FocusName::S2a, FocusName::S2b, FocusName::S3];
    let focus: Vec<FocusName> = all.into_iter().filter(|_| flag()).collect();
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

/// Compares the engine's answers with those of exploration and of `staged`, which must decide the same.
pub(super) fn check(subject: &Subject<'_>, question: Question, answer: &Answer) -> Check {
    let ask = |name: &str, interference: Interference| {
        let options = Options { bound: Some(STAGED_BOUND), strengthen_relaxed: true, ..Options::default() };
        subject.verdict(name, question, options.with(interference))
    };
    let staged = ask("staged", Interference::default());
    let mut all = Check::Undecided;
    for (name, way) in ways(question.0, question.1, subject.seed) {
        let name = format!("interference, {name}");
        let is_whole = way.preset.is_none();
        let verdict = ask("interference", way);
        let contradiction = match (&verdict, &staged) {
            (Verdict::Safe(_), Verdict::Unsafe(_)) | (Verdict::Unsafe(_), Verdict::Safe(_)) => {
                Some(format!("{name}: {}, but staged says {}", verdict.name(), staged.name()))
            }
            (Verdict::Unknown(reasons), Verdict::Safe(_) | Verdict::Unsafe(_)) if is_whole => {
                let is_out = |kind: ReasonKind| matches!(kind, ReasonKind::Time | ReasonKind::Memory);
                let is_able = !reasons.iter().any(|reason| is_out(reason.kind));
                is_able.then(|| format!("{name}: unknown ({}), but staged says {}", reasons[0].detail, staged.name()))
            }
            _ => None,
        };
        let is_compared = verdict.is_decided() && staged.is_decided();
        let check = against(&name, &verdict, answer).max(Check::new(contradiction, is_compared));
        if let Check::Broken(_) = check {
            return check;
        }
        all = all.max(check);
    }
    all
}
