//! An XML document as a tree of elements. `quick-xml` parses it; this file turns its events into the tree, and
//! positions into lines.

use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// Maximum nesting depth of elements: a tree is dropped recursively.
const DEEPEST: usize = 100;

/// An element. Names are without the prefix of their namespace.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) attributes: Vec<(String, String)>,
    pub(crate) children: Vec<Element>,
    /// The text in it, without that of its children.
    pub(crate) text: String,
    pub(crate) line: usize,
}

impl Element {
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// The children with a name.
    pub(crate) fn all<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e Element> {
        self.children.iter().filter(move |child| child.name == name)
    }

    fn new(tag: &BytesStart<'_>, line: usize) -> Result<Element, quick_xml::Error> {
        let mut attributes = Vec::new();
        for attribute in tag.attributes() {
            let attribute = attribute?;
            let value = attribute.normalized_value(XmlVersion::Implicit1_0)?.into_owned();
            attributes.push((attribute.key.into_inner().to_owned(), value));
        }
        let name = tag.local_name().into_inner().to_owned();
        Ok(Element { name, attributes, line, ..Element::default() })
    }
}

/// Reads a document; the error begins with the line.
pub(crate) fn parse(text: &str) -> Result<Element, String> {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = Reader::from_str(text);
    reader.config_mut().check_comments = true;
    // The document itself and the open elements in it.
    let mut open = vec![Element::default()];
    let (mut line, mut counted) = (1, 0);
    loop {
        let event = reader.read_event();
        let start = if event.is_err() { reader.error_position() } else { counted as u64 } as usize;
        line += newlines(text, counted, start);
        let wrong = |what: String| format!("line {line}: {what}");
        let bad = |error: quick_xml::Error| wrong(error.to_string());
        if open.len() > DEEPEST {
            return Err(wrong("elements are nested too deep".to_owned()));
        }
        let element = open.last_mut().expect("the document itself should stay open");
        match event.map_err(bad)? {
            Event::Start(tag) => open.push(Element::new(&tag, line).map_err(bad)?),
            Event::Empty(tag) => element.children.push(Element::new(&tag, line).map_err(bad)?),
            // The reader checks that names match, so the document itself is not closed.
            Event::End(_) => {
                let closed = open.pop().unwrap_or_default();
                open.last_mut().expect("the document itself should stay open").children.push(closed);
            }
            Event::Text(text) => element.text.push_str(&text.xml10_content()),
            Event::CData(text) => element.text.push_str(&text.xml10_content()),
            Event::GeneralRef(name) => match (name.resolve_char_ref().map_err(bad)?, resolve_xml_entity(&name)) {
                (Some(character), _) => element.text.push(character),
                (None, Some(text)) => element.text.push_str(text),
                (None, None) => return Err(wrong(format!("`&{};` is not defined", &*name))),
            },
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            Event::Eof => break,
        }
        let end = reader.buffer_position() as usize;
        line += newlines(text, start, end);
        counted = end;
    }
    let mut document = open.remove(0);
    match (open.pop(), document.children.pop(), document.children.is_empty()) {
        (Some(element), _, _) => Err(format!("line {}: <{}> is not closed", element.line, element.name)),
        (None, Some(root), true) => Ok(root),
        (None, Some(second), false) => Err(format!("line {}: there is more than one root element", second.line)),
        (None, None, _) => Err(format!("line {line}: there is no element")),
    }
}

/// The number of newlines in a part of a text.
fn newlines(text: &str, from: usize, to: usize) -> usize {
    text.as_bytes().get(from..to).map_or(0, |part| part.iter().filter(|byte| **byte == b'\n').count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_xml_allows_is_read() {
        for (text, attribute, content) in [
            ("<?xml version=\"1.0\"?>\n<a x=\"1 &amp; 2\"><!-- <b> --><b y='2'/>t&lt;</a>", "1 & 2", "t<"),
            ("<a\n\tx = '\"quoted\" &#x3e; &gt; >'\n>s</a >", "\"quoted\" > > >", "s"),
            ("<a x=\"l\nm\"><![CDATA[<&amp;]]> &quot;&apos;&#65;</a>", "l m", "<&amp; \"'A"),
            ("\u{feff}<!DOCTYPE a [<!ELEMENT a ANY>]><g:a xmlns:g=\"urn:g\" x=\"n\">t\r\nu</g:a>", "n", "t\nu"),
            ("<a x=\"\"><?pi a > b?>t<!-- c -->u</a>\n<!-- end -->\n", "", "tu"),
        ] {
            let root = parse(text).expect(text);
            assert_eq!((root.name.as_str(), root.attribute("x")), ("a", Some(attribute)), "{text}");
            assert_eq!(root.text, content, "{text}");
        }
    }

    #[test]
    fn elements_know_their_lines() {
        let root = parse("<!--\n\n-->\n<a>\n<b\n y='1'/>\n<b>x\n</b><b/></a>").expect("readable");
        let lines: Vec<usize> = root.all("b").map(|b| b.line).collect();
        assert_eq!((root.line, lines), (4, vec![5, 7, 8]));
    }

    #[test]
    fn what_is_wrong_has_a_line() {
        let deep = "<a>".repeat(DEEPEST + 1);
        for (text, line) in [
            ("", "line 1"),
            ("<a>\n<b>\n</a>", "line 3"),
            ("<a>\n<b", "line 2"),
            ("<a>\n", "line 1"),
            ("\n<!-- x", "line 2"),
            ("<a x=1>", "line 1"),
            ("<a>\n\n<b x='1' x='2'/></a>", "line 3"),
            ("<a>\n&b;</a>", "line 2"),
            ("<a/>\n<b/>", "line 2"),
            ("</a>", "line 1"),
            (&deep, "line 1"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.starts_with(line), "{text}: {error}");
        }
    }

    // Quadratic work would take minutes here.
    #[test]
    fn large_documents_are_read() {
        let edges =
            "<edge source='a' target=\"b\">\n <data key=\"startline\">7 &lt; 8</data>\n</edge>\n".repeat(30_000);
        let text = format!("<graphml>\n{edges}</graphml>");
        assert!(text.len() > 2_000_000);
        let root = parse(&text).expect("readable");
        let last = root.all("edge").last().expect("an edge");
        assert_eq!((root.children.len(), last.line), (30_000, 2 + 3 * 29_999));
        assert_eq!(last.children[0].text, "7 < 8");
    }
}
