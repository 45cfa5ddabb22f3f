//! Instruments the source with the invariants of a correctness witness as assertions and its ghost variables as variables, so that the
//! compiler gives expressions their meaning in C, and the engines decide whether they hold.
//!
//! An invariant is evaluated in an atomic region: before a statement, or in a loop before its condition. A ghost variable is updated in
//! one atomic region with its statement. If the statement calls something that may wait (a lock, a join), the update comes right after
//! it; if it leaves the function or ends the thread, right before it. Line numbers are preserved.
//!
//! An instrumented program is checked for its invariants only. The property is checked on the original: a statement with a ghost update
//! has fewer interleavings, and the added reads may race. Expressions with assignments or calls are rejected, and so are ghost
//! variables whose name the program uses.

use super::text::{closing, is_word, CText, Token};
use super::{Ghost, GhostUpdate, Invariant, Location};
use std::ops::Range;

/// Functions whose ghost update comes after them, not atomically with them.
const MAY_WAIT: [&str; 8] = [
    "pthread_mutex_lock",
    "pthread_join",
    "pthread_cond_wait",
    "pthread_rwlock_rdlock",
    "pthread_rwlock_wrlock",
    "sem_wait",
    "mtx_lock",
    "thrd_join",
];

/// The instrumented text; the error begins with the line of the witness.
pub fn instrument(
    text: &CText,
    (ghosts, updates): (&[Ghost], &[GhostUpdate]),
    invariants: &[&Invariant],
) -> Result<String, String> {
    let mut edits: Vec<(usize, usize, String)> = Vec::new();
    let mut order = 0;
    let mut add = |at: usize, what: String| {
        order += 1;
        edits.push((at, order, what));
    };
    for ghost in ghosts {
        let is_fresh = is_name(&ghost.name) && text.tokens.iter().all(|token| token.text != ghost.name);
        let is_plain = is_pure(&ghost.initial) && ghost.ty.split_ascii_whitespace().all(is_name);
        if !is_fresh || !is_plain {
            return Err(format!("line {}: this is no variable that can be added to the program", ghost.stands_at));
        }
    }
    for invariant in invariants {
        let wrong = |what: &str| format!("line {}: {what}", invariant.stands_at);
        if !is_pure(&invariant.value) {
            return Err(wrong(IMPURE));
        }
        let check = format!(
            "(__VERIFIER_atomic_begin(), __heddle_invariant(({}), {}), __VERIFIER_atomic_end())",
            one_line(&invariant.value),
            invariant.stands_at
        );
        let start = start(text, &invariant.location).ok_or_else(|| wrong("there is no statement"))?;
        if invariant.is_of_loop {
            let (at, what) =
                in_loop(text, start, &check).ok_or_else(|| wrong("there is no loop that is understood"))?;
            add(at, what);
        } else {
            add(text.tokens[start].offset, before_statement(text, start, &check));
        }
    }
    for update in updates {
        let wrong = |what: &str| format!("line {}: {what}", update.stands_at);
        if ghosts.iter().all(|ghost| ghost.name != update.variable) {
            return Err(wrong("there is no such ghost variable"));
        }
        if !is_pure(&update.value) {
            return Err(wrong(IMPURE));
        }
        let start = start(text, &update.location).ok_or_else(|| wrong("there is no statement"))?;
        let end = end_of_updated(text, start).ok_or_else(|| wrong("the statement is no simple one"))?;
        let assign = format!("{} = ({});", update.variable, one_line(&update.value));
        let waits = text.tokens[start..end].iter().any(|token| MAY_WAIT.contains(&token.text.as_str()));
        let (before, after) = if leaves(text, start) {
            (format!("{{ {assign} "), " }".to_owned())
        } else if waits {
            ("{ ".to_owned(), format!(" {assign} }}"))
        } else {
            ("{ __VERIFIER_atomic_begin(); ".to_owned(), format!(" {assign} __VERIFIER_atomic_end(); }}"))
        };
        add(text.tokens[start].offset, before);
        add(text.tokens[end].offset + 1, after);
    }
    edits.sort();
    let mut result = prologue(ghosts, &text.name);
    let mut from = 0;
    for (at, _, what) in edits {
        result.push_str(&text.text[from..at]);
        result.push_str(&what);
        from = at;
    }
    Ok(result + &text.text[from..])
}

/// Whether a text is a single identifier of C.
fn is_name(text: &str) -> bool {
    is_word(text) && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

const IMPURE: &str = "an expression that only reads variables is expected";

/// Whether a C expression is syntactically free of side effects: no assignment, no call, and nothing that could hide
/// one.
fn is_pure(text: &str) -> bool {
    if text.contains(|c: char| "{};#\\\"'@`".contains(c))
        || ["++", "--", "/*", "//"].iter().any(|part| text.contains(part))
    {
        return false;
    }
    let bytes = text.as_bytes();
    let at = |index: usize| bytes.get(index).copied().unwrap_or(b' ');
    let before = |index: usize, by: usize| index.checked_sub(by).map_or(b' ', at);
    let compares = |index: usize| match (before(index, 2), before(index, 1), at(index + 1)) {
        (_, b'=' | b'!', _) | (_, _, b'=') => true,
        (b'<', b'<', _) | (b'>', b'>', _) => false,
        (_, before, _) => matches!(before, b'<' | b'>'),
    };
    let assigns = (0..bytes.len()).any(|index| at(index) == b'=' && !compares(index));
    // Before a parenthesis stands an operator, a type in parentheses, or else a callee.
    let calls = text.match_indices('(').any(|(index, _)| {
        let left = text[..index].trim_end();
        let word = left.rsplit(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
        match left.chars().next_back() {
            Some(')') => !is_cast(left),
            Some(']') => true,
            _ => !word.is_empty() && !matches!(word, "sizeof" | "_Alignof"),
        }
    });
    !assigns && !calls
}

/// Whether a text ends in an arithmetic type in parentheses.
fn is_cast(text: &str) -> bool {
    const WORDS: [&str; 10] =
        ["int", "char", "long", "short", "signed", "unsigned", "_Bool", "const", "float", "double"];
    let inner = text.strip_suffix(')').and_then(|text| Some(&text[text.rfind('(')? + 1..]));
    inner.is_some_and(|inner| {
        inner.split(|c: char| c.is_ascii_whitespace() || c == '*').all(|word| word.is_empty() || WORDS.contains(&word))
    })
}

fn prologue(ghosts: &[Ghost], name: &str) -> String {
    let mut text = String::from(
        "extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void); \
         extern void __heddle_invariant(_Bool, unsigned int);\n",
    );
    for ghost in ghosts {
        text.push_str(&format!("{} {} = {};\n", one_line(&ghost.ty), ghost.name, one_line(&ghost.initial)));
    }
    text + &format!("#line 1 \"{name}\"\n")
}

fn one_line(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}

/// The index of the token at which the statement of a location begins.
fn start(text: &CText, location: &Location) -> Option<usize> {
    text.index_at(text.statement_at(location.line, location.column)?)
}

/// Inserts a statement before another: separate statements in a sequence, otherwise one statement for both.
fn before_statement(text: &CText, start: usize, check: &str) -> String {
    let follows = start == 0 || matches!(text.tokens[start - 1].text.as_str(), ";" | "{" | "}");
    if follows {
        format!("{check}; ")
    } else {
        format!("if ({check}, 0) ; else ")
    }
}

/// The position at which a loop evaluates its condition, and the text to insert there.
fn in_loop(text: &CText, start: usize, check: &str) -> Option<(usize, String)> {
    let tokens = &text.tokens;
    let word =
        (start..tokens.len().min(start + 3)).find(|at| matches!(tokens[*at].text.as_str(), "while" | "for" | "do"))?;
    match tokens[word].text.as_str() {
        "while" => Some((tokens.get(word + 1)?.offset + 1, format!("{check}, "))),
        "for" => {
            let open = word + 1;
            let close = closing(tokens, open)?;
            let mut depth = 0i32;
            let first = (open + 1..close).find(|at| {
                match tokens[*at].text.as_str() {
                    "(" | "{" | "[" => depth += 1,
                    ")" | "}" | "]" => depth -= 1,
                    _ => {}
                }
                depth == 0 && tokens[*at].text == ";"
            })?;
            let is_empty = tokens.get(first + 1)?.text == ";";
            Some((tokens[first].offset + 1, format!(" {check}, {}", if is_empty { "1" } else { "" })))
        }
        _ => {
            let open = word + 1;
            let close = (tokens.get(open)?.text == "{").then(|| closing(tokens, open)).flatten()?;
            let is_while = tokens.get(close + 1)?.text == "while" && tokens.get(close + 2)?.text == "(";
            is_while.then(|| (tokens[close + 2].offset + 1, format!("{check}, ")))
        }
    }
}

/// Whether the statement that begins here leaves the function or ends the thread.
pub(super) fn leaves(text: &CText, start: usize) -> bool {
    matches!(text.tokens[start].text.as_str(), "return" | "pthread_exit" | "thrd_exit")
}

/// Whether a ghost variable can be updated with the statement that begins here.
pub(super) fn can_update(text: &CText, start: usize) -> bool {
    text.start_of(text.tokens[start].at) == Some(text.tokens[start].at) && end_of_updated(text, start).is_some()
}

/// The semicolon of a statement with which a ghost variable can be updated. A statement that leaves the function must
/// neither read shared memory nor call anything: then an update before it is indistinguishable from one with it.
fn end_of_updated(text: &CText, start: usize) -> Option<usize> {
    if !leaves(text, start) {
        return end_of_simple(&text.tokens, start);
    }
    let end = (start..text.tokens.len()).find(|at| text.tokens[*at].text == ";")?;
    let is_return = text.tokens[start].text == "return";
    let value: Range<usize> = if is_return { start + 1..end } else { start + 2..end - 1 };
    let is_private = |at: usize| {
        let word = text.tokens[at].text.as_str();
        let is_called = is_word(word) && text.tokens[at + 1].text == "(";
        !is_called && text.file_scope().all(|token| token.text != word) && !matches!(word, "[" | "." | ">" | "=")
    };
    // The target of a thread-private pointer may be shared.
    let reads = |at: usize| text.tokens[at].text == "*" && text.tokens[at + 1].text != ")";
    value.into_iter().all(|at| is_private(at) && !reads(at)).then_some(end)
}

/// The semicolon of a statement that is syntactically no block, control statement or declaration.
fn end_of_simple(tokens: &[Token], start: usize) -> Option<usize> {
    let is_call =
        tokens.get(start + 1)?.text == "(" || matches!(tokens[start + 1].text.as_str(), "=" | "+" | "-" | "[" | ".");
    let control = ["if", "while", "for", "switch", "do", "return", "else", "goto", "break", "continue", "{"];
    if !is_call || control.contains(&tokens[start].text.as_str()) {
        return None;
    }
    let mut depth = 0i32;
    (start..tokens.len()).find(|at| {
        match tokens[*at].text.as_str() {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" => depth -= 1,
            _ => {}
        }
        depth == 0 && tokens[*at].text == ";"
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn location(line: u32) -> Location {
        Location { file: "a.c".to_owned(), line, column: None, function: None }
    }

    fn invariant(line: u32, is_of_loop: bool) -> Invariant {
        Invariant {
            is_of_loop,
            location: location(line),
            value: "x\n < 3".to_owned(),
            stands_at: 7,
            is_everywhere: false,
        }
    }

    fn instrumented(source: &str, invariant: &Invariant) -> String {
        let text = CText::new("a.c", source);
        let result = instrument(&text, (&[], &[]), &[invariant]).expect("it should be possible");
        let check = "(__VERIFIER_atomic_begin(), __heddle_invariant((x < 3), 7), __VERIFIER_atomic_end())";
        result.split_once("#line 1 \"a.c\"\n").expect("a prologue").1.replace(check, "CHECK")
    }

    #[test]
    fn invariants_become_assertions() {
        let text = "void f() {\n x = 1;\n if (x)\n  y();\n while (x < 2)\n  x++;\n for (i = 0; ; i++)\n  z();\n do {\n } while (x);\n}\n";
        for (line, is_of_loop, expected) in [
            (2, false, "\n CHECK; x = 1;"),
            (4, false, "\n  if (CHECK, 0) ; else y();"),
            (5, true, "while (CHECK, x < 2)"),
            (7, true, "for (i = 0; CHECK, 1 ; i++)"),
            (9, true, "} while (CHECK, x);"),
            (7, false, "\n CHECK; for (i"),
        ] {
            let result = instrumented(text, &invariant(line, is_of_loop));
            assert!(result.contains(expected), "{line}: {result}");
            assert_eq!(result.lines().count(), text.lines().count());
        }
    }

    #[test]
    fn ghost_variables_change_with_statements() {
        let text =
            CText::new("a.c", "void f() {\n pthread_mutex_lock(&m);\n pthread_mutex_unlock(&m);\n if (x) y();\n}\n");
        let update = |line: u32| GhostUpdate {
            location: location(line),
            variable: "m_locked".to_owned(),
            value: "1".to_owned(),
            stands_at: 3,
        };
        let ghosts =
            [Ghost { name: "m_locked".to_owned(), ty: "int".to_owned(), initial: "0".to_owned(), stands_at: 1 }];
        let result = instrument(&text, (&ghosts, &[update(2), update(3)]), &[]).expect("it should be possible");
        assert!(result.contains("int m_locked = 0;\n"), "{result}");
        assert!(result.contains("{ pthread_mutex_lock(&m); m_locked = (1); }"), "{result}");
        let whole = "{ __VERIFIER_atomic_begin(); pthread_mutex_unlock(&m); m_locked = (1); __VERIFIER_atomic_end(); }";
        assert!(result.contains(whole), "{result}");
        let error = instrument(&text, (&ghosts, &[update(4)]), &[]).expect_err("a control statement");
        assert_eq!(error, "line 3: the statement is no simple one");
        // A statement that leaves the function must not read shared memory.
        for (end, expected) in [
            ("return 0;", Some("{ m_locked = (1); return 0; }")),
            ("return arg;", Some("{ m_locked = (1); return arg; }")),
            ("return ((void *)0);", Some("{ m_locked = (1); return ((void *)0); }")),
            ("pthread_exit(0);", Some("{ m_locked = (1); pthread_exit(0); }")),
            ("return x;", None),
            ("return *arg;", None),
            ("return f(arg);", None),
            ("pthread_exit(g());", None),
        ] {
            let text = CText::new("a.c", &format!("int x;\nvoid *f(void *arg) {{\n {end}\n}}\n"));
            let result = instrument(&text, (&ghosts, &[update(3)]), &[]);
            assert_eq!(result.is_ok(), expected.is_some(), "{end}");
            assert!(expected.is_none_or(|expected| result.is_ok_and(|text| text.contains(expected))), "{end}");
        }
    }
}
