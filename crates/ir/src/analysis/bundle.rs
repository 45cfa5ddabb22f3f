//! The shared analyses of one program, each made when it is first asked for.

use super::{Escape, Parallel, PointsTo, Threads};
use crate::program::Program;
use std::cell::OnceCell;

/// The analyses of a program that build on each other.
pub struct Analyses<'p> {
    program: &'p Program,
    points_to: OnceCell<PointsTo>,
    threads: OnceCell<Threads>,
    parallel: OnceCell<Parallel>,
    escape: OnceCell<Escape>,
}

impl<'p> Analyses<'p> {
    /// Those of a program; nothing is computed yet.
    pub fn new(program: &'p Program) -> Analyses<'p> {
        let (points_to, threads) = (OnceCell::new(), OnceCell::new());
        Analyses { program, points_to, threads, parallel: OnceCell::new(), escape: OnceCell::new() }
    }

    /// What pointers may point to.
    pub fn points_to(&self) -> &PointsTo {
        self.points_to.get_or_init(|| PointsTo::new(self.program))
    }

    /// The kinds of threads.
    pub fn threads(&self) -> &Threads {
        self.threads.get_or_init(|| Threads::new(self.program, self.points_to()))
    }

    /// The statements that may happen in parallel.
    pub fn parallel(&self) -> &Parallel {
        self.parallel.get_or_init(|| Parallel::new(self.program, self.points_to(), self.threads()))
    }

    /// The objects that several threads access.
    pub fn escape(&self) -> &Escape {
        self.escape.get_or_init(|| Escape::new(self.program, self.points_to(), self.threads(), self.parallel()))
    }

    /// All of them, to be kept.
    pub fn into_parts(self) -> (PointsTo, Threads, Parallel, Escape) {
        self.escape();
        let made = "should have been made for the escape analysis";
        let (points_to, threads) = (self.points_to.into_inner(), self.threads.into_inner());
        let (parallel, escape) = (self.parallel.into_inner(), self.escape.into_inner());
        (points_to.expect(made), threads.expect(made), parallel.expect(made), escape.expect(made))
    }
}
