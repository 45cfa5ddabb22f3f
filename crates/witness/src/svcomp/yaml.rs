//! The part of YAML that witnesses are written in: block mappings and sequences, scalars plain, quoted or as blocks, flow
//! sequences and mappings of scalars, comments. No anchors, tags or several documents: those are errors, with their line.

/// A value and the line it begins in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    pub(crate) line: usize,
    pub(crate) value: Value,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    Scalar(String),
    Sequence(Vec<Node>),
    Mapping(Vec<(String, Node)>),
}

/// A line without its comment and indentation.
struct Line<'t> {
    number: usize,
    indent: usize,
    text: &'t str,
}

/// Reads a document.
pub(crate) fn parse(text: &str) -> Result<Node, String> {
    let mut lines = Vec::new();
    for (index, raw) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let body = raw.trim_start_matches(' ');
        let number = index + 1;
        if body.starts_with('\t') {
            return Err(format!("line {number}: a tab cannot be indentation"));
        }
        let content = without_comment(body);
        if content == "---" && lines.is_empty() || content == "..." {
            continue;
        }
        if content == "---" {
            return Err(format!("line {number}: there is more than one document"));
        }
        lines.push(Line { number, indent: raw.len() - body.len(), text: content });
    }
    let mut parser = Parser { lines, raw: text.lines().collect(), next: 0 };
    parser.skip_empty();
    let Some(first) = parser.lines.get(parser.next) else { return Err("line 1: the file is empty".to_owned()) };
    let indent = first.indent;
    let node = parser.block(indent)?;
    parser.skip_empty();
    match parser.lines.get(parser.next) {
        Some(line) => Err(format!("line {}: this does not belong to what comes before it", line.number)),
        None => Ok(node),
    }
}

/// What comes before a comment: `#` at the beginning or after a space, outside quotes.
fn without_comment(text: &str) -> &str {
    let mut quote = None;
    let mut before = ' ';
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match quote {
            Some('"') if escaped => escaped = false,
            Some('"') if c == '\\' => escaped = true,
            Some(open) if c == open => quote = None,
            Some(_) => {}
            None if c == '#' && before.is_whitespace() => return text[..at].trim_end(),
            None if matches!(c, '"' | '\'') && (before.is_whitespace() || matches!(before, '[' | '{' | ',')) => {
                quote = Some(c);
            }
            None => {}
        }
        before = c;
    }
    text.trim_end()
}

struct Parser<'t> {
    lines: Vec<Line<'t>>,
    raw: Vec<&'t str>,
    next: usize,
}

impl Parser<'_> {
    fn skip_empty(&mut self) {
        while self.lines.get(self.next).is_some_and(|line| line.text.is_empty()) {
            self.next += 1;
        }
    }

    /// The value whose lines have this indentation.
    fn block(&mut self, indent: usize) -> Result<Node, String> {
        self.skip_empty();
        let line = &self.lines[self.next];
        if line.text == "-" || line.text.starts_with("- ") {
            self.sequence(indent)
        } else if key(line.text).is_some() {
            self.mapping(indent)
        } else {
            let (number, text) = (line.number, line.text.to_owned());
            self.next += 1;
            self.scalar(&text, number, indent.saturating_sub(1))
        }
    }

    fn sequence(&mut self, indent: usize) -> Result<Node, String> {
        let first = self.lines[self.next].number;
        let mut items = Vec::new();
        loop {
            self.skip_empty();
            let Some(line) = self.lines.get_mut(self.next) else { break };
            if line.indent != indent || !(line.text == "-" || line.text.starts_with("- ")) {
                break;
            }
            let rest = line.text[1..].trim_start();
            if rest.is_empty() {
                let number = line.number;
                self.next += 1;
                items.push(self.below(indent, number)?);
            } else {
                // What stands behind the dash is a block of its own, as far to the right as it is.
                line.indent += line.text.len() - rest.len();
                line.text = rest;
                let inner = line.indent;
                items.push(self.block(inner)?);
            }
        }
        Ok(Node { line: first, value: Value::Sequence(items) })
    }

    fn mapping(&mut self, indent: usize) -> Result<Node, String> {
        let first = self.lines[self.next].number;
        let mut entries: Vec<(String, Node)> = Vec::new();
        loop {
            self.skip_empty();
            let Some(line) = self.lines.get(self.next).filter(|line| line.indent == indent) else { break };
            let Some((name, rest)) = key(line.text) else {
                return Err(format!("line {}: `key: value` is expected", line.number));
            };
            let (number, rest) = (line.number, rest.to_owned());
            if entries.iter().any(|(known, _)| *known == name) {
                return Err(format!("line {number}: `{name}` is given twice"));
            }
            self.next += 1;
            let node =
                if rest.is_empty() { self.value_below(indent, number)? } else { self.scalar(&rest, number, indent)? };
            entries.push((name, node));
        }
        if let Some(line) = self.lines.get(self.next).filter(|line| line.indent > indent) {
            return Err(format!("line {}: this is indented too far", line.number));
        }
        Ok(Node { line: first, value: Value::Mapping(entries) })
    }

    /// The value of a key that has nothing behind it: a sequence may stand as far to the left as the key.
    fn value_below(&mut self, indent: usize, number: usize) -> Result<Node, String> {
        self.skip_empty();
        match self.lines.get(self.next) {
            Some(line) if line.indent == indent && (line.text == "-" || line.text.starts_with("- ")) => {
                self.sequence(indent)
            }
            _ => self.below(indent, number),
        }
    }

    /// The block that is indented farther; nothing is an empty scalar.
    fn below(&mut self, indent: usize, number: usize) -> Result<Node, String> {
        self.skip_empty();
        match self.lines.get(self.next) {
            Some(line) if line.indent > indent => {
                let inner = line.indent;
                self.block(inner)
            }
            _ => Ok(Node { line: number, value: Value::Scalar(String::new()) }),
        }
    }

    /// A scalar that begins with this text, or a flow collection.
    fn scalar(&mut self, text: &str, number: usize, indent: usize) -> Result<Node, String> {
        let wrong = |what: &str| format!("line {number}: {what}");
        let first = text.chars().next().unwrap_or(' ');
        let value = match first {
            '|' | '>' => Value::Scalar(self.literal(first == '>', indent)),
            '&' | '*' | '!' | '%' | '@' | '`' => return Err(wrong("anchors, tags and directives are not understood")),
            _ => {
                let mut whole = text.to_owned();
                // A scalar, or a flow collection, may go on in lines that are indented farther.
                while let Some(line) = self.lines.get(self.next) {
                    let goes_on = match first {
                        '"' | '\'' | '[' | '{' => flow(&whole).is_none(),
                        _ => line.indent > indent && !line.text.is_empty(),
                    };
                    if !goes_on {
                        break;
                    }
                    if !matches!(first, '"' | '\'' | '[' | '{') && key(line.text).is_some() {
                        return Err(format!("line {}: this is indented too far", line.number));
                    }
                    whole.push(' ');
                    whole.push_str(line.text);
                    self.next += 1;
                }
                match first {
                    '"' | '\'' | '[' | '{' => {
                        let (value, rest) = flow(&whole).ok_or_else(|| wrong("a quote or bracket is not closed"))?;
                        if !rest.trim().is_empty() {
                            return Err(wrong("there is something behind the end of the value"));
                        }
                        return Ok(at_line(value, number));
                    }
                    _ => Value::Scalar(whole),
                }
            }
        };
        Ok(Node { line: number, value })
    }

    /// The lines of a block scalar.
    fn literal(&mut self, folded: bool, indent: usize) -> String {
        let mut lines: Vec<&str> = Vec::new();
        let mut own = None;
        while let Some(line) = self.lines.get(self.next) {
            let raw = self.raw[line.number - 1];
            let depth = raw.len() - raw.trim_start_matches(' ').len();
            if !raw.trim().is_empty() {
                if depth <= indent {
                    break;
                }
                own = own.or(Some(depth));
            }
            lines.push(raw.get(own.unwrap_or(depth)..).unwrap_or(""));
            self.next += 1;
        }
        while lines.last().is_some_and(|line| line.trim().is_empty()) {
            lines.pop();
        }
        lines.join(if folded { " " } else { "\n" })
    }
}

fn at_line(value: Value, line: usize) -> Node {
    let value = match value {
        Value::Scalar(text) => Value::Scalar(text),
        Value::Sequence(items) => Value::Sequence(items.into_iter().map(|item| at_line(item.value, line)).collect()),
        Value::Mapping(entries) => {
            Value::Mapping(entries.into_iter().map(|(key, item)| (key, at_line(item.value, line))).collect())
        }
    };
    Node { line, value }
}

/// `key: rest`.
fn key(text: &str) -> Option<(String, &str)> {
    if text.starts_with(['"', '\'']) {
        let (Value::Scalar(name), rest) = flow(text)? else { return None };
        let rest = rest.trim_start().strip_prefix(':')?;
        return (rest.is_empty() || rest.starts_with(' ')).then(|| (name, rest.trim()));
    }
    if text.starts_with(['[', '{', '|', '>']) {
        return None;
    }
    let at = text.find(": ").or_else(|| text.ends_with(':').then(|| text.len() - 1))?;
    Some((text[..at].trim().to_owned(), text[at + 1..].trim()))
}

/// A quoted scalar or a flow collection and what comes behind it; `None` if it is not closed.
fn flow(text: &str) -> Option<(Value, &str)> {
    let text = text.trim_start();
    match text.chars().next()? {
        '"' => double_quoted(text),
        '\'' => {
            let mut content = String::new();
            let mut rest = &text[1..];
            loop {
                let end = rest.find('\'')?;
                content.push_str(&rest[..end]);
                rest = &rest[end + 1..];
                match rest.strip_prefix('\'') {
                    Some(more) => {
                        content.push('\'');
                        rest = more;
                    }
                    None => return Some((Value::Scalar(content), rest)),
                }
            }
        }
        '[' => {
            let mut items = Vec::new();
            let mut rest = text[1..].trim_start();
            while !rest.starts_with(']') {
                let (value, behind) = flow(rest)?;
                items.push(Node { line: 0, value });
                rest = behind.trim_start();
                rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
            }
            Some((Value::Sequence(items), &rest[1..]))
        }
        '{' => {
            let mut entries = Vec::new();
            let mut rest = text[1..].trim_start();
            while !rest.starts_with('}') {
                let (Value::Scalar(name), behind) = flow(rest)? else { return None };
                let (name, behind) = match behind.trim_start().strip_prefix(':') {
                    Some(behind) => (name, behind),
                    None => return None,
                };
                let (value, behind) = flow(behind)?;
                entries.push((name, Node { line: 0, value }));
                rest = behind.trim_start();
                rest = rest.strip_prefix(',').unwrap_or(rest).trim_start();
            }
            Some((Value::Mapping(entries), &rest[1..]))
        }
        _ => {
            let end = text.find([',', ']', '}']).or_else(|| text.find(": ")).unwrap_or(text.len());
            let end = text.find(": ").map_or(end, |colon| colon.min(end));
            (end > 0).then(|| (Value::Scalar(text[..end].trim().to_owned()), &text[end..]))
        }
    }
}

fn double_quoted(text: &str) -> Option<(Value, &str)> {
    let mut content = String::new();
    let mut chars = text.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Some((Value::Scalar(content), &text[at + 1..])),
            '\\' => {
                let (_, escaped) = chars.next()?;
                content.push(match escaped {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    '0' => '\0',
                    other => other,
                });
            }
            c => content.push(c),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn show(node: &Node) -> String {
        match &node.value {
            Value::Scalar(text) => format!("{text:?}"),
            Value::Sequence(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(",")),
            Value::Mapping(entries) => {
                let parts: Vec<String> = entries.iter().map(|(key, node)| format!("{key}:{}", show(node))).collect();
                format!("{{{}}}", parts.join(","))
            }
        }
    }

    #[test]
    fn documents_are_read() {
        for (text, expected) in [
            ("- a: 1\n  b:\n  - x\n  - 'y''z' # comment\n- \"q\\\"\\n\"\n", r#"[{a:"1",b:["x","y'z"]},"q\"\n"]"#),
            (
                "a:\n    - segment:\n      - waypoint:\n          type: t\n",
                r#"{a:[{segment:[{waypoint:{type:"t"}}]}]}"#,
            ),
            ("a: [x, \"y, z\"]\nb: {k: v, 'l': \"m: n\"}\nc: []\n", r#"{a:["x","y, z"],b:{k:"v",l:"m: n"},c:[]}"#),
            ("a: |-\n  one\n  two\nb: >\n  one\n  two\n", r#"{a:"one\ntwo",b:"one two"}"#),
            ("a: one\n  two\n\"k\": x == 1 && y\n", r#"{a:"one two",k:"x == 1 && y"}"#),
            ("---\n-\n  a: 1\n", r#"[{a:"1"}]"#),
        ] {
            assert_eq!(parse(text).map(|node| show(&node)), Ok(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_wrong_has_a_line() {
        for (text, line) in [
            ("", "line 1"),
            ("a: 1\na: 2\n", "line 2"),
            ("a: 1\n  b: 2\n", "line 2"),
            ("a: \"x\n", "line 1"),
            ("a:\n\t- b\n", "line 2"),
            ("a: &x 1\n", "line 1"),
            ("a: 1\n---\nb: 2\n", "line 2"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.starts_with(line), "{text}: {error}");
        }
    }
}
