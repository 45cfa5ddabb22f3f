//! The text form: printing and parsing are inverse, errors say where they are, and nothing makes the parser panic.

mod common;

use common::Random;
use ir::{parse, print, validate};
use proptest::prelude::*;

const BANK: &str = include_str!("programs/bank.hir");
const EVERYTHING: &str = include_str!("programs/everything.hir");

/// Number of random programs and mutated texts: `HEDDLE_FUZZ_ITERATIONS` for a campaign.
fn iterations(default: u64) -> u64 {
    std::env::var("HEDDLE_FUZZ_ITERATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

fn first_seed() -> u64 {
    std::env::var("HEDDLE_FUZZ_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}

#[test]
fn programs_print_as_they_are_written() {
    for text in [BANK, EVERYTHING] {
        let program = parse(text).unwrap();
        assert_eq!(validate(&program), vec![]);
        assert_eq!(print(&program), text);
    }
}

#[test]
fn layout_and_comments_do_not_matter() {
    let program = parse(BANK).unwrap();
    let on_one_line = BANK.replace('\n', " ");
    assert_eq!(parse(&on_one_line).unwrap(), program);
    let commented = BANK.replace('\n', " // say \"what\n\t\r\n");
    assert_eq!(parse(&commented).unwrap(), program);
    let spread = BANK.replace(' ', "\n");
    // Strings keep their white space.
    assert!(parse(&spread).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    #[test]
    fn random_programs_survive(seed in any::<u64>(), size in 0usize..60) {
        let program = common::program(seed, size);
        prop_assert_eq!(validate(&program), vec![]);
        let text = print(&program);
        let back = parse(&text).map_err(|error| TestCaseError::fail(format!("{error}\n{text}")))?;
        prop_assert_eq!(print(&back), text);
        prop_assert!(back == program, "parsing gave another program");
    }
}

#[test]
fn errors_say_where_they_are() {
    let cases = [
        ("", "1:1: expected `heddle-ir`, found the end of the text"),
        ("heddle-ir 2", "1:11: expected `1`, found `2`"),
        ("heddle-ir 1\ndata-model lp65", "2:12: expected `ilp32` or `lp64`, found `lp65`"),
        ("heddle-ir 1\ndata-model lp64\nfile f1 \"x\"", "3:6: expected `f0`: files are numbered in order"),
        ("heddle-ir 1\ndata-model lp64\nentry @main", "3:7: `@main` is not declared"),
        (
            "heddle-ir 1 data-model lp64 entry @x object @x size 1 align 1 global = zero",
            "1:35: the entry should be a function",
        ),
        ("heddle-ir 1 ä", "1:13: unexpected character 'ä'"),
        ("heddle-ir 1\n  \"abc", "2:3: string does not end on its line"),
        ("heddle-ir 1\n  \"abc\n\"", "2:3: string does not end on its line"),
        ("heddle-ir 1\n  \"äb\\x\"", "2:6: unknown escape in a string"),
        ("heddle-ir 1 \"\\u{d800}\"", "1:14: unknown escape in a string"),
        ("heddle-ir 1 \"\\u{+41}\"", "1:14: unknown escape in a string"),
        ("heddle-ir 1 @", "1:14: expected a name"),
        ("object @x object @x", "1:18: `@x` is declared twice"),
    ];
    for (text, message) in cases {
        assert_eq!(parse(text).unwrap_err().to_string(), message, "for {text:?}");
    }
}

/// A program with one object, one function with an `i32` local `%x` and a `ptr` local `%p`, and this edge.
fn with_edge(edge: &str) -> String {
    format!(
        "heddle-ir 1\ndata-model lp64\nentry @main\nobject @g size 4 align 4 global = zero\n\
         function @main() {{\nlocal %x: i32\nlocal %p: ptr\nlocs 3 entry l0 exit l2\n{edge}\nl1 -> l2: exit\n}}\n"
    )
}

#[test]
fn errors_in_statements() {
    let cases = [
        ("l0 -> l1: jump", "9:11: unknown statement `jump`"),
        ("l0 l1: skip", "9:4: expected `->`, found `l1`"),
        ("l0 -> l1: %y = 1:i32", "9:11: `%y` is not declared"),
        ("l0 -> l1: %x = %y", "9:16: `%y` is not declared"),
        ("l0 -> l1: %x = 5:i2", "9:16: `5` does not fit its type"),
        ("l0 -> l1: %x = 5:i129", "9:18: expected a type (`i1` to `i128`, `ptr`), found `i129`"),
        ("l0 -> l1: %x = 5:ptr", "9:16: a pointer constant is written `null`"),
        ("l0 -> l1: %x = plus:i32(%x, %x)", "9:16: unknown operation `plus`"),
        ("l0 -> l1: %x = add:i32(%x)", "9:26: expected `,`, found `)`"),
        ("l0 -> l1: %x = load i32", "10:1: unknown operation `l1`"),
        ("l0 -> l1: call @g()", "9:16: an object cannot be called"),
        ("l0 -> l1: %x, %p, %x = cmpxchg", "9:24: expected `call`, found `cmpxchg`"),
        ("l0 -> l1: assert 1:i1, room right", "9:29: expected what the claim is about, found `right`"),
        ("l0 -> l1: skip at f0:1", "10:1: expected `:`, found `l1`"),
        ("l0 -> l4294967296: skip", "9:7: expected a location, found `l4294967296`"),
        ("local %z: i32", "9:1: expected a location, found `local`"),
    ];
    for (edge, message) in cases {
        assert_eq!(parse(&with_edge(edge)).unwrap_err().to_string(), message, "for {edge:?}");
    }
    assert!(parse(&with_edge("l0 -> l1: skip")).is_ok());
}

#[test]
fn many_locations_need_many_edges() {
    let text = with_edge("l0 -> l1: skip").replace("locs 3", "locs 4000000000");
    let message = "8:6: the function has far more locations than its edges touch";
    assert_eq!(parse(&text).unwrap_err().to_string(), message);
}

#[test]
fn deep_nesting_is_an_error() {
    let nested = |depth: usize| {
        with_edge(&format!("l0 -> l1: %x = {}%x{}", "not:i32(".repeat(depth - 1), ")".repeat(depth - 1)))
    };
    let deepest = parse(&nested(ir::Expr::MAX_DEPTH)).unwrap();
    assert_eq!(validate(&deepest), vec![]);
    for depth in [ir::Expr::MAX_DEPTH + 1, 1_000_000] {
        let error = parse(&nested(depth)).unwrap_err();
        assert_eq!(error.message, "the expression is nested too deeply");
    }
}

/// Mutates a text in a few places: half the time in ways that often leave it well formed.
fn mutate(random: &mut Random, text: &str) -> String {
    if random.coin() {
        return mutate_lines(random, text);
    }
    const PIECES: [&str; 24] = [
        "(",
        ")",
        "{",
        "}",
        ",",
        ":",
        "=",
        "->",
        "@",
        "%",
        "\"",
        "\\",
        "l0",
        "i32",
        "object",
        "function",
        "at f0:1:1",
        "99999999999999999999999999999999999999999",
        "not:i32(",
        "//",
        "\n",
        "é",
        "reloc",
        "0",
    ];
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..1 + random.below(3) {
        let at = random.below(bytes.len() + 1);
        match random.below(9) {
            0 | 1 => drop(bytes.splice(at..at, random.pick(&PIECES).bytes())),
            2 | 3 => drop(bytes.drain(at..(at + 1 + random.below(9)).min(bytes.len()).max(at))),
            4 => bytes.truncate(at),
            5 | 6 => {
                let from = random.below(bytes.len() + 1);
                let to = (from + random.below(200)).min(bytes.len());
                let piece = bytes[from..to].to_vec();
                drop(bytes.splice(at..at, piece));
            }
            _ => {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte = random.next() as u8;
                }
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Repeats, drops or swaps lines, or replaces a word by another.
fn mutate_lines(random: &mut Random, text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for _ in 0..1 + random.below(3) {
        let (from, to) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(5) {
            0 => lines.swap(from, to),
            1 if lines.len() > 1 => drop(lines.remove(from)),
            2 => lines.insert(to, lines[from].clone()),
            _ => {
                let sources: Vec<String> = lines[from].split(' ').map(str::to_owned).collect();
                let mut words: Vec<String> = lines[to].split(' ').map(str::to_owned).collect();
                let at = random.below(words.len());
                words[at] = random.pick(&sources).clone();
                lines[to] = words.join(" ");
            }
        }
    }
    lines.join("\n")
}

/// Parses; a parsed program can be validated, printed and parsed again without panicking. Returns whether it parsed.
fn survives(text: &str) -> bool {
    let Ok(program) = parse(text) else { return false };
    let printed = print(&program);
    assert_eq!(parse(&printed).as_ref(), Ok(&program), "parsed from {text:?}");
    let _ = validate(&program);
    let _ = ir::dot::program_dot(&program);
    true
}

#[test]
fn mutated_texts_do_no_harm() {
    let mut parsed = 0;
    let first = first_seed();
    let count = iterations(3000);
    for seed in first..first + count {
        let mut random = Random::new(seed);
        let text = match random.below(4) {
            0 => BANK.to_owned(),
            1 => EVERYTHING.to_owned(),
            _ => print(&common::program(seed, 8)),
        };
        parsed += u64::from(survives(&mutate(&mut random, &text)));
    }
    assert!(parsed > count / 50, "only {parsed} of {count} mutated texts parse: the test tests little");
}

#[test]
fn random_bytes_do_no_harm() {
    let first = first_seed();
    for seed in first..first + iterations(2000) {
        let mut random = Random::new(seed);
        let bytes: Vec<u8> = (0..random.below(300)).map(|_| random.next() as u8).collect();
        let garbage = String::from_utf8_lossy(&bytes);
        survives(&garbage);
        survives(&format!("heddle-ir 1 data-model lp64 {garbage}"));
    }
}

#[test]
fn a_large_program_survives() {
    let mut text = with_edge("l0 -> l1: skip");
    for index in 0..100 {
        text.push_str(&format!("function @f{index}(%a: i32) -> i32 {{\n  locs 1002 entry l0 exit l1001\n"));
        for edge in 0..1000 {
            let next = edge + 1;
            text.push_str(&format!(
                "  l{edge} -> l{next}: %a = add:i32(mul:i32(%a, 3:i32), {edge}:i32) at f0:{edge}:7\n"
            ));
        }
        text.push_str("  l1000 -> l1001: return %a\n}\n");
    }
    // A tenth of a second on an idle machine; anything superlinear would take minutes.
    let program = parse(&text).unwrap();
    let printed = print(&program);
    assert_eq!(parse(&printed).unwrap(), program);
}
