//! Prints a threaded program as C or C++ text. `run_once` executes the whole program and returns the outcome; `main`
//! calls it once and stores the outcome in a variable. For native execution `harness.h` is put in front, which has a
//! `main` of its own and calls `reset` before each repetition.

mod bugs;
mod library;
mod statements;

use super::ast::*;
use library::Library;
use std::collections::BTreeSet;
use std::fmt::Write;

const PRELUDE: &str = include_str!("../prelude.h");

/// The text of a program, below a comment.
pub fn print(program: &Program, comment: &str) -> String {
    let printer = Printer::new(program);
    let body = printer.body();
    let mut text = String::new();
    for line in comment.lines() {
        let _ = writeln!(text, "// {line}");
    }
    text.push_str(printer.library.includes());
    text.push_str("#ifndef NATIVE\n#define DELAY() ((void)0)\n#endif\n\n");
    text.push_str(&needed(&body));
    text.push_str(&body);
    text
}

/// The parts of the prelude that a text uses, transitively.
fn needed(text: &str) -> String {
    let parts: Vec<(Vec<&str>, &str)> = PRELUDE
        .split("\n\n")
        .filter_map(|part| part.strip_prefix("//: ")?.split_once('\n'))
        .map(|(names, part)| (names.split(' ').collect(), part))
        .collect();
    let mut words: BTreeSet<&str> = words(text);
    let mut is_used = vec![false; parts.len()];
    while let Some(index) =
        (0..parts.len()).find(|index| !is_used[*index] && parts[*index].0.iter().any(|name| words.contains(name)))
    {
        is_used[index] = true;
        words.extend(self::words(parts[index].1));
    }
    let used = parts.iter().zip(is_used).filter(|(_, is_used)| *is_used);
    used.map(|((_, part), _)| format!("{}\n\n", part.trim_end())).collect()
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').collect()
}

/// The program and the data that all parts of the printer need.
struct Printer<'p> {
    program: &'p Program,
    library: Library,
    /// The locks that statements take.
    locks: Vec<Lock>,
}

/// The syntax of a cell.
struct Lvalue {
    text: String,
    ty: &'static str,
    has_address: bool,
}

/// The initial value of a cell.
fn initial(cell: usize) -> usize {
    (cell * 3 + 1) % 8
}

impl<'p> Printer<'p> {
    fn new(program: &'p Program) -> Printer<'p> {
        let mut locks: Vec<Lock> = Vec::new();
        for cell in &program.cells {
            if let Sharing::Guarded(lock) = cell.sharing {
                if lock.kind != LockKind::Slot && !locks.contains(&lock) {
                    locks.push(lock);
                }
            }
        }
        Printer { program, library: Library { api: program.api }, locks }
    }

    fn uses(&self, wanted: impl Fn(&Act) -> bool) -> bool {
        self.program.statements().any(|stmt| wanted(&stmt.act))
    }

    fn lvalue(&self, cell: usize) -> Lvalue {
        let (text, ty, has_address) = match self.program.cells[cell].place {
            Place::Global(ty) => (format!("cell{cell}"), ty.name(), true),
            Place::Slot(element, false) => (format!("slots[{element}].value"), "int", true),
            Place::Slot(element, true) => (format!("slots[{element}].low"), "unsigned", false),
            Place::Bits(Field::Plain) => ("bits.plain".to_owned(), "byte", true),
            Place::Bits(field) => (format!("bits.{}", field.name()), "unsigned", false),
            Place::Union => ("either.part.low".to_owned(), "byte", true),
            Place::Heap(ty) => (format!("(*heap{cell})"), ty.name(), true),
            Place::Block(ty) => (format!("(*block{cell})"), ty.name(), true),
            Place::Row => (format!("row{cell}[1]"), "int", true),
            Place::Literal => (format!("literal{cell}->second"), "int", true),
            Place::Static => (format!("(*static{cell}())"), "int", true),
        };
        Lvalue { text, ty, has_address }
    }

    fn body(&self) -> String {
        let mut lines = self.declarations();
        for thread in 0..self.program.threads.len() {
            lines.extend(self.thread(thread));
        }
        lines.extend(self.reset());
        lines.extend(self.run_once());
        let main =
            ["#ifndef NATIVE", "unsigned outcome;", "int main(void) {", "outcome = run_once();", "return 0;", "}"];
        lines.extend(main.map(str::to_owned));
        lines.push("#endif".to_owned());
        indented(&lines)
    }

    /// Variables of the file, and functions that belong to them.
    fn declarations(&self) -> Vec<String> {
        let program = self.program;
        let mut lines = Vec::new();
        let slots = program.cells.iter().filter_map(|cell| match cell.place {
            Place::Slot(element, _) => Some(element + 1),
            _ => None,
        });
        if let Some(slots) = slots.max() {
            let mutex = self.library.mutex_type();
            lines.push(format!("struct slot {{ {mutex} lock; int value; unsigned low : 3; unsigned high : 5; }};"));
            lines.push(format!("static struct slot slots[{slots}];"));
        }
        if program.cells.iter().any(|cell| matches!(cell.place, Place::Bits(_))) {
            let first = "unsigned a : 3; unsigned b : 4; unsigned : 0; unsigned c : 3; byte plain;";
            let rest = "unsigned : 0; unsigned e : 24; unsigned f : 24; unsigned g : 24;";
            lines.push(format!("static struct {{ {first} {rest} }} bits;"));
        }
        if program.cells.iter().any(|cell| cell.place == Place::Union) {
            lines.push(
                "static union { unsigned whole; struct { byte low, high; } part; byte bytes[4]; } either;".to_owned(),
            );
        }
        for (index, cell) in program.cells.iter().enumerate() {
            lines.extend(match cell.place {
                Place::Global(ty) => Some(format!("static {} cell{index} = {};", ty.name(), initial(index))),
                Place::Heap(ty) => Some(format!("static {} *heap{index};", ty.name())),
                Place::Block(ty) => Some(format!("static {} *block{index};", ty.name())),
                Place::Row => Some(format!("static int *row{index};")),
                Place::Literal => Some(format!("static struct pair *literal{index};")),
                Place::Static => Some(format!(
                    "static int *static{index}(void) {{ static int hidden = {}; return &hidden; }}",
                    initial(index)
                )),
                Place::Slot(..) | Place::Bits(_) | Place::Union => None,
            });
        }
        lines.extend(self.locks.iter().map(|lock| self.library.declare(*lock)));
        for (index, ty) in program.atomics.iter().enumerate() {
            lines.push(self.library.declare_atomic(index, *ty));
        }
        for (index, channel) in program.channels.iter().enumerate() {
            lines.extend(self.library.declare_channel(index, channel.kind));
        }
        lines.push(format!("static unsigned results[{}];", program.threads.len()));
        if self.has_helpers() {
            lines.extend(self.library.helpers());
        }
        lines.extend(self.features());
        lines.extend(self.bug_declarations());
        lines
    }

    /// Declarations for actions other than accesses.
    fn features(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.uses(|act| matches!(act, Act::Local { .. })) {
            let word = if self.program.is_cxx() { "thread_local" } else { "_Thread_local" };
            lines.push(format!("static {word} int local_total;"));
        }
        if self.uses(|act| matches!(act, Act::Once)) {
            lines.push("static int prepared;".to_owned());
            lines.extend(self.library.declare_once());
        }
        if self.uses(|act| matches!(act, Act::Key { .. })) {
            lines.push(format!("static {} key;", self.library.key_type()));
            lines.push(format!("static int kept[{}];", self.program.threads.len()));
            lines.push("static atomic_int dropped;".to_owned());
            lines.push("static void drop(void *at) { atomic_fetch_add(&dropped, 1 + *(int *)at); }".to_owned());
        }
        if self.phases() > 1 {
            lines.extend(self.library.declare_barrier(self.program.threads.len()));
        }
        lines
    }

    fn phases(&self) -> usize {
        self.program.threads.iter().map(|thread| thread.phases.len()).max().unwrap_or(0)
    }

    /// Restores the initial state of the file's variables, for repetitions.
    fn reset(&self) -> Vec<String> {
        let program = self.program;
        let mut lines = vec!["#ifdef NATIVE".to_owned(), "static void reset(void) {".to_owned()];
        for (index, cell) in program.cells.iter().enumerate() {
            match cell.place {
                Place::Global(_) | Place::Static => {
                    lines.push(format!("{} = {};", self.lvalue(index).text, initial(index)));
                }
                Place::Slot(..) | Place::Bits(_) | Place::Union => {
                    lines.push(format!("{} = 0;", self.lvalue(index).text))
                }
                Place::Heap(_) | Place::Block(_) | Place::Row | Place::Literal => {}
            }
        }
        lines.extend((0..program.atomics.len()).map(|index| self.library.reset_atomic(index, program.atomics[index])));
        for (index, channel) in program.channels.iter().enumerate() {
            lines.extend(self.library.reset_channel(index, channel.kind));
        }
        if self.uses(|act| matches!(act, Act::Once)) {
            lines.push("prepared = 0;".to_owned());
            lines.push(self.library.reset_once().to_owned());
        }
        if self.uses(|act| matches!(act, Act::Key { .. })) {
            lines.push("atomic_store(&dropped, 0);".to_owned());
            lines.push("memset(kept, 0, sizeof kept);".to_owned());
        }
        if self.phases() > 1 {
            lines.extend(self.library.reset_barrier().map(str::to_owned));
        }
        lines.extend(self.bug_reset());
        lines.extend(["memset(results, 0, sizeof results);", "}", "#endif"].map(str::to_owned));
        lines
    }

    /// The function that starts the threads, waits for them and computes the outcome.
    fn run_once(&self) -> Vec<String> {
        let program = self.program;
        let count = program.threads.len();
        let mut lines = vec!["static unsigned run_once(void) {".to_owned(), "unsigned seen = 0;".to_owned()];
        lines.extend(self.set_up());
        lines.push("{".to_owned());
        for (index, cell) in program.cells.iter().enumerate() {
            lines.extend(self.block_variable(index, cell.place));
        }
        lines.extend(self.start_and_wait(count));
        lines.extend((0..count).map(|thread| format!("OBSERVE(results[{thread}]);")));
        for index in 0..program.cells.len() {
            lines.push(format!("OBSERVE({});", self.lvalue(index).text));
        }
        lines.push("}".to_owned());
        for (index, ty) in program.atomics.iter().enumerate() {
            lines.push(self.library.observe_atomic(index, *ty, Strength::Total));
        }
        if self.uses(|act| matches!(act, Act::Key { .. })) {
            lines.push("OBSERVE(atomic_load(&dropped));".to_owned());
        }
        lines.extend(self.tear_down());
        lines.extend(["return seen;", "}"].map(str::to_owned));
        lines
    }

    fn set_up(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.locks.iter().flat_map(|lock| self.library.set_up(*lock)).collect();
        lines.extend(self.slots().flat_map(|element| self.library.set_up_slot(element)));
        for (index, cell) in self.program.cells.iter().enumerate() {
            if let Place::Heap(ty) = cell.place {
                let ty = ty.name();
                lines.push(format!("heap{index} = ({ty} *)malloc(sizeof({ty}));"));
                lines.push(format!("*heap{index} = {};", initial(index)));
            }
        }
        for (index, channel) in self.program.channels.iter().enumerate() {
            lines.extend(self.library.set_up_channel(index, channel.kind));
        }
        if self.uses(|act| matches!(act, Act::Key { .. })) {
            lines.push(format!("{}(&key, drop);", self.library.key_create()));
        }
        if self.phases() > 1 {
            lines.extend(self.library.set_up_barrier(self.program.threads.len()));
        }
        lines.extend(self.bug_set_up());
        lines
    }

    fn tear_down(&self) -> Vec<String> {
        let mut lines = self.bug_tear_down();
        lines.extend(self.locks.iter().flat_map(|lock| self.library.tear_down(*lock)));
        lines.extend(self.slots().flat_map(|element| self.library.tear_down_slot(element)));
        for (index, cell) in self.program.cells.iter().enumerate() {
            if let Place::Heap(_) = cell.place {
                lines.push(format!("free(heap{index});"));
            }
        }
        for (index, channel) in self.program.channels.iter().enumerate() {
            lines.extend(self.library.tear_down_channel(index, channel.kind));
        }
        if self.uses(|act| matches!(act, Act::Key { .. })) {
            lines.push(format!("{}(key);", self.library.key_delete()));
        }
        if self.phases() > 1 {
            lines.extend(self.library.tear_down_barrier());
        }
        lines
    }

    /// The used elements of the array of structures.
    fn slots(&self) -> impl Iterator<Item = usize> {
        let used: BTreeSet<usize> = self
            .program
            .cells
            .iter()
            .filter_map(|cell| match cell.place {
                Place::Slot(element, _) => Some(element),
                _ => None,
            })
            .collect();
        used.into_iter()
    }

    /// The block variable that contains a cell.
    fn block_variable(&self, index: usize, place: Place) -> Vec<String> {
        let value = initial(index);
        let is_cxx = self.program.is_cxx();
        match place {
            Place::Block(ty) => {
                vec![format!("{} inside{index} = {value};", ty.name()), format!("block{index} = &inside{index};")]
            }
            Place::Row if is_cxx => {
                vec![format!("int items{index}[2] = {{ 0, {value} }};"), format!("row{index} = items{index};")]
            }
            Place::Row => vec![
                format!("int length{index} = 2;"),
                format!("int items{index}[length{index}];"),
                format!("items{index}[1] = {value};"),
                format!("row{index} = items{index};"),
            ],
            Place::Literal if is_cxx => {
                vec![format!("struct pair made{index} = {{ 0, {value} }};"), format!("literal{index} = &made{index};")]
            }
            Place::Literal => vec![format!("literal{index} = &(struct pair){{ .second = {value} }};")],
            Place::Global(_) | Place::Slot(..) | Place::Bits(_) | Place::Union | Place::Heap(_) | Place::Static => {
                vec![]
            }
        }
    }

    fn start_and_wait(&self, count: usize) -> Vec<String> {
        let library = &self.library;
        let arguments = match (self.program.arguments, self.program.is_cxx()) {
            (Arguments::Literals, true) => Arguments::Array,
            (arguments, _) => arguments,
        };
        let mut lines = vec![format!("{} threads[{count}];", library.thread_type())];
        if arguments == Arguments::Array {
            lines.push(format!("struct argument owns[{count}];"));
        }
        if arguments == Arguments::Variables {
            lines.extend((0..count).map(|thread| format!("struct argument own{thread} = {{ 1, {thread} }};")));
        }
        lines.extend(self.bug_before_start());
        match arguments {
            Arguments::Array => {
                let names: Vec<String> = (0..count).map(|thread| format!("thread{thread}")).collect();
                let start = library.start("i", "starts[i]", "&owns[i]");
                lines.push(format!("{} = {{ {} }};", library.starts(), names.join(", ")));
                lines.push(format!("for (int i = 0; i < {count}; i++) {{"));
                lines.extend(["owns[i].one = 1;".to_owned(), "owns[i].number = i;".to_owned(), start, "}".to_owned()]);
            }
            Arguments::Variables => {
                lines.extend((0..count).map(|thread| {
                    library.start(&thread.to_string(), &format!("thread{thread}"), &format!("&own{thread}"))
                }));
            }
            Arguments::Literals => lines.extend((0..count).map(|thread| {
                let literal = format!("&(struct argument){{ 1, .number = {thread} }}");
                library.start(&thread.to_string(), &format!("thread{thread}"), &literal)
            })),
            Arguments::Heap => {
                for thread in 0..count {
                    lines.push("{".to_owned());
                    lines.push("struct argument *own = (struct argument *)malloc(sizeof *own);".to_owned());
                    lines.push(format!("own->one = 1, own->number = {thread};"));
                    lines.push(library.start(&thread.to_string(), &format!("thread{thread}"), "own"));
                    lines.push("}".to_owned());
                }
            }
        }
        lines.extend(self.bug_after_start());
        lines.push(format!("for (int i = 0; i < {count}; i++) {}", library.wait("i")));
        lines
    }
}

/// Indents lines according to their braces.
fn indented(lines: &[String]) -> String {
    let mut text = String::new();
    let mut depth = 0usize;
    for line in lines {
        let opens = line.matches('{').count();
        let closes = line.matches('}').count();
        let starts = line.chars().take_while(|c| *c == '}').count();
        let own = depth.saturating_sub(starts);
        if !line.starts_with('#') {
            text.push_str(&"  ".repeat(own));
        }
        text.push_str(line);
        text.push('\n');
        depth = (depth + opens).saturating_sub(closes);
        if depth == 0 && line.starts_with('}') {
            text.push('\n');
        }
    }
    text
}
