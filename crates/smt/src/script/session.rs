//! Commands of scripts: their effects and their output.

use super::lexer::{Lexer, ScriptError, Token};
use super::operators;
use super::options::Options;
use super::sorts::Sorts;
use super::terms::{Builder, Meaning};
use super::tree::{Expr, Tree};
use crate::certificate::Uncertified;
use crate::sat::Answer;
use crate::solver::Solver;
use crate::term::{print, Sort, Term, Terms};
use base::{Budget, Stop};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// Maximum number of levels: each takes memory.
const MAX_LEVELS: usize = 1 << 20;

/// The result of the last check.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Outcome {
    None,
    Answered(Answer),
    Stopped(Stop),
}

/// The additions of a level, undone by `pop`.
#[derive(Default)]
struct Level {
    names: Vec<String>,
    sorts: Vec<String>,
    assertions: usize,
}

/// Whether the script continues.
enum Next {
    Command,
    End,
}

/// Runs scripts. Declarations persist from one call of [`Session::run`] to the next.
///
/// ```
/// let mut output = String::new();
/// let script = "(declare-const x (_ BitVec 8))(assert (= (bvmul x x) #x09))(assert (bvult x #x05))(check-sat)
///               (get-value (x (bvneg x)))";
/// let budget = base::Budget::unlimited();
/// smt::script::Session::new().run(script, &budget, &mut |text| output.push_str(text))?;
/// assert_eq!(output, "sat\n((x #x03) ((bvneg x) #xfd))\n");
/// # Ok::<(), smt::script::ScriptError>(())
/// ```
pub struct Session {
    terms: Terms,
    pub(super) solver: Solver,
    names: FxHashMap<String, Meaning>,
    sorts: Sorts,
    /// The declared constants, in order: the domain of models.
    declared: Vec<(String, Term)>,
    /// The first level is below all pushes.
    levels: Vec<Level>,
    pub(super) logic: Option<String>,
    pub(super) outcome: Outcome,
    /// The assumptions of the last check, with their text.
    assumed: Vec<(Term, String)>,
    /// Their text, if `:produce-assertions` is on.
    assertions: Vec<String>,
    pub(super) options: Options,
}

impl Default for Session {
    fn default() -> Self {
        Session::new()
    }
}

impl Session {
    /// A session without declarations and assertions.
    pub fn new() -> Session {
        Session::over(Solver::new())
    }

    /// Like [`Session::new`], with a solver that can prove its `unsat` answers: see [`Session::certify`].
    pub fn with_certificates() -> Session {
        Session::over(Solver::with_certificates())
    }

    fn over(solver: Solver) -> Session {
        Session {
            terms: Terms::new(),
            solver,
            names: FxHashMap::default(),
            sorts: Sorts::default(),
            declared: Vec::new(),
            levels: vec![Level::default()],
            logic: None,
            outcome: Outcome::None,
            assumed: Vec::new(),
            assertions: Vec::new(),
            options: Options::default(),
        }
    }

    /// Runs the commands of a script and passes their output to `emit`, command by command. When the budget is
    /// exhausted, checks answer `unknown`.
    pub fn run(&mut self, script: &str, budget: &Budget, emit: &mut dyn FnMut(&str)) -> Result<(), ScriptError> {
        let mut lexer = Lexer::new(script);
        let mut tree = Tree::default();
        while let Some(expr) = tree.read(&mut lexer)? {
            let mut output = String::new();
            let next = Command { session: self, tree: &tree, expr, budget, output: &mut output }.run()?;
            if output.is_empty() && self.options.prints_success {
                output.push_str("success\n");
            }
            if !output.is_empty() {
                emit(&output);
            }
            if let Next::End = next {
                break;
            }
        }
        Ok(())
    }

    /// Checks the proof of the last check, if that answered `unsat`: see [`Solver::certify`].
    pub fn certify(&mut self, budget: &Budget) -> Result<(), Uncertified> {
        assert!(self.outcome == Outcome::Answered(Answer::Unsat), "there should be an answer to certify");
        self.solver.certify(&mut self.terms, budget)
    }

    /// The current assertions, for use outside the script.
    pub fn formula(&mut self) -> (&mut Terms, Vec<Term>) {
        let assertions = self.solver.assertions().collect();
        (&mut self.terms, assertions)
    }

    fn has_name(&self, name: &str) -> bool {
        self.names.contains_key(name) || operators::is_theory_symbol(name)
    }

    fn declare(&mut self, name: &str, meaning: Meaning) {
        self.names.insert(name.to_owned(), meaning);
        if !self.options.has_global_declarations {
            self.levels.last_mut().expect("there should be a level").names.push(name.to_owned());
        }
    }

    fn push(&mut self) {
        self.solver.push();
        self.levels.push(Level { assertions: self.assertions.len(), ..Level::default() });
    }

    fn pop(&mut self) {
        self.solver.pop();
        let level = self.levels.pop().expect("there should be a level to pop");
        self.assertions.truncate(level.assertions);
        for name in &level.names {
            self.names.remove(name);
        }
        for name in &level.sorts {
            self.sorts.remove(name);
        }
        let names = &self.names;
        self.declared.retain(|(name, _)| names.contains_key(name));
    }

    /// Forgets everything.
    fn reset(&mut self) -> Session {
        let fresh =
            Session::over(if self.solver.has_certificates() { Solver::with_certificates() } else { Solver::new() });
        std::mem::replace(self, fresh)
    }

    /// Forgets assertions and, unless they are global, declarations.
    fn reset_assertions(&mut self) {
        let old = self.reset();
        if old.options.has_global_declarations {
            self.terms = old.terms;
            self.names = old.names;
            self.sorts = old.sorts;
            self.declared = old.declared;
        }
        self.logic = old.logic;
        self.options = old.options;
    }
}

/// One command.
pub(super) struct Command<'a, 't> {
    pub(super) session: &'a mut Session,
    pub(super) tree: &'a Tree<'t>,
    pub(super) expr: Expr,
    budget: &'a Budget,
    pub(super) output: &'a mut String,
}

impl<'a, 't> Command<'a, 't> {
    fn run(&mut self) -> Result<Next, ScriptError> {
        let tree = self.tree;
        let Some((&head, args)) = tree.list(self.expr).and_then(|list| list.split_first()) else {
            return tree.error(self.expr, "a command should stand here");
        };
        let Some(name) = tree.word(head) else { return tree.error(head, "the name of a command should stand here") };
        match name {
            "assert" => self.assert(self.one(args)?)?,
            "check-sat" => {
                self.none(args)?;
                self.check(&[])?;
            }
            "check-sat-assuming" => {
                let assumptions = self.list(self.one(args)?)?;
                self.check(assumptions)?;
            }
            "declare-const" | "declare-fun" => self.declare(name, args)?,
            "declare-sort" | "declare-datatype" | "declare-datatypes" | "define-fun-rec" | "define-funs-rec"
            | "get-assignment" | "get-proof" | "get-unsat-core" => {
                return tree.error(head, format!("the command `{name}` is not supported"));
            }
            "define-const" | "define-fun" => self.define(name, args)?,
            "define-sort" => self.define_sort(args)?,
            "echo" => self.echo(self.one(args)?)?,
            "exit" => {
                self.none(args)?;
                return Ok(Next::End);
            }
            "get-assertions" => self.get_assertions(args)?,
            "get-info" => self.get_info(self.one(args)?)?,
            "get-model" => self.get_model(args)?,
            "get-option" => self.get_option(self.one(args)?)?,
            "get-unsat-assumptions" => self.get_unsat_assumptions(args)?,
            "get-value" => self.get_value(self.one(args)?)?,
            "pop" | "push" => self.change_levels(name, args)?,
            "reset" => {
                self.none(args)?;
                self.session.reset();
            }
            "reset-assertions" => {
                self.none(args)?;
                self.session.reset_assertions();
            }
            "set-info" => self.set_info(args)?,
            "set-logic" => self.set_logic(self.one(args)?)?,
            "set-option" => self.set_option(args)?,
            _ => return tree.error(head, format!("there is no command `{name}`")),
        }
        Ok(Next::Command)
    }

    pub(super) fn wrong_shape<T>(&self, usage: &str) -> Result<T, ScriptError> {
        self.tree.error(self.expr, format!("this command is written {usage}"))
    }

    fn one(&self, args: &[Expr]) -> Result<Expr, ScriptError> {
        match args {
            &[arg] => Ok(arg),
            _ => self.wrong_shape("with one argument"),
        }
    }

    fn none(&self, args: &[Expr]) -> Result<(), ScriptError> {
        match args {
            [] => Ok(()),
            _ => self.wrong_shape("without arguments"),
        }
    }

    fn list(&self, expr: Expr) -> Result<&'a [Expr], ScriptError> {
        match self.tree.list(expr) {
            Some(list) => Ok(list),
            None => self.tree.error(expr, "a list in parentheses should stand here"),
        }
    }

    pub(super) fn keyword(&self, expr: Expr) -> Result<&'t str, ScriptError> {
        match self.tree.atom(expr) {
            Some(Token::Keyword(name)) => Ok(name),
            _ => self.tree.error(expr, "a keyword should stand here"),
        }
    }

    /// A name that is still free.
    fn new_name(&self, expr: Expr) -> Result<&'t str, ScriptError> {
        match self.tree.symbol(expr) {
            None => self.tree.error(expr, "a name should stand here"),
            Some(name) if self.session.has_name(name) => {
                self.tree.error(expr, format!("the name `{name}` is already taken"))
            }
            Some(name) => Ok(name),
        }
    }

    fn sort(&self, expr: Expr) -> Result<Sort, ScriptError> {
        self.session.sorts.read(self.tree, expr)
    }

    /// Builds terms, then declares the names given by annotations.
    fn build<T>(
        &mut self,
        build: impl FnOnce(&mut Builder<'_, 't>) -> Result<T, ScriptError>,
    ) -> Result<T, ScriptError> {
        let Session { terms, names, sorts, .. } = &mut *self.session;
        let mut builder = Builder::new(self.tree, terms, sorts, names);
        let result = build(&mut builder)?;
        for (name, place, term) in builder.named {
            if self.session.has_name(name) {
                return self.tree.error(place, format!("the name `{name}` is already taken"));
            }
            self.session.declare(name, Meaning::Constant(term));
        }
        Ok(result)
    }

    fn assert(&mut self, expr: Expr) -> Result<(), ScriptError> {
        let term = self.build(|builder| builder.term(expr, Some(Sort::Bool)))?;
        let session = &mut *self.session;
        session.outcome = Outcome::None;
        session.solver.assert(&mut session.terms, term);
        if session.options.keeps_assertions {
            session.assertions.push(self.tree.text(expr));
        }
        Ok(())
    }

    fn check(&mut self, assumptions: &[Expr]) -> Result<(), ScriptError> {
        let terms: Vec<Term> =
            self.build(|builder| assumptions.iter().map(|&expr| builder.term(expr, Some(Sort::Bool))).collect())?;
        let session = &mut *self.session;
        session.assumed = terms.iter().copied().zip(assumptions.iter().map(|&expr| self.tree.text(expr))).collect();
        let answer = session.solver.check(&mut session.terms, &terms, self.budget);
        session.outcome = answer.map_or_else(Outcome::Stopped, Outcome::Answered);
        self.output.push_str(match answer {
            Ok(Answer::Sat) => "sat\n",
            Ok(Answer::Unsat) => "unsat\n",
            Err(_) => "unknown\n",
        });
        Ok(())
    }

    fn declare(&mut self, command: &str, args: &[Expr]) -> Result<(), ScriptError> {
        let (name, sort) = match (command, args) {
            ("declare-const", &[name, sort]) => (name, sort),
            ("declare-fun", &[name, parameters, sort]) => {
                if !self.list(parameters)?.is_empty() {
                    let message = "functions with arguments can be defined, but declaring them is not supported";
                    return self.tree.error(parameters, message);
                }
                (name, sort)
            }
            ("declare-const", _) => return self.wrong_shape("(declare-const NAME SORT)"),
            _ => return self.wrong_shape("(declare-fun NAME () SORT)"),
        };
        let (name, sort) = (self.new_name(name)?, self.sort(sort)?);
        let variable = self.session.terms.variable(name, sort);
        self.session.declare(name, Meaning::Constant(variable));
        self.session.declared.push((name.to_owned(), variable));
        Ok(())
    }

    fn define(&mut self, command: &str, args: &[Expr]) -> Result<(), ScriptError> {
        let (name, parameters, sort, body) = match (command, args) {
            ("define-const", &[name, sort, body]) => (name, &[][..], sort, body),
            ("define-fun", &[name, parameters, sort, body]) => (name, self.list(parameters)?, sort, body),
            ("define-const", _) => return self.wrong_shape("(define-const NAME SORT TERM)"),
            _ => return self.wrong_shape("(define-fun NAME ((NAME SORT)...) SORT TERM)"),
        };
        let (name, sort) = (self.new_name(name)?, self.sort(sort)?);
        let mut variables: Vec<(&'t str, Term)> = Vec::new();
        for &parameter in parameters {
            let (Some(&[parameter_name, parameter_sort]), place) = (self.tree.list(parameter), parameter) else {
                return self.tree.error(parameter, "a parameter is a name and a sort");
            };
            let Some(symbol) = self.tree.symbol(parameter_name) else {
                return self.tree.error(parameter_name, "a name should stand here");
            };
            if variables.iter().any(|(other, _)| *other == symbol) {
                return self.tree.error(place, format!("there are two parameters `{symbol}`"));
            }
            let parameter_sort = self.sort(parameter_sort)?;
            variables.push((symbol, self.session.terms.variable(symbol, parameter_sort)));
        }
        let body = self.build(|builder| {
            for &(symbol, variable) in &variables {
                builder.bind(symbol, variable);
            }
            let term = builder.term(body, Some(sort))?;
            builder.require_names_without(&variables)?;
            Ok(term)
        })?;
        let meaning = if variables.is_empty() {
            Meaning::Constant(body)
        } else {
            Meaning::Macro { parameters: variables.into_iter().map(|(_, variable)| variable).collect(), body }
        };
        self.session.declare(name, meaning);
        Ok(())
    }

    fn define_sort(&mut self, args: &[Expr]) -> Result<(), ScriptError> {
        let &[name, parameters, body] = args else { return self.wrong_shape("(define-sort NAME (NAME...) SORT)") };
        let Some(symbol) = self.tree.symbol(name) else { return self.tree.error(name, "a name should stand here") };
        if self.session.sorts.has(symbol) {
            return self.tree.error(name, format!("the sort `{symbol}` exists already"));
        }
        let mut names = Vec::new();
        for &parameter in self.list(parameters)? {
            match self.tree.symbol(parameter) {
                Some(name) => names.push(name),
                None => return self.tree.error(parameter, "a name should stand here"),
            }
        }
        self.session.sorts.define(self.tree, symbol, &names, body)?;
        if !self.session.options.has_global_declarations {
            self.session.levels.last_mut().expect("there should be a level").sorts.push(symbol.to_owned());
        }
        Ok(())
    }

    fn echo(&mut self, expr: Expr) -> Result<(), ScriptError> {
        match self.tree.atom(expr) {
            Some(token @ Token::String(_)) => {
                let _ = writeln!(self.output, "{token}");
                Ok(())
            }
            _ => self.tree.error(expr, "a string should stand here"),
        }
    }

    fn change_levels(&mut self, command: &str, args: &[Expr]) -> Result<(), ScriptError> {
        let count = match args {
            [] => Some(1),
            &[count] => self.tree.number(count),
            _ => None,
        };
        let Some(count) = count else { return self.wrong_shape(&format!("({command} NUMBER)")) };
        let (count, depth) = (count as usize, self.session.solver.depth());
        if command == "push" && depth + count > MAX_LEVELS {
            return self.tree.error(self.expr, format!("more than {MAX_LEVELS} levels are not supported"));
        }
        if command == "pop" && count > depth {
            return self.tree.error(self.expr, format!("there are only {depth} levels to pop"));
        }
        for _ in 0..count {
            self.session.outcome = Outcome::None;
            if command == "push" {
                self.session.push();
            } else {
                self.session.pop();
            }
        }
        Ok(())
    }

    /// Fails unless there is a model.
    fn require_model(&self) -> Result<(), ScriptError> {
        match self.session.outcome {
            Outcome::Answered(Answer::Sat) => Ok(()),
            _ => self.tree.error(self.expr, "there is no model: the last command that could give one was not `sat`"),
        }
    }

    fn get_model(&mut self, args: &[Expr]) -> Result<(), ScriptError> {
        self.none(args)?;
        self.require_model()?;
        let session = &mut *self.session;
        self.output.push_str("(\n");
        for (name, variable) in &session.declared {
            let (sort, name) = (session.terms.sort(*variable), print::symbol(name));
            let value = session.solver.value(&session.terms, *variable);
            let _ = writeln!(self.output, "  (define-fun {name} () {sort} {value})");
        }
        self.output.push_str(")\n");
        Ok(())
    }

    fn get_value(&mut self, expr: Expr) -> Result<(), ScriptError> {
        let exprs = self.list(expr)?;
        if exprs.is_empty() {
            return self.tree.error(expr, "`get-value` takes one or more terms");
        }
        self.require_model()?;
        let tree = self.tree;
        let mut parts = Vec::new();
        for &expr in exprs {
            let term = self.build(|builder| builder.term(expr, None))?;
            let session = &mut *self.session;
            parts.push(format!("({} {})", tree.text(expr), session.solver.value(&session.terms, term)));
        }
        let _ = writeln!(self.output, "({})", parts.join(" "));
        Ok(())
    }

    fn get_assertions(&mut self, args: &[Expr]) -> Result<(), ScriptError> {
        self.none(args)?;
        if !self.session.options.keeps_assertions {
            return self.tree.error(self.expr, "`get-assertions` needs (set-option :produce-assertions true)");
        }
        let _ = writeln!(self.output, "({})", self.session.assertions.join("\n "));
        Ok(())
    }

    fn get_unsat_assumptions(&mut self, args: &[Expr]) -> Result<(), ScriptError> {
        self.none(args)?;
        if self.session.outcome != Outcome::Answered(Answer::Unsat) {
            return self.tree.error(self.expr, "there is no core: no check has answered `unsat` since the last change");
        }
        let mut core = self.session.solver.core().to_vec();
        let mut parts: Vec<&str> = Vec::new();
        for (term, text) in &self.session.assumed {
            if core.contains(term) {
                core.retain(|other| other != term);
                parts.push(text);
            }
        }
        let _ = writeln!(self.output, "({})", parts.join(" "));
        Ok(())
    }
}
