//! The tables in `tables`: for each modelled function, calls with their expected properties.
//!
//! A table is a text. It opens with options (`%language c++`, `%extra CODE`) and C code up to a line `%%`. Then come rows: a line
//! with names of functions, their header and options (`lp64`, `ilp32`, `extra`, `glibc`), and below it, indented by four, directives;
//! lines that are indented further continue a directive. `$f` stands for the name. A line that begins with `#` is a comment.
//!
//! | directive | what must be true |
//! |---|---|
//! | `values BODY` | the observations of `BODY` are exactly the native ones |
//! | `reads CALL ;; PLACE` | a concurrent plain write of `PLACE` is a race, a plain read is none |
//! | `writes CALL ;; PLACE` | a concurrent plain read of `PLACE` is a race |
//! | `keeps CALL ;; PLACE` | a concurrent plain write of `PLACE` is no race |
//! | `valid BODY`, `invalid BODY` | `BODY` keeps, violates the property `memory` |
//! | `proper BODY`, `misuse BODY` | `BODY` keeps, violates the property `locks` |
//! | `orders SETUP ;; ONE ;; TWO`, `unordered ...` | the threads `ONE` and `TWO` (and more) have no race, have one |
//! | `goes SETUP ;; ONE ;; TWO`, `blocks ...` | no run deadlocks, some run does |
//! | `impossible SETUP ;; ...`, `possible ...` | no run reaches `HIT`, some run does |
//! | `unmodelled BODY` | the answer is `unknown`, for races if there are threads (`;; ONE ;; TWO`) |
//! | `remark TEXT` | nothing: documents what is not compared, and why |
//!
//! With `%extra CODE` the tests are made twice, the second time with `CODE` in the program, which selects other variants of the
//! models; rows with the option `extra` are in the second program only. Rows with the option `glibc` are in a program of their own,
//! which is loaded with `--libc glibc`. A function may have a row of each of these.

use anyhow::{bail, ensure, Context, Result};
use ir::{DataModel, Property};

/// The subject of a test.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Kind {
    /// Results, compared with those of the C library.
    Values,
    /// Reads and writes through pointers.
    Accesses,
    /// Happens-before between calls, and waiting.
    Synchronisation,
    /// Results that depend on the system.
    Environment,
    /// Not modelled, which must be reported.
    Unmodelled,
}

impl Kind {
    /// All, in the order of the page.
    pub const ALL: [Kind; 5] =
        [Kind::Values, Kind::Accesses, Kind::Synchronisation, Kind::Environment, Kind::Unmodelled];

    /// Its name in the page.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Values => "values",
            Kind::Accesses => "accesses",
            Kind::Synchronisation => "synchronisation",
            Kind::Environment => "environment",
            Kind::Unmodelled => "unmodelled",
        }
    }
}

/// The right answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Truth {
    /// No run violates the property.
    Safe,
    /// Some run does.
    Unsafe,
    /// An unmodelled construct is reached.
    Unmodelled,
}

/// One question about one program.
#[derive(Clone, Debug)]
pub struct Test {
    /// Its subject.
    pub kind: Kind,
    /// The property.
    pub property: Property,
    /// The right answer.
    pub truth: Truth,
    /// The statements of the first thread before it starts the others.
    pub setup: String,
    /// The statements of the other threads.
    pub threads: Vec<String>,
    /// The number of cases in the table.
    pub cases: usize,
    /// Whether there are random cases too.
    pub is_random: bool,
}

/// The program that contains a test.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Setting {
    /// The table's code only.
    Plain,
    /// With the table's extra code.
    Extra,
    /// The promises of glibc count.
    Glibc,
}

impl Setting {
    /// Whether the program of this setting has the tests of a row.
    pub fn has(self, row: &Row) -> bool {
        row.setting == self || (self == Setting::Extra && row.setting == Setting::Plain)
    }
}

/// A function and its tests.
#[derive(Clone, Debug)]
pub struct Row {
    /// The function, or variable.
    pub name: String,
    /// The header that declares it.
    pub header: String,
    /// The data model that has it, if only one does.
    pub only: Option<DataModel>,
    /// The program that contains its tests.
    pub setting: Setting,
    /// The tests.
    pub tests: Vec<Test>,
    /// What is not compared, and why.
    pub remark: String,
}

/// The tests of one file of models.
#[derive(Clone, Debug)]
pub struct Table {
    /// Its name.
    pub name: String,
    /// Whether it is C++.
    pub is_cxx: bool,
    /// Code that selects other variants of the models.
    pub extra: Option<String>,
    /// What all tests share.
    pub prologue: String,
    /// The functions.
    pub rows: Vec<Row>,
}

impl Table {
    /// The programs that contain the tests.
    pub fn settings(&self) -> Vec<Setting> {
        let is_needed = |setting: &Setting| match setting {
            Setting::Plain => true,
            Setting::Extra => self.extra.is_some(),
            Setting::Glibc => self.rows.iter().any(|row| row.setting == Setting::Glibc),
        };
        [Setting::Plain, Setting::Extra, Setting::Glibc].into_iter().filter(is_needed).collect()
    }

    /// Parses a table.
    pub fn parse(name: &str, text: &str) -> Result<Table> {
        let (head, body) = text.split_once("\n%%\n").with_context(|| format!("{name}: no line %%"))?;
        let mut table =
            Table { name: name.to_owned(), is_cxx: false, extra: None, prologue: String::new(), rows: Vec::new() };
        for line in head.lines() {
            match line.strip_prefix('%').and_then(|option| option.split_once(' ')) {
                Some(("language", language)) => table.is_cxx = language == "c++",
                Some(("extra", code)) => table.extra = Some(code.to_owned()),
                Some((option, _)) => bail!("{name}: there is no option {option}"),
                None => table.prologue.extend([line, "\n"]),
            }
        }
        let lines = body.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
        let mut group: Vec<Row> = Vec::new();
        let mut directive = String::new();
        for line in lines {
            if line.starts_with("     ") {
                directive.extend(["\n", line.trim()]);
                continue;
            }
            finish(&mut group, &mut directive).with_context(|| format!("{name}: {line}"))?;
            if line.starts_with(' ') {
                line.trim().clone_into(&mut directive);
            } else {
                table.rows.append(&mut group);
                group = heads(line).with_context(|| format!("{name}: {line}"))?;
            }
        }
        finish(&mut group, &mut directive).with_context(|| format!("{name}: the last row"))?;
        table.rows.append(&mut group);
        Ok(table)
    }
}

/// The rows that a line introduces.
fn heads(line: &str) -> Result<Vec<Row>> {
    let (names, rest) = line.split_once('<').context("a row should name a header")?;
    let (header, options) = rest.split_once('>').context("a header should end")?;
    let (mut only, mut setting) = (None, Setting::Plain);
    for option in options.split_whitespace() {
        match option {
            "lp64" => only = Some(DataModel::Lp64),
            "ilp32" => only = Some(DataModel::Ilp32),
            "extra" => setting = Setting::Extra,
            "glibc" => setting = Setting::Glibc,
            _ => bail!("there is no option {option}"),
        }
    }
    let row = |name: &str| Row {
        name: name.to_owned(),
        header: header.to_owned(),
        only,
        setting,
        tests: Vec::new(),
        remark: String::new(),
    };
    Ok(names.split_whitespace().map(row).collect())
}

/// Adds the directive to every row of a group.
fn finish(group: &mut [Row], directive: &mut String) -> Result<()> {
    let text = std::mem::take(directive);
    if text.is_empty() {
        return Ok(());
    }
    ensure!(!group.is_empty(), "a directive without a row");
    let (word, body) = text.split_once(char::is_whitespace).context("a directive should have a body")?;
    for row in group {
        let body = body.trim().replace("$f", &row.name);
        match word {
            "remark" => {
                let space = if row.remark.is_empty() { "" } else { " " };
                row.remark.extend([space, &body.replace('\n', " ")]);
            }
            _ => row.tests.extend(tests(word, &body)?),
        }
    }
    Ok(())
}

/// The names of the macros that observe something.
const OBSERVATIONS: [&str; 7] = ["INT(", "SIGN(", "TRUTH(", "BYTES(", "TEXT(", "PLACE(", "REAL("];

/// The tests of a directive.
fn tests(word: &str, body: &str) -> Result<Vec<Test>> {
    let parts: Vec<&str> = body.split(";;").map(str::trim).collect();
    let test = |kind, property, truth, setup: &str, threads: Vec<String>| Test {
        kind,
        property,
        truth,
        setup: setup.to_owned(),
        threads,
        cases: 1,
        is_random: false,
    };
    let beside = |truth, call: &str, access: String| {
        test(Kind::Accesses, Property::Race, truth, "", vec![format!("{call};"), access])
    };
    let whole = |kind, property, truth| {
        let threads = parts[1..].iter().map(|thread| (*thread).to_owned()).collect();
        Ok(vec![test(kind, property, truth, parts[0], threads)])
    };
    if matches!(word, "reads" | "writes" | "keeps") {
        ensure!(parts.len() == 2, "`{word}` should have a call and a place");
    }
    match word {
        "values" => {
            let cases = OBSERVATIONS.iter().map(|name| body.matches(name).count()).sum();
            ensure!(cases > 0, "`values` should observe something");
            let values = test(Kind::Values, Property::Unreach, Truth::Safe, body, vec![]);
            Ok(vec![Test { cases, is_random: body.contains("EACH"), ..values }])
        }
        "reads" => Ok(vec![
            beside(Truth::Unsafe, parts[0], format!("WRITE({});", parts[1])),
            beside(Truth::Safe, parts[0], format!("READ({});", parts[1])),
        ]),
        "writes" => Ok(vec![beside(Truth::Unsafe, parts[0], format!("READ({});", parts[1]))]),
        "keeps" => Ok(vec![beside(Truth::Safe, parts[0], format!("WRITE({});", parts[1]))]),
        "valid" => whole(Kind::Accesses, Property::Memory, Truth::Safe),
        "invalid" => whole(Kind::Accesses, Property::Memory, Truth::Unsafe),
        "proper" => whole(Kind::Synchronisation, Property::Locks, Truth::Safe),
        "misuse" => whole(Kind::Synchronisation, Property::Locks, Truth::Unsafe),
        "orders" => whole(Kind::Synchronisation, Property::Race, Truth::Safe),
        "unordered" => whole(Kind::Synchronisation, Property::Race, Truth::Unsafe),
        "goes" => whole(Kind::Synchronisation, Property::Deadlock, Truth::Safe),
        "blocks" => whole(Kind::Synchronisation, Property::Deadlock, Truth::Unsafe),
        "impossible" => whole(Kind::Environment, Property::Unreach, Truth::Safe),
        "possible" => whole(Kind::Environment, Property::Unreach, Truth::Unsafe),
        "unmodelled" if parts.len() > 1 => whole(Kind::Unmodelled, Property::Race, Truth::Unmodelled),
        "unmodelled" => whole(Kind::Unmodelled, Property::Unreach, Truth::Unmodelled),
        _ => bail!("there is no directive {word}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: &str = "%extra void more(void);\n#include <string.h>\n%%\nstrlen strnlen <string.h> lp64\n    \
                         values INT($f(\"\"));\n        EACH INT(1);\n    reads $f(b) ;; b[0]\n    remark why\n";

    #[test]
    fn a_row_has_its_tests() {
        let table = Table::parse("small", SMALL).expect("should parse");
        let names: Vec<&str> = table.rows.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["strlen", "strnlen"]);
        let row = &table.rows[1];
        assert_eq!((row.only, row.remark.as_str(), row.tests.len()), (Some(DataModel::Lp64), "why", 3));
        assert_eq!(table.settings(), [Setting::Plain, Setting::Extra]);
        assert!(Setting::Extra.has(row) && !Setting::Glibc.has(row));
        assert_eq!(row.tests[0].setup, "INT(strnlen(\"\"));\nEACH INT(1);");
        assert_eq!((row.tests[0].cases, row.tests[0].is_random), (2, true));
        assert_eq!(row.tests[1].threads, ["strnlen(b);", "WRITE(b[0]);"]);
        assert_eq!((row.tests[1].truth, row.tests[2].truth), (Truth::Unsafe, Truth::Safe));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for wrong in
            ["%%", "\n%%\nf <h>\n    sings x\n", "\n%%\n    reads f(b) ;; b\n", "\n%%\nf <h>\n    reads f(b)\n"]
        {
            assert!(Table::parse("wrong", wrong).is_err(), "{wrong}");
        }
    }
}
