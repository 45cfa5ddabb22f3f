//! The part of XML that witnesses are written in: elements with attributes and text. Comments, processing instructions and
//! declarations are passed over.

/// An element.
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
}

/// Reads a document; the error begins with the line.
pub(crate) fn parse(text: &str) -> Result<Element, String> {
    let mut open: Vec<Element> = vec![Element::default()];
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        let line = text[..at].matches('\n').count() + 1;
        let wrong = |what: &str| format!("line {line}: {what}");
        let until = |end: &str| rest.find(end).map(|found| found + end.len());
        if rest.starts_with("<!--") {
            at += until("-->").ok_or_else(|| wrong("a comment is not closed"))?;
        } else if rest.starts_with("<?") {
            at += until("?>").ok_or_else(|| wrong("an instruction is not closed"))?;
        } else if rest.starts_with("<![CDATA[") {
            let end = until("]]>").ok_or_else(|| wrong("a CDATA section is not closed"))?;
            last(&mut open).text.push_str(&rest["<![CDATA[".len()..end - 3]);
            at += end;
        } else if rest.starts_with("<!") {
            at += until(">").ok_or_else(|| wrong("a declaration is not closed"))?;
        } else if rest.starts_with('<') {
            let end = until(">").ok_or_else(|| wrong("a tag is not closed"))?;
            tag(&rest[1..end - 1], line, &mut open).map_err(|what| wrong(&what))?;
            at += end;
        } else {
            let end = rest.find('<').unwrap_or(rest.len());
            let own = unescaped(&rest[..end]);
            last(&mut open).text.push_str(&own);
            at += end;
        }
    }
    let end = text.lines().count().max(1);
    if open.len() > 1 {
        let element = last(&mut open);
        return Err(format!("line {}: <{}> is not closed", element.line, element.name));
    }
    let root = open.pop().and_then(|mut document| document.children.pop());
    root.ok_or_else(|| format!("line {end}: there is no element"))
}

fn last(open: &mut [Element]) -> &mut Element {
    open.last_mut().expect("the document itself should stay open")
}

fn tag(inner: &str, line: usize, open: &mut Vec<Element>) -> Result<(), String> {
    if let Some(name) = inner.strip_prefix('/') {
        let element = open.pop().filter(|element| !open.is_empty() && element.name == name.trim());
        let element = element.ok_or_else(|| format!("</{}> closes nothing", name.trim()))?;
        last(open).children.push(element);
        return Ok(());
    }
    let (inner, is_closed) = inner.strip_suffix('/').map_or((inner, false), |inner| (inner, true));
    let inner = inner.trim();
    let (name, mut rest) = inner.split_once(char::is_whitespace).unwrap_or((inner, ""));
    let mut element = Element { name: name.to_owned(), line, ..Element::default() };
    while !rest.trim_start().is_empty() {
        let wrong = || format!("the attributes of <{name}> cannot be read");
        let (key, behind) = rest.trim_start().split_once('=').ok_or_else(wrong)?;
        let behind = behind.trim_start();
        let quote = behind.chars().next().filter(|quote| matches!(quote, '"' | '\'')).ok_or_else(wrong)?;
        let (value, behind) = behind[1..].split_once(quote).ok_or_else(wrong)?;
        element.attributes.push((key.trim().to_owned(), unescaped(value)));
        rest = behind;
    }
    if is_closed {
        last(open).children.push(element);
    } else {
        open.push(element);
    }
    Ok(())
}

fn unescaped(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'");
    text.replace("&amp;", "&")
}

/// A text as it stands in an element or attribute.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_read() {
        let root =
            parse("<?xml version=\"1.0\"?>\n<a x=\"1 &amp; 2\"><!-- <b> -->\n<b y='2'/>t&lt;</a>").expect("readable");
        assert_eq!((root.name.as_str(), root.attribute("x"), root.text.trim()), ("a", Some("1 & 2"), "t<"));
        assert_eq!(root.all("b").next().map(|b| (b.line, b.attribute("y"))), Some((3, Some("2"))));
        assert_eq!(escaped("a<\"b\"&"), "a&lt;&quot;b&quot;&amp;");
    }

    #[test]
    fn what_is_wrong_has_a_line() {
        for (text, line) in [
            ("<a>\n<b>\n</a>", "line 3"),
            ("<a>\n<b", "line 2"),
            ("<a>\n", "line 1"),
            ("\n<!-- x", "line 2"),
            ("<a x=1>", "line 1"),
        ] {
            let error = parse(text).expect_err(text);
            assert!(error.starts_with(line), "{text}: {error}");
        }
    }
}
