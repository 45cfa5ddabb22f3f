//! z3 as the other opinion: many scripts in one process.

use super::ast::{Command as Step, Dialect, Script};
use anyhow::{ensure, Context, Result};
use std::io::Write;
use std::process::{Command, Stdio};

/// Whether there is a z3 to ask.
pub(super) fn is_there() -> bool {
    Command::new("z3").arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
}

/// What z3 says to each check of each script; `unknown` where it takes longer than a moment.
pub(super) fn answers(scripts: &[Script]) -> Result<Vec<Vec<String>>> {
    let mut text = String::new();
    for script in scripts {
        text.push_str("(reset)\n(set-option :timeout 300)\n");
        text.push_str(&script.text(Dialect::Old));
        text.push_str("(echo \"next\")\n");
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
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut answers = vec![Vec::new()];
    for line in output.lines() {
        match line {
            "next" => answers.push(Vec::new()),
            "sat" | "unsat" | "unknown" | "timeout" => {
                let answer = if line == "timeout" { "unknown" } else { line };
                answers.last_mut().context("there should be a script")?.push(answer.to_owned());
            }
            other => ensure!(false, "z3 says {other}"),
        }
    }
    answers.pop();
    for (script, answers) in scripts.iter().zip(&answers) {
        let checks = script.commands.iter().filter(|step| matches!(step, Step::Check(_))).count();
        ensure!(answers.len() == checks, "z3 should answer every check");
    }
    ensure!(answers.len() == scripts.len(), "z3 should answer every script");
    Ok(answers)
}
