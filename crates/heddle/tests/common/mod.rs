//! What several test files need: checking what Heddle writes against the JSON schemas in `docs` and `tests/data`.
//!
//! The validator supports the keywords that these schemas use and rejects schemas with others, so that nothing is ignored.
//! Formats and patterns are known by name.

use serde_json::Value;
use std::path::Path;

/// A schema of the project: `docs/report.schema.json`.
pub(crate) fn schema(path: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("a schema should be JSON")
}

/// Parses and validates a report of `heddle check --format json`.
pub(crate) fn report(text: &str) -> Value {
    let report = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let problems = problems(&schema("docs/report.schema.json"), &report);
    assert!(problems.is_empty(), "{}\n{text}", problems.join("\n"));
    report
}

/// The violations of a schema by a value; empty if it conforms.
pub(crate) fn problems(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    Validator { root: schema }.check(schema, value, "", &mut found);
    found
}

struct Validator<'s> {
    root: &'s Value,
}

impl Validator<'_> {
    fn holds(&self, schema: &Value, value: &Value) -> bool {
        let mut found = Vec::new();
        self.check(schema, value, "", &mut found);
        found.is_empty()
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
        let rules = match schema {
            Value::Bool(true) => return,
            Value::Bool(false) => return found.push(format!("{at}: nothing is allowed here")),
            Value::Object(rules) => rules,
            other => panic!("not a schema: {other}"),
        };
        for (keyword, rule) in rules {
            let mut wrong = |what: String| found.push(format!("{at}: {what}"));
            match keyword.as_str() {
                "$schema" | "$id" | "title" | "description" | "default" | "definitions" | "$defs" | "then" | "else" => {
                }
                "$ref" => self.check(self.resolve(rule), value, at, found),
                "type" if !is_of_type(value, rule) => wrong(format!("not of type {rule}: {value}")),
                "const" if value != rule => wrong(format!("not {rule}: {value}")),
                "enum" if !list(rule).contains(value) => wrong(format!("not one of {rule}: {value}")),
                "minimum" if value.as_f64() < rule.as_f64() && value.is_number() => wrong(format!("less than {rule}")),
                "maximum" if value.as_f64() > rule.as_f64() && value.is_number() => wrong(format!("more than {rule}")),
                "minLength" if value.as_str().is_some_and(|text| text.chars().count() < size(rule)) => {
                    wrong("too short".to_owned());
                }
                "minItems" if value.as_array().is_some_and(|items| items.len() < size(rule)) => {
                    wrong("too few items".to_owned());
                }
                "maxItems" if value.as_array().is_some_and(|items| items.len() > size(rule)) => {
                    wrong("too many items".to_owned());
                }
                "uniqueItems" if rule == &Value::Bool(true) && has_repetition(value) => {
                    wrong("repeated items".to_owned())
                }
                "pattern" if value.as_str().is_some_and(|text| !matches_pattern(text, rule)) => {
                    wrong(format!("does not match {rule}: {value}"));
                }
                "format" if value.as_str().is_some_and(|text| !has_format(text, rule)) => {
                    wrong(format!("not of format {rule}: {value}"));
                }
                "required" => {
                    let is_missing =
                        |name: &&Value| value.is_object() && value.get(name.as_str().unwrap_or("")).is_none();
                    list(rule).iter().filter(is_missing).for_each(|name| wrong(format!("{name} is missing")));
                }
                "items" => {
                    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(rule, item, &format!("{at}/{index}"), found);
                    }
                }
                "properties" | "additionalProperties" => {
                    for (name, part) in value.as_object().into_iter().flatten() {
                        let named = rules.get("properties").and_then(|properties| properties.get(name));
                        let rule = if keyword == "properties" { named } else { named.is_none().then_some(rule) };
                        if let Some(rule) = rule {
                            self.check(rule, part, &format!("{at}/{name}"), found);
                        }
                    }
                }
                "allOf" => list(rule).iter().for_each(|rule| self.check(rule, value, at, found)),
                "anyOf" if !list(rule).iter().any(|rule| self.holds(rule, value)) => {
                    wrong(format!("none of the alternatives fits: {value}"));
                }
                "oneOf" if list(rule).iter().filter(|rule| self.holds(rule, value)).count() != 1 => {
                    wrong(format!("not exactly one of the alternatives fits: {value}"));
                }
                "not" if self.holds(rule, value) => wrong("what must not be is".to_owned()),
                "if" => {
                    let branch = rules.get(if self.holds(rule, value) { "then" } else { "else" });
                    if let Some(branch) = branch {
                        self.check(branch, value, at, found);
                    }
                }
                "type" | "const" | "enum" | "minimum" | "maximum" | "minLength" | "minItems" | "maxItems"
                | "uniqueItems" | "pattern" | "format" | "anyOf" | "oneOf" | "not" => {}
                other => panic!("the validator does not know the keyword `{other}`"),
            }
        }
    }

    fn resolve(&self, reference: &Value) -> &Value {
        let path = reference.as_str().and_then(|text| text.strip_prefix('#')).expect("a reference within the schema");
        self.root.pointer(path).unwrap_or_else(|| panic!("the schema has no {path}"))
    }
}

fn list(rule: &Value) -> &[Value] {
    rule.as_array().expect("a list in a schema")
}

fn size(rule: &Value) -> usize {
    usize::try_from(rule.as_u64().expect("a number in a schema")).expect("a small number")
}

fn is_of_type(value: &Value, rule: &Value) -> bool {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "null" => value.is_null(),
        other => panic!("the validator does not know the type `{other}`"),
    };
    match rule {
        Value::String(name) => is(name),
        names => list(names).iter().any(|name| is(name.as_str().expect("a name of a type"))),
    }
}

fn has_repetition(value: &Value) -> bool {
    let items = value.as_array().map(Vec::as_slice).unwrap_or_default();
    items.iter().enumerate().any(|(index, item)| items[..index].contains(item))
}

fn matches_pattern(text: &str, rule: &Value) -> bool {
    match rule.as_str().expect("a pattern") {
        "^-?[0-9]+$" => {
            let digits = text.strip_prefix('-').unwrap_or(text);
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        }
        other => panic!("the validator does not know the pattern `{other}`"),
    }
}

fn has_format(text: &str, rule: &Value) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#[]@!$&'()*+,;=%".contains(&byte);
    let has_scheme = text.split_once(':').is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    });
    let is_escaped = text
        .split('%')
        .skip(1)
        .all(|rest| rest.len() >= 2 && rest.bytes().take(2).all(|byte| byte.is_ascii_hexdigit()));
    match rule.as_str().expect("a format") {
        "uri-reference" => text.bytes().all(allowed) && is_escaped,
        "uri" => text.bytes().all(allowed) && is_escaped && has_scheme,
        other => panic!("the validator does not know the format `{other}`"),
    }
}
