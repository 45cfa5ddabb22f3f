//! What must hold of a program for everything after the front end to rely on.
//!
//! Program
//!  1. Objects and functions have unique names, and so have the locals of a function.
//!  2. `entry` is a function without parameters.
//!  3. Every known position names a file of the program.
//!
//! Objects
//!  4. The alignment is a power of two; the size is less than the address space; the initial bytes fit.
//!  5. Relocations lie within the object, in order and without overlap, and their symbols exist.
//!
//! Functions
//!  6. Widths are 1 to 128 bits. Parameters exist and are distinct.
//!  7. `entry`, `exit` and both ends of every edge are locations; `entry` and `exit` differ; there are at most
//!     [`Function::most_locs`] locations.
//!  8. No edge starts at `exit`. The edges of `Return`, `ExitThread` and `Exit` end there, and no others do.
//!  9. A location has at most one edge out, or several that are all `Assume`. (That their conditions are exclusive and
//!     exhaustive is the front end's duty and not checked.)
//!
//! Expressions
//! 10. Constants have no bits above their width; mentioned locals, objects and functions exist; nesting is at most
//!     [`Expr::MAX_DEPTH`].
//! 11. Operands have the type the operation says. Pointers take part only in `Eq`, `Ne`, `Ult`, `Ule`, `Sub` (which gives
//!     the integer type of pointer width), `Offset`, `Ghost`, `Select` and the pointer casts, whose integer side has
//!     pointer width.
//! 12. Extensions do not narrow and truncations do not widen. Floats have 16, 32, 64, 80 or 128 bits. `SwapBytes` takes
//!     whole bytes.
//!
//! Statements
//! 13. Conditions and flags are `i1`, addresses are pointers, sizes, lengths and thread numbers have pointer width, what
//!     is written, read and assigned has the type said, `Set` takes an `i8`.
//! 14. Loads do not release, stores do not acquire, read-modify-writes are atomic, the failure order of an exchange is one
//!     of a load, fences do at least one of acquire and release.
//! 15. Variables changed by one statement are distinct.
//! 16. A direct call may pass fewer or more arguments than there are parameters, but those given have the parameter's
//!     type; it takes all results, with their types, or none. `Return` gives exactly what the function returns.
//! 17. Only an exchange does a read-modify-write of a pointer. The alignment of an allocation is a power of two. The
//!     bound of a havoc is of an integer and not the constant 0. An `Await` with a time-out can be woken.

use crate::arith;
use crate::expr::{BinaryOp, CastOp, Expr, Type, UnaryOp};
use crate::program::{
    Edge, EdgeId, Function, FunctionId, Initial, LocalId, Object, ObjectId, Program, Relocation, Symbol,
};
use crate::stmt::{Callee, Order, RmwOp, Stmt};
use base::{Id, Span};
use rustc_hash::FxHashSet;
use std::fmt;

/// The place of a problem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// In the program as a whole.
    Program,
    /// In a static object.
    Object(ObjectId),
    /// In a function.
    Function(FunctionId),
    /// In an edge of a function.
    Edge(FunctionId, EdgeId),
}

/// A violated invariant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// The place in words, with the source position if it is known: `function main, l3 -> l4 (bank.c:12)`.
    pub place_text: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place_text, self.message)
    }
}

/// All problems of a program; none if it is valid.
pub fn validate(program: &Program) -> Vec<Problem> {
    let mut checker = Checker { program, place: Place::Program, problems: Vec::new() };
    checker.program();
    checker.problems
}

/// The type that a check found; `None` if unknown because of an earlier problem.
type Found = Option<Type>;

struct Checker<'p> {
    program: &'p Program,
    place: Place,
    problems: Vec<Problem>,
}

impl<'p> Checker<'p> {
    fn problem(&mut self, message: impl Into<String>) {
        let place_text = place_text(self.program, self.place);
        self.problems.push(Problem { place: self.place, place_text, message: message.into() });
    }

    fn require(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.problem(message());
        }
    }

    fn program(&mut self) {
        let program = self.program;
        match program.functions.get(program.entry) {
            None => self.problem("the entry function does not exist"),
            Some(entry) => self.require(entry.params.is_empty(), || "the entry function has parameters".to_owned()),
        }
        let mut names: FxHashSet<&str> = FxHashSet::default();
        for (id, object) in program.objects.enumerate() {
            self.place = Place::Object(id);
            let is_new = names.insert(&object.name);
            self.require(is_new, || format!("the name `{}` is taken", object.name));
            self.object(object);
        }
        for (id, function) in program.functions.enumerate() {
            self.place = Place::Function(id);
            let is_new = names.insert(&function.name);
            self.require(is_new, || format!("the name `{}` is taken", function.name));
            self.function(id, function);
        }
    }

    fn span(&mut self, span: Span) {
        let exists = !span.is_known() || self.program.files.get(span.file).is_some();
        self.require(exists, || format!("the position is in {}, which does not exist", span.file));
    }

    fn object(&mut self, object: &Object) {
        self.span(object.span);
        self.require(object.align.is_power_of_two(), || {
            format!("the alignment {} is not a power of two", object.align)
        });
        let largest = arith::mask(self.program.data_model.pointer_width());
        self.require(u128::from(object.size) < largest, || format!("the size {} is too large", object.size));
        if let Initial::Bytes { bytes, relocations } = &object.initial {
            self.require(bytes.len() as u64 <= object.size, || "the initial bytes are more than the size".to_owned());
            self.relocations(object, relocations);
        }
    }

    fn relocations(&mut self, object: &Object, relocations: &[Relocation]) {
        let pointer_bytes = self.program.data_model.pointer_bytes();
        let mut free_from = 0;
        for relocation in relocations {
            let end = relocation.at.checked_add(pointer_bytes).filter(|&end| end <= object.size);
            self.require(end.is_some(), || format!("the relocation at {} is not inside the object", relocation.at));
            self.require(relocation.at >= free_from, || {
                format!("the relocation at {} overlaps or precedes the one before it", relocation.at)
            });
            free_from = end.unwrap_or(u64::MAX);
            let exists = match relocation.symbol {
                Symbol::Object(object) => self.program.objects.get(object).is_some(),
                Symbol::Function(function) => self.program.functions.get(function).is_some(),
            };
            self.require(exists, || format!("the symbol of the relocation at {} does not exist", relocation.at));
        }
    }

    fn function(&mut self, id: FunctionId, function: &'p Function) {
        self.span(function.span);
        let mut names: FxHashSet<&str> = FxHashSet::default();
        for local in function.locals.iter() {
            self.width(local.ty);
            let is_new = names.insert(&local.name);
            self.require(is_new, || format!("the name `{}` is taken", local.name));
        }
        for &ty in &function.returns {
            self.width(ty);
        }
        let mut params = FxHashSet::default();
        for &param in &function.params {
            self.require(function.locals.get(param).is_some(), || format!("the parameter {param} does not exist"));
            let is_new = params.insert(param);
            self.require(is_new, || format!("the parameter {param} occurs twice"));
        }
        let too_many = function.locs > Function::most_locs(function.edges.len());
        self.require(!too_many, || format!("{} locations are too many", function.locs));
        self.require(function.entry.index() < function.locs, || "the entry location does not exist".to_owned());
        self.require(function.exit.index() < function.locs, || "the exit location does not exist".to_owned());
        self.require(function.entry != function.exit, || "entry and exit are the same location".to_owned());
        if !too_many {
            self.shape(id, function);
        }
        for (edge_id, edge) in function.edges.enumerate() {
            self.place = Place::Edge(id, edge_id);
            self.span(edge.span);
            EdgeChecker { checker: self, function }.stmt(&edge.stmt);
        }
    }

    fn width(&mut self, ty: Type) {
        if let Type::Int(width) = ty {
            self.require((1..=128).contains(&width), || format!("the width {width} is not between 1 and 128"));
        }
    }

    /// The graph.
    fn shape(&mut self, id: FunctionId, function: &Function) {
        // Per location: the number of outgoing edges, and whether one is not an assume.
        let mut out = vec![(0u32, false); function.locs];
        for (edge_id, edge) in function.edges.enumerate() {
            self.place = Place::Edge(id, edge_id);
            self.edge_ends(function, edge);
            if let Some((count, has_other)) = out.get_mut(edge.from.index()) {
                *count += 1;
                *has_other |= !matches!(edge.stmt, Stmt::Assume(_));
                let (count, has_other) = (*count, *has_other);
                self.require(count < 2 || !has_other, || {
                    format!("{} has several edges out that are not all assumes", edge.from)
                });
            }
        }
    }

    fn edge_ends(&mut self, function: &Function, edge: &Edge) {
        self.require(edge.from.index() < function.locs, || format!("{} does not exist", edge.from));
        self.require(edge.to.index() < function.locs, || format!("{} does not exist", edge.to));
        self.require(edge.from != function.exit, || "the edge starts at the exit".to_owned());
        let leaves = matches!(edge.stmt, Stmt::Return(_) | Stmt::ExitThread(_) | Stmt::Exit);
        let ends = edge.to == function.exit;
        self.require(ends || !leaves, || {
            "the statement leaves the function but the edge does not end at the exit".to_owned()
        });
        self.require(leaves || !ends, || {
            "the edge ends at the exit but its statement does not leave the function".to_owned()
        });
    }
}

fn place_text(program: &Program, place: Place) -> String {
    let with_span = |text: String, span: Span| match program.place(span) {
        source if source.is_empty() => text,
        source => format!("{text} ({source})"),
    };
    match place {
        Place::Program => "program".to_owned(),
        Place::Object(id) => {
            let object = &program.objects[id];
            with_span(format!("object {}", object.name), object.span)
        }
        Place::Function(id) => {
            let function = &program.functions[id];
            with_span(format!("function {}", function.name), function.span)
        }
        Place::Edge(id, edge) => {
            let function = &program.functions[id];
            let edge = &function.edges[edge];
            with_span(format!("function {}, {} -> {}", function.name, edge.from, edge.to), edge.span)
        }
    }
}

/// Checks the statement of one edge.
struct EdgeChecker<'c, 'p> {
    checker: &'c mut Checker<'p>,
    function: &'p Function,
}

impl EdgeChecker<'_, '_> {
    fn problem(&mut self, message: impl Into<String>) {
        self.checker.problem(message);
    }

    fn require(&mut self, holds: bool, message: &str) {
        if !holds {
            self.problem(message);
        }
    }

    fn size_type(&self) -> Type {
        self.checker.program.data_model.size_type()
    }

    // Types.

    fn same(&mut self, what: &str, found: Found, wanted: Type) {
        if let Some(found) = found {
            if found != wanted {
                self.problem(format!("{what} is {found}, should be {wanted}"));
            }
        }
    }

    /// A whole expression with a required type.
    fn has_type(&mut self, what: &str, expr: &Expr, wanted: Type) {
        let found = self.whole(expr);
        self.same(what, found, wanted);
    }

    fn pointer(&mut self, what: &str, expr: &Expr) {
        self.has_type(what, expr, Type::Ptr);
    }

    fn writes(&mut self, what: &str, local: LocalId, wanted: Type) {
        let found = self.local(local);
        self.same(what, found, wanted);
    }

    fn local(&mut self, local: LocalId) -> Found {
        let ty = self.function.locals.get(local).map(|local| local.ty);
        if ty.is_none() {
            self.problem(format!("the local {local} does not exist"));
        }
        ty
    }

    fn whole(&mut self, expr: &Expr) -> Found {
        self.expr(expr, 1)
    }

    fn expr(&mut self, expr: &Expr, depth: usize) -> Found {
        if depth > Expr::MAX_DEPTH {
            self.problem("the expression is nested too deeply");
            return None;
        }
        match expr {
            Expr::Int { width, value } => {
                if !(1..=128).contains(width) {
                    self.problem(format!("the width {width} is not between 1 and 128"));
                    return None;
                }
                self.require(*value <= arith::mask(*width), "a constant has bits above its width");
                Some(Type::Int(*width))
            }
            Expr::Null => Some(Type::Ptr),
            Expr::Local(local) => self.local(*local),
            Expr::Object(object) => {
                let exists = self.checker.program.objects.get(*object).is_some();
                self.require(exists, "a mentioned object does not exist");
                Some(Type::Ptr)
            }
            Expr::Function(function) => {
                let exists = self.checker.program.functions.get(*function).is_some();
                self.require(exists, "a mentioned function does not exist");
                Some(Type::Ptr)
            }
            Expr::SelfThread => Some(self.size_type()),
            Expr::Unary { op, ty, arg } => {
                let found = self.expr(arg, depth + 1);
                self.same("an operand", found, *ty);
                self.unary(*op, *ty)
            }
            Expr::Binary { op, ty, lhs, rhs } => {
                let (left, right) = (self.expr(lhs, depth + 1), self.expr(rhs, depth + 1));
                self.same("the left operand", left, *ty);
                self.same("the right operand", right, *ty);
                self.binary(*op, *ty)
            }
            Expr::Cast { op, from, to, arg } => {
                let found = self.expr(arg, depth + 1);
                self.same("the operand of a cast", found, *from);
                self.cast(*op, *from, *to)
            }
            Expr::Select { cond, then, otherwise } => {
                let found = self.expr(cond, depth + 1);
                self.same("the condition of a select", found, Type::BOOL);
                let (then, otherwise) = (self.expr(then, depth + 1), self.expr(otherwise, depth + 1));
                if let (Some(then), otherwise) = (then, otherwise) {
                    self.same("the second value of a select", otherwise, then);
                }
                then.or(otherwise)
            }
            Expr::Offset { base, bytes } => {
                let (base, bytes) = (self.expr(base, depth + 1), self.expr(bytes, depth + 1));
                self.same("the base of an offset", base, Type::Ptr);
                let size_type = self.size_type();
                self.same("the distance of an offset", bytes, size_type);
                Some(Type::Ptr)
            }
            Expr::Ghost(arg) => {
                let found = self.expr(arg, depth + 1);
                self.same("the operand of ghost", found, Type::Ptr);
                Some(Type::Ptr)
            }
        }
    }

    /// The width of an integer type required by an operation.
    fn int(&mut self, what: &str, ty: Type) -> Option<u16> {
        match ty {
            Type::Int(width) if (1..=128).contains(&width) => Some(width),
            Type::Int(width) => {
                self.problem(format!("the width {width} is not between 1 and 128"));
                None
            }
            Type::Ptr => {
                self.problem(format!("{what} does not take a pointer"));
                None
            }
        }
    }

    fn float(&mut self, what: &str, ty: Type) -> Found {
        let width = self.int(what, ty)?;
        if !matches!(width, 16 | 32 | 64 | 80 | 128) {
            self.problem(format!("{what} takes a float, and none has {width} bits"));
        }
        Some(ty)
    }

    fn unary(&mut self, op: UnaryOp, ty: Type) -> Found {
        use UnaryOp::*;
        match op {
            Not | Neg | PopCount | LeadingZeros | TrailingZeros | ReverseBits => {
                self.int(op.word(), ty)?;
            }
            SwapBytes => {
                let width = self.int(op.word(), ty)?;
                self.require(width.is_multiple_of(8), "bytes are swapped in what is not whole bytes");
            }
            FloatNeg | FloatAbs | FloatSqrt | FloatFloor | FloatCeil | FloatTrunc => {
                self.float(op.word(), ty)?;
            }
        }
        Some(ty)
    }

    fn binary(&mut self, op: BinaryOp, ty: Type) -> Found {
        use BinaryOp::*;
        match op {
            Eq | Ne | Ult | Ule if ty == Type::Ptr => {}
            Sub if ty == Type::Ptr => return Some(self.size_type()),
            Add | Sub | Mul | Udiv | Sdiv | Urem | Srem | Shl | Lshr | Ashr | And | Or | Xor | Eq | Ne | Ult | Ule
            | Slt | Sle => {
                self.int(op.word(), ty)?;
            }
            FloatAdd | FloatSub | FloatMul | FloatDiv | FloatRem | Float(_) => {
                self.float(op.word(), ty)?;
            }
        }
        Some(if op.is_comparison() { Type::BOOL } else { ty })
    }

    fn cast(&mut self, op: CastOp, from: Type, to: Type) -> Found {
        let word = op.word();
        match op {
            CastOp::Zext | CastOp::Sext => {
                let (from, to) = (self.int(word, from)?, self.int(word, to)?);
                self.require(from <= to, "an extension makes its operand narrower");
            }
            CastOp::Trunc => {
                let (from, to) = (self.int(word, from)?, self.int(word, to)?);
                self.require(from >= to, "a truncation makes its operand wider");
            }
            CastOp::PtrToInt | CastOp::IntToPtr => {
                let (pointer, int) = if op == CastOp::PtrToInt { (from, to) } else { (to, from) };
                let size_type = self.size_type();
                self.same("the pointer side of a cast", Some(pointer), Type::Ptr);
                self.same("the integer side of a pointer cast", Some(int), size_type);
            }
            CastOp::FloatToSigned | CastOp::FloatToUnsigned => {
                self.float(word, from)?;
                self.int(word, to)?;
            }
            CastOp::SignedToFloat | CastOp::UnsignedToFloat => {
                self.int(word, from)?;
                self.float(word, to)?;
            }
            CastOp::FloatToFloat => {
                self.float(word, from)?;
                self.float(word, to)?;
            }
        }
        Some(to)
    }

    // Statements.

    fn stmt(&mut self, stmt: &Stmt) {
        let size_type = self.size_type();
        match stmt {
            Stmt::Skip | Stmt::AtomicBegin { .. } | Stmt::AtomicEnd { .. } | Stmt::Exit | Stmt::Unmodelled(_) => {}
            Stmt::Assign { dst, value } => {
                let found = self.whole(value);
                if let Some(wanted) = self.local(*dst) {
                    self.same("the assigned value", found, wanted);
                }
            }
            Stmt::Havoc { dst, below } => self.havoc(*dst, below.as_ref()),
            Stmt::Assume(cond) => self.has_type("the condition", cond, Type::BOOL),
            Stmt::Assert { cond, .. } => self.has_type("the condition", cond, Type::BOOL),
            Stmt::Load { .. } | Stmt::Store { .. } | Stmt::Rmw { .. } | Stmt::CompareExchange { .. } => {
                self.access(stmt);
            }
            Stmt::Fence(order) => {
                self.require(order.is_atomic(), "the fence has no order");
            }
            Stmt::Copy { dst, src, len, disjoint: _ } => {
                self.pointer("the destination", dst);
                self.pointer("the source", src);
                self.has_type("the length", len, size_type);
            }
            Stmt::Set { dst, byte, len } => {
                self.pointer("the destination", dst);
                self.has_type("the byte", byte, Type::Int(8));
                self.has_type("the length", len, size_type);
            }
            Stmt::Alloc { dst, size, align, .. } => {
                self.writes("the variable", *dst, Type::Ptr);
                self.has_type("the size", size, size_type);
                self.require(align.is_power_of_two(), "the alignment is not a power of two");
            }
            Stmt::Free { ptr } | Stmt::Expire { ptr } | Stmt::Lock { ptr } | Stmt::Unlock { ptr } => {
                self.pointer("the address", ptr)
            }
            Stmt::Call { dsts, callee, args } => {
                self.call(callee, args);
                self.results(dsts, callee);
            }
            Stmt::Return(values) => self.returned(values),
            Stmt::NewThread { dst } => self.writes("the variable", *dst, size_type),
            Stmt::Spawn { thread, callee, args } => {
                self.has_type("the thread number", thread, size_type);
                self.call(callee, args);
            }
            Stmt::Join { dst, thread } => {
                if let Some(dst) = dst {
                    self.local(*dst);
                }
                self.has_type("the thread number", thread, size_type);
            }
            Stmt::Detach { thread } => self.has_type("the thread number", thread, size_type),
            Stmt::ExitThread(value) => {
                self.whole(value);
            }
            Stmt::Await { dst, ty, ptr, ready, update, spurious, timeout, .. } => {
                self.writes("the variable", *dst, *ty);
                self.pointer("the address", ptr);
                self.has_type("the condition", ready, Type::BOOL);
                if let Some(update) = update {
                    self.has_type("the new value", update, *ty);
                }
                if let Some(spurious) = spurious {
                    self.writes("the flag", *spurious, Type::BOOL);
                    self.require(spurious != dst, "the variables changed are not distinct");
                }
                self.require(!timeout || spurious.is_some(), "a time-out needs a flag that tells of it");
            }
        }
    }

    fn havoc(&mut self, dst: LocalId, below: Option<&Expr>) {
        let ty = self.local(dst);
        let Some(below) = below else { return };
        let found = self.whole(below);
        if let Some(ty) = ty {
            self.same("the bound", found, ty);
            self.require(ty != Type::Ptr, "a pointer cannot have a bound");
        }
        self.require(!matches!(below, Expr::Int { value: 0, .. }), "nothing is below the bound");
    }

    fn access(&mut self, stmt: &Stmt) {
        if let Stmt::Load { dst, ty, ptr, access } = stmt {
            self.writes("the variable", *dst, *ty);
            self.pointer("the address", ptr);
            self.require(!access.order.releases() || access.order == Order::SeqCst, "a load cannot release");
        }
        if let Stmt::Store { ty, ptr, value, access } = stmt {
            self.pointer("the address", ptr);
            self.has_type("the value", value, *ty);
            self.require(!access.order.acquires() || access.order == Order::SeqCst, "a store cannot acquire");
        }
        if let Stmt::Rmw { dst, op, ty, ptr, value, order } = stmt {
            self.writes("the variable", *dst, *ty);
            self.pointer("the address", ptr);
            self.has_type("the operand", value, *ty);
            self.require(order.is_atomic(), "a read-modify-write cannot be plain");
            let takes_pointers = *op == RmwOp::Exchange;
            self.require(takes_pointers || *ty != Type::Ptr, "only an exchange can be done with pointers");
        }
        if let Stmt::CompareExchange { old, success, ty, ptr, expected, desired, order, failure, .. } = stmt {
            self.writes("the old value", *old, *ty);
            self.writes("the flag", *success, Type::BOOL);
            self.require(old != success, "the variables changed are not distinct");
            self.pointer("the address", ptr);
            self.has_type("the expected value", expected, *ty);
            self.has_type("the desired value", desired, *ty);
            let is_load = matches!(failure, Order::Relaxed | Order::Acquire | Order::SeqCst);
            self.require(order.is_atomic() && is_load, "the orders do not fit a compare-exchange");
        }
    }

    fn call(&mut self, callee: &Callee, args: &[Expr]) {
        let params = match callee {
            Callee::Direct(function) => match self.checker.program.functions.get(*function) {
                Some(function) => Some(function),
                None => {
                    self.problem("the called function does not exist");
                    None
                }
            },
            Callee::Indirect(expr) => {
                self.pointer("the called function", expr);
                None
            }
        };
        for (index, arg) in args.iter().enumerate() {
            let found = self.whole(arg);
            let param = params.and_then(|callee| Some(callee.locals.get(*callee.params.get(index)?)?.ty));
            if let Some(wanted) = param {
                self.same(&format!("argument {}", index + 1), found, wanted);
            }
        }
    }

    fn results(&mut self, dsts: &[LocalId], callee: &Callee) {
        for (index, &dst) in dsts.iter().enumerate() {
            self.local(dst);
            // Calls have one or two results.
            self.require(!dsts[..index].contains(&dst), "the variables changed are not distinct");
        }
        let Callee::Direct(callee) = callee else { return };
        let Some(callee) = self.checker.program.functions.get(*callee) else { return };
        if dsts.is_empty() {
            return;
        }
        self.require(dsts.len() == callee.returns.len(), "the call does not take all results");
        for (&dst, &ty) in dsts.iter().zip(&callee.returns) {
            if self.function.locals.get(dst).is_some() {
                self.writes("the variable of a result", dst, ty);
            }
        }
    }

    fn returned(&mut self, values: &[Expr]) {
        let returns = &self.function.returns;
        self.require(values.len() == returns.len(), "the number of returned values is wrong");
        for (index, value) in values.iter().enumerate() {
            let found = self.whole(value);
            if let Some(&wanted) = returns.get(index) {
                self.same("the returned value", found, wanted);
            }
        }
    }
}
