//! Threads and their statements.

use super::Printer;
use crate::threads::ast::*;
use crate::threads::surface;

impl Printer<'_> {
    /// The function of a thread.
    pub(super) fn thread(&self, thread: usize) -> Vec<String> {
        let (head, last) = self.library.function(thread);
        let mut lines = vec![head, "struct argument *own = (struct argument *)raw;".to_owned()];
        lines.push("unsigned seen = (unsigned)own->number;".to_owned());
        for (phase, body) in self.program.threads[thread].phases.iter().enumerate() {
            if phase > 0 {
                lines.push(self.library.pass_barrier().to_owned());
            }
            for (index, stmt) in body.iter().enumerate() {
                lines.push("DELAY();".to_owned());
                lines.extend(self.statement(thread, stmt, phase * 100 + index));
            }
        }
        lines.push("DELAY();".to_owned());
        lines.push(format!("results[{thread}] = seen;"));
        if self.program.arguments == Arguments::Heap {
            lines.push("free(own);".to_owned());
        }
        lines.extend([last.to_owned(), "}".to_owned()]);
        lines
    }

    fn statement(&self, thread: usize, stmt: &Stmt, number: usize) -> Vec<String> {
        let body = self.act(thread, &stmt.act, number);
        let around = |before: &[String], after: &[&str]| {
            let after = after.iter().map(|line| (*line).to_owned());
            before.iter().cloned().chain(body.iter().cloned()).chain(after).collect::<Vec<String>>()
        };
        match stmt.shell {
            Shell::Bare => body,
            Shell::Block => {
                let before = ["{".to_owned(), format!("int shadow{number} = 1, *shade{number} = &shadow{number};")];
                around(&before, &[&format!("*shade{number} += 1; OBSERVE(shadow{number});"), "}"])
            }
            Shell::For => {
                around(&[format!("for (int round{number} = 0; round{number} < 2; round{number}++) {{")], &["}"])
            }
            Shell::Do => around(
                &["{".to_owned(), format!("int round{number} = 0;"), "do {".to_owned()],
                &[&format!("}} while (++round{number} < 2);"), "}"],
            ),
            Shell::Goto => around(
                &["{".to_owned(), format!("int round{number} = 0;"), format!("repeat{number}:"), "DELAY();".to_owned()],
                &[&format!("if (++round{number} < 2) goto repeat{number};"), "}"],
            ),
            Shell::Switch => around(
                &[
                    "switch (own->one) {".to_owned(),
                    "case 0: OBSERVE(3); break;".to_owned(),
                    "case 1: OBSERVE(1); /* falls through */".to_owned(),
                    "case 2: {".to_owned(),
                ],
                &["}", "break;", "default: OBSERVE(2);", "}"],
            ),
            Shell::If => around(&["if (own->one == 1) {".to_owned()], &["} else {", "OBSERVE(8);", "}"]),
        }
    }

    fn act(&self, thread: usize, act: &Act, number: usize) -> Vec<String> {
        let is_cxx = self.program.is_cxx();
        match *act {
            Act::Update { cell, value, dress, taking } => {
                // The new value is observed while the lock is held, so that the order of threads shows in the outcome.
                let template = format!("{} OBSERVE($L);", surface::update(dress, is_cxx));
                self.guarded(cell, self.access(cell, &template, value, number, true), taking, true)
            }
            Act::Observe { cell, dress, taking } => {
                let template = surface::observe(dress, is_cxx);
                self.guarded(cell, self.access(cell, template, 0, number, false), taking, false)
            }
            Act::Atomic { object, op, strength } => {
                vec![self.library.atomic(object, self.program.atomics[object], op, strength)]
            }
            Act::Give { channel, value } => self.library.give(channel, self.program.channels[channel].kind, value),
            Act::Take { channel } => self.library.take(channel, self.program.channels[channel].kind),
            Act::Compute { sum, value } => vec![surface::fill(surface::sum(sum, is_cxx), "", "", value, number)],
            Act::Local { value } => {
                vec![format!("local_total = (local_total + {value} + 1) & 7;"), "OBSERVE(local_total);".to_owned()]
            }
            Act::Key { value } => {
                let [get, set] = self.library.key_access();
                vec![
                    "{".to_owned(),
                    format!("int *mine = (int *){get}(key);"),
                    format!("if (!mine) {{ mine = &kept[{thread}]; {set}(key, mine); }}"),
                    format!("*mine = (*mine + {value} + 1) & 7;"),
                    "OBSERVE(*mine);".to_owned(),
                    "}".to_owned(),
                ]
            }
            Act::Once => vec![self.library.once().to_owned(), "OBSERVE(prepared);".to_owned()],
            Act::Bug(part) => self.bug_statement(part),
        }
    }

    /// A change or observation of a cell, without its lock. A bit-field has no address; where one is needed, a variable
    /// stands in for it.
    fn access(&self, cell: usize, template: &str, value: u8, number: usize, is_update: bool) -> String {
        let lvalue = self.lvalue(cell);
        let needs_address = template.contains("&$L") || template.contains("&name = $L");
        if lvalue.has_address || !needs_address {
            return surface::fill(template, &lvalue.text, lvalue.ty, value, number);
        }
        let inner = surface::fill(template, "held", lvalue.ty, value, number);
        let back = if is_update { format!(" {} = held;", lvalue.text) } else { String::new() };
        format!("{{ {} held = {}; {inner}{back} }}", lvalue.ty, lvalue.text)
    }

    /// An access with its lock around it.
    fn guarded(&self, cell: usize, access: String, taking: Taking, is_writing: bool) -> Vec<String> {
        let Sharing::Guarded(lock) = self.program.cells[cell].sharing else { return vec![access] };
        let section = self.library.section(lock, is_writing);
        let delay = "DELAY();".to_owned();
        match (taking, section.try_take, section.helpers, section.guard) {
            (Taking::Try, Some(condition), _, _) => vec![
                format!("if ({condition}) {{"),
                delay,
                access,
                format!("{};", section.release),
                "} else {".to_owned(),
                "OBSERVE(6);".to_owned(),
                "}".to_owned(),
            ],
            (Taking::Helpers, _, Some((enter, leave)), _) => vec![format!("{enter};"), access, format!("{leave};")],
            (Taking::Helpers, _, None, Some(guard)) => {
                vec!["{".to_owned(), guard, delay, access, "}".to_owned()]
            }
            (Taking::Macro, ..) => vec![format!("AROUND({}, {}, {access});", section.take, section.release)],
            (Taking::Calls | Taking::Helpers | Taking::Try, ..) => {
                let times = if lock.kind == LockKind::Recursive { 2 } else { 1 };
                let mut lines = vec![format!("{};", section.take); times];
                lines.extend([delay.clone(), access, delay]);
                lines.extend(vec![format!("{};", section.release); times]);
                lines
            }
        }
    }

    /// Whether the functions `enter` and `leave` are called.
    pub(super) fn has_helpers(&self) -> bool {
        self.program.api != Api::Std
            && self.uses(|act| {
                matches!(
                    act,
                    Act::Update { taking: Taking::Helpers, .. } | Act::Observe { taking: Taking::Helpers, .. }
                )
            })
    }
}
