//! Parses the text form of a program; the grammar is at the head of `print.rs`.
//!
//! Linear in the text. Accepts any text without panicking: expressions nest at most [`Expr::MAX_DEPTH`] deep, and a
//! function cannot declare many more locations than its edges touch, so the program takes memory proportional to its
//! text. A parsed program has names that resolve and types that exist; `validate` checks the rest.

use crate::claim::{Awaited, Claim, SyncObject, Unmodelled};
use crate::expr::{BinaryOp, CastOp, Expr, Type, UnaryOp};
pub use crate::lex::ParseError;
use crate::lex::{Lexer, Short, Token};
use crate::program::{
    DataModel, Edge, Function, FunctionId, Initial, LocId, Local, LocalId, Object, ObjectId, ObjectKind, Program,
    Relocation, Symbol,
};
use crate::stmt::{Access, AllocKind, Callee, Order, RmwOp, Stmt};
use base::{FileId, Id, IdVec, Span};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// The program that this text describes.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let symbols = declared_symbols(text)?;
    Parser::new(text, symbols)?.program()
}

type Result<T, E = ParseError> = std::result::Result<T, E>;

/// The first pass: which names are objects and which are functions. Both keywords occur nowhere else.
fn declared_symbols(text: &str) -> Result<FxHashMap<Cow<'_, str>, Symbol>> {
    let mut lexer = Lexer::new(text);
    let mut symbols = FxHashMap::default();
    let (mut objects, mut functions) = (0, 0);
    let mut previous = Token::End;
    loop {
        let token = lexer.next()?;
        let symbol = match (&previous, &token) {
            (_, Token::End) => return Ok(symbols),
            (Token::Word("object"), Token::Symbol(name)) => {
                objects += 1;
                Some((name, Symbol::Object(ObjectId::new(objects - 1))))
            }
            (Token::Word("function"), Token::Symbol(name)) => {
                functions += 1;
                Some((name, Symbol::Function(FunctionId::new(functions - 1))))
            }
            _ => None,
        };
        if let Some((name, symbol)) = symbol {
            if symbols.insert(name.clone(), symbol).is_some() {
                return Err(lexer.error_at(lexer.start(), format!("`@{}` is declared twice", Short(name))));
            }
        }
        previous = token;
    }
}

struct Parser<'t> {
    lexer: Lexer<'t>,
    /// The current token, and where it starts.
    token: Token<'t>,
    start: usize,
    symbols: FxHashMap<Cow<'t, str>, Symbol>,
    /// The locals of the current function.
    locals: IdVec<LocalId, Local>,
    local_ids: FxHashMap<Cow<'t, str>, LocalId>,
    /// The current nesting of expressions.
    depth: usize,
}

impl<'t> Parser<'t> {
    fn new(text: &'t str, symbols: FxHashMap<Cow<'t, str>, Symbol>) -> Result<Self> {
        let mut lexer = Lexer::new(text);
        let token = lexer.next()?;
        let start = lexer.start();
        let (locals, local_ids) = (IdVec::new(), FxHashMap::default());
        Ok(Parser { lexer, token, start, symbols, locals, local_ids, depth: 0 })
    }

    fn program(mut self) -> Result<Program> {
        self.expect_word("heddle-ir")?;
        self.expect_word("1")?;
        self.expect_word("data-model")?;
        let data_model = self.one_of("`ilp32` or `lp64`", DataModel::from_word)?;
        let mut files = IdVec::new();
        while self.take_word("file")? {
            let expected: FileId = files.next_id();
            let start = self.start;
            if self.file()? != expected {
                return Err(self.lexer.error_at(start, format!("expected `{expected}`: files are numbered in order")));
            }
            files.push(self.string()?);
        }
        self.expect_word("entry")?;
        let start = self.start;
        let Symbol::Function(entry) = self.symbol()? else {
            return Err(self.lexer.error_at(start, "the entry should be a function"));
        };
        let (mut objects, mut functions) = (IdVec::new(), IdVec::new());
        loop {
            if self.take_word("object")? {
                objects.push(self.object()?);
            } else if self.take_word("function")? {
                functions.push(self.function()?);
            } else if self.token == Token::End {
                let premises = BTreeSet::new();
                return Ok(Program { data_model, files, objects, functions, entry, premises });
            } else {
                return Err(self.expected("`object` or `function`"));
            }
        }
    }

    // Tokens.

    fn expected(&self, what: &str) -> ParseError {
        self.lexer.error_at(self.start, format!("expected {what}, found {}", self.token))
    }

    fn advance(&mut self) -> Result<Token<'t>> {
        let next = self.lexer.next()?;
        self.start = self.lexer.start();
        Ok(std::mem::replace(&mut self.token, next))
    }

    fn take_word(&mut self, word: &str) -> Result<bool> {
        let is_here = matches!(self.token, Token::Word(found) if found == word);
        if is_here {
            self.advance()?;
        }
        Ok(is_here)
    }

    fn expect_word(&mut self, word: &str) -> Result<()> {
        if self.take_word(word)? {
            Ok(())
        } else {
            Err(self.expected(&format!("`{word}`")))
        }
    }

    fn take(&mut self, punct: char) -> Result<bool> {
        let is_here = self.token == Token::Punct(punct);
        if is_here {
            self.advance()?;
        }
        Ok(is_here)
    }

    fn expect(&mut self, punct: char) -> Result<()> {
        if self.take(punct)? {
            Ok(())
        } else {
            Err(self.expected(&format!("`{punct}`")))
        }
    }

    /// A word accepted by `read`.
    fn one_of<T>(&mut self, what: &str, read: impl Fn(&str) -> Option<T>) -> Result<T> {
        match self.optional(read)? {
            Some(value) => Ok(value),
            None => Err(self.expected(what)),
        }
    }

    /// A word accepted by `read`, if there is one.
    fn optional<T>(&mut self, read: impl Fn(&str) -> Option<T>) -> Result<Option<T>> {
        let value = if let Token::Word(word) = self.token { read(word) } else { None };
        if value.is_some() {
            self.advance()?;
        }
        Ok(value)
    }

    fn number(&mut self) -> Result<u64> {
        self.one_of("a number", |word| digits(word)?.parse().ok())
    }

    fn small(&mut self) -> Result<u32> {
        self.one_of("a number below 2^32", |word| digits(word)?.parse().ok())
    }

    fn string(&mut self) -> Result<String> {
        match &self.token {
            Token::Str(_) => {}
            _ => return Err(self.expected("a string")),
        }
        match self.advance()? {
            Token::Str(text) => Ok(text.into_owned()),
            other => unreachable!("the token should still be a string, is {other}"),
        }
    }

    fn loc(&mut self) -> Result<LocId> {
        let number = self.one_of("a location", |word| digits(word.strip_prefix('l')?)?.parse::<u32>().ok())?;
        Ok(LocId::new(number as usize))
    }

    fn file(&mut self) -> Result<FileId> {
        let number = self.one_of("a file", |word| digits(word.strip_prefix('f')?)?.parse::<u32>().ok())?;
        Ok(FileId::new(number as usize))
    }

    fn ty(&mut self) -> Result<Type> {
        self.one_of("a type (`i1` to `i128`, `ptr`)", type_word)
    }

    fn span(&mut self) -> Result<Span> {
        if !self.take_word("at")? {
            return Ok(Span::unknown());
        }
        let file = self.file()?;
        self.expect(':')?;
        let line = self.small()?;
        self.expect(':')?;
        let column = self.small()?;
        Ok(Span { file, line, column })
    }

    fn symbol(&mut self) -> Result<Symbol> {
        let Token::Symbol(name) = &self.token else { return Err(self.expected("`@` and a name")) };
        match self.symbols.get(name) {
            Some(&symbol) => {
                self.advance()?;
                Ok(symbol)
            }
            None => Err(self.lexer.error_at(self.start, format!("`@{}` is not declared", Short(name)))),
        }
    }

    fn local(&mut self) -> Result<LocalId> {
        let Token::Local(name) = &self.token else { return Err(self.expected("`%` and a name")) };
        match self.local_ids.get(name) {
            Some(&local) => {
                self.advance()?;
                Ok(local)
            }
            None => Err(self.lexer.error_at(self.start, format!("`%{}` is not declared", Short(name)))),
        }
    }

    // Declarations.

    fn declared_name(&mut self) -> Result<String> {
        if !matches!(self.token, Token::Symbol(_)) {
            return Err(self.expected("`@` and a name"));
        }
        match self.advance()? {
            Token::Symbol(name) => Ok(name.into_owned()),
            other => unreachable!("the token should still be a symbol, is {other}"),
        }
    }

    fn object(&mut self) -> Result<Object> {
        let name = self.declared_name()?;
        self.expect_word("size")?;
        let size = self.number()?;
        self.expect_word("align")?;
        let align = self.number()?;
        let kind = self.one_of("`global`, `thread-local` or `constant`", ObjectKind::from_word)?;
        let is_hidden = self.take_word("hidden")?;
        let span = self.span()?;
        self.expect('=')?;
        let initial = self.initial()?;
        Ok(Object { name, size, align, kind, is_hidden, initial, span })
    }

    fn initial(&mut self) -> Result<Initial> {
        if self.take_word("arbitrary")? {
            return Ok(Initial::Arbitrary);
        }
        let bytes = if self.take_word("zero")? {
            Vec::new()
        } else {
            self.expect_word("bytes")?;
            self.one_of("an even number of hexadecimal digits", hex_bytes)?
        };
        let mut relocations = Vec::new();
        while self.take_word("reloc")? {
            let at = self.number()?;
            let symbol = self.symbol()?;
            let is_negative = self.take('-')?;
            if !is_negative {
                self.expect('+')?;
            }
            let start = self.start;
            let distance = i128::from(self.number()?);
            let offset = i64::try_from(if is_negative { -distance } else { distance })
                .map_err(|_| self.lexer.error_at(start, "the offset does not fit in 64 bits"))?;
            relocations.push(Relocation { at, symbol, offset });
        }
        Ok(Initial::Bytes { bytes, relocations })
    }

    fn declare_local(&mut self) -> Result<LocalId> {
        let start = self.start;
        if !matches!(self.token, Token::Local(_)) {
            return Err(self.expected("`%` and a name"));
        }
        let Token::Local(name) = self.advance()? else { unreachable!("the token should still be a local") };
        self.expect(':')?;
        let ty = self.ty()?;
        let id = self.locals.push(Local { name: name.clone().into_owned(), ty });
        if self.local_ids.contains_key(&name) {
            return Err(self.lexer.error_at(start, format!("`%{}` is declared twice", Short(&name))));
        }
        self.local_ids.insert(name, id);
        Ok(id)
    }

    fn function(&mut self) -> Result<Function> {
        self.locals = IdVec::new();
        self.local_ids.clear();
        let name = self.declared_name()?;
        let param_names = self.params()?;
        let mut returns = Vec::new();
        if self.token == Token::Arrow {
            self.advance()?;
            returns.push(self.ty()?);
            while self.take(',')? {
                returns.push(self.ty()?);
            }
        }
        let span = self.span()?;
        self.expect('{')?;
        while self.take_word("local")? {
            self.declare_local()?;
        }
        let mut params = Vec::with_capacity(param_names.len());
        for (start, param) in param_names {
            let undeclared = || self.lexer.error_at(start, format!("`%{}` is not declared", Short(&param)));
            params.push(*self.local_ids.get(&param).ok_or_else(undeclared)?);
        }
        self.expect_word("locs")?;
        let start = self.start;
        let locs = self.small()? as usize;
        self.expect_word("entry")?;
        let entry = self.loc()?;
        self.expect_word("exit")?;
        let exit = self.loc()?;
        let mut edges = IdVec::new();
        while !self.take('}')? {
            edges.push(self.edge()?);
        }
        if locs > Function::most_locs(edges.len()) {
            return Err(self.lexer.error_at(start, "the function has far more locations than its edges touch"));
        }
        let locals = std::mem::take(&mut self.locals);
        Ok(Function { name, params, returns, locals, locs, entry, exit, edges, span })
    }

    /// The names of the parameters and their positions; those with a type are declared.
    fn params(&mut self) -> Result<Vec<(usize, Cow<'t, str>)>> {
        self.expect('(')?;
        let mut names = Vec::new();
        while !self.take(')')? {
            if !names.is_empty() {
                self.expect(',')?;
            }
            let start = self.start;
            let Token::Local(name) = self.token.clone() else { return Err(self.expected("`%` and a name")) };
            let mut after = self.lexer.clone();
            if after.next()? == Token::Punct(':') {
                self.declare_local()?;
            } else {
                self.advance()?;
            }
            names.push((start, name));
        }
        Ok(names)
    }

    fn edge(&mut self) -> Result<Edge> {
        let from = self.loc()?;
        if self.token != Token::Arrow {
            return Err(self.expected("`->`"));
        }
        self.advance()?;
        let to = self.loc()?;
        self.expect(':')?;
        let stmt = self.stmt()?;
        let span = self.span()?;
        Ok(Edge { from, to, stmt, span })
    }

    // Statements.

    fn stmt(&mut self) -> Result<Stmt> {
        if matches!(self.token, Token::Local(_)) {
            return self.assignment();
        }
        let Token::Word(word) = self.token else { return Err(self.expected("a statement")) };
        let start = self.start;
        self.advance()?;
        Ok(match word {
            "skip" => Stmt::Skip,
            "assume" => Stmt::Assume(self.expr()?),
            "assert" => {
                let (is_defined, cond) = (self.take_word("defined")?, self.expr()?);
                self.expect(',')?;
                Stmt::Assert { cond, claim: self.claim()?, is_defined }
            }
            "store" => {
                let (ty, ptr) = (self.ty()?, self.expr()?);
                self.expect(',')?;
                Stmt::Store { ty, ptr, value: self.expr()?, access: self.access()? }
            }
            "fence" => Stmt::Fence(self.order()?),
            "copy" => {
                let disjoint = self.take_word("disjoint")?;
                let [dst, src, len] = self.three()?;
                Stmt::Copy { dst, src, len, disjoint }
            }
            "set" => {
                let [dst, byte, len] = self.three()?;
                Stmt::Set { dst, byte, len }
            }
            "free" => Stmt::Free { ptr: self.expr()? },
            "expire" => Stmt::Expire { ptr: self.expr()? },
            "call" => self.call(Vec::new())?,
            "return" => Stmt::Return(self.values()?),
            "spawn" => {
                let thread = self.expr()?;
                self.expect(',')?;
                Stmt::Spawn { thread, callee: self.callee()?, args: self.args()? }
            }
            "join" => Stmt::Join { dst: None, thread: self.expr()? },
            "detach" => Stmt::Detach { thread: self.expr()? },
            "exit_thread" => Stmt::ExitThread(self.expr()?),
            "lock" => Stmt::Lock { ptr: self.expr()? },
            "unlock" => Stmt::Unlock { ptr: self.expr()? },
            "atomic_begin" => Stmt::AtomicBegin { is_fence: !self.take_word("relaxed")? },
            "atomic_end" => Stmt::AtomicEnd { is_fence: !self.take_word("relaxed")? },
            "exit" => Stmt::Exit,
            "unmodelled" => Stmt::Unmodelled(self.unmodelled()?),
            _ => return Err(self.lexer.error_at(start, format!("unknown statement `{}`", Short(word)))),
        })
    }

    /// A statement that begins with the variables it changes.
    fn assignment(&mut self) -> Result<Stmt> {
        let dst = self.local()?;
        if self.token == Token::Punct(',') {
            return self.assignment_of_several(dst);
        }
        self.expect('=')?;
        let Token::Word(word) = self.token else { return Ok(Stmt::Assign { dst, value: self.expr()? }) };
        match word {
            "havoc" | "load" | "rmw" | "alloc" | "call" | "new_thread" | "join" | "await" => self.advance()?,
            _ => return Ok(Stmt::Assign { dst, value: self.expr()? }),
        };
        Ok(match word {
            "havoc" => {
                let below = if self.take_word("below")? { Some(self.expr()?) } else { None };
                Stmt::Havoc { dst, below }
            }
            "load" => Stmt::Load { dst, ty: self.ty()?, ptr: self.expr()?, access: self.access()? },
            "rmw" => {
                let op = self.one_of("the operation of a read-modify-write", RmwOp::from_word)?;
                let (ty, ptr) = (self.ty()?, self.expr()?);
                self.expect(',')?;
                Stmt::Rmw { dst, op, ty, ptr, value: self.expr()?, order: self.order()? }
            }
            "alloc" => {
                let kind = self.one_of("`stack` or `heap`", AllocKind::from_word)?;
                let size = self.expr()?;
                self.expect_word("align")?;
                let (align, zeroed) = (self.number()?, self.take_word("zeroed")?);
                Stmt::Alloc { dst, size, align, kind, zeroed, name: self.string()? }
            }
            "call" => self.call(vec![dst])?,
            "new_thread" => Stmt::NewThread { dst },
            "join" => Stmt::Join { dst: Some(dst), thread: self.expr()? },
            _ => self.await_stmt(dst)?,
        })
    }

    fn assignment_of_several(&mut self, first: LocalId) -> Result<Stmt> {
        let mut dsts = vec![first];
        while self.take(',')? {
            dsts.push(self.local()?);
        }
        self.expect('=')?;
        if self.take_word("call")? {
            return self.call(dsts);
        }
        let &[old, success] = dsts.as_slice() else { return Err(self.expected("`call`")) };
        if !self.take_word("cmpxchg")? {
            return Err(self.expected("`call` or `cmpxchg`"));
        }
        let (weak, ty) = (self.take_word("weak")?, self.ty()?);
        let [ptr, expected, desired] = self.three()?;
        let (order, failure) = (self.order()?, self.order()?);
        Ok(Stmt::CompareExchange { old, success, ty, ptr, expected, desired, order, failure, weak })
    }

    fn await_stmt(&mut self, dst: LocalId) -> Result<Stmt> {
        let (ty, ptr) = (self.ty()?, self.expr()?);
        self.expect_word("if")?;
        let ready = self.expr()?;
        let update = if self.take_word("then")? { Some(self.expr()?) } else { None };
        let spurious = if self.take_word("spurious")? { Some(self.local()?) } else { None };
        let timeout = self.take_word("timeout")?;
        let object = if self.take_word("departure")? { Awaited::Departure } else { Awaited::Object };
        Ok(Stmt::Await { dst, ty, ptr, ready, update, spurious, timeout, awaited: object(self.sync_object()?) })
    }

    fn sync_object(&mut self) -> Result<SyncObject> {
        self.one_of("an object that threads synchronise by", SyncObject::from_word)
    }

    /// The claim of an assertion.
    fn claim(&mut self) -> Result<Claim> {
        for (word, is_library) in [("asserted", true), ("checked", false)] {
            if self.take_word(word)? {
                return Ok(Claim::Asserted { text: self.string()?, is_library });
            }
        }
        if let Some(claim) = self.optional(|word| Claim::from_words(word, None))? {
            return Ok(claim);
        }
        let Token::Word(word) = self.token else { return Err(self.expected("a claim")) };
        self.advance()?;
        self.one_of("what the claim is about", |second| Claim::from_words(word, Some(second)))
    }

    fn unmodelled(&mut self) -> Result<Unmodelled> {
        Ok(if self.take_word("call")? {
            Unmodelled::Call(self.string()?)
        } else if self.take_word("bytes-written")? {
            Unmodelled::BytesWritten(self.sync_object()?)
        } else if self.take_word("bytes-copied")? {
            Unmodelled::BytesCopied(self.sync_object()?)
        } else {
            Unmodelled::Other(self.string()?)
        })
    }

    fn call(&mut self, dsts: Vec<LocalId>) -> Result<Stmt> {
        Ok(Stmt::Call { dsts, callee: self.callee()?, args: self.args()? })
    }

    fn callee(&mut self) -> Result<Callee> {
        if self.take('*')? {
            return Ok(Callee::Indirect(self.expr()?));
        }
        let start = self.start;
        match self.symbol()? {
            Symbol::Function(function) => Ok(Callee::Direct(function)),
            Symbol::Object(_) => Err(self.lexer.error_at(start, "an object cannot be called")),
        }
    }

    fn args(&mut self) -> Result<Vec<Expr>> {
        self.expect('(')?;
        let mut args = Vec::new();
        while !self.take(')')? {
            if !args.is_empty() {
                self.expect(',')?;
            }
            args.push(self.expr()?);
        }
        Ok(args)
    }

    /// Expressions up to the end of the statement.
    fn values(&mut self) -> Result<Vec<Expr>> {
        let is_value = match self.token {
            Token::Local(_) | Token::Symbol(_) => true,
            Token::Word(word) => {
                digits(word).is_some()
                    || matches!(word, "null" | "self" | "select" | "offset" | "ghost")
                    || operation(word).is_some()
            }
            Token::Str(_) | Token::Punct(_) | Token::Arrow | Token::End => false,
        };
        let mut values = Vec::new();
        if is_value {
            values.push(self.expr()?);
            while self.take(',')? {
                values.push(self.expr()?);
            }
        }
        Ok(values)
    }

    fn three(&mut self) -> Result<[Expr; 3]> {
        let first = self.expr()?;
        self.expect(',')?;
        let second = self.expr()?;
        self.expect(',')?;
        Ok([first, second, self.expr()?])
    }

    fn order(&mut self) -> Result<Order> {
        self.one_of("a memory order", Order::from_word)
    }

    fn access(&mut self) -> Result<Access> {
        let order = self.optional(Order::from_word)?.unwrap_or(Order::Plain);
        Ok(Access { order, volatile: self.take_word("volatile")? })
    }

    // Expressions.

    fn expr(&mut self) -> Result<Expr> {
        if self.depth == Expr::MAX_DEPTH {
            return Err(self.lexer.error_at(self.start, "the expression is nested too deeply"));
        }
        self.depth += 1;
        let expr = self.expr_inside();
        self.depth -= 1;
        expr
    }

    fn expr_inside(&mut self) -> Result<Expr> {
        let word = match self.token {
            Token::Local(_) => return Ok(Expr::Local(self.local()?)),
            Token::Symbol(_) => {
                return Ok(match self.symbol()? {
                    Symbol::Object(object) => Expr::Object(object),
                    Symbol::Function(function) => Expr::Function(function),
                })
            }
            Token::Word(word) => word,
            Token::Str(_) | Token::Punct(_) | Token::Arrow | Token::End => return Err(self.expected("an expression")),
        };
        let start = self.start;
        if digits(word).is_some() {
            return self.constant(word);
        }
        self.advance()?;
        match word {
            "null" => Ok(Expr::Null),
            "self" => Ok(Expr::SelfThread),
            "select" => {
                self.expect('(')?;
                let [cond, then, otherwise] = self.three()?;
                self.expect(')')?;
                Ok(Expr::select(cond, then, otherwise))
            }
            "offset" => {
                let (base, bytes) = self.two_in_parentheses()?;
                Ok(Expr::offset(base, bytes))
            }
            "ghost" => Ok(Expr::Ghost(Box::new(self.one_in_parentheses()?))),
            _ => match operation(word) {
                Some(operation) => self.operation(operation),
                None => Err(self.lexer.error_at(start, format!("unknown operation `{}`", Short(word)))),
            },
        }
    }

    fn operation(&mut self, operation: Operation) -> Result<Expr> {
        self.expect(':')?;
        let ty = self.ty()?;
        match operation {
            Operation::Unary(op) => Ok(Expr::unary(op, ty, self.one_in_parentheses()?)),
            Operation::Binary(op) => {
                let (lhs, rhs) = self.two_in_parentheses()?;
                Ok(Expr::binary(op, ty, lhs, rhs))
            }
            Operation::Cast(op) => {
                self.expect(':')?;
                let to = self.ty()?;
                Ok(Expr::cast(op, ty, to, self.one_in_parentheses()?))
            }
        }
    }

    fn one_in_parentheses(&mut self) -> Result<Expr> {
        self.expect('(')?;
        let arg = self.expr()?;
        self.expect(')')?;
        Ok(arg)
    }

    fn two_in_parentheses(&mut self) -> Result<(Expr, Expr)> {
        self.expect('(')?;
        let lhs = self.expr()?;
        self.expect(',')?;
        let rhs = self.expr()?;
        self.expect(')')?;
        Ok((lhs, rhs))
    }

    fn constant(&mut self, digits: &str) -> Result<Expr> {
        let start = self.start;
        let too_large = || format!("`{}` does not fit its type", Short(digits));
        self.advance()?;
        self.expect(':')?;
        let Type::Int(width) = self.ty()? else {
            return Err(self.lexer.error_at(start, "a pointer constant is written `null`"));
        };
        match digits.parse::<u128>() {
            Ok(value) if value <= crate::arith::mask(width) => Ok(Expr::Int { width, value }),
            _ => Err(self.lexer.error_at(start, too_large())),
        }
    }
}

enum Operation {
    Unary(UnaryOp),
    Binary(BinaryOp),
    Cast(CastOp),
}

fn operation(word: &str) -> Option<Operation> {
    BinaryOp::from_word(word)
        .map(Operation::Binary)
        .or_else(|| CastOp::from_word(word).map(Operation::Cast))
        .or_else(|| UnaryOp::from_word(word).map(Operation::Unary))
}

fn type_word(word: &str) -> Option<Type> {
    if word == "ptr" {
        return Some(Type::Ptr);
    }
    let width = digits(word.strip_prefix('i')?)?.parse().ok()?;
    (1..=128).contains(&width).then_some(Type::Int(width))
}

/// The word, if it consists of decimal digits: Rust's own number parser would also take a sign.
fn digits(word: &str) -> Option<&str> {
    (!word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())).then_some(word)
}

fn hex_bytes(word: &str) -> Option<Vec<u8>> {
    let half = |digit: u8| char::from(digit).to_digit(16).map(|value| value as u8);
    let pairs = word.as_bytes().chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs.map(|pair| Some(half(pair[0])? << 4 | half(pair[1])?)).collect()
}
