//! z3 as a second solver: many scripts in one process.

use super::ast::{Command as Step, Dialect, Script};
use anyhow::{bail, ensure, Context, Result};
use std::io::Write;
use std::process::{Command, Stdio};

/// Whether z3 is installed.
pub(super) fn is_there() -> bool {
    Command::new("z3").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}

/// z3's answers to each check of each script; `unknown` if it takes too long.
pub(super) fn answers(scripts: &[Script]) -> Result<Vec<Vec<String>>> {
    let mut answers = Vec::new();
    while answers.len() < scripts.len() {
        let output = run(&scripts[answers.len()..])?;
        let mut parts = output.split("next\n");
        while answers.len() < scripts.len() {
            let lines: Vec<&str> = parts.next().context("z3 should answer every script")?.lines().collect();
            let script = &scripts[answers.len()];
            let checks = script.commands.iter().filter(|step| matches!(step, Step::Check(_))).count();
            // A timeout can hit any command. After that the levels are wrong: the remaining scripts are run again.
            if lines.iter().any(|line| line.contains("canceled")) {
                answers.push(vec!["unknown".to_owned(); checks]);
                break;
            }
            let is_answer = |line: &&str| matches!(*line, "sat" | "unsat" | "unknown" | "timeout");
            if let Some(other) = lines.iter().find(|line| !is_answer(line)) {
                bail!("z3 says {other}");
            }
            ensure!(lines.len() == checks, "z3 should answer every check");
            let word = |line: &&str| if *line == "timeout" { "unknown".to_owned() } else { (*line).to_owned() };
            answers.push(lines.iter().map(word).collect());
        }
    }
    Ok(answers)
}

/// z3's output for the scripts, each followed by `next`.
fn run(scripts: &[Script]) -> Result<String> {
    // A level for each script: resetting z3 takes several times as long as answering.
    let mut text = "(set-option :timeout 300)\n".to_owned();
    for (number, script) in scripts.iter().enumerate() {
        let count = |step: &Step| script.commands.iter().filter(|other| *other == step).count();
        let levels = 1 + count(&Step::Push) - count(&Step::Pop);
        let commands = script.text(Dialect::Old(number));
        text.push_str(&format!("(push 1)\n{commands}(pop {levels})\n(echo \"next\")\n"));
    }
    let mut child = Command::new("z3")
        .arg("-in")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot start z3")?;
    let mut stdin = child.stdin.take().context("z3 should have an input")?;
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let output = child.wait_with_output().context("z3 should end")?;
    ensure!(writer.join().is_ok_and(|written| written.is_ok()), "z3 should read its input");
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
