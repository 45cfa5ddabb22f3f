//! Escaping text for other languages, one function each, unless a library does it: JSON and the double quotes of YAML
//! are left to `serde_json`, XML to `quick-xml`.

/// Text for an element of HTML or an attribute in double quotes.
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            // Characters that HTML does not allow, and those that would reverse the direction of the surrounding text.
            c if c.is_control() || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') => {
                out.push('\u{fffd}');
            }
            c => out.push(c),
        }
    }
    out
}

/// The alignment of lines in a label of Graphviz.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Justify {
    /// Flush left.
    Left,
    /// Centred.
    Center,
}

/// A string of Graphviz, with its quotes.
pub fn graphviz(text: &str, justify: Justify) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' if justify == Justify::Left => out.push_str("\\l"),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out + "\""
}

/// A word quoted for a POSIX shell.
pub fn shell(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./=,:+%@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

/// A path as a URI: relative as it is, absolute with a scheme, percent-encoded.
pub fn uri(path: &str) -> String {
    let mut uri = String::from(if path.starts_with('/') { "file://" } else { "" });
    // A colon in the first segment of a relative path would be parsed as a scheme.
    for byte in path.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// Bytes as a constant of LLVM's assembly language.
pub fn llvm(bytes: &[u8]) -> String {
    let escaped: String = bytes.iter().map(|byte| format!("\\{byte:02X}")).collect();
    format!("c\"{escaped}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(html("</script>&\"'"), "&lt;/script&gt;&amp;&quot;&#39;");
        assert_eq!(html("a\u{0}\u{202e}b"), "a\u{fffd}\u{fffd}b");
    }

    #[test]
    fn strings_end_where_they_should() {
        assert_eq!(graphviz("a\\\"b\nc\u{7}", Justify::Left), "\"a\\\\\\\"b\\lc\u{fffd}\"");
        assert_eq!(graphviz("a\nb", Justify::Center), "\"a\\nb\"");
        assert_eq!(["a.c", "", "it's $x"].map(shell), ["a.c", "''", "'it'\\''s $x'"]);
        assert_eq!(llvm(b"a\"\0"), "c\"\\61\\22\\00\"");
    }

    #[test]
    fn paths_become_uris() {
        assert_eq!(uri("src/bank.c"), "src/bank.c");
        assert_eq!(uri("/a b/c#1.c"), "file:///a%20b/c%231.c");
        assert_eq!(uri("ä:x.c"), "%C3%A4%3Ax.c");
    }
}
