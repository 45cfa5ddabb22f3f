//! Violation witnesses in GraphML, format 1.0. Writes a path: an edge for each statement in which a thread takes a
//! visible step, with its thread, in the order of the run; the last edge leads to the violation. Reads paths too: nodes
//! that lead nowhere (sinks) are left out, and any other branching is an error. Consecutive edges of one thread in one
//! line count as one statement.
//!
//! The format cannot express the second access of a race: the target is the last access.

use super::violation::{Hint, Path};
use super::xml::{self, Element};
use super::{Content, Location, Producer, Segment, Subject, Waypoint, WaypointKind, Witness};
use quick_xml::escape::escape;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The declared keys: the name, the element that has it, the type.
const KEYS: [(&str, &str, &str); 19] = [
    ("witness-type", "graph", "string"),
    ("sourcecodelang", "graph", "string"),
    ("producer", "graph", "string"),
    ("specification", "graph", "string"),
    ("programfile", "graph", "string"),
    ("programhash", "graph", "string"),
    ("architecture", "graph", "string"),
    ("creationtime", "graph", "string"),
    ("entry", "node", "boolean"),
    ("violation", "node", "boolean"),
    ("sink", "node", "boolean"),
    ("startline", "edge", "int"),
    ("endline", "edge", "int"),
    ("enterFunction", "edge", "string"),
    ("threadId", "edge", "string"),
    ("createThread", "edge", "string"),
    ("assumption", "edge", "string"),
    ("assumption.scope", "edge", "string"),
    ("assumption.resultfunction", "edge", "string"),
];

/// The text of a violation witness.
pub fn to_graphml(subject: &Subject, path: &Path, producer: &Producer) -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\" \
         xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\">\n",
    );
    for (name, owner, ty) in KEYS {
        let default = if ty == "boolean" { "<default>false</default>" } else { "" };
        add(
            &mut text,
            &format!(" <key attr.name=\"{name}\" attr.type=\"{ty}\" for=\"{owner}\" id=\"{name}\">{default}</key>\n"),
        );
    }
    add(&mut text, " <graph edgedefault=\"directed\">\n");
    let (file, hash) = subject.files.first().cloned().unwrap_or_default();
    let architecture = if subject.data_model == "ILP32" { "32bit" } else { "64bit" };
    for (key, value) in [
        ("witness-type", "violation_witness"),
        ("sourcecodelang", "C"),
        ("producer", &format!("Heddle {}", producer.version)),
        ("specification", &subject.specification),
        ("programfile", &file),
        ("programhash", &hash),
        ("architecture", architecture),
        ("creationtime", &producer.timestamp()),
    ] {
        data(&mut text, 2, key, value);
    }
    let steps = path.iter().map(Some).chain([None]);
    for (node, step) in steps.enumerate() {
        add(&mut text, &format!("  <node id=\"N{node}\">\n"));
        if node == 0 {
            data(&mut text, 3, "entry", "true");
        }
        if step.is_none() {
            data(&mut text, 3, "violation", "true");
        }
        add(&mut text, "  </node>\n");
        if let Some(step) = step {
            edge(&mut text, node, step);
        }
    }
    text + " </graph>\n</graphml>\n"
}

fn add(text: &mut String, more: &str) {
    // Writing into a string cannot fail.
    let _ = text.write_str(more);
}

fn data(text: &mut String, indent: usize, key: &str, value: &str) {
    add(text, &format!("{:indent$}<data key=\"{key}\">{}</data>\n", "", escape(value)));
}

fn edge(text: &mut String, from: usize, hint: &Hint) {
    add(text, &format!("  <edge source=\"N{from}\" target=\"N{}\">\n", from + 1));
    if let Some(line) = hint.line {
        data(text, 3, "startline", &line.to_string());
        data(text, 3, "endline", &line.to_string());
    }
    data(text, 3, "threadId", &hint.thread.to_string());
    if let Some(child) = hint.creates {
        data(text, 3, "createThread", &child.to_string());
    }
    if let Some(function) = &hint.enters {
        data(text, 3, "enterFunction", function);
    }
    if let Some((function, value)) = &hint.input {
        data(text, 3, "assumption", &format!("\\result == {value};"));
        data(text, 3, "assumption.resultfunction", function);
    }
    add(text, "  </edge>\n");
}

/// Reads a witness; the error begins with the line.
pub fn parse(text: &str) -> Result<Witness, String> {
    let root = xml::parse(text)?;
    let graph = root.all("graph").next().ok_or_else(|| format!("line {}: there is no graph", root.line))?;
    let keys = key_names(&root);
    let value = |key: &str| of(graph, &keys, key);
    let required = |key: &str| value(key).ok_or_else(|| format!("line {}: `{key}` is missing", graph.line));
    match required("witness-type")?.as_str() {
        "violation_witness" => {}
        "correctness_witness" => {
            return Err(format!("line {}: correctness witnesses are understood in YAML only", graph.line));
        }
        other => return Err(format!("line {}: `{other}` is not a type of witnesses", graph.line)),
    }
    let data_model = match required("architecture")?.as_str() {
        "32bit" => "ILP32",
        "64bit" => "LP64",
        other => return Err(format!("line {}: `{other}` is not an architecture", graph.line)),
    };
    let file = required("programfile")?;
    let subject = Subject {
        files: vec![(file.clone(), required("programhash")?)],
        specification: required("specification")?,
        data_model: data_model.to_owned(),
    };
    let segments = segments(graph, &keys, &file)?;
    Ok(Witness { subject, content: Content::Violation(segments) })
}

/// Maps the ids of keys to their names.
fn key_names(root: &Element) -> BTreeMap<String, String> {
    let name = |key: &Element| Some((key.attribute("id")?.to_owned(), key.attribute("attr.name")?.to_owned()));
    root.all("key").filter_map(name).collect()
}

fn of(element: &Element, keys: &BTreeMap<String, String>, key: &str) -> Option<String> {
    let is_it = |id: &str| id == key || keys.get(id).is_some_and(|name| name == key);
    let mut found = element.all("data").filter(|data| data.attribute("key").is_some_and(is_it));
    found.next().map(|data| data.text.trim().to_owned())
}

/// The path from the entry to the violation.
fn path<'e>(graph: &'e Element, keys: &BTreeMap<String, String>) -> Result<Vec<&'e Element>, String> {
    let mut nodes: BTreeMap<&str, &Element> = BTreeMap::new();
    for node in graph.all("node") {
        let id = node.attribute("id").ok_or_else(|| format!("line {}: the node has no id", node.line))?;
        nodes.insert(id, node);
    }
    let is = |id: &str, key: &str| nodes.get(id).is_some_and(|node| of(node, keys, key).is_some_and(|is| is == "true"));
    let mut out: BTreeMap<&str, Vec<(&str, &Element)>> = BTreeMap::new();
    for edge in graph.all("edge") {
        let (Some(from), Some(to)) = (edge.attribute("source"), edge.attribute("target")) else {
            return Err(format!("line {}: the edge has no source or target", edge.line));
        };
        if let Some(missing) = [from, to].into_iter().find(|id| !nodes.contains_key(id)) {
            return Err(format!("line {}: there is no node `{missing}`", edge.line));
        }
        if from != to && !is(to, "sink") {
            out.entry(from).or_default().push((to, edge));
        }
    }
    let mut at =
        *nodes.keys().find(|id| is(id, "entry")).ok_or_else(|| format!("line {}: no node is the entry", graph.line))?;
    let mut path = Vec::new();
    while !is(at, "violation") {
        match out.get(at).map_or(&[][..], Vec::as_slice) {
            [(to, edge)] if path.len() <= out.len() => {
                path.push(*edge);
                at = to;
            }
            [] => return Err(format!("line {}: no edge leads on from `{at}`", nodes[at].line)),
            [_] => return Err(format!("line {}: the edges go round in circles", nodes[at].line)),
            _ => return Err(format!("line {}: more than one edge leads on from `{at}`", nodes[at].line)),
        }
    }
    Ok(path)
}

fn segments(graph: &Element, keys: &BTreeMap<String, String>, file: &str) -> Result<Vec<Segment>, String> {
    let mut threads: BTreeMap<String, u32> = BTreeMap::new();
    let mut segments: Vec<Segment> = Vec::new();
    let mut last: Option<(Option<u32>, u32)> = None;
    let mut target: Option<Waypoint> = None;
    for edge in path(graph, keys)? {
        let get = |key: &str| of(edge, keys, key);
        let thread = match get("threadId") {
            // A thread that exists before any other is created is the first one.
            Some(id) if threads.is_empty() => Some(*threads.entry(id).or_insert(0)),
            Some(id) => match threads.get(&id) {
                Some(thread) => Some(*thread),
                None => return Err(format!("line {}: thread `{id}` was not created", edge.line)),
            },
            None => None,
        };
        if let Some(child) = get("createThread") {
            let next = threads.len().max(1) as u32;
            if threads.is_empty() {
                threads.insert(String::new(), 0);
            }
            threads.insert(child, next);
        }
        let Some(line) = get("startline") else { continue };
        let line: u32 = line.parse().map_err(|_| format!("line {}: `{line}` is not a line", edge.line))?;
        let location = Location { file: file.to_owned(), line, column: None, function: None };
        let base = Waypoint {
            kind: WaypointKind::Assumption,
            avoid: false,
            location,
            constraint: None,
            thread,
            after: false,
            executes: true,
            stands_at: edge.line,
        };
        // The function that gives an input suffices.
        let gives_input = get("assumption").is_some_and(|text| text.contains("\\result"));
        if last != Some((thread, line)) && !gives_input {
            segments.push(vec![base.clone()]);
        }
        last = Some((thread, line));
        for constraint in
            get("assumption").iter().flat_map(|text| text.split(';')).map(str::trim).filter(|text| !text.is_empty())
        {
            let kind =
                if constraint.contains("\\result") { WaypointKind::FunctionReturn } else { WaypointKind::Assumption };
            segments.push(vec![Waypoint {
                kind,
                after: true,
                constraint: Some(constraint.to_owned()),
                ..base.clone()
            }]);
        }
        target = Some(Waypoint { kind: WaypointKind::Target, ..base });
    }
    let target = target.ok_or_else(|| format!("line {}: no edge has a line", graph.line))?;
    // The last edge is the violation itself.
    if segments.last().is_some_and(|segment| segment[0].location == target.location && segment[0].constraint.is_none())
    {
        segments.pop();
    }
    segments.push(vec![target]);
    Ok(segments)
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &str = "<?xml version='1.0'?><!-- made by hand -->
<g:graphml xmlns:g='http://graphml.graphdrawing.org/xmlns'>
<key id = 'line' attr.name='startline' for='edge'/>
<graph edgedefault='directed'>
<data key='witness-type'>violation_witness</data><data key='architecture'>64bit</data>
<data key='programfile'><![CDATA[a&b.c]]></data><data key='programhash'>00</data>
<data key='specification'>G ! call(reach_error())</data>
<node id='n0'><data key='entry'>true</data></node>
";
    const TAIL: &str = "</graph></g:graphml>";

    #[test]
    fn witnesses_of_other_tools_are_read() {
        let text = format!(
            "{HEAD}<node id='&lt;1>'><data key=\"violation\">true</data></node>
<edge\n source='n0' target='&lt;1>'><data key='line'>7</data><data key='assumption'>x &gt; 0 &amp;&amp; 1;</data></edge>{TAIL}"
        );
        let Witness { subject, content: Content::Violation(segments) } = parse(&text).expect("readable") else {
            panic!("it should be of a violation")
        };
        assert_eq!(subject.files, [("a&b.c".to_owned(), "00".to_owned())]);
        let points: Vec<_> = segments.iter().flatten().map(|w| (w.location.line, w.constraint.as_deref())).collect();
        assert_eq!(points, [(7, None), (7, Some("x > 0 && 1")), (7, None)]);
        assert_eq!(segments[0][0].stands_at, 10);
    }

    // Quadratic work would take minutes here.
    #[test]
    fn large_witnesses_are_read() {
        const STEPS: usize = 22_000;
        let mut text = HEAD.to_owned();
        for step in 1..=STEPS {
            let end = if step == STEPS { "<data key='violation'>true</data>" } else { "" };
            let edge =
                format!("<edge source='n{}' target='n{step}'><data key='startline'>{step}</data></edge>", step - 1);
            text += &format!("<node id='n{step}'>{end}</node>\n{edge}\n");
        }
        text += TAIL;
        assert!(text.len() > 2_000_000, "{}", text.len());
        let Content::Violation(segments) = parse(&text).expect("readable").content else {
            panic!("it should be of a violation")
        };
        assert_eq!(segments.len(), STEPS);
    }
}
