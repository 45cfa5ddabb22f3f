//! The text of seeded bugs.

use super::Printer;
use crate::threads::ast::*;

/// Locks used only by the bug.
const LOCKS: [Lock; 2] = [Lock { kind: LockKind::Mutex, index: 90 }, Lock { kind: LockKind::Mutex, index: 91 }];
const READ_LOCK: Lock = Lock { kind: LockKind::ReadWrite, index: 92 };

impl Printer<'_> {
    /// The bug, if this library can express it.
    fn bug(&self) -> Option<Bug> {
        match (self.program.bug, self.program.api) {
            (Some(Bug::Race(Race::ReadLocked)), Api::C11) => Some(Bug::Race(Race::HalfLocked)),
            (bug, _) => bug,
        }
    }

    fn bug_locks(&self) -> &'static [Lock] {
        match self.bug() {
            Some(Bug::Race(Race::HalfLocked)) => &LOCKS[..1],
            Some(Bug::Race(Race::WrongLock)) => &LOCKS,
            Some(Bug::Race(Race::ReadLocked)) => std::slice::from_ref(&READ_LOCK),
            _ => &[],
        }
    }

    fn atomic_of(&self, ty: &str) -> String {
        if self.program.is_cxx() {
            format!("std::atomic<{ty}>")
        } else {
            format!("_Atomic({ty})")
        }
    }

    pub(super) fn bug_declarations(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.bug_locks().iter().map(|lock| self.library.declare(*lock)).collect();
        let cell = "static int bug_cell;";
        let own: Vec<String> = match self.bug() {
            None => vec![],
            Some(Bug::Race(race)) => match race {
                Race::Bare | Race::HalfLocked | Race::WrongLock | Race::HalfAtomic | Race::ReadLocked => {
                    vec![cell.to_owned()]
                }
                Race::Bits => vec!["static struct { unsigned a : 3, b : 4; } bug_bits;".to_owned()],
                Race::WideBits => {
                    vec!["static struct { unsigned a : 24, b : 24, c : 24, d : 24; } bug_bits;".to_owned()]
                }
                Race::RelaxedFlag => vec![cell.to_owned(), format!("static {} bug_flag;", self.atomic_of("int"))],
                Race::RelaxedHuge => {
                    vec![cell.to_owned(), format!("static {} bug_flag;", self.atomic_of("struct huge"))]
                }
                Race::Block => vec!["static int *bug_at;".to_owned()],
                Race::Union => vec!["static union { unsigned whole; byte bytes[4]; } bug_union;".to_owned()],
            },
            Some(Bug::Memory(memory)) => match memory {
                Memory::Thread | Memory::Freed => vec!["static int *bug_at;".to_owned()],
                Memory::GlobalEnd => vec!["static int bug_array[3];".to_owned()],
                Memory::Block | Memory::Body | Memory::Literal | Memory::Row | Memory::Return => vec![],
                Memory::FreedTwice | Memory::HeapEnd | Memory::StackEnd | Memory::Null => vec![],
            },
        };
        lines.extend(own);
        lines
    }

    pub(super) fn bug_reset(&self) -> Vec<String> {
        let store = |value: &str| match self.program.is_cxx() {
            true => format!("bug_flag.store({value});"),
            false => format!("atomic_store(&bug_flag, {value});"),
        };
        match self.bug() {
            Some(Bug::Race(Race::RelaxedFlag)) => vec![store("0")],
            Some(Bug::Race(Race::RelaxedHuge)) => vec![store("huge_of(0)")],
            _ => vec![],
        }
    }

    pub(super) fn bug_set_up(&self) -> Vec<String> {
        let mut lines: Vec<String> = self.bug_locks().iter().flat_map(|lock| self.library.set_up(*lock)).collect();
        if self.bug() == Some(Bug::Memory(Memory::Freed)) {
            lines.extend(["bug_at = (int *)malloc(sizeof *bug_at);", "*bug_at = 2;"].map(str::to_owned));
        }
        lines
    }

    pub(super) fn bug_tear_down(&self) -> Vec<String> {
        self.bug_locks().iter().flat_map(|lock| self.library.tear_down(*lock)).collect()
    }

    pub(super) fn bug_before_start(&self) -> Vec<String> {
        match self.bug() {
            Some(Bug::Race(Race::Block)) => vec!["int bug_inside = 0;".to_owned(), "bug_at = &bug_inside;".to_owned()],
            Some(Bug::Memory(Memory::Thread)) => {
                vec!["{".to_owned(), "int gone = 1;".to_owned(), "bug_at = &gone;".to_owned()]
            }
            _ => vec![],
        }
    }

    pub(super) fn bug_after_start(&self) -> Option<String> {
        (self.bug() == Some(Bug::Memory(Memory::Thread))).then(|| "}".to_owned())
    }

    /// The statement of a part of the bug.
    pub(super) fn bug_statement(&self, part: usize) -> Vec<String> {
        match self.bug() {
            None => vec![],
            Some(Bug::Race(race)) => self.race(race, part),
            Some(Bug::Memory(memory)) => vec![self.memory(memory, part).to_owned()],
        }
    }

    fn race(&self, race: Race, part: usize) -> Vec<String> {
        let is_first = part == 0;
        let locked = |lock: Lock, is_writing: bool| {
            let section = self.library.section(lock, is_writing);
            vec![format!("{};", section.take), "bug_cell++;".to_owned(), format!("{};", section.release)]
        };
        let line = |first: &str, second: &str| vec![if is_first { first } else { second }.to_owned()];
        match race {
            Race::Bare => line("bug_cell++;", "OBSERVE(bug_cell);"),
            Race::HalfLocked if is_first => locked(LOCKS[0], true),
            Race::HalfLocked => line("", "bug_cell += 2;"),
            Race::WrongLock => locked(LOCKS[part], true),
            Race::ReadLocked => locked(READ_LOCK, false),
            Race::Bits => line("bug_bits.a = 3;", "bug_bits.b = 5;"),
            Race::WideBits => line("bug_bits.b = 3;", "bug_bits.c = 5;"),
            Race::RelaxedFlag => self.relaxed(part, "1", "bug_flag != 0"),
            Race::RelaxedHuge => self.relaxed(part, "huge_of(1)", "of_huge(bug_flag) != 0"),
            Race::HalfAtomic => line("__atomic_fetch_add(&bug_cell, 1, __ATOMIC_SEQ_CST);", "bug_cell = 2;"),
            Race::Block => line("*bug_at += 1;", "*bug_at = 4;"),
            Race::Union => line("bug_union.whole = 5;", "bug_union.bytes[1] = 2;"),
        }
    }

    /// A value handed over by a flag whose accesses are relaxed.
    fn relaxed(&self, part: usize, value: &str, condition: &str) -> Vec<String> {
        let (store, load) = match self.program.is_cxx() {
            true => (
                format!("bug_flag.store({value}, std::memory_order_relaxed);"),
                "bug_flag.load(std::memory_order_relaxed)",
            ),
            false => (
                format!("atomic_store_explicit(&bug_flag, {value}, memory_order_relaxed);"),
                "atomic_load_explicit(&bug_flag, memory_order_relaxed)",
            ),
        };
        match part {
            0 => vec!["bug_cell = 6;".to_owned(), store],
            _ => vec![format!("if ({}) OBSERVE(bug_cell);", condition.replace("bug_flag", load))],
        }
    }

    fn memory(&self, memory: Memory, part: usize) -> &'static str {
        match (memory, self.program.is_cxx()) {
            (Memory::Block, _) => "{ int *p; { int inside = 1; p = &inside; *p += 1; } OBSERVE(*p); }",
            (Memory::Body, _) => {
                "{ int *last = NULL; for (int i = 0; i < 2; i++) { int body = i; if (last) OBSERVE(*last); last = &body; } }"
            }
            (Memory::Literal, false) => "{ struct pair *p; { p = &(struct pair){ 1, 2 }; } OBSERVE(p->second); }",
            (Memory::Literal, true) => {
                "{ auto make = [] { int local = 3; return [&local] { return local; }; }; OBSERVE(make()()); }"
            }
            (Memory::Row, false) => "{ int n = 2, *p; { int row[n]; row[0] = 1; p = row; } OBSERVE(*p); }",
            (Memory::Row, true) => "{ int *p; { int row[2] = { 1, 2 }; p = row; } OBSERVE(*p); }",
            (Memory::Return, _) => "OBSERVE(*escape(3));",
            (Memory::Thread, _) => "OBSERVE(*bug_at);",
            (Memory::Freed, _) if part == 0 => "free(bug_at);",
            (Memory::Freed, _) => "OBSERVE(*bug_at);",
            (Memory::FreedTwice, _) => {
                "{ int *p = (int *)malloc(sizeof *p); *p = 1; OBSERVE(*p); free(p); DELAY(); free(p); }"
            }
            (Memory::GlobalEnd, _) => "for (int i = 0; i <= 3; i++) bug_array[i] = i;",
            (Memory::HeapEnd, _) => {
                "{ int *p = (int *)malloc(2 * sizeof *p); for (int i = 0; i <= 2; i++) p[i] = i; free(p); }"
            }
            (Memory::StackEnd, _) => "{ int local[2] = { 1, 2 }, *p = local; OBSERVE(p[own->one + 1]); }",
            (Memory::Null, _) => "{ int *p = own->one ? NULL : &own->number; OBSERVE(*p); }",
        }
    }
}
