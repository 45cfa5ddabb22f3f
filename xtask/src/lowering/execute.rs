//! Runs a module with `lli`, and with the front end and the interpreter.

use anyhow::{bail, ensure, Context, Result};
use base::Budget;
use front::LoadOptions;
use interp::layout::Layout;
use interp::state::State;
use interp::step::Interrupt;
use interp::value::Value;
use interp::{explore_ends, Config, ExploreOptions, Explored, InputDomain, Machine};
use ir::{MemoryModel, ObjectId, Program, Property};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// The layout that both sides use.
pub(super) const HEADER: &str = "target datalayout = \"e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128\"\ntarget triple = \"x86_64-pc-linux-gnu\"\n";

/// The executor of a module.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// `lli`, which has to print the results.
    Native,
    /// The interpreter, whose memory is inspected.
    Core,
}

/// The end of `main`.
pub(super) fn ending(side: Side, size: usize) -> String {
    match side {
        Side::Native => {
            let call = format!("  %written = call i64 @write(i32 1, ptr @out, i64 {size})\n");
            format!("{call}  ret i32 0\n}}\ndeclare i64 @write(i32, ptr, i64)\n")
        }
        Side::Core => "  ret i32 0\n}\n".to_owned(),
    }
}

/// The end of an interpreter run.
#[derive(PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    /// It finished, with these results; `None` is a byte that is not determined.
    Finished(Vec<Option<u8>>),
    /// This case contains a construct that is not lowered.
    Gap { at: usize, what: String },
}

/// A temporary file.
struct Temporary(PathBuf);

impl Temporary {
    fn new(text: &str) -> Result<Temporary> {
        static NUMBER: AtomicUsize = AtomicUsize::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("heddle-lowering-{}-{number}.ll", std::process::id()));
        std::fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(Temporary(path))
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn lli(path: &Path) -> Result<Output> {
    // Without cx16, operations on 16 bytes would need a library.
    let mut command = Command::new("lli-19");
    command.arg("-mattr=+cx16").arg(path);
    command.output().context("cannot run lli-19 (Debian: apt install llvm-19)")
}

/// LLVM removes this function by a pass of its own and does not compile it.
fn lower_expectations(path: &Path) -> Result<()> {
    let mut command = Command::new("opt-19");
    command.args(["-passes=lower-expect", "-S"]).arg(path).arg("-o").arg(path);
    ensure!(command.status().context("cannot run opt-19")?.success(), "opt-19 refuses a module");
    Ok(())
}

/// The results that `lli` prints; `None` if it fails: not every type can be compiled for every machine.
pub(super) fn native(text: &str) -> Result<Option<Vec<u8>>> {
    let file = Temporary::new(text)?;
    if text.contains("llvm.expect.with.probability") {
        lower_expectations(&file.0)?;
    }
    let output = lli(&file.0)?;
    Ok(output.status.success().then_some(output.stdout))
}

/// Whether the program, built by clang, is killed before it prints anything. (`lli` continues after a debugger trap,
/// since it handles the signal.)
pub(super) fn dies(text: &str) -> Result<bool> {
    let file = Temporary::new(text)?;
    let binary = Temporary(file.0.with_extension("out"));
    let built = Command::new("clang-19").arg("-w").arg(&file.0).arg("-o").arg(&binary.0).status();
    ensure!(built.context("cannot run clang-19")?.success(), "clang-19 refuses a module");
    let output = Command::new(&binary.0).output().context("cannot run what clang-19 made")?;
    Ok(output.status.code().is_none() && output.stdout.is_empty())
}

/// The results that the interpreter leaves in memory.
pub(super) fn core(text: &str) -> Result<Outcome> {
    let file = Temporary::new(text)?;
    let (program, diagnostics) = front::load(std::slice::from_ref(&file.0), &LoadOptions::default());
    let Some(program) = program else {
        let said: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
        bail!("does not load: {}", said.join("\n"));
    };
    let (out, at) = (object(&program, "out")?, object(&program, "at")?);
    let inputs = InputDomain::default();
    let config = Config {
        model: MemoryModel::Sc,
        property: Property::Unreach,
        inputs,
        regions: vec![],
        race_free: Default::default(),
    };
    let machine = Machine::new(&program, config);
    let layout = Layout::new(&program);
    let mut outcomes: Vec<Outcome> = Vec::new();
    let mut problem = None;
    let budget = Budget::new(Some(Duration::from_secs(60)), None);
    let options = ExploreOptions { reduction: true, max_depth: None };
    let exploration = explore_ends(&machine, &options, &budget, &mut |ended| {
        let outcome = match ended.interrupt {
            Some(Interrupt::Finished) => Outcome::Finished(bytes(ended.state, &layout, out)),
            Some(Interrupt::Unmodelled(what)) => {
                let number = bytes(ended.state, &layout, at).into_iter().rev().flatten();
                let at = number.fold(0, |number, byte| number << 8 | usize::from(byte));
                Outcome::Gap { at, what: what.to_string() }
            }
            other => {
                problem = Some(format!("a run ends with {other:?}"));
                return;
            }
        };
        if !outcomes.contains(&outcome) {
            outcomes.push(outcome);
        }
    });
    if let Some(problem) = problem {
        bail!("{problem}");
    }
    ensure!(exploration.result == Explored::Exhausted, "exploration did not finish");
    match (outcomes.pop(), outcomes.is_empty()) {
        (Some(outcome), true) => Ok(outcome),
        _ => bail!("the results depend on inputs"),
    }
}

fn object(program: &Program, name: &str) -> Result<ObjectId> {
    let mut found = program.objects.enumerate().filter(|(_, object)| object.name == name);
    found.next().map(|(id, _)| id).with_context(|| format!("there is no object {name}"))
}

fn bytes(state: &State, layout: &Layout, id: ObjectId) -> Vec<Option<u8>> {
    let object = state.static_object(id);
    let byte = |offset| match object.read(offset, 1, layout) {
        read if read.undefined != 0 => None,
        read => match read.value {
            Value::Int(value) => Some(value as u8),
            Value::Undef | Value::Ptr(_) => None,
        },
    };
    (0..object.size()).map(byte).collect()
}
