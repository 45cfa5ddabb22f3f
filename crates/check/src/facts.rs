//! Facts that an undecided engine has proved, for the engines that come next.

use ir::{EdgeId, Expr, FunctionId, Program, Stmt, StmtKind};
use std::collections::BTreeSet;

/// Facts about a task, for other engines that get the same task. Each fact is true of every run of the reference
/// interpreter.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// Assertions that no run violates first.
    pub holds: BTreeSet<(FunctionId, EdgeId)>,
    /// Statements whose accesses race with nothing in any run.
    pub race_free: BTreeSet<(FunctionId, EdgeId)>,
    /// Statements that no run executes.
    pub unreached: BTreeSet<(FunctionId, EdgeId)>,
}

/// The number of facts.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Proved {
    /// Assertions that hold.
    pub assertions: usize,
    /// User accesses that race with nothing.
    pub race_free: usize,
    /// All user accesses.
    pub accesses: usize,
    /// User statements that are never executed.
    pub unreached: usize,
}

impl Facts {
    /// The program simplified by the facts; none if they change nothing. Its runs to a violation are those of the whole
    /// program.
    pub fn without(&self, program: &Program) -> Option<Program> {
        if *self == Facts::default() {
            return None;
        }
        // One assertion stays: a program without any is safe for another reason.
        let is_last = program.assertions().all(|at| self.holds.contains(&at));
        let mut program = program.clone();
        for (function, edge) in self.holds.iter().skip(usize::from(is_last)) {
            program.functions[*function].edges[*edge].stmt = Stmt::Skip;
        }
        for (function, edge) in &self.unreached {
            let stmt = &mut program.functions[*function].edges[*edge].stmt;
            if may_be_cut(stmt) {
                *stmt = Stmt::Assume(Expr::Int { width: 1, value: 0 });
            }
        }
        Some(program)
    }

    /// Adds the facts of another engine.
    pub fn extend(&mut self, other: &Facts) {
        self.holds.extend(&other.holds);
        self.race_free.extend(&other.race_free);
        self.unreached.extend(&other.unreached);
    }

    /// Counts the facts about a program.
    pub fn count(&self, program: &Program) -> Proved {
        let is_users =
            |(function, edge): &(FunctionId, EdgeId)| program.is_users(program.functions[*function].edges[*edge].span);
        let cut = self.unreached.iter().filter(|(function, edge)| {
            let edge = &program.functions[*function].edges[*edge];
            program.is_users(edge.span) && may_be_cut(&edge.stmt)
        });
        let accesses = program.accesses().filter(is_users).count();
        Proved {
            assertions: self.holds.len(),
            race_free: self.race_free.iter().filter(|at| is_users(at)).count(),
            accesses: if self.race_free.is_empty() { 0 } else { accesses },
            unreached: cut.count(),
        }
    }
}

/// Whether a statement that is never executed can be replaced by the end of the run. One branch can always be taken,
/// and only the end of a function leads to its exit. Statements that may fail or are not modelled stay: a program
/// without them is safe at once, even if they are undefined behaviour.
fn may_be_cut(stmt: &Stmt) -> bool {
    match stmt.kind() {
        StmtKind::Condition | StmtKind::End => false,
        StmtKind::Local => !matches!(stmt, Stmt::Skip),
        StmtKind::Call => !matches!(stmt, Stmt::Return(_)),
        StmtKind::Thread => !matches!(stmt, Stmt::ExitThread(_)),
        StmtKind::Access
        | StmtKind::Range
        | StmtKind::Lifetime
        | StmtKind::Lock
        | StmtKind::Fence
        | StmtKind::Region => true,
    }
}
