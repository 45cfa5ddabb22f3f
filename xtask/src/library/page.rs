//! The page `docs/library.md`: one row for each modelled function, generated from the tables; and what the tables lack.

use super::table::{Kind, Row, Setting, Table};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// The path of the page, from the root.
pub const PAGE: &str = "docs/library.md";

const HEAD: &str = "\
# Library functions

Each function that Heddle models, and how its model is tested (`cargo xtask library`, [testing.md](testing.md)). This page is made by
`cargo xtask library --write-docs`; `cargo xtask tidy` fails if a modelled function has no row here.

- *values*: results, `errno` and the bytes written, and those behind them, are those of the C library of the machine, in both data models; a
  wrong value is noticed. *R* marks functions with random calls besides.
- *accesses*: a concurrent plain write of what the function reads is a race, so is a read of what it writes; a read of what
  it reads is none; memory that is too small or freed is noticed.
- *synchronisation*: calls order what the standard says that they order, and nothing else; they wait where they must.
- *environment*: what the system decides is an input: each result that the standard allows is possible, and no other.
- *unmodelled*: a call that is reached makes the answer `unknown`.

The numbers are those of cases in the tables (`xtask/src/library/tables`).
";

/// The page.
pub fn page(tables: &[Table]) -> String {
    let mut text = HEAD.to_owned();
    for table in tables {
        let _ = write!(text, "\n## {}\n\n| function | header | checked | remarks |\n|---|---|---|---|\n", table.name);
        for row in &table.rows {
            let remark = row.remark.replace('|', "\\|");
            let setting = match row.setting {
                Setting::Plain => "",
                Setting::Extra => ", with other code in the program",
                Setting::Glibc => ", with `--libc glibc`",
            };
            let _ = writeln!(text, "| `{}`{setting} | `{}` | {} | {remark} |", row.name, row.header, checked(row));
        }
    }
    text
}

/// The number of cases of each kind in a row.
fn checked(row: &Row) -> String {
    let mut kinds = Vec::new();
    for kind in Kind::ALL {
        let tests = row.tests.iter().filter(|test| test.kind == kind);
        let (cases, is_random) =
            tests.fold((0, false), |(cases, random), test| (cases + test.cases, random || test.is_random));
        if cases > 0 {
            kinds.push(format!("{} {cases}{}", kind.name(), if is_random { " R" } else { "" }));
        }
    }
    kinds.join(", ")
}

/// The suffixes of variants, which are tested as the functions that they implement.
const VARIANTS: [&str; 17] = [
    "__unwinds",
    "__simple_bound",
    "__simple",
    "__plain_bare",
    "__plain",
    "__bare",
    "__sized",
    "__read_unused",
    "__unused",
    "__read",
    "__bound",
    "__replaced",
    "__glibc",
    "__instead",
    "__weakly",
    "__looked_at",
    "__indicated",
];

/// The function that a name of a model implements; `None` for internal functions of the models.
pub(super) fn function_of(name: &str) -> Option<&str> {
    fn shorter(name: &str) -> Option<&str> {
        VARIANTS.iter().find_map(|suffix| name.strip_suffix(suffix))
    }
    let plain = std::iter::successors(Some(name), |name| shorter(name)).last();
    plain.filter(|name| !name.starts_with("__heddle_"))
}

/// The errors of the tables: functions without a row, rows without a test or a function, functions with two rows.
pub fn missing(tables: &[Table], modelled: &[&str]) -> Vec<String> {
    let mut problems = Vec::new();
    let mut rows: BTreeMap<&str, Vec<Setting>> = BTreeMap::new();
    for row in tables.iter().flat_map(|table| &table.rows) {
        rows.entry(row.name.as_str()).or_default().push(row.setting);
        if row.tests.is_empty() {
            problems.push(format!("`{}` has no test", row.name));
        }
    }
    let functions: BTreeSet<&str> = modelled.iter().filter_map(|name| function_of(name)).collect();
    problems
        .extend(functions.iter().filter(|name| !rows.contains_key(*name)).map(|name| format!("`{name}` has no row")));
    for (name, settings) in rows {
        if !functions.contains(name) {
            problems.push(format!("`{name}` has a row but is not modelled"));
        }
        if settings.len() > settings.iter().collect::<BTreeSet<_>>().len() {
            problems.push(format!("`{name}` has {} rows", settings.len()));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_reported() {
        let text = "\n%%\nf g <h>\n    values INT(1);\nbare <h>\n    remark nothing\ng <h>\n    values INT(2);\nf <h> glibc\n    values INT(3);\n";
        let tables = [Table::parse("t", text).expect("should parse")];
        let problems = missing(&tables, &["f", "f__unused", "g", "h", "bare", "__heddle_inside"]);
        assert_eq!(problems, ["`bare` has no test", "`h` has no row", "`g` has 2 rows"]);
        assert_eq!(missing(&tables, &["f", "g"])[1], "`bare` has a row but is not modelled");
        let page = page(&tables);
        assert!(page.contains("| `f` | `h` | values 1 |  |"), "{page}");
        assert!(page.contains("| `f`, with `--libc glibc` | `h` | values 1 |  |"), "{page}");
    }
}
