//! Compares the translation from LLVM to the core form with LLVM's own execution (`lli`), on random straight-line
//! functions: one instruction or intrinsic function at a time, and in short chains.
//!
//! The front end's tables (`front::surface`) list what is lowered; each entry has a generator here. A case is run by `lli`
//! and, loaded by the front end, by the interpreter, with its operands as constants and with its operands in memory. Every
//! result must have the same bits, except NaNs whose bits LLVM leaves open.
//!
//! Unsupported: 32-bit data models (`lli` runs code of its own machine only), and values that LLVM does not determine.

mod execute;
mod instructions;
mod intrinsics;
mod maker;
mod types;

pub use maker::{Case, Form};

use anyhow::{ensure, Context, Result};
use execute::{Outcome, Side};
use front::surface::{Meaning, INTRINSICS};
use instructions::Generator;
use maker::{Maker, Shown, SLOT};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write;
use std::ops::Range;
use types::Scalar;

/// The number of cases that share a module.
const BATCH: u64 = 64;

/// The result of a comparison.
#[derive(Default, Debug)]
pub struct Report {
    /// The number of results compared, by instruction or intrinsic function.
    pub compared: BTreeMap<&'static str, usize>,
    /// Listed constructs that the front end did not lower, with their frequencies.
    pub gaps: BTreeMap<String, usize>,
    /// Cases that LLVM does not compile for this machine.
    pub refused: Vec<u64>,
    /// Cases with different results, with the module.
    pub differences: Vec<String>,
}

/// All generators: the ones of instructions, then those of intrinsic functions.
fn generators() -> Vec<(&'static str, Generator)> {
    instructions::INSTRUCTIONS.iter().chain(intrinsics::INTRINSICS).copied().collect()
}

/// The number of different subjects in a cycle of seeds.
pub fn subjects() -> u64 {
    generators().len() as u64
}

/// Subjects that are lowered without a generator, and generators of subjects that are not lowered.
pub fn uncovered() -> Vec<String> {
    let names: Vec<&str> = generators().iter().map(|(name, _)| *name).collect();
    let mut missing: Vec<String> = Vec::new();
    let needs_generator = |meaning: &Meaning| match meaning {
        Meaning::Lowered => true,
        Meaning::Ends => false,
        // Descriptions of the program have nothing to execute.
        Meaning::Ignored(_) => false,
    };
    for (name, meaning) in INTRINSICS {
        match meaning {
            Meaning::Ignored(reason) if reason.trim().is_empty() => missing.push(format!("{name} has no reason")),
            meaning if needs_generator(meaning) && !names.contains(name) => {
                missing.push(format!("{name} has no generator"));
            }
            _ => {}
        }
    }
    let listed = |name: &str| INTRINSICS.iter().any(|(listed, _)| *listed == name);
    missing.extend(
        front::surface::instructions().filter(|name| !names.contains(name)).map(|n| format!("{n} has no generator")),
    );
    let known: Vec<&str> = front::surface::instructions().collect();
    missing.extend(
        names.iter().filter(|name| !known.contains(name) && !listed(name)).map(|n| format!("{n} is not lowered")),
    );
    missing
}

/// The case for a seed. Seeds cycle through the subjects, first alone and then at the head of a chain.
fn case(seed: u64, form: Form, first_slot: usize) -> Case {
    let generators = generators();
    let count = generators.len() as u64;
    let (subject, generate) = generators[(seed % count) as usize];
    let mut maker = Maker::new(seed, form, first_slot);
    generate(&mut maker, subject);
    if (seed / count) % 2 == 1 {
        for _ in 0..maker.rng.between(1, 4) {
            let (name, generate) = generators[maker.rng.below(generators.len())];
            generate(&mut maker, name);
        }
    }
    maker.finish(subject)
}

/// Compares the cases with these seeds.
pub fn run(seeds: Range<u64>, tell: &mut dyn Write) -> Result<Report> {
    let mut report = Report::default();
    compare_ends(&mut report, tell)?;
    let mut start = seeds.start;
    while start < seeds.end {
        let end = seeds.end.min(start + BATCH);
        for form in [Form::Constants, Form::Memory] {
            let compared = compare(&(start..end).collect::<Vec<_>>(), form, &mut report, tell);
            compared.with_context(|| format!("seeds from {start} to {}, {form:?}", end - 1))?;
        }
        start = end;
    }
    let results: usize = report.compared.values().sum();
    writeln!(
        tell,
        "{} cases in two forms: {results} results of {} instructions and intrinsic functions compared, {} differences",
        seeds.end - seeds.start,
        report.compared.len(),
        report.differences.len()
    )?;
    if !report.refused.is_empty() {
        let seeds: Vec<String> = report.refused.iter().map(u64::to_string).collect();
        writeln!(tell, "not compiled by LLVM: {} (seeds {})", seeds.len(), seeds.join(", "))?;
    }
    for (what, count) in &report.gaps {
        writeln!(tell, "not lowered: {what} ({count} cases)")?;
    }
    Ok(report)
}

/// Compares cases that share a module. An unsupported construct ends the run, and code that LLVM cannot compile fails
/// whole modules: such cases are removed and the rest compared.
fn compare(seeds: &[u64], form: Form, report: &mut Report, tell: &mut dyn Write) -> Result<()> {
    let mut cases: Vec<Case> = Vec::new();
    let mut slots = 0;
    for seed in seeds {
        let case = case(*seed, form, slots);
        slots += case.shown.len();
        cases.push(case);
    }
    let ours = match execute::core(&module(&cases, slots, Side::Core))? {
        Outcome::Finished(ours) => ours,
        Outcome::Gap { at, what } => {
            *report.gaps.entry(what).or_default() += 1;
            ensure!(at < seeds.len(), "should stop inside a case");
            let rest: Vec<u64> = seeds.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, seed)| *seed).collect();
            return compare(&rest, form, report, tell);
        }
    };
    let Some(native) = execute::native(&module(&cases, slots, Side::Native))? else {
        if seeds.len() == 1 {
            report.refused.push(seeds[0]);
            return Ok(());
        }
        let (first, second) = seeds.split_at(seeds.len() / 2);
        compare(first, form, report, tell)?;
        return compare(second, form, report, tell);
    };
    let mut slot = 0;
    for case in cases {
        let problems = differences(&case, form, &native, &ours, slot);
        slot += case.shown.len();
        *report.compared.entry(case.subject).or_default() += case.shown.len();
        if !problems.is_empty() {
            let alone = module(&[self::case(case.seed, form, 0)], case.shown.len(), Side::Native);
            let text = format!("seed {} ({}):\n{problems}{alone}", case.seed, case.subject);
            writeln!(tell, "{text}")?;
            report.differences.push(text);
        }
    }
    Ok(())
}

/// The differences between the results of a case.
fn differences(case: &Case, form: Form, native: &[u8], ours: &[Option<u8>], first: usize) -> String {
    let mut text = String::new();
    for (i, shown) in case.shown.iter().enumerate() {
        let at = (first + i) * SLOT;
        let bytes = usize::from(shown.scalar.width().next_power_of_two().max(8) / 8);
        let theirs = native[at..at + bytes].iter().rev().fold(0u128, |bits, byte| bits << 8 | u128::from(*byte));
        let mine: Option<u128> =
            ours[at..at + bytes].iter().rev().try_fold(0u128, |bits, byte| Some(bits << 8 | u128::from((*byte)?)));
        match mine {
            Some(mine) if is_same(shown, theirs, mine) => {}
            Some(mine) => {
                let _ = writeln!(text, "; result {i} ({form:?}): LLVM {theirs:#x}, here {mine:#x}");
            }
            None => {
                let _ = writeln!(text, "; result {i} ({form:?}): LLVM {theirs:#x}, here not determined");
            }
        }
    }
    text
}

fn is_same(shown: &Shown, a: u128, b: u128) -> bool {
    let number = |bits: u128| match shown.scalar {
        Scalar::Float => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits as u64),
    };
    let is_float = !shown.scalar.is_int();
    a == b
        || is_float && shown.is_open && number(a).is_nan() && number(b).is_nan()
        || is_float && shown.ignores_zero_sign && number(a) == 0.0 && number(b) == 0.0
}

/// A module of cases and a `main` that runs them.
fn module(cases: &[Case], slots: usize, side: Side) -> String {
    let size = slots.max(1) * SLOT;
    let mut text = execute::HEADER.to_owned();
    let _ = writeln!(text, "@out = global [{size} x i8] zeroinitializer\n@at = global i32 0");
    let mut declarations: Vec<&String> = cases.iter().flat_map(|case| &case.declarations).collect();
    declarations.sort();
    declarations.dedup();
    for declaration in declarations {
        let _ = writeln!(text, "{declaration}");
    }
    cases.iter().for_each(|case| text.push_str(&case.text));
    let _ = writeln!(text, "define i32 @main() {{");
    for (i, case) in cases.iter().enumerate() {
        let _ = writeln!(text, "  store i32 {i}, ptr @at\n  call void @case{}()", case.seed);
    }
    text.push_str(&execute::ending(side, size));
    text
}

/// Intrinsic functions that end the process: `lli` must die by a signal, and the interpreter must not get behind the call.
fn compare_ends(report: &mut Report, tell: &mut dyn Write) -> Result<()> {
    for (name, _) in INTRINSICS.iter().filter(|(_, meaning)| *meaning == Meaning::Ends) {
        let (param, arg) = if *name == "llvm.ubsantrap" { ("i8", "i8 1") } else { ("", "") };
        let text = |side| {
            let mut text = execute::HEADER.to_owned();
            let _ = writeln!(text, "@out = global [1 x i8] zeroinitializer\n@at = global i32 0");
            let _ = writeln!(text, "declare void @{name}({param})\ndefine i32 @main() {{");
            text.push_str("  store i32 0, ptr @at\n  store i8 1, ptr @out\n");
            let _ = writeln!(text, "  call void @{name}({arg})");
            text.push_str("  store i8 2, ptr @out\n");
            text.push_str(&execute::ending(side, 1));
            text
        };
        let dies = execute::dies(&text(Side::Native))?;
        let stays = execute::core(&text(Side::Core))? == Outcome::Finished(vec![Some(1)]);
        *report.compared.entry(name).or_default() += 1;
        if !dies || !stays {
            let text = format!("{name}: lli dies: {dies}; the interpreter stops: {stays}");
            writeln!(tell, "{text}")?;
            report.differences.push(text);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_open_bits_may_differ() {
        let open = Shown { scalar: Scalar::Float, is_open: true, ignores_zero_sign: false };
        let exact = Shown { is_open: false, ..open };
        assert!(is_same(&open, 0x7fc0_0000, 0xffc0_1234) && !is_same(&exact, 0x7fc0_0000, 0xffc0_1234));
        assert!(!is_same(&open, 0, 0x8000_0000));
        assert!(!is_same(&open, 0x7fc0_0000, 0x7f80_0000));
        let int = Shown { scalar: Scalar::Int(32), is_open: true, ignores_zero_sign: true };
        assert!(!is_same(&int, 0x7fc0_0000, 0xffc0_1234));
    }
}
