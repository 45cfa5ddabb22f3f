//! Text on a terminal: measuring, cutting and padding. Wide characters count double, combining ones not at all; tabs
//! and control characters never reach the terminal.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The width of the text in columns.
pub fn width(text: &str) -> usize {
    text.width()
}

/// The text, cut to at most `columns` columns; what was cut off is replaced by `…`.
pub fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    if columns == 0 {
        return String::new();
    }
    let mut kept = String::new();
    let mut used = 0;
    for c in text.chars() {
        let columns_of_c = c.width().unwrap_or(0);
        if used + columns_of_c > columns - 1 {
            break;
        }
        used += columns_of_c;
        kept.push(c);
    }
    kept.push('…');
    kept
}

/// The text, followed by spaces up to `columns` columns.
pub fn pad(text: &str, columns: usize) -> String {
    let missing = columns.saturating_sub(width(text));
    format!("{text}{}", " ".repeat(missing))
}

/// One line of source as shown: no tabs, no runs of spaces, no control characters, no comment at the end, no `;` or `{`
/// at the end.
pub fn clean(line: &str) -> String {
    const LONGEST: usize = 160;
    let mut shown = String::new();
    for c in without_comment(line).chars() {
        if c.is_whitespace() {
            if !shown.ends_with(' ') {
                shown.push(' ');
            }
        } else if c.is_control() {
            shown.push('\u{fffd}');
        } else {
            shown.push(c);
        }
    }
    let shown = shown.trim().trim_end_matches(['{', ';', ' ']);
    cut(shown, LONGEST)
}

/// The line without a `//` comment or a closed `/* */` comment at its end, respecting strings and character constants.
fn without_comment(line: &str) -> &str {
    let bytes = line.as_bytes();
    let mut quote = None;
    let mut at = 0;
    while at < bytes.len() {
        match (quote, bytes[at]) {
            (Some(_), b'\\') => at += 1,
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, c @ (b'"' | b'\'')) => quote = Some(c),
            (None, b'/') if bytes.get(at + 1) == Some(&b'/') => return &line[..at],
            (None, b'/') if bytes.get(at + 1) == Some(&b'*') && line.trim_end().ends_with("*/") => {
                let rest = line[at + 2..].trim_end();
                if rest.find("*/") == Some(rest.len() - 2) {
                    return &line[..at];
                }
            }
            (None, _) => {}
        }
        at += 1;
    }
    line
}

/// `1 thread`, `2 threads`.
pub fn count(number: usize, noun: &str) -> String {
    let plural = match noun.strip_suffix("switch") {
        Some(_) => "es",
        None => "s",
    };
    format!("{number} {noun}{}", if number == 1 { "" } else { plural })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cutting_keeps_the_width_and_never_splits_a_character() {
        assert_eq!(cut("balance = 150", 20), "balance = 150");
        assert_eq!(cut("balance = 150", 8), "balance…");
        assert_eq!(cut("漢字漢字", 5), "漢字…");
        assert_eq!(cut("漢字漢字", 4), "漢…");
        assert_eq!(cut("abc", 1), "…");
        assert_eq!(cut("abc", 0), "");
        assert_eq!(width(&pad("漢", 4)), 4);
    }

    #[test]
    fn lines_are_cleaned() {
        assert_eq!(clean("\tb =\t balance;   // the old one"), "b = balance");
        assert_eq!(clean("while (!ready) {"), "while (!ready)");
        assert_eq!(clean("  s = \"a // b\"; /* why */ "), "s = \"a // b\"");
        assert_eq!(clean("x /* a */ = 1; /* b */"), "x /* a */ = 1");
        assert_eq!(clean("c = '\\''; // x"), "c = '\\''");
        assert_eq!(clean("a\u{1b}[31mb"), "a\u{fffd}[31mb");
        assert_eq!(clean("\"never closed // x"), "\"never closed // x");
    }

    #[test]
    fn nouns_are_counted() {
        assert_eq!(count(1, "thread"), "1 thread");
        assert_eq!(count(2, "context switch"), "2 context switches");
        assert_eq!(count(0, "step"), "0 steps");
    }
}
