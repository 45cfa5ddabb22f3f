//! The trace file: everything needed to replay a counterexample later, with the program beside it.
//!
//! It is JSON. `schema` is `heddle-trace/1`; `program` says how the program was loaded; `steps` is the schedule, one step
//! to a line. `docs/report.md` describes the fields. A trace fits only the program it was made from: replaying it with
//! another program, or after an edit, is an error that names the first step that does not fit.

use check::Inputs;
use ir::analysis::AtomicRegion;
use ir::{DataModel, MemoryModel, Property, Schedule, ScheduleStep};
use serde::{Deserialize, Serialize};

/// The version of the format.
pub const SCHEMA: &str = "heddle-trace/1";

/// How the program of a trace was loaded.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceProgram {
    /// The files, as given.
    pub files: Vec<String>,
    /// `ilp32` or `lp64`.
    pub data_model: String,
    /// The entry function, if it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub entry: Option<String>,
    /// The arguments passed on to clang.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clang_args: Vec<String>,
    /// The C library whose promises about thread safety count, if not the standards: `glibc`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub libc: Option<String>,
}

impl TraceProgram {
    /// The data model, if it is one.
    pub fn data_model(&self) -> Option<DataModel> {
        [DataModel::Ilp32, DataModel::Lp64].into_iter().find(|model| model.name() == self.data_model)
    }
}

/// A counterexample that can be stored.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Trace {
    /// [`SCHEMA`].
    pub schema: String,
    /// The version of Heddle that wrote it.
    pub heddle: String,
    /// How the program was loaded.
    pub program: TraceProgram,
    /// The violated property.
    pub property: Property,
    /// The memory model.
    pub model: MemoryModel,
    /// The violation at the end.
    pub message: String,
    /// The values inputs were enumerated over, if they were given; decimal.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inputs: Option<Vec<String>>,
    /// The regions meant to be atomic, if given.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub atomic_regions: Vec<String>,
    /// The schedule.
    pub steps: Vec<ScheduleStep>,
}

impl Trace {
    /// A trace of a counterexample.
    pub fn new(program: TraceProgram, counterexample: &check::Counterexample, inputs: &Inputs, version: &str) -> Trace {
        let schedule = &counterexample.schedule;
        Trace {
            schema: SCHEMA.to_owned(),
            heddle: version.to_owned(),
            program,
            property: schedule.property,
            model: schedule.model,
            message: counterexample.violation.message(),
            inputs: inputs.values.as_ref().map(|values| values.iter().map(i128::to_string).collect()),
            atomic_regions: vec![],
            steps: schedule.steps.clone(),
        }
    }

    /// Adds regions that are meant to be atomic.
    pub fn with_regions(mut self, regions: &[AtomicRegion]) -> Trace {
        self.atomic_regions = regions.iter().map(AtomicRegion::to_string).collect();
        self
    }

    /// The regions meant to be atomic, if given.
    pub fn regions(&self) -> Result<Vec<AtomicRegion>, String> {
        let parse = |text: &String| text.parse().map_err(|problem| format!("in `atomic_regions`: {problem}"));
        self.atomic_regions.iter().map(parse).collect()
    }

    /// The schedule.
    pub fn schedule(&self) -> Schedule {
        Schedule { model: self.model, property: self.property, steps: self.steps.clone() }
    }

    /// The values inputs were enumerated over, if they were given.
    pub fn inputs(&self) -> Result<Option<Vec<i128>>, String> {
        let parse = |text: &String| text.parse().map_err(|_| format!("`{text}` in `inputs` is not a number"));
        self.inputs.as_ref().map(|values| values.iter().map(parse).collect()).transpose()
    }

    /// The file's text: readable, with one line per step of the schedule.
    pub fn to_json(&self) -> String {
        let head = Trace { steps: Vec::new(), ..self.clone() };
        let head = serde_json::to_string_pretty(&head).expect("a trace should be serialisable");
        let lines: Vec<String> = self
            .steps
            .iter()
            .map(|step| format!("    {}", serde_json::to_string(step).expect("a step should be serialisable")))
            .collect();
        let steps = if lines.is_empty() { "[]".to_owned() } else { format!("[\n{}\n  ]", lines.join(",\n")) };
        let head = head.strip_suffix("[]\n}").expect("the steps should stand last");
        format!("{head}{steps}\n}}\n")
    }

    /// Reads a trace file's text; the error says what is wrong with it and where.
    pub fn from_json(text: &str) -> Result<Trace, String> {
        #[derive(Deserialize)]
        struct Head {
            schema: String,
        }
        let not_a_trace = |_| "not a trace that heddle wrote (--trace-out FILE writes one)".to_owned();
        let head: Head = serde_json::from_str(text).map_err(not_a_trace)?;
        if !head.schema.starts_with("heddle-trace/") {
            return Err(format!("not a trace that heddle wrote but something of format `{}`", head.schema));
        }
        if head.schema != SCHEMA {
            return Err(format!("the trace has format `{}`, this version reads `{SCHEMA}`", head.schema));
        }
        let trace: Trace = serde_json::from_str(text).map_err(|error| format!("the trace is damaged: {error}"))?;
        if trace.program.data_model().is_none() {
            return Err(format!("`{}` is not a data model", trace.program.data_model));
        }
        trace.inputs()?;
        trace.regions()?;
        Ok(trace)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::{Action, Pick};

    fn trace(steps: Vec<ScheduleStep>) -> Trace {
        Trace {
            schema: SCHEMA.to_owned(),
            heddle: "0".to_owned(),
            program: TraceProgram {
                files: vec!["a.c".to_owned()],
                data_model: "lp64".to_owned(),
                entry: None,
                clang_args: vec!["-DX=1".to_owned()],
                libc: Some("glibc".to_owned()),
            },
            property: Property::Race,
            model: MemoryModel::Tso,
            message: "data race on x".to_owned(),
            inputs: Some(vec!["0".to_owned(), "-1".to_owned()]),
            atomic_regions: vec!["f".to_owned(), "a.c:1-2".to_owned()],
            steps,
        }
    }

    #[test]
    fn traces_survive_writing_and_reading() {
        let picks = [Pick::Input(u128::MAX), Pick::SpuriousFailure(true)].into_iter().collect();
        let steps = vec![
            ScheduleStep { thread: 1, action: Action::Step, picks },
            ScheduleStep { thread: 2, action: Action::Flush(3), picks: Default::default() },
        ];
        for trace in [trace(vec![]), trace(steps)] {
            let text = trace.to_json();
            assert_eq!(Trace::from_json(&text).expect("it should read back"), trace);
            assert_eq!(text.lines().filter(|line| line.contains("\"thread\"")).count(), trace.steps.len());
        }
        assert_eq!(trace(vec![]).inputs(), Ok(Some(vec![0, -1])));
    }

    #[test]
    fn what_is_not_a_trace_is_refused_with_a_reason() {
        let refused = |text: &str| Trace::from_json(text).expect_err("it should be refused");
        assert!(refused("").starts_with("not a trace that heddle wrote"));
        assert!(refused("int main(void) {}").starts_with("not a trace that heddle wrote"));
        assert!(refused("{\"schema\": \"heddle-report/1\"}").contains("of format `heddle-report/1`"));
        assert!(refused("{\"schema\": \"heddle-trace/9\"}").contains("this version reads"));
        assert!(refused("{\"schema\": \"heddle-trace/1\"}").contains("missing field"));
        let text = trace(vec![]).to_json();
        assert!(refused(&text.replace("lp64", "lp99")).contains("lp99"));
        assert!(refused(&text.replace("\"-1\"", "\"x\"")).contains("`x`"));
    }
}
