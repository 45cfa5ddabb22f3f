//! The text form of a program, which [`mod@crate::parse`] reads back to an equal program if this one is valid.
//!
//! White space and line ends only separate; `//` starts a comment that ends with the line. The order of objects, of
//! functions, of locals and of edges is the order of their ids; everything may be mentioned before it is declared.
//!
//! ```text
//! program  = "heddle-ir" "1" "data-model" ("ilp32" | "lp64") file* "entry" symbol (object | function)*
//! file     = "file" "f"N string                                  numbered from f0
//! object   = "object" symbol "size" N "align" N ("global" | "thread-local" | "constant") "hidden"? span?
//!            "=" ("arbitrary" | ("zero" | "bytes" hex) ("reloc" N symbol ("+" | "-") N)*)
//! function = "function" symbol "(" param,* ")" ("->" type,+)? span?
//!            "{" ("local" local ":" type)* "locs" N "entry" loc "exit" loc edge* "}"
//! param    = local ":" type                                      declares it, before all others
//!          | local                                               declared below, at its place among the locals
//! edge     = loc "->" loc ":" stmt span?
//! span     = "at" "f"N ":" line ":" column                       absent: unknown
//! loc      = "l"N          type = "i"N | "ptr"
//! symbol   = "@" name      local = "%" name                      name = [A-Za-z0-9_.$]+ or a string
//! string   = '"' … '"'     with \\ \" \n \t \r and \u{hex}
//!
//! stmt     = "skip" | local "=" expr | local "=" "havoc" ("below" expr)? | "assume" expr
//!          | "assert" "defined"? expr "," claim
//!          | local "=" "load" type expr order? "volatile"? | "store" type expr "," expr order? "volatile"?
//!          | local "=" "rmw" op type expr "," expr order
//!          | local "," local "=" "cmpxchg" "weak"? type expr "," expr "," expr order order
//!          | "fence" order | "copy" "disjoint"? expr "," expr "," expr | "set" expr "," expr "," expr
//!          | local "=" "alloc" ("stack" | "heap") expr "align" N "zeroed"? string | "free" expr
//!          | (local,+ "=")? "call" callee args | "return" expr,*
//!          | local "=" "new_thread" | "spawn" expr "," callee args | (local "=")? "join" expr | "detach" expr
//!          | "exit_thread" expr | "lock" expr | "unlock" expr
//!          | local "=" "await" type expr "if" expr ("then" expr)? ("spurious" local)? "timeout"? "departure"? object
//!          | "atomic_begin" "relaxed"? | "atomic_end" "relaxed"? | "exit"
//!          | "unmodelled" (string | "call" string | ("bytes-written" | "bytes-copied") object)
//! claim    = ("asserted" | "checked") string | word (word | N)?  see `claim.rs`
//! object   = "mutex" | "condition" | ...                         what threads synchronise by
//! callee   = symbol | "*" expr          args = "(" expr,* ")"
//! order    = "relaxed" | "acquire" | "release" | "acq_rel" | "seq_cst" | "plain"     absent: plain
//!
//! expr     = N ":" type | "null" | "self" | local | symbol
//!          | unary ":" type "(" expr ")" | binary ":" type "(" expr "," expr ")"
//!          | cast ":" type ":" type "(" expr ")"
//!          | "select" "(" expr "," expr "," expr ")" | "offset" "(" expr "," expr ")" | "ghost" "(" expr ")"
//! ```
//!
//! The words for operations stand in `names.rs`. An id that is out of range prints as `?7`, which does not parse.

use crate::claim::{Awaited, Claim, Unmodelled};
use crate::expr::{Expr, Type};
use crate::program::{Function, FunctionId, Initial, LocalId, Object, ObjectId, Program, Symbol};
use crate::stmt::{Access, Callee, Order, Stmt};
use base::{Id, Span};
use std::fmt::{self, Write};

/// The text of a whole program.
pub fn print(program: &Program) -> String {
    let mut printer = Printer::new(program);
    printer.program();
    printer.out
}

/// The text of one function.
pub fn print_function(program: &Program, function: FunctionId) -> String {
    let mut printer = Printer::new(program);
    printer.function(&program.functions[function]);
    printer.out
}

/// The text of one statement of a function, without its position.
pub fn print_stmt(program: &Program, function: FunctionId, stmt: &Stmt) -> String {
    let mut printer = Printer::new(program);
    printer.current = program.functions.get(function);
    printer.stmt(stmt);
    printer.out
}

/// The text of one expression of a function.
pub fn print_expr(program: &Program, function: FunctionId, expr: &Expr) -> String {
    let mut printer = Printer::new(program);
    printer.current = program.functions.get(function);
    printer.expr(expr);
    printer.out
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Int(width) => write!(f, "i{width}"),
            Type::Ptr => f.write_str("ptr"),
        }
    }
}

struct Printer<'p> {
    program: &'p Program,
    /// The function whose locals are named.
    current: Option<&'p Function>,
    out: String,
}

/// Writing to a string cannot fail.
macro_rules! put {
    ($printer:expr, $($arg:tt)*) => {
        write!($printer.out, $($arg)*).expect("a string should take what is written to it")
    };
}

impl<'p> Printer<'p> {
    fn new(program: &'p Program) -> Self {
        Printer { program, current: None, out: String::new() }
    }

    fn program(&mut self) {
        let program = self.program;
        put!(self, "heddle-ir 1\ndata-model {}\n", program.data_model.name());
        for (id, file) in program.files.enumerate() {
            put!(self, "file {id} ");
            self.string(file);
            self.out.push('\n');
        }
        self.out.push_str("entry ");
        self.function_name(program.entry);
        self.out.push('\n');
        if !program.objects.is_empty() {
            self.out.push('\n');
        }
        for object in program.objects.iter() {
            self.object(object);
        }
        for function in program.functions.iter() {
            self.out.push('\n');
            self.function(function);
        }
    }

    fn object(&mut self, object: &Object) {
        self.out.push_str("object @");
        self.name(&object.name);
        put!(self, " size {} align {} {}", object.size, object.align, object.kind.word());
        if object.is_hidden {
            self.out.push_str(" hidden");
        }
        self.span(object.span);
        match &object.initial {
            Initial::Arbitrary => self.out.push_str(" = arbitrary"),
            Initial::Bytes { bytes, relocations } => {
                if bytes.is_empty() {
                    self.out.push_str(" = zero");
                } else {
                    self.out.push_str(" = bytes ");
                    for &byte in bytes {
                        let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half & 15)]);
                        self.out.push(digit(byte >> 4));
                        self.out.push(digit(byte));
                    }
                }
                for relocation in relocations {
                    put!(self, " reloc {} ", relocation.at);
                    match relocation.symbol {
                        Symbol::Object(object) => self.object_name(object),
                        Symbol::Function(function) => self.function_name(function),
                    }
                    put!(self, "{:+}", relocation.offset);
                }
            }
        }
        self.out.push('\n');
    }

    fn function(&mut self, function: &'p Function) {
        self.current = Some(function);
        let declares_params = function.params.iter().enumerate().all(|(index, param)| param.index() == index)
            && function.params.len() <= function.locals.len();
        self.out.push_str("function @");
        self.name(&function.name);
        self.out.push('(');
        for (index, &param) in function.params.iter().enumerate() {
            self.comma(index);
            self.local(param);
            if declares_params {
                put!(self, ": {}", function.locals[param].ty);
            }
        }
        self.out.push(')');
        for (index, ty) in function.returns.iter().enumerate() {
            put!(self, "{}{ty}", if index == 0 { " -> " } else { ", " });
        }
        self.span(function.span);
        self.out.push_str(" {\n");
        let declared = if declares_params { function.params.len() } else { 0 };
        for (id, local) in function.locals.enumerate().skip(declared) {
            self.out.push_str("  local ");
            self.local(id);
            put!(self, ": {}\n", local.ty);
        }
        put!(self, "  locs {} entry {} exit {}\n", function.locs, function.entry, function.exit);
        for edge in function.edges.iter() {
            put!(self, "  {} -> {}: ", edge.from, edge.to);
            self.stmt(&edge.stmt);
            self.span(edge.span);
            self.out.push('\n');
        }
        self.out.push_str("}\n");
    }

    fn span(&mut self, span: Span) {
        if span != Span::unknown() {
            put!(self, " at {span}");
        }
    }

    fn comma(&mut self, index: usize) {
        if index > 0 {
            self.out.push_str(", ");
        }
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '\n' => self.out.push_str("\\n"),
                '\t' => self.out.push_str("\\t"),
                '\r' => self.out.push_str("\\r"),
                c if c.is_control() => put!(self, "\\u{{{:x}}}", u32::from(c)),
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    fn name(&mut self, name: &str) {
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$');
        if !name.is_empty() && name.bytes().all(is_plain) {
            self.out.push_str(name);
        } else {
            self.string(name);
        }
    }

    fn local(&mut self, local: LocalId) {
        self.out.push('%');
        match self.current.and_then(|function| function.locals.get(local)) {
            Some(found) => self.name(&found.name),
            None => put!(self, "?{}", local.index()),
        }
    }

    fn object_name(&mut self, object: ObjectId) {
        self.out.push('@');
        match self.program.objects.get(object) {
            Some(found) => self.name(&found.name),
            None => put!(self, "?{}", object.index()),
        }
    }

    fn function_name(&mut self, function: FunctionId) {
        self.out.push('@');
        match self.program.functions.get(function) {
            Some(found) => self.name(&found.name),
            None => put!(self, "?{}", function.index()),
        }
    }

    fn exprs(&mut self, exprs: &[Expr]) {
        for (index, expr) in exprs.iter().enumerate() {
            self.comma(index);
            self.expr(expr);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match expr {
            Expr::Int { width, value } => put!(self, "{value}:i{width}"),
            Expr::Null => self.out.push_str("null"),
            Expr::Local(local) => self.local(*local),
            Expr::Object(object) => self.object_name(*object),
            Expr::Function(function) => self.function_name(*function),
            Expr::SelfThread => self.out.push_str("self"),
            Expr::Unary { op, ty, arg } => {
                put!(self, "{}:{ty}(", op.word());
                self.expr(arg);
                self.out.push(')');
            }
            Expr::Binary { op, ty, lhs, rhs } => {
                put!(self, "{}:{ty}(", op.word());
                self.expr(lhs);
                self.out.push_str(", ");
                self.expr(rhs);
                self.out.push(')');
            }
            Expr::Cast { op, from, to, arg } => {
                put!(self, "{}:{from}:{to}(", op.word());
                self.expr(arg);
                self.out.push(')');
            }
            Expr::Select { cond, then, otherwise } => {
                self.out.push_str("select(");
                self.expr(cond);
                self.out.push_str(", ");
                self.expr(then);
                self.out.push_str(", ");
                self.expr(otherwise);
                self.out.push(')');
            }
            Expr::Offset { base, bytes } => {
                self.out.push_str("offset(");
                self.expr(base);
                self.out.push_str(", ");
                self.expr(bytes);
                self.out.push(')');
            }
            Expr::Ghost(arg) => {
                self.out.push_str("ghost(");
                self.expr(arg);
                self.out.push(')');
            }
        }
    }

    fn access(&mut self, access: Access) {
        if access.order != Order::Plain {
            put!(self, " {}", access.order.word());
        }
        if access.volatile {
            self.out.push_str(" volatile");
        }
    }

    fn assign(&mut self, dst: LocalId) {
        self.local(dst);
        self.out.push_str(" = ");
    }

    fn call(&mut self, callee: &Callee, args: &[Expr]) {
        match callee {
            Callee::Direct(function) => self.function_name(*function),
            Callee::Indirect(expr) => {
                self.out.push('*');
                self.expr(expr);
            }
        }
        self.out.push('(');
        self.exprs(args);
        self.out.push(')');
    }

    /// A word and one expression.
    fn simple(&mut self, word: &str, expr: &Expr) {
        self.out.push_str(word);
        self.expr(expr);
    }

    /// A word and three expressions.
    fn triple(&mut self, word: &str, exprs: [&Expr; 3]) {
        self.out.push_str(word);
        for (index, expr) in exprs.into_iter().enumerate() {
            self.comma(index);
            self.expr(expr);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Skip => self.out.push_str("skip"),
            Stmt::Assign { dst, value } => {
                self.assign(*dst);
                self.expr(value);
            }
            Stmt::Havoc { dst, below } => {
                self.assign(*dst);
                self.out.push_str("havoc");
                if let Some(below) = below {
                    self.simple(" below ", below);
                }
            }
            Stmt::Assume(cond) => self.simple("assume ", cond),
            Stmt::Assert { cond, claim, is_defined } => {
                self.simple(if *is_defined { "assert defined " } else { "assert " }, cond);
                let (word, second) = claim.words();
                put!(self, ", {word} {}", second.as_deref().unwrap_or_default());
                match claim {
                    Claim::Asserted { text, .. } => self.string(text),
                    _ if second.is_none() => self.out.truncate(self.out.len() - 1),
                    _ => {}
                }
            }
            Stmt::Load { .. } | Stmt::Store { .. } | Stmt::Rmw { .. } | Stmt::CompareExchange { .. } => {
                self.access_stmt(stmt);
            }
            Stmt::Fence(order) => put!(self, "fence {}", order.word()),
            Stmt::Copy { dst, src, len, disjoint } => {
                self.triple(if *disjoint { "copy disjoint " } else { "copy " }, [dst, src, len]);
            }
            Stmt::Set { dst, byte, len } => self.triple("set ", [dst, byte, len]),
            Stmt::Alloc { dst, size, align, kind, zeroed, name } => {
                self.assign(*dst);
                put!(self, "alloc {} ", kind.word());
                self.expr(size);
                put!(self, " align {align}{} ", if *zeroed { " zeroed" } else { "" });
                self.string(name);
            }
            Stmt::Free { ptr } => self.simple("free ", ptr),
            Stmt::Expire { ptr } => self.simple("expire ", ptr),
            Stmt::Call { dsts, callee, args } => {
                for (index, &dst) in dsts.iter().enumerate() {
                    self.comma(index);
                    self.local(dst);
                }
                self.out.push_str(if dsts.is_empty() { "call " } else { " = call " });
                self.call(callee, args);
            }
            Stmt::Return(values) => {
                self.out.push_str(if values.is_empty() { "return" } else { "return " });
                self.exprs(values);
            }
            Stmt::NewThread { dst } => {
                self.assign(*dst);
                self.out.push_str("new_thread");
            }
            Stmt::Spawn { thread, callee, args } => {
                self.simple("spawn ", thread);
                self.out.push_str(", ");
                self.call(callee, args);
            }
            Stmt::Join { dst, thread } => {
                if let Some(dst) = dst {
                    self.assign(*dst);
                }
                self.simple("join ", thread);
            }
            Stmt::Detach { thread } => self.simple("detach ", thread),
            Stmt::ExitThread(value) => self.simple("exit_thread ", value),
            Stmt::Lock { ptr } => self.simple("lock ", ptr),
            Stmt::Unlock { ptr } => self.simple("unlock ", ptr),
            Stmt::Await { .. } => self.await_stmt(stmt),
            Stmt::AtomicBegin { is_fence } => self.region("atomic_begin", *is_fence),
            Stmt::AtomicEnd { is_fence } => self.region("atomic_end", *is_fence),
            Stmt::Exit => self.out.push_str("exit"),
            Stmt::Unmodelled(what) => {
                self.out.push_str("unmodelled ");
                match what {
                    Unmodelled::Call(name) => {
                        self.out.push_str("call ");
                        self.string(name);
                    }
                    Unmodelled::BytesWritten(object) => put!(self, "bytes-written {}", object.word()),
                    Unmodelled::BytesCopied(object) => put!(self, "bytes-copied {}", object.word()),
                    Unmodelled::Other(what) => self.string(what),
                }
            }
        }
    }

    /// One end of an atomic region.
    fn region(&mut self, word: &str, is_fence: bool) {
        self.out.push_str(word);
        if !is_fence {
            self.out.push_str(" relaxed");
        }
    }

    /// Accesses to one cell.
    fn access_stmt(&mut self, stmt: &Stmt) {
        if let Stmt::Load { dst, ty, ptr, access } = stmt {
            self.assign(*dst);
            put!(self, "load {ty} ");
            self.expr(ptr);
            self.access(*access);
        }
        if let Stmt::Store { ty, ptr, value, access } = stmt {
            put!(self, "store {ty} ");
            self.expr(ptr);
            self.simple(", ", value);
            self.access(*access);
        }
        if let Stmt::Rmw { dst, op, ty, ptr, value, order } = stmt {
            self.assign(*dst);
            put!(self, "rmw {} {ty} ", op.word());
            self.expr(ptr);
            self.simple(", ", value);
            put!(self, " {}", order.word());
        }
        if let Stmt::CompareExchange { old, success, ty, ptr, expected, desired, order, failure, weak } = stmt {
            self.local(*old);
            self.out.push_str(", ");
            self.assign(*success);
            put!(self, "cmpxchg {}{ty} ", if *weak { "weak " } else { "" });
            self.triple("", [ptr, expected, desired]);
            put!(self, " {} {}", order.word(), failure.word());
        }
    }

    fn await_stmt(&mut self, stmt: &Stmt) {
        if let Stmt::Await { dst, ty, ptr, ready, update, spurious, timeout, awaited } = stmt {
            self.assign(*dst);
            put!(self, "await {ty} ");
            self.expr(ptr);
            self.simple(" if ", ready);
            if let Some(update) = update {
                self.simple(" then ", update);
            }
            if let Some(spurious) = spurious {
                self.out.push_str(" spurious ");
                self.local(*spurious);
            }
            self.out.push_str(if *timeout { " timeout " } else { " " });
            match awaited {
                Awaited::Object(object) => self.out.push_str(object.word()),
                Awaited::Departure(object) => put!(self, "departure {}", object.word()),
            }
        }
    }
}
