//! Inserts statements before or after a statement of the lowered program, as run-time checks.

use base::Id;
use ir::{Access, Edge, EdgeId, Expr, Function, LocId, Local, LocalId, Order, Stmt, Type, Unmodelled};

/// Statements to insert before or after an edge.
pub(crate) struct Chain<'a> {
    function: &'a mut Function,
    edge: EdgeId,
    span: base::Span,
    pub(crate) last: LocId,
    /// The location after the chain, if it comes after the statement.
    next: Option<LocId>,
    pub(crate) pointer_width: u16,
}

impl<'a> Chain<'a> {
    /// A chain that comes before a statement, or after it.
    pub(crate) fn new(function: &'a mut Function, edge: EdgeId, is_before: bool, pointer_width: u16) -> Self {
        let Edge { from, to, span, .. } = function.edges[edge];
        let new = LocId::new(function.locs);
        function.locs += 1;
        if is_before {
            Chain { function, edge, span, last: from, next: None, pointer_width }
        } else {
            function.edges[edge].to = new;
            Chain { function, edge, span, last: new, next: Some(to), pointer_width }
        }
    }

    pub(crate) fn location(&mut self) -> LocId {
        self.function.locs += 1;
        LocId::new(self.function.locs - 1)
    }

    pub(crate) fn local(&mut self, ty: Type) -> LocalId {
        let name = format!("heddle.{}", self.function.locals.len());
        self.function.locals.push(Local { name, ty })
    }

    pub(crate) fn link(&mut self, from: LocId, to: LocId, stmt: Stmt) {
        self.function.edges.push(Edge { from, to, stmt, span: self.span });
    }

    pub(crate) fn add(&mut self, stmt: Stmt) {
        let (from, to) = (self.last, self.location());
        self.link(from, to, stmt);
        self.last = to;
    }

    /// A word of the ghost record of an address.
    pub(crate) fn word(&self, pointer: &Expr, offset: u128) -> Expr {
        let record = Expr::Ghost(Box::new(pointer.clone()));
        Expr::offset(record, Expr::int(self.pointer_width, offset))
    }

    pub(crate) fn load(&mut self, ptr: Expr, width: u16, access: Access) -> Expr {
        let ty = Type::Int(width);
        let dst = self.local(ty);
        self.add(Stmt::Load { dst, ty, ptr, access });
        Expr::Local(dst)
    }

    pub(crate) fn store(&mut self, pointer: &Expr, offset: u128, value: u128) {
        self.store_word(pointer, offset, Expr::int(32, value));
    }

    /// Stores a word of the ghost record of an address.
    pub(crate) fn store_word(&mut self, pointer: &Expr, offset: u128, value: Expr) {
        let ptr = self.word(pointer, offset);
        self.add(Stmt::Store { ty: Type::Int(32), ptr, value, access: RELAXED });
    }

    /// Loads a word of the ghost record of an address.
    pub(crate) fn load_word(&mut self, pointer: &Expr, offset: u128) -> Expr {
        let ptr = self.word(pointer, offset);
        self.load(ptr, 32, RELAXED)
    }

    /// Statements that are executed unless a condition holds.
    pub(crate) fn unless(&mut self, cond: Expr, statements: impl FnOnce(&mut Self)) {
        let (from, otherwise, end) = (self.last, self.location(), self.location());
        self.link(from, otherwise, Stmt::Assume(Expr::negate(cond.clone())));
        self.link(from, end, Stmt::Assume(cond));
        self.last = otherwise;
        statements(self);
        self.link(self.last, end, Stmt::Skip);
        self.last = end;
    }

    /// The following statements are unmodelled if a condition holds.
    pub(crate) fn refuse(&mut self, bad: Expr, what: Unmodelled) {
        let (from, refused, end, good) = (self.last, self.location(), self.location(), self.location());
        self.link(from, refused, Stmt::Assume(bad.clone()));
        self.link(refused, end, Stmt::Unmodelled(what));
        self.link(from, good, Stmt::Assume(Expr::negate(bad)));
        self.last = good;
    }

    pub(crate) fn finish(self) {
        match self.next {
            None => self.function.edges[self.edge].from = self.last,
            Some(next) => {
                let ends = self.function.edges.iter_mut().filter(|edge| edge.to == self.last);
                ends.for_each(|edge| edge.to = next);
            }
        }
    }
}

/// Accesses to records are to ghost memory.
pub(crate) const RELAXED: Access = Access { order: Order::Relaxed, volatile: false };
