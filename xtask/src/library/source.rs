//! The C text of the tests of a table: one function for each test, and a `main` that calls one of them.

use super::table::{Kind, Row, Table, Test};
use std::fmt::Write as _;

const PROLOGUE: &str = include_str!("prologue.h");

/// A test and its row.
#[derive(Clone, Copy)]
pub(super) struct Case<'t> {
    pub(super) row: &'t Row,
    pub(super) test: &'t Test,
}

/// The random parts.
#[derive(Clone, Copy)]
pub(super) struct Chance {
    pub(super) seed: u64,
    /// The number of random cases of each `EACH`.
    pub(super) count: u32,
}

/// The variable that selects the test.
pub(super) const CHOICE: &str = "chosen_test";

/// The variable with the expected observations of a test.
pub(super) fn expected_name(index: usize) -> String {
    format!("expected_{index}")
}

/// The names of a test's function: in C, and in C++.
pub(super) fn function_names(index: usize) -> [String; 2] {
    let name = format!("test_{index}");
    let mangled = format!("_ZL{}{name}v", name.len());
    [name, mangled]
}

fn head(table: &Table, extra: bool, chance: Chance) -> String {
    let extra = table.extra.as_deref().filter(|_| extra).unwrap_or_default();
    format!("#define COUNT {}\n{PROLOGUE}\n{}\n{extra}\n", chance.count, table.prologue)
}

/// The function of one test. Random values of a test do not depend on the other tests.
fn function(text: &mut String, index: usize, case: Case<'_>, chance: Chance, start: &str) {
    let Case { row, test } = case;
    for (number, thread) in test.threads.iter().enumerate() {
        let _ = writeln!(text, "static void *thread_{index}_{number}(void *unused_) {{\n{thread}\nreturn 0;\n}}");
    }
    let seed = row.name.bytes().fold(chance.seed, |seed, byte| seed.wrapping_mul(31).wrapping_add(u64::from(byte)));
    let _ = writeln!(text, "/* {} */\nstatic void test_{index}(void) {{", row.name);
    let _ = writeln!(text, "random_state = {}u;\n{start}\n{{\n{}", seed as u32, test.setup);
    let count = test.threads.len();
    if count > 0 {
        let _ = writeln!(text, "pthread_t threads_[{count}];");
    }
    for number in 0..count {
        let _ = writeln!(text, "pthread_create(&threads_[{number}], 0, thread_{index}_{number}, 0);");
    }
    for number in 0..count {
        let _ = writeln!(text, "pthread_join(threads_[{number}], 0);");
    }
    text.push_str("}\n}\n");
}

/// The native program: runs each test that compares values in a process of its own, so that tests do not affect each
/// other, and prints the observations, one number a line, each test opened by `test N` and closed by the exit status of
/// its process.
pub(super) fn native(table: &Table, cases: &[Case<'_>], extra: bool, chance: Chance) -> String {
    let mut text = format!("#define HEDDLE_NATIVE\n#define _GNU_SOURCE\n{}", head(table, extra, chance));
    text.push_str("#include <sys/wait.h>\n#include <unistd.h>\n");
    let mut body = String::new();
    for (index, case) in cases.iter().enumerate().filter(|(_, case)| case.test.kind == Kind::Values) {
        function(&mut text, index, *case, chance, "");
        let _ = writeln!(body, "run_test_({index}, test_{index});");
    }
    text.push_str(
        "static void run_test_(int index, void (*test)(void)) {\nprintf(\"test %d\\n\", index);\nfflush(stdout);\n\
         int status = 0;\nif (fork() == 0) {\ntest();\nfflush(stdout);\n_exit(0);\n}\nwait(&status);\n\
         printf(\"status %d\\n\", status);\n}\n",
    );
    let _ = writeln!(text, "int main(void) {{\n{body}return 0;\n}}");
    text
}

/// The program for Heddle. `observed` has the native observations of each test that compares values.
pub(super) fn checked(
    table: &Table,
    cases: &[Case<'_>],
    extra: bool,
    chance: Chance,
    observed: &[Option<Vec<i64>>],
) -> String {
    let mut text = format!("#define _GNU_SOURCE\n{}", head(table, extra, chance));
    let mut body = String::new();
    for (index, case) in cases.iter().enumerate() {
        let mut start = String::new();
        if let Some(Some(values)) = observed.get(index) {
            let name = expected_name(index);
            // As unsigned numbers: the least value has no literal.
            let values: Vec<String> =
                values.iter().map(|value| format!("(long long){:#x}ull", *value as u64)).collect();
            let _ = writeln!(text, "long long {name}[] = {{{}}};", values.join(", "));
            start = format!("expected = {name};");
        }
        function(&mut text, index, *case, chance, &start);
        let _ = writeln!(body, "case {index}: test_{index}(); break;");
    }
    let _ = writeln!(text, "int {CHOICE};\nint main(void) {{\nswitch ({CHOICE}) {{\n{body}}}\nreturn 0;\n}}");
    text
}
