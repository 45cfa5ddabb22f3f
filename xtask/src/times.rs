//! `cargo test`, followed by the time of each test binary: cargo reports it binary by binary, thousands of lines apart,
//! and without the crate.

use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs `cargo test` with these arguments, repeats its output, and adds the times. Returns whether all tests passed.
pub fn run(args: &[String], tell: &mut dyn Write) -> Result<bool> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let build = Command::new(&cargo)
        .args(["test", "--no-run", "--message-format=json-render-diagnostics"])
        .args(args)
        .stderr(Stdio::inherit())
        .output()
        .context("cannot run cargo")?;
    if !build.status.success() {
        return Ok(false);
    }
    let names = names(&String::from_utf8_lossy(&build.stdout));
    // One stream: cargo writes to one which binary runs, and the binary to the other how long it took.
    let mut tests = Command::new("sh")
        .args(["-c", "exec \"$0\" test \"$@\" 2>&1"])
        .arg(&cargo)
        .args(args)
        .stdout(Stdio::piped())
        .spawn()
        .context("cannot run cargo")?;
    let mut times = Times::default();
    for line in BufReader::new(tests.stdout.take().context("should be piped")?).split(b'\n') {
        let line = line?;
        tell.write_all(&line)?;
        writeln!(tell)?;
        times.read(&String::from_utf8_lossy(&line));
    }
    let passed = tests.wait()?.success();
    times.write(&names, tell)?;
    Ok(passed)
}

/// Maps the file of each test binary to the crate and the test, from cargo's messages about a build.
fn names(messages: &str) -> BTreeMap<String, String> {
    let mut names = BTreeMap::new();
    for message in messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok()) {
        let Some(executable) = message["executable"].as_str() else { continue };
        let manifest = Path::new(message["manifest_path"].as_str().unwrap_or_default());
        let package = manifest.parent().map(file_name).unwrap_or_default();
        let kind = message["target"]["kind"][0].as_str().unwrap_or_default();
        let target = message["target"]["name"].as_str().unwrap_or_default();
        let name = if kind == "test" { format!("{package} {target}") } else { format!("{package} ({kind})") };
        names.insert(file_name(Path::new(executable)), name);
    }
    names
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The binaries in the order of execution, each with its seconds.
#[derive(Default)]
struct Times(Vec<(String, Option<f64>)>);

impl Times {
    fn read(&mut self, line: &str) {
        if let Some(running) = line.trim_start().strip_prefix("Running ") {
            let file = running.rsplit_once('(').and_then(|(_, rest)| rest.strip_suffix(')'));
            self.0.extend(file.map(|file| (file_name(Path::new(file)), None)));
        } else if let Some(name) = line.trim_start().strip_prefix("Doc-tests ") {
            self.0.push((format!("{name} (documentation)"), None));
        } else if line.starts_with("test result: ") {
            let seconds = line.rsplit_once("finished in ").and_then(|(_, time)| time.trim().strip_suffix('s'));
            if let (Some(last), Some(seconds)) = (self.0.last_mut(), seconds) {
                last.1 = seconds.parse().ok();
            }
        }
    }

    /// The binaries that took a second or more, the slowest first, and the sum.
    fn write(&self, names: &BTreeMap<String, String>, tell: &mut dyn Write) -> Result<()> {
        let mut slowest: Vec<(f64, &str)> = Vec::new();
        for (file, seconds) in &self.0 {
            let name = names.get(file).map_or(file.as_str(), String::as_str);
            // A binary without a result did not finish.
            slowest.push((seconds.unwrap_or(f64::INFINITY), name));
        }
        slowest.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
        let sum: f64 = slowest.iter().map(|(seconds, _)| seconds).sum();
        writeln!(tell, "\nseconds per test binary, those with less than 1 left out:")?;
        for (seconds, name) in slowest.iter().filter(|(seconds, _)| *seconds >= 1.0) {
            writeln!(tell, "{seconds:9.1}  {name}")?;
        }
        writeln!(tell, "{sum:9.1}  all {} together", slowest.len())?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        let messages = "{\"executable\":\"/t/deps/programs-1\",\"manifest_path\":\"/c/heddle/Cargo.toml\",\
                        \"target\":{\"kind\":[\"test\"],\"name\":\"programs\"}}\n{\"reason\":\"build-finished\"}\n";
        let said = "   Compiling heddle v0.1.0\n     Running tests/programs.rs (t/deps/programs-1)\n\nrunning 1 test\n\
                    test x ... ok\n\ntest result: ok. 1 passed; 0 failed; finished in 75.25s\n\n   Doc-tests base\n\n\
                    test result: ok. 0 passed; finished in 0.00s\n";
        let mut times = Times::default();
        said.lines().for_each(|line| times.read(line));
        let mut told = Vec::new();
        times.write(&names(messages), &mut told).expect("a table");
        let told = String::from_utf8_lossy(&told).into_owned();
        assert!(told.ends_with("out:\n     75.2  heddle programs\n     75.2  all 2 together\n"), "{told}");
    }
}
