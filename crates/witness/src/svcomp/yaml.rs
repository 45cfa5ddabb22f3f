//! A YAML document as a tree. `saphyr-parser` parses it; this file turns its events into the tree. Callers interpret
//! scalars. Anchors, aliases, tags and several documents are errors: witnesses do not have them.

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput};
use std::collections::HashSet;

/// Maximum nesting depth of collections: a tree is built and dropped recursively.
const DEEPEST: usize = 100;

/// A value and the line it begins in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Node {
    pub(crate) line: usize,
    pub(crate) value: Value,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Value {
    /// The text without quotes; nothing at all, or `~`, is empty.
    Scalar(String),
    Sequence(Vec<Node>),
    Mapping(Vec<(String, Node)>),
}

/// Reads a document; the error begins with the line.
pub(crate) fn parse(text: &str) -> Result<Node, String> {
    let mut builder = Builder { parser: Parser::new_from_str(text.trim_start_matches('\u{feff}')), line: 1 };
    let mut document = None;
    loop {
        match builder.next()?.0 {
            Event::DocumentStart(_) if document.is_some() => return builder.wrong("there is more than one document"),
            Event::DocumentStart(_) => {
                let first = builder.next()?;
                document = Some(builder.node(first, 0)?);
            }
            Event::StreamEnd => return document.ok_or_else(|| "line 1: the file is empty".to_owned()),
            _ => {}
        }
    }
}

struct Builder<'t> {
    parser: Parser<'t, StrInput<'t>>,
    /// The line of the last event.
    line: usize,
}

impl<'t> Builder<'t> {
    fn wrong<T>(&self, what: &str) -> Result<T, String> {
        Err(format!("line {}: {what}", self.line))
    }

    fn next(&mut self) -> Result<(Event<'t>, Span), String> {
        let wrong = |error: ScanError| format!("line {}: {}", error.marker().line(), error.info());
        let (event, span) = self.parser.next().unwrap_or(Ok((Event::StreamEnd, Span::default()))).map_err(wrong)?;
        self.line = span.start.line();
        Ok((event, span))
    }

    /// The value that an event begins.
    fn node(&mut self, (event, span): (Event<'t>, Span), depth: usize) -> Result<Node, String> {
        if depth > DEEPEST {
            return self.wrong("values are nested too deep");
        }
        let line = span.start.line();
        let value = match event {
            Event::Scalar(text, style, 0, None) => Value::Scalar(match style {
                ScalarStyle::Plain if text == "~" => String::new(),
                ScalarStyle::Literal | ScalarStyle::Folded => text.trim_end_matches('\n').to_owned(),
                _ => text.into_owned(),
            }),
            Event::SequenceStart(0, None) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, _) => break Value::Sequence(items),
                        item => items.push(self.node(item, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(0, None) => self.mapping(depth)?,
            _ => return self.wrong("anchors, aliases and tags are not understood"),
        };
        Ok(Node { line, value })
    }

    fn mapping(&mut self, depth: usize) -> Result<Value, String> {
        let (mut entries, mut names) = (Vec::new(), HashSet::new());
        loop {
            let key = match self.next()? {
                (Event::MappingEnd, _) => break Ok(Value::Mapping(entries)),
                key => self.node(key, depth + 1)?,
            };
            let Value::Scalar(name) = key.value else { return self.wrong("a key is a list or a mapping") };
            if !names.insert(name.clone()) {
                return self.wrong(&format!("`{name}` is given twice"));
            }
            let value = self.next()?;
            // Nothing stands where its key does, and not where the parser has seen that there is nothing.
            let is_nothing = value.1.is_empty();
            let mut value = self.node(value, depth + 1)?;
            if is_nothing && value.value == Value::Scalar(String::new()) {
                value.line = key.line;
            }
            entries.push((name, value));
        }
    }
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
            (
                "a: \"\\u00e9\\x41\"\nb: ~\nc:\n\"d\" : {\n  e: [1,\n 2] # two\n}\n...\n",
                r#"{a:"éA",b:"",c:"",d:{e:["1","2"]}}"#,
            ),
        ] {
            assert_eq!(parse(text).map(|node| show(&node)), Ok(expected.to_owned()), "{text}");
        }
    }

    #[test]
    fn values_know_their_lines() {
        let Value::Mapping(all) =
            parse("a:\nb:\n- c: 1\n\n  d: |\n   x\n- {}\ne: [f,\n  g]\n").expect("readable").value
        else {
            panic!("it should be a mapping")
        };
        let lines: Vec<usize> = all.iter().map(|(_, node)| node.line).collect();
        assert_eq!(lines, [1, 3, 8]);
        let Value::Sequence(items) = &all[1].1.value else { panic!("it should be a list") };
        assert_eq!(items.iter().map(|item| item.line).collect::<Vec<_>>(), [3, 7]);
    }

    // Quadratic work would take minutes here.
    #[test]
    fn large_documents_are_read() {
        let text = "- key: \"a value\"\n  other: {a: 1, b: [c, 'd']}\n".repeat(45_000);
        assert!(text.len() > 2_000_000);
        let Value::Sequence(items) = parse(&text).expect("readable").value else { panic!("it should be a list") };
        assert_eq!(items.last().map(|item| item.line), Some(2 * 45_000 - 1));
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
            ("a: 1\nb: !t 1\n", "line 2"),
            ("a: 1\nb: *x\n", "line 2"),
            ("a: 1\n? [b]\n: 2\n", "line 2"),
            ("a: 1\n---\nb: 2\n", "line 2"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.starts_with(line), "{text}: {error}");
        }
    }
}
