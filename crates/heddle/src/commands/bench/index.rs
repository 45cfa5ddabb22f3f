//! The index of a suite: lines with tabs between the columns, a header line that names them.

use ir::{DataModel, MemoryModel, Property};
use std::collections::BTreeSet;
use std::fmt;

/// One question of the suite.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Task {
    pub(crate) id: String,
    /// Relative to the index.
    pub(crate) file: String,
    pub(crate) property: Property,
    pub(crate) model: MemoryModel,
    pub(crate) expected: Expected,
    pub(crate) data_model: Option<DataModel>,
}

impl Task {
    /// The family: the folder of its file.
    pub(crate) fn family(&self) -> &str {
        self.file.rsplit_once('/').map_or(".", |(folder, _)| folder)
    }
}

/// A recorded verdict.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Expected {
    Safe,
    Unsafe,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Expected::Safe => "safe",
            Expected::Unsafe => "unsafe",
        })
    }
}

/// An error in an index. Prints as `line: message`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct IndexError {
    line: usize,
    message: String,
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.line, self.message)
    }
}

/// The positions of the columns.
struct Columns {
    id: usize,
    file: usize,
    property: usize,
    model: usize,
    expected: usize,
    data_model: Option<usize>,
}

/// Reads an index.
pub(crate) fn parse(bytes: &[u8]) -> Result<Vec<Task>, IndexError> {
    let mut lines = bytes.split(|byte| *byte == b'\n').enumerate().map(|(index, line)| (index + 1, line));
    let (_, header) = lines.next().unwrap_or((1, b""));
    let columns = read_header(&text(1, header)?)?;
    let mut tasks = Vec::new();
    let mut ids = BTreeSet::new();
    for (number, line) in lines {
        let line = text(number, line)?;
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        let task = read_task(number, &line, &columns)?;
        if !ids.insert(task.id.clone()) {
            return Err(IndexError { line: number, message: format!("the id `{}` stands here again", task.id) });
        }
        tasks.push(task);
    }
    Ok(tasks)
}

fn text(line: usize, bytes: &[u8]) -> Result<String, IndexError> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(text.trim_end_matches('\r').to_owned()),
        Err(_) => Err(IndexError { line, message: "the line is not UTF-8".to_owned() }),
    }
}

fn read_header(header: &str) -> Result<Columns, IndexError> {
    let names: Vec<&str> = header.split('\t').map(str::trim).collect();
    let find = |name: &str| names.iter().position(|column| *column == name);
    let need = |name: &str| {
        let message = format!("the header line has no column `{name}`");
        find(name).ok_or(IndexError { line: 1, message })
    };
    Ok(Columns {
        id: need("id")?,
        file: need("file")?,
        property: need("property")?,
        model: need("model")?,
        expected: need("expected")?,
        data_model: find("data_model"),
    })
}

fn read_task(number: usize, line: &str, columns: &Columns) -> Result<Task, IndexError> {
    let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
    let wrong = |message: String| IndexError { line: number, message };
    let field = |column: usize, name: &str| {
        let field = fields.get(column).copied().filter(|field| !field.is_empty());
        field.ok_or_else(|| wrong(format!("the column `{name}` is missing")))
    };
    let expected = match field(columns.expected, "expected")? {
        "safe" => Expected::Safe,
        "unsafe" => Expected::Unsafe,
        other => return Err(wrong(format!("`{other}` is not one of safe, unsafe"))),
    };
    let data_model = match columns.data_model.and_then(|column| fields.get(column).copied()).unwrap_or("") {
        "" => None,
        "ilp32" => Some(DataModel::Ilp32),
        "lp64" => Some(DataModel::Lp64),
        other => return Err(wrong(format!("`{other}` is not one of ilp32, lp64"))),
    };
    Ok(Task {
        id: field(columns.id, "id")?.to_owned(),
        file: field(columns.file, "file")?.to_owned(),
        property: field(columns.property, "property")?.parse().map_err(wrong)?,
        model: field(columns.model, "model")?.parse().map_err(wrong)?,
        expected,
        data_model,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const GOOD: &str = "id\tfile\tproperty\tmodel\texpected\tdata_model\n\
        a@1\tx/a.c\tunreach\tsc\tsafe\tilp32\n\
        \n\
        # a remark\n\
        b@1\tb.c\trace\ttso\tunsafe\t\r\n";

    #[test]
    fn columns_are_found_by_name() {
        let tasks = parse(GOOD.as_bytes()).expect("a good index");
        assert_eq!(tasks.len(), 2);
        assert_eq!((tasks[0].family(), tasks[1].family()), ("x", "."));
        assert_eq!(tasks[0].data_model, Some(DataModel::Ilp32));
        let shuffled = "extra\texpected\tmodel\tid\tproperty\tfile\n-\tunsafe\tra\tq\tlocks\tq.cpp\n";
        let task = &parse(shuffled.as_bytes()).expect("a good index")[0];
        assert_eq!((task.property, task.model, task.data_model), (Property::Locks, MemoryModel::Ra, None));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let message = |text: &str| parse(text.as_bytes()).expect_err("a bad index").to_string();
        assert_eq!(message(""), "1: the header line has no column `id`");
        assert_eq!(
            message(&GOOD.replace("race", "rice")),
            "5: `rice` is not one of unreach, race, deadlock, locks, memory, atomicity"
        );
        assert_eq!(message(&GOOD.replace("\tunsafe", "")), "5: the column `expected` is missing");
        assert_eq!(message(&GOOD.replace("b@1", "a@1")), "5: the id `a@1` stands here again");
        assert!(message(&GOOD.replace("tso", "x86")).starts_with("5: `x86` is not one of sc, tso"));
        assert_eq!(parse(b"id\n\xff").expect_err("no columns").line, 1);
        let mut bytes = GOOD.as_bytes().to_vec();
        bytes.extend(b"\xff\xfe");
        assert_eq!(parse(&bytes).expect_err("not UTF-8").to_string(), "6: the line is not UTF-8");
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_bytes_make_the_reader_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = parse(&bytes);
        }

        #[test]
        fn no_mutation_makes_the_reader_panic(
            edits in proptest::collection::vec((0usize..120, any::<u8>(), 0u8..3), 1..8)
        ) {
            let mut bytes = GOOD.as_bytes().to_vec();
            for (at, byte, kind) in edits {
                let at = at.min(bytes.len() - 1);
                match kind {
                    0 => bytes[at] = byte,
                    1 => bytes.insert(at, byte),
                    _ if bytes.len() > 1 => { bytes.remove(at); }
                    _ => {}
                }
            }
            if let Err(error) = parse(&bytes) {
                prop_assert!(error.line >= 1 && error.line <= bytes.split(|byte| *byte == b'\n').count());
            }
        }
    }
}
