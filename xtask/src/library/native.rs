//! Runs tests natively: with the C library of this machine, independently of Heddle's models.

use anyhow::{bail, ensure, Context, Result};
use ir::DataModel;
use std::path::Path;
use std::process::Command;

/// The observations of each test, by its number; `None` for tests that were not run.
pub(super) fn observe(text: &str, source: &Path, data_model: DataModel) -> Result<Vec<Option<Vec<i64>>>> {
    let is_cxx = source.extension().is_some_and(|extension| extension == "cpp");
    let binary = source.with_extension("out");
    std::fs::write(source, text).with_context(|| format!("cannot write {}", source.display()))?;
    let width = match data_model {
        DataModel::Lp64 => "-m64",
        DataModel::Ilp32 => "-m32",
    };
    // Calls stay calls: the compiler's knowledge of the functions is not tested.
    let compiler = if is_cxx { "clang++-19" } else { "clang-19" };
    let output = Command::new(compiler)
        .args([width, "-O0", "-w", "-fno-builtin", "-pthread", "-o"])
        .arg(&binary)
        .arg(source)
        .args(["-lm", "-latomic"])
        .output()
        .with_context(|| format!("cannot run {compiler}"))?;
    ensure!(output.status.success(), "the native program: {}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(&binary).output().context("cannot run the native program")?;
    ensure!(output.status.success(), "the native program ended with {}", output.status);
    parse(&String::from_utf8_lossy(&output.stdout))
}

/// Parses the output of the native program.
fn parse(printed: &str) -> Result<Vec<Option<Vec<i64>>>> {
    let mut observed: Vec<Option<Vec<i64>>> = Vec::new();
    for line in printed.lines() {
        match line.split_once(' ') {
            Some(("test", index)) => {
                let index: usize = index.parse().context("the number of a test")?;
                observed.resize(observed.len().max(index + 1), None);
                observed[index] = Some(Vec::new());
            }
            Some(("status", "0")) => {}
            Some(("status", status)) => bail!("test {} ended with status {status}", observed.len().saturating_sub(1)),
            _ => {
                let value = line.parse().with_context(|| format!("an observation: {line}"))?;
                observed.last_mut().and_then(Option::as_mut).context("an observation of no test")?.push(value);
            }
        }
    }
    Ok(observed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observations_belong_to_their_test() {
        let observed = parse("test 1\n5\n-6\nstatus 0\ntest 2\nstatus 0\n").expect("should parse");
        assert_eq!(observed, [None, Some(vec![5, -6]), Some(vec![])]);
        assert!(parse("5\n").is_err() && parse("test 0\nstatus 134\n").is_err() && parse("test 0\nabc\n").is_err());
    }
}
