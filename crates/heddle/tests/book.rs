//! The book (`docs/book`) is correct: every command in it is run, and must print what the book shows.
//!
//! A chapter has three kinds of fenced blocks:
//!
//! - `c,file=NAME` (or another language): the file NAME, written into the chapter's own fresh directory when its turn comes.
//! - `console`: lines that begin with `$ ` are commands (a `\` at the end continues one on the next line), run there one
//!   after the other by `sh`; the lines below a command are its output, both streams. A line `...` stands for any lines,
//!   `...` in a line for any text, and times in seconds are taken as equal. A command ends with status 0, 1 or 2, a verdict,
//!   unless it says `echo $?`.
//! - `text`: anything else, but no commands.
//!
//! Other kinds are rejected, so that no command can be left out. In running text, options, subcommands and names of `cargo
//! xtask` commands must exist. `HEDDLE_BLESS=1` writes what commands print into the book, where it differs.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the workspace")
}

fn source() -> PathBuf {
    root().join("docs/book/src")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The chapters' files, relative to the source of the book.
fn chapters() -> Vec<String> {
    let mut found = Vec::new();
    let mut left = vec![source()];
    while let Some(dir) = left.pop() {
        for entry in std::fs::read_dir(&dir).expect("the book") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                left.push(path);
            } else if path.file_name() != Some("SUMMARY.md".as_ref()) {
                found.push(path.strip_prefix(source()).expect("in the book").to_string_lossy().into_owned());
            }
        }
    }
    found.sort();
    found
}

/// A fenced block: the lines between its fences, by number from 0.
struct Block {
    info: String,
    first: usize,
    end: usize,
}

/// The fenced blocks of a chapter, or the error in it.
fn blocks(text: &str) -> Result<Vec<Block>, String> {
    let mut found = Vec::new();
    let mut open: Option<Block> = None;
    for (number, line) in text.lines().enumerate() {
        let wrong = |what: &str| Err(format!("line {}: {what}: {line}", number + 1));
        let is_fence = line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~");
        match (&mut open, line.strip_prefix("```")) {
            (Some(block), Some("")) => {
                block.end = number;
                found.extend(open.take());
            }
            (Some(_), None) if !is_fence => {}
            (Some(_), _) => return wrong("a fence inside a block"),
            (None, Some(info)) if info.starts_with('`') => return wrong("a fence of more than three backticks"),
            (None, Some(info)) => open = Some(Block { info: info.to_owned(), first: number + 1, end: 0 }),
            (None, None) if is_fence => return wrong("a fence that is indented, or not of three backticks"),
            (None, None) if line.starts_with("    ") || line.starts_with('\t') => {
                return wrong("an indented block, of which nobody knows whether to run it");
            }
            (None, None) => {}
        }
    }
    match open {
        Some(block) => Err(format!("line {}: a block that does not end", block.first)),
        None => Ok(found),
    }
}

/// The kind of a block.
#[derive(Debug, PartialEq)]
enum Kind<'i> {
    File(&'i str),
    Console,
    Text,
}

fn kind<'i>(info: &'i str, lines: &[&str]) -> Result<Kind<'i>, String> {
    let looks_like_a_command = |line: &&&str| {
        let line = line.trim_start();
        ["$ ", "# ", "heddle ", "cargo ", "make ", "sudo "].iter().any(|start| line.starts_with(start))
    };
    let is_plain = |part: &str| !part.is_empty() && part != ".." && !part.contains([',', ' ']);
    match info.split_once(",file=") {
        Some((language, _)) if ["sh", "bash", "shell", "console"].contains(&language) => {
            Err(format!("a block `{info}`: commands go into `console` blocks"))
        }
        Some((_, file)) if file.split('/').all(is_plain) => Ok(Kind::File(file)),
        Some(_) => Err(format!("a block `{info}` with a bad name")),
        None if info == "console" => match lines.first() {
            Some(line) if line.starts_with("$ ") => Ok(Kind::Console),
            _ => Err("a block `console` that does not begin with a command".to_owned()),
        },
        None if info == "text" => match lines.iter().find(looks_like_a_command) {
            Some(line) => Err(format!("a command that is not run: {line}")),
            None => Ok(Kind::Text),
        },
        None => Err(format!("a block `{info}`: only `console`, `text` and those with `,file=NAME` are allowed")),
    }
}

/// Whether the output is as expected, up to wildcards and times.
fn is_as_expected(expected: &[&str], printed: &[&str]) -> bool {
    match (expected.split_first(), printed.split_first()) {
        (None, None) => true,
        (Some((&"...", rest)), _) => (0..=printed.len()).any(|skipped| is_as_expected(rest, &printed[skipped..])),
        (Some((line, rest)), Some((other, others))) => fits(line, other) && is_as_expected(rest, others),
        (None, Some(_)) | (Some(_), None) => false,
    }
}

/// One line.
fn fits(expected: &str, printed: &str) -> bool {
    let (expected, printed) = (without_times(expected), without_times(printed));
    let mut parts = expected.split("...");
    let Some(mut rest) = parts.next().and_then(|start| printed.strip_prefix(start)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// Numbers of seconds are replaced by one letter.
fn without_times(line: &str) -> String {
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit()) && word.parse::<f64>().is_ok();
    let words: Vec<&str> = line.split(' ').collect();
    let mut out: Vec<&str> = Vec::new();
    for (index, word) in words.iter().enumerate() {
        let unit = words.get(index + 1).map_or("", |next| next.trim_end_matches([',', ';', '.', ')']));
        out.push(if is_number(word) && ["s", "ms", "seconds"].contains(&unit) { "T" } else { word });
    }
    // Widths of columns depend on the number of digits.
    let has_times = out.contains(&"T");
    let text = out.join(" ");
    if has_times {
        text.split_whitespace().collect::<Vec<&str>>().join(" ")
    } else {
        text.trim_end().to_owned()
    }
}

/// The processors that this process may use.
fn processors() -> Vec<usize> {
    let status = read(Path::new("/proc/self/status"));
    let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).expect("Linux tells processors");
    let number = |text: &str| text.trim().parse::<usize>().expect("the number of a processor");
    let ranges = list.split(',').map(|range| range.split_once('-').unwrap_or((range, range)));
    ranges.flat_map(|(first, last)| number(first)..=number(last)).collect()
}

/// Runs a command in a directory, on one of a few processors; returns its output and status.
fn run(command: &str, dir: &Path, lane: usize) -> (String, i32) {
    let heddle = Path::new(env!("CARGO_BIN_EXE_heddle"));
    let mut path = heddle.parent().expect("a folder").as_os_str().to_owned();
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let processors = processors();
    let mut shell = Command::new("taskset");
    shell.arg("-c").arg(processors[lane % processors.len()].to_string());
    shell
        .args(["sh", "-c"])
        .arg(format!("exec 2>&1\n{command}"))
        .current_dir(dir)
        .stdin(Stdio::null())
        .env("PATH", path);
    for name in ["RUST_BACKTRACE", "SOURCE_DATE_EPOCH", "HEDDLE_BLESS"] {
        shell.env_remove(name);
    }
    let output = shell.env("NO_COLOR", "1").env("COLUMNS", "100").output().expect("taskset (util-linux) should start");
    (String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code().unwrap_or(-1))
}

/// Runs the commands of a `console` block. Returns their actual output, line by line, and the errors.
fn run_console(lines: &[&str], dir: &Path, lane: usize) -> (Vec<String>, Vec<String>) {
    let (mut told, mut wrong) = (Vec::new(), Vec::new());
    let mut rest = lines;
    while let Some((first, mut after)) = rest.split_first() {
        told.push((*first).to_owned());
        let mut command = first.trim_start_matches("$ ").to_owned();
        while command.ends_with('\\') && !after.is_empty() {
            told.push(after[0].to_owned());
            command = format!("{command}\n{}", after[0]);
            after = &after[1..];
        }
        let end = after.iter().position(|line| line.starts_with("$ ")).unwrap_or(after.len());
        let (expected, others) = after.split_at(end);
        rest = others;
        let (printed, status) = run(&command, dir, lane);
        let printed: Vec<&str> = printed.lines().map(str::trim_end).collect();
        let is_reported = command.contains("echo $?");
        if !is_reported && !(0..=2).contains(&status) {
            wrong.push(format!("$ {command}\nended with status {status}:\n{}", printed.join("\n")));
        } else if !is_as_expected(expected, &printed) {
            wrong.push(format!(
                "$ {command}\nshould print:\n{}\nbut prints:\n{}",
                expected.join("\n"),
                printed.join("\n")
            ));
            told.extend(printed.iter().map(|line| (*line).to_owned()));
            continue;
        }
        told.extend(expected.iter().map(|line| (*line).to_owned()));
    }
    (told, wrong)
}

/// Runs a chapter from beginning to end; returns the errors.
fn run_chapter(chapter: &str, lane: usize) -> Vec<String> {
    let path = source().join(chapter);
    let text = read(&path);
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book").join(chapter.replace(['/', '.'], "-"));
    let _ = std::fs::remove_dir_all(&dir);
    std::fs::create_dir_all(&dir).expect("a folder");
    let lines: Vec<&str> = text.lines().collect();
    let blocks = match blocks(&text) {
        Ok(blocks) => blocks,
        Err(problem) => return vec![format!("{chapter}: {problem}")],
    };
    let (mut problems, mut blessed, mut done) = (Vec::new(), Vec::new(), 0);
    for block in &blocks {
        let inside = &lines[block.first..block.end];
        blessed.extend(lines[done..block.first].iter().map(|line| (*line).to_owned()));
        done = block.first;
        match kind(&block.info, inside) {
            Err(problem) => problems.push(format!("{chapter}:{}: {problem}", block.first)),
            Ok(Kind::Text) => {}
            Ok(Kind::File(name)) => {
                let file = dir.join(name);
                std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
                std::fs::write(file, format!("{}\n", inside.join("\n"))).expect("a file");
            }
            Ok(Kind::Console) => {
                let (told, wrong) = run_console(inside, &dir, lane);
                problems.extend(wrong.into_iter().map(|what| format!("{chapter}:{}: {what}", block.first)));
                blessed.extend(told);
                done = block.end;
            }
        }
    }
    blessed.extend(lines[done..].iter().map(|line| (*line).to_owned()));
    if !problems.is_empty() && std::env::var_os("HEDDLE_BLESS").is_some() {
        std::fs::write(&path, format!("{}\n", blessed.join("\n"))).expect("the chapter");
    }
    problems
}

fn fail_if_any(problems: &[String]) {
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n\n"));
}

#[test]
fn every_command_prints_what_the_book_says() {
    let chapters = chapters();
    let problems: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..3)
            .map(|number| {
                let own = chapters.iter().skip(number).step_by(3);
                scope.spawn(move || own.flat_map(|chapter| run_chapter(chapter, number)).collect::<Vec<String>>())
            })
            .collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a chapter should not panic")).collect()
    });
    fail_if_any(&problems);
}

/// Line (from 1) and target of every link of a chapter, blocks left out.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut found = Vec::new();
    for (number, line) in outside_blocks(text) {
        let mut rest = line;
        while let Some((_, after)) = rest.split_once("](") {
            let Some((target, after)) = after.split_once(')') else { break };
            found.push((number + 1, target.to_owned()));
            rest = after;
        }
        if let Some(target) = line.strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}")) {
            found.push((number + 1, target.to_owned()));
        }
    }
    found
}

/// The lines outside fenced blocks, by number from 0.
fn outside_blocks(text: &str) -> Vec<(usize, &str)> {
    let mut is_inside = false;
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let is_fence = line.starts_with("```");
        if !is_inside && !is_fence {
            found.push((number, line));
        }
        is_inside ^= is_fence;
    }
    found
}

/// The anchors of a page's headings, as mdBook and code hosts make them; what it includes counts.
fn anchors(path: &Path) -> BTreeSet<String> {
    let text = read(path);
    let mut found = BTreeSet::new();
    for (_, line) in outside_blocks(&text) {
        if let Some(heading) = line.strip_prefix('#') {
            let heading = heading.trim_start_matches('#').trim().to_lowercase();
            let kept = heading.chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            found.insert(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
        }
        if let Some(target) = line.strip_prefix("{{#include ").and_then(|rest| rest.strip_suffix("}}")) {
            found.extend(anchors(&path.parent().expect("a folder").join(target)));
        }
    }
    found
}

#[test]
fn links_lead_somewhere() {
    let mut problems = Vec::new();
    for chapter in chapters().iter().map(String::as_str).chain(["SUMMARY.md"]) {
        let path = source().join(chapter);
        for (line, link) in links(&read(&path)) {
            if link.starts_with("https://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { path.clone() } else { path.parent().expect("a folder").join(file) };
            if !target.is_file() {
                problems.push(format!("{chapter}:{line}: a link to {link}, which is not there"));
            } else if !anchor.is_empty() && !anchors(&target).contains(anchor) {
                problems.push(format!("{chapter}:{line}: a link to {link}, which has no such heading"));
            }
        }
    }
    fail_if_any(&problems);
}

#[test]
fn the_summary_lists_every_chapter_once() {
    let mut listed: Vec<String> =
        links(&read(&source().join("SUMMARY.md"))).into_iter().map(|(_, link)| link).collect();
    listed.sort();
    assert_eq!(listed, chapters());
    let settings = read(&root().join("docs/book/book.toml"));
    assert!(settings.contains("src = \"src\"") && settings.contains("title = "), "{settings}");
}

/// The code spans of a chapter's running text.
fn spans(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (number, line) in outside_blocks(text) {
        found.extend(line.split('`').skip(1).step_by(2).map(|span| (number + 1, span)));
    }
    found
}

#[test]
fn options_and_commands_that_are_named_exist() {
    let pages = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book-pages");
    let _ = std::fs::remove_dir_all(&pages);
    let (said, status) = run(&format!("heddle man --dir '{}'", pages.display()), &root(), 0);
    assert_eq!(status, 0, "{said}");
    let (mut manual, mut commands) = (String::new(), BTreeSet::from(["help".to_owned()]));
    for entry in std::fs::read_dir(&pages).expect("pages") {
        let path = entry.expect("a page").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        commands.extend(name.strip_prefix("heddle-").map(str::to_owned));
        let _ = writeln!(manual, "{}", read(&path).replace("\\-", "-"));
    }
    let tasks = read(&root().join("xtask/src/main.rs"));
    let has_option = |text: &str, option: &str| {
        text.match_indices(option)
            .any(|(at, _)| !text[at + option.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-'))
    };
    let mut problems = Vec::new();
    for chapter in chapters() {
        let text = read(&source().join(&chapter));
        for (line, span) in spans(&text) {
            let words: Vec<&str> = span.split_whitespace().collect();
            let mut wrong = |what: &str| problems.push(format!("{chapter}:{line}: {what}: `{span}`"));
            match words.as_slice() {
                ["heddle", command, ..] if !command.starts_with('-') && !commands.contains(*command) => {
                    wrong("there is no such command");
                }
                ["cargo", "xtask", task, ..] => {
                    let variant = format!("    {}{}", task[..1].to_uppercase(), &task[1..]);
                    if !tasks.lines().any(|line| line.starts_with(&variant)) {
                        wrong("there is no such task");
                    }
                }
                _ => {}
            }
            let is_ours = words.first().is_some_and(|word| *word == "heddle" || word.starts_with("--"));
            for word in words.iter().filter(|word| is_ours && word.starts_with("--") && word.len() > 2) {
                let option = word.split(['=', ',']).next().unwrap_or(word);
                if !has_option(&manual, option) {
                    wrong("there is no such option");
                }
            }
        }
    }
    fail_if_any(&problems);
}

#[test]
fn a_block_that_would_not_be_run_is_refused() {
    for (info, lines) in [
        ("sh", vec!["heddle check a.c"]),
        ("", vec!["$ heddle check a.c"]),
        ("bash", vec![]),
        ("bash,file=a.sh", vec!["heddle check a.c"]),
        ("text", vec!["$ heddle check a.c"]),
        ("text", vec!["some words", "  heddle check a.c"]),
        ("console", vec!["heddle check a.c"]),
        ("c,file=../a.c", vec!["int x;"]),
        ("c,file=/a.c", vec!["int x;"]),
        ("c", vec!["int x;"]),
    ] {
        assert!(kind(info, &lines).is_err(), "{info} {lines:?}");
    }
    assert_eq!(kind("c,file=a.c", &["int x;"]), Ok(Kind::File("a.c")));
    assert_eq!(kind("c,file=src/a.c", &[]), Ok(Kind::File("src/a.c")));
    assert_eq!(kind("console", &["$ ls"]), Ok(Kind::Console));
    assert_eq!(kind("text", &["words"]), Ok(Kind::Text));
    for text in ["    heddle check a.c\n", "- a\n  ```console\n", "~~~\nx\n~~~\n", "```text\nx\n", "````text\n```\n"] {
        assert!(blocks(text).is_err(), "{text}");
    }
}

#[test]
fn wildcards_stand_for_what_they_may() {
    let fit = |expected: &[&str], printed: &[&str]| is_as_expected(expected, printed);
    assert!(fit(&["a", "...", "d"], &["a", "b", "c", "d"]));
    assert!(fit(&["a", "...", "d"], &["a", "d"]));
    assert!(!fit(&["a", "...", "d"], &["a", "b", "c"]));
    assert!(!fit(&["a"], &["a", "b"]));
    assert!(!fit(&["a", "b"], &["a"]));
    assert!(fit(&["safe: ... states"], &["safe: 12 states"]));
    assert!(!fit(&["safe: ... states"], &["safe: 12 states, reduced"]));
    assert!(!fit(&["safe"], &["safer"]));
    assert!(fit(&["explore   0.01 s  safe"], &["explore  12.50 s  safe"]));
    assert!(!fit(&["explore 0.01 s safe"], &["explore 0.01 s unsafe"]));
    assert!(!fit(&["3 threads"], &["4 threads"]));
}
