//! Function summaries (Sinha and Wang, FSE 2010, section 4): a function is executed once, with variables for its
//! arguments and for the path condition of the call, and each call is an instance of what came out.
//!
//! Deviations: summaries are made of functions that, with all they call, compute with integers in variables only. What
//! touches memory, threads or locks is executed at each call, with what is known there: which accesses make events, and at
//! which places, depends on it. So is recursion, and a loop where a constant argument may tell how often it is gone
//! through or where the bound would cut it: execution then knows more than a summary does.
//!
//! A summary has no event, so the order of events does not notice the call.

use super::control::Control;
use super::events::{Gap, Step, Violation};
use super::execute::Execution;
use super::state::State;
use super::value::{constant, Value, OBJECT_BITS};
use check::ReasonKind;
use ir::analysis::PointsTo;
use ir::{Callee, Expr, Function, FunctionId, Program, Stmt, Type};
use rustc_hash::{FxHashMap, FxHashSet};
use smt::term::Substitution;
use smt::{Sort, Term};
use std::rc::Rc;

/// The functions that compute with integers in variables only, and whether they, or what they call, have loops.
pub(crate) fn local_functions(
    program: &Program,
    points_to: &PointsTo,
    ending: &FxHashSet<FunctionId>,
) -> FxHashMap<FunctionId, bool> {
    let mut open: Vec<(FunctionId, Vec<FunctionId>)> = Vec::new();
    for (function, code) in program.functions.enumerate() {
        if let Some(callees) = callees_if_local(function, code, points_to) {
            open.push((function, callees));
        }
    }
    // Callees first: functions that call themselves are never added.
    let mut found: FxHashMap<FunctionId, bool> = FxHashMap::default();
    loop {
        let is_ready = |(_, callees): &(_, Vec<FunctionId>)| callees.iter().all(|callee| found.contains_key(callee));
        let (ready, rest): (Vec<_>, Vec<_>) = open.into_iter().partition(is_ready);
        open = rest;
        if ready.is_empty() {
            return found;
        }
        for (function, callees) in ready {
            let control = Control::new(&program.functions[function], ending);
            if !control.is_irreducible {
                let has_loops = control.heads().next().is_some() || callees.iter().any(|callee| found[callee]);
                found.insert(function, has_loops);
            }
        }
    }
}

/// The functions it calls, if its own statements compute with integers in variables only.
fn callees_if_local(function: FunctionId, code: &Function, points_to: &PointsTo) -> Option<Vec<FunctionId>> {
    let mut callees = Vec::new();
    let has_integers_only = code.locals.iter().all(|local| matches!(local.ty, Type::Int(_)));
    for edge in code.edges.iter() {
        match &edge.stmt {
            Stmt::Skip
            | Stmt::Assign { .. }
            | Stmt::Havoc { .. }
            | Stmt::Assume(_)
            | Stmt::Assert { .. }
            | Stmt::Return(_)
            | Stmt::Exit
            | Stmt::Call { callee: Callee::Direct(_), .. } => {}
            Stmt::Call { callee: Callee::Indirect(_), .. }
            | Stmt::Load { .. }
            | Stmt::Store { .. }
            | Stmt::Rmw { .. }
            | Stmt::CompareExchange { .. }
            | Stmt::Fence(_)
            | Stmt::Copy { .. }
            | Stmt::Set { .. }
            | Stmt::Alloc { .. }
            | Stmt::Free { .. }
            | Stmt::NewThread { .. }
            | Stmt::Spawn { .. }
            | Stmt::Join { .. }
            | Stmt::Detach { .. }
            | Stmt::ExitThread(_)
            | Stmt::Lock { .. }
            | Stmt::Unlock { .. }
            | Stmt::Await { .. }
            | Stmt::AtomicBegin
            | Stmt::AtomicEnd
            | Stmt::Unmodelled(_) => return None,
        }
        if let Stmt::Call { callee: Callee::Direct(callee), .. } = &edge.stmt {
            callees.push(*callee);
        }
        if !edge.stmt.exprs().into_iter().all(|expr| is_local(function, expr, points_to)) {
            return None;
        }
    }
    has_integers_only.then_some(callees)
}

/// Whether an expression computes with integers only, none of which is the number of a thread.
fn is_local(function: FunctionId, expr: &Expr, points_to: &PointsTo) -> bool {
    let is_integer = |ty: &Type| matches!(ty, Type::Int(_));
    let is_thread = |expr: &Expr| points_to.pointees(function, expr).has_threads;
    let mut is_local = true;
    expr.for_each(&mut |part| {
        is_local &= match part {
            Expr::Int { .. } | Expr::Local(_) | Expr::Select { .. } => true,
            Expr::Unary { ty, .. } => is_integer(ty),
            Expr::Binary { ty, lhs, rhs, .. } => is_integer(ty) && !is_thread(lhs) && !is_thread(rhs),
            Expr::Cast { from, to, .. } => is_integer(from) && is_integer(to),
            Expr::Null
            | Expr::Object(_)
            | Expr::Function(_)
            | Expr::SelfThread
            | Expr::Offset { .. }
            | Expr::Ghost(_) => false,
        };
    });
    is_local
}

/// What a call does.
#[derive(Clone, Debug)]
pub(crate) struct Summary {
    /// The path condition of the call.
    entry: Term,
    /// The arguments, integers all.
    params: Vec<Term>,
    /// The other variables in it, which each call has for itself: inputs, and what has no value yet.
    fresh: Vec<Term>,
    body: Outcome,
}

/// What an execution of a function leaves.
#[derive(Clone, Debug)]
struct Outcome {
    steps: Vec<Step>,
    /// By place in `steps`.
    violations: Vec<(usize, Term)>,
    gaps: Vec<Gap>,
    facts: Vec<Term>,
    /// The path condition where the function returns, if it does, and the results.
    exit: Option<(Term, Vec<Value>)>,
}

impl Outcome {
    fn for_each_term(&mut self, change: &mut impl FnMut(&mut Term)) {
        for step in &mut self.steps {
            change(&mut step.occurs);
            step.locals.iter_mut().for_each(|(_, value)| value.for_each_term(change));
            step.found.iter_mut().for_each(|value| value.for_each_term(change));
        }
        self.violations.iter_mut().for_each(|(_, occurs)| change(occurs));
        self.gaps.iter_mut().for_each(|gap| change(&mut gap.occurs));
        self.facts.iter_mut().for_each(&mut *change);
        if let Some((condition, returned)) = &mut self.exit {
            change(condition);
            returned.iter_mut().for_each(|value| value.for_each_term(change));
        }
    }
}

/// How far the skeleton has grown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Mark {
    steps: usize,
    violations: usize,
    gaps: usize,
    facts: usize,
    /// What a summary has none of.
    others: [usize; 7],
}

impl Execution<'_> {
    /// What a call of a function does instead of an execution, where that is known: `None` if it must be executed. `Some(None)`
    /// if it does not return.
    pub(crate) fn instantiate(&mut self, function: FunctionId, args: &[Value], state: &State) -> Option<Option<State>> {
        let has_loops = *self.analyses.local.get(&function).filter(|_| self.has_summaries)?;
        let is_integer = args.iter().all(|arg| arg.is_plain(self.terms));
        let is_constant = args.iter().any(|arg| constant(self.terms, arg.bits).is_some());
        let arity = self.program.functions[function].params.len();
        // What ends a thread is not only what its function does.
        if self.frames.is_empty() || !is_integer || has_loops && is_constant || args.len() != arity {
            return None;
        }
        let summary = self.summary(function, state)?;
        let mut images = Substitution::new([(summary.entry, state.condition)]);
        for (param, arg) in summary.params.iter().zip(args) {
            images.set(*param, arg.bits);
        }
        for &variable in &summary.fresh {
            let name = self.terms.name(variable).to_owned();
            let own = self.terms.variable(name, self.terms.sort(variable));
            images.set(variable, own);
        }
        let mut body = summary.body.clone();
        body.for_each_term(&mut |term| *term = images.apply(self.terms, *term));
        let is_cut = |gap: &Gap| gap.kind == ReasonKind::Bound && self.terms.as_bool(gap.occurs) != Some(false);
        if body.gaps.iter().any(is_cut) {
            return None;
        }
        self.skeleton.summarised_calls += 1;
        Some(self.add(body, state))
    }

    /// Makes an instance part of the skeleton; returns the state after it.
    fn add(&mut self, body: Outcome, state: &State) -> Option<State> {
        let is_dead = |this: &Self, term: Term| this.terms.as_bool(term) == Some(false);
        let mut violations = body.violations.into_iter().peekable();
        for (index, step) in body.steps.into_iter().enumerate() {
            let is_violated = violations.peek().is_some_and(|(at, _)| *at == index);
            if !is_dead(self, step.occurs) || is_violated {
                self.skeleton.threads[state.thread].steps.push(step);
            }
            while let Some((_, occurs)) = violations.next_if(|(at, _)| *at == index) {
                if !is_dead(self, occurs) {
                    self.violation(state, occurs);
                }
            }
        }
        let gaps = body.gaps.into_iter().filter(|gap| !is_dead(self, gap.occurs)).collect::<Vec<_>>();
        self.skeleton.gaps.extend(gaps);
        let always = self.terms.bool(true);
        self.skeleton.facts.extend(body.facts.into_iter().filter(|fact| *fact != always));
        let (condition, returned) = body.exit?;
        let exit = State { condition, returned, ..state.clone() };
        (!self.is_dead(&exit)).then_some(exit)
    }

    /// The summary of a function, which is made at its first call. `None` if it has none.
    fn summary(&mut self, function: FunctionId, caller: &State) -> Option<Rc<Summary>> {
        if let Some(known) = self.summaries.get(&function) {
            return known.clone();
        }
        let summary = self.summarise(function, caller).map(Rc::new);
        self.summaries.insert(function, summary.clone());
        summary
    }

    fn mark(&self, caller: &State) -> Mark {
        let skeleton = &self.skeleton;
        Mark {
            steps: skeleton.threads[caller.thread].steps.len(),
            violations: skeleton.violations.len(),
            gaps: skeleton.gaps.len(),
            facts: skeleton.facts.len(),
            others: [
                skeleton.events.len(),
                skeleton.threads.len(),
                skeleton.regions.len(),
                skeleton.waits.len(),
                skeleton.blocks.len(),
                skeleton.compared.len(),
                skeleton.compared_threads.len(),
            ],
        }
    }

    /// Executes a function with variables for what a call gives it, and takes what comes out of the skeleton again.
    fn summarise(&mut self, function: FunctionId, caller: &State) -> Option<Summary> {
        let code = &self.program.functions[function];
        let mut params = Vec::new();
        for &param in &code.params {
            let (width, name) = (self.width(code.locals[param].ty), code.locals[param].name.clone());
            params.push(self.terms.variable(name, Sort::Bits(width)));
        }
        let entry = self.terms.variable("call", Sort::Bool);
        let object = self.terms.number(OBJECT_BITS, 0);
        let args: Vec<Value> = params.iter().map(|&bits| Value { object, bits }).collect();
        let mut state = caller.clone();
        state.condition = entry;
        state.region = None;
        state.effects.clear();
        let before = self.mark(caller);
        let outer = self.summary_base.replace(self.frames.len());
        let is_outer_placed = std::mem::replace(&mut self.is_placed_by_caller, false);
        let exit = self.execute_call(function, &args, state);
        let is_placed_by_caller = std::mem::replace(&mut self.is_placed_by_caller, is_outer_placed);
        self.summary_base = outer;
        assert_eq!(self.mark(caller).others, before.others, "a function that is summarised should make no events");
        let violations = self.skeleton.violations.split_off(before.violations);
        let mut body = Outcome {
            steps: self.skeleton.threads[caller.thread].steps.split_off(before.steps),
            violations: violations.into_iter().map(|violation| place(&violation, before.steps)).collect(),
            gaps: self.skeleton.gaps.split_off(before.gaps),
            facts: self.skeleton.facts.split_off(before.facts),
            exit: exit.map(|exit| (exit.condition, exit.returned)),
        };
        let mut roots = Vec::new();
        body.for_each_term(&mut |term| roots.push(*term));
        let mut fresh = self.terms.variables(&roots);
        fresh.retain(|variable| *variable != entry && !params.contains(variable));
        (self.stopped.is_none() && !is_placed_by_caller).then_some(Summary { entry, params, fresh, body })
    }
}

/// A violation, by the number of its step in the function.
fn place(violation: &Violation, before: usize) -> (usize, Term) {
    (violation.step - before, violation.occurs)
}
