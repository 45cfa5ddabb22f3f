//! Reads witnesses in YAML, formats 2.0 to 2.2, and the older form of correctness witnesses with one entry for each
//! invariant. Anything that the format does not allow is an error with its line; so is anything that Heddle does not
//! support (contracts, transition invariants, cycles), since it must not be ignored.

use super::yaml::{self, Node, Value};
use super::{Content, Ghost, GhostUpdate, Invariant, Location, Segment, Subject, Waypoint, WaypointKind, Witness};

type Result<T> = std::result::Result<T, String>;

/// Reads a witness; the error begins with the line.
pub fn parse(text: &str) -> Result<Witness> {
    let document = yaml::parse(text)?;
    let entries = document.items()?;
    let mut subject: Option<Subject> = None;
    let mut violation: Option<Vec<Segment>> = None;
    let (mut ghosts, mut updates, mut invariants) = (Vec::new(), Vec::new(), Vec::new());
    let mut is_correctness = false;
    for entry in entries {
        let own = read_subject(entry.get("metadata")?)?;
        subject.get_or_insert(own);
        let kind = entry.get("entry_type")?;
        match kind.scalar()? {
            "violation_sequence" if violation.is_some() => {
                return kind.wrong("there is more than one violation sequence")
            }
            "violation_sequence" => violation = Some(segments(entry.get("content")?)?),
            "invariant_set" => {
                is_correctness = true;
                for item in entry.get("content")?.items()? {
                    invariants.push(Invariant { stands_at: item.line, ..invariant(item.only("invariant")?)? });
                }
            }
            "loop_invariant" | "location_invariant" => {
                is_correctness = true;
                invariants.push(old_invariant(entry, kind.scalar()?)?);
            }
            "ghost_instrumentation" => {
                is_correctness = true;
                let content = entry.get("content")?;
                read_ghosts(content, &mut ghosts, &mut updates)?;
            }
            other => return kind.wrong(&format!("entries of type `{other}` are not understood")),
        }
    }
    let Some(subject) = subject else { return document.wrong("the witness has no entry") };
    let content = match (violation, is_correctness) {
        (Some(segments), false) => Content::Violation(segments),
        (None, _) => Content::Correctness { ghosts, updates, invariants },
        (Some(_), true) => return document.wrong("the witness is of a violation and of correctness at the same time"),
    };
    Ok(Witness { subject, content })
}

impl Node {
    fn wrong<T>(&self, what: &str) -> Result<T> {
        Err(format!("line {}: {what}", self.line))
    }

    fn items(&self) -> Result<&[Node]> {
        match &self.value {
            Value::Sequence(items) => Ok(items),
            Value::Scalar(_) | Value::Mapping(_) => self.wrong("a list is expected"),
        }
    }

    fn scalar(&self) -> Result<&str> {
        match &self.value {
            Value::Scalar(text) => Ok(text),
            Value::Sequence(_) | Value::Mapping(_) => self.wrong("a plain value is expected"),
        }
    }

    fn entries(&self) -> Result<&[(String, Node)]> {
        match &self.value {
            Value::Mapping(entries) => Ok(entries),
            Value::Scalar(_) | Value::Sequence(_) => self.wrong("`key: value` is expected"),
        }
    }

    fn find(&self, key: &str) -> Result<Option<&Node>> {
        Ok(self.entries()?.iter().find(|(name, _)| name == key).map(|(_, node)| node))
    }

    fn get(&self, key: &str) -> Result<&Node> {
        match self.find(key)? {
            Some(node) => Ok(node),
            None => self.wrong(&format!("`{key}` is missing")),
        }
    }

    /// The value of the only allowed key.
    fn only(&self, key: &str) -> Result<&Node> {
        match self.entries()?.iter().find(|(name, _)| name != key) {
            Some((other, node)) => node.wrong(&format!("`{other}` is not understood here")),
            None => self.get(key),
        }
    }

    fn number(&self) -> Result<u32> {
        let text = self.scalar()?;
        text.parse().or_else(|_| self.wrong(&format!("`{text}` is not a number")))
    }

    /// A C expression, without further keys.
    fn expression(&self, allowed: &[&str]) -> Result<String> {
        if let Some(format) = self.find("format")? {
            let name = format.scalar()?;
            if !allowed.contains(&name) {
                return format.wrong(&format!("expressions of format `{name}` are not understood here"));
            }
        }
        Ok(self.get("value")?.scalar()?.to_owned())
    }
}

fn read_subject(metadata: &Node) -> Result<Subject> {
    let version = metadata.get("format_version")?;
    let text = version.scalar()?;
    if !(text.starts_with("2.") || text == "0.1") {
        return version.wrong(&format!("witnesses of format `{text}` are not understood"));
    }
    let task = metadata.get("task")?;
    let hashes = task.get("input_file_hashes")?;
    let mut files = Vec::new();
    for file in task.get("input_files")?.items()? {
        let name = file.scalar()?;
        let hash = hashes.find(name)?.map(|hash| hash.scalar().map(str::to_owned)).transpose()?;
        files.push((name.to_owned(), hash.unwrap_or_default()));
    }
    let model = task.get("data_model")?;
    let data_model = model.scalar()?;
    if !matches!(data_model, "ILP32" | "LP64") {
        return model.wrong(&format!("`{data_model}` is not ILP32 or LP64"));
    }
    let specification = task.get("specification")?.scalar()?.to_owned();
    Ok(Subject { files, specification, data_model: data_model.to_owned() })
}

fn location(node: &Node) -> Result<Location> {
    let number = |key: &str| node.find(key)?.map(Node::number).transpose();
    let line = node.get("line")?.number()?;
    if line == 0 {
        return node.wrong("lines are counted from 1");
    }
    Ok(Location {
        file: node.get("file_name")?.scalar()?.to_owned(),
        line,
        column: number("column")?.filter(|column| *column > 0),
        function: node.find("function")?.map(|name| name.scalar().map(str::to_owned)).transpose()?,
    })
}

/// The segments: each has one waypoint to follow, except the last, which has the targets.
fn segments(content: &Node) -> Result<Vec<Segment>> {
    let items = content.items()?;
    let mut segments = Vec::new();
    for (index, item) in items.iter().enumerate() {
        let own = item.only("segment")?;
        let mut segment = Vec::new();
        for node in own.items()? {
            segment.push(waypoint(node.only("waypoint")?)?);
        }
        let targets = segment.iter().filter(|waypoint| waypoint.kind == WaypointKind::Target).count();
        let follows = segment.iter().filter(|waypoint| !waypoint.avoid).count();
        let is_last = index + 1 == items.len();
        match (is_last, targets, follows) {
            (true, 0, _) => return own.wrong("the last segment has no target"),
            (true, targets, follows) if targets > 2 || follows != targets => {
                return own.wrong("the last segment has something else to follow than a target, or two of a race");
            }
            (false, 1.., _) => return own.wrong("only the last segment may have a target"),
            (false, 0, follows) if follows != 1 => return own.wrong("a segment has exactly one waypoint to follow"),
            (_, _, _) => segments.push(segment),
        }
    }
    if segments.is_empty() {
        return content.wrong("there is no segment");
    }
    Ok(segments)
}

fn waypoint(node: &Node) -> Result<Waypoint> {
    let name = node.get("type")?;
    let kind = match name.scalar()? {
        "assumption" => WaypointKind::Assumption,
        "branching" => WaypointKind::Branching,
        "function_enter" => WaypointKind::FunctionEnter,
        "function_return" => WaypointKind::FunctionReturn,
        "target" => WaypointKind::Target,
        other => return name.wrong(&format!("waypoints of type `{other}` are not understood")),
    };
    let action = node.get("action")?;
    let avoid = match action.scalar()? {
        "follow" => false,
        "avoid" if kind != WaypointKind::Target => true,
        "avoid" => return action.wrong("a target cannot be avoided"),
        other => return action.wrong(&format!("waypoints with action `{other}` are not understood")),
    };
    let formats = ["c_expression", "ext_c_expression", "acsl_expression"];
    let constraint = node.find("constraint")?.map(|constraint| constraint.expression(&formats)).transpose()?;
    if constraint.is_none() && matches!(kind, WaypointKind::Assumption | WaypointKind::Branching) {
        return node.wrong("`constraint` is missing");
    }
    Ok(Waypoint {
        kind,
        avoid,
        location: location(node.get("location")?)?,
        constraint,
        thread: node.find("thread_id")?.map(Node::number).transpose()?,
        after: false,
        executes: false,
        stands_at: node.line,
    })
}

fn invariant(node: &Node) -> Result<Invariant> {
    let kind = node.get("type")?;
    let is_of_loop = match kind.scalar()? {
        "loop_invariant" => true,
        "location_invariant" => false,
        other => return kind.wrong(&format!("invariants of type `{other}` are not understood")),
    };
    let value = node.expression(&["c_expression"])?;
    Ok(Invariant {
        is_of_loop,
        location: location(node.get("location")?)?,
        value,
        stands_at: node.line,
        is_everywhere: false,
    })
}

/// An entry for one invariant, as in formats before 2.0.
fn old_invariant(entry: &Node, kind: &str) -> Result<Invariant> {
    let node = entry.get(kind)?;
    let value = node.get("string")?.scalar()?.to_owned();
    let is_of_loop = kind == "loop_invariant";
    Ok(Invariant {
        is_of_loop,
        location: location(entry.get("location")?)?,
        value,
        stands_at: entry.line,
        is_everywhere: false,
    })
}

fn read_ghosts(content: &Node, ghosts: &mut Vec<Ghost>, updates: &mut Vec<GhostUpdate>) -> Result<()> {
    for node in content.get("ghost_variables")?.items()? {
        let initial = node.get("initial")?.expression(&["c_expression"])?;
        let name = node.get("name")?.scalar()?.to_owned();
        let ty = node.get("type")?.scalar()?.to_owned();
        ghosts.push(Ghost { name, ty, initial, stands_at: node.line });
    }
    for node in content.get("ghost_updates")?.items()? {
        let place = location(node.get("location")?)?;
        for update in node.get("updates")?.items()? {
            updates.push(GhostUpdate {
                location: place.clone(),
                variable: update.get("variable")?.scalar()?.to_owned(),
                value: update.expression(&["c_expression"])?,
                stands_at: update.line,
            });
        }
    }
    Ok(())
}
