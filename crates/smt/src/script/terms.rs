//! Terms of scripts, built without recursion: they can nest deeper than the stack.

use super::lexer::{ScriptError, Token};
use super::operators::{self, GREATEST_WIDTH};
use super::sorts::Sorts;
use super::tree::{Expr, Tree};
use crate::term::{Bits, Sort, Substitution, Term, Terms};
use rustc_hash::FxHashMap;

/// The meaning of a name.
#[derive(Clone)]
pub(super) enum Meaning {
    Constant(Term),
    /// A defined function: its parameters are variables of the body.
    Macro {
        parameters: Vec<Term>,
        body: Term,
    },
}

/// Pending work, the last step first.
enum Step<'a> {
    Visit(Expr),
    /// The arguments are built.
    Apply(Expr),
    /// The values of a `let` are built: bind the names to them.
    Bind(&'a [Expr]),
    /// This many names go out of scope.
    Unbind(usize),
    /// The term of an annotation is built.
    Annotate(Expr),
}

/// Builds the terms of one command.
pub(super) struct Builder<'a, 't> {
    pub(super) tree: &'a Tree<'t>,
    pub(super) terms: &'a mut Terms,
    pub(super) sorts: &'a Sorts,
    pub(super) names: &'a FxHashMap<String, Meaning>,
    /// Names bound by `let` and parameters, the innermost binding last.
    locals: FxHashMap<&'t str, Vec<Term>>,
    bound: Vec<&'t str>,
    /// Names given by annotations, to be declared with the command.
    pub(super) named: Vec<(&'t str, Expr, Term)>,
}

impl<'a, 't> Builder<'a, 't> {
    pub(super) fn new(
        tree: &'a Tree<'t>,
        terms: &'a mut Terms,
        sorts: &'a Sorts,
        names: &'a FxHashMap<String, Meaning>,
    ) -> Builder<'a, 't> {
        Builder { tree, terms, sorts, names, locals: FxHashMap::default(), bound: Vec::new(), named: Vec::new() }
    }

    /// Binds a name, shadowing earlier bindings.
    pub(super) fn bind(&mut self, name: &'t str, term: Term) {
        self.locals.entry(name).or_default().push(term);
        self.bound.push(name);
    }

    fn unbind(&mut self, count: usize) {
        for name in self.bound.split_off(self.bound.len() - count) {
            self.locals.get_mut(name).expect("a bound name should have a meaning").pop();
        }
    }

    /// The term of an expression, which must have this sort if one is given.
    pub(super) fn term(&mut self, expr: Expr, sort: Option<Sort>) -> Result<Term, ScriptError> {
        let tree = self.tree;
        let mut values: Vec<Term> = Vec::new();
        let mut steps = vec![Step::Visit(expr)];
        while let Some(step) = steps.pop() {
            match step {
                Step::Visit(expr) => match tree.list(expr) {
                    None => values.push(self.atom(expr)?),
                    Some(list) => self.visit_list(expr, list, &mut steps, &mut values)?,
                },
                Step::Apply(expr) => {
                    let parts = tree.list(expr).unwrap_or_default();
                    let args = values.split_off(values.len() + 1 - parts.len());
                    values.push(self.apply(parts, &args)?);
                }
                Step::Bind(bindings) => {
                    let bound = values.split_off(values.len() - bindings.len());
                    for (&binding, term) in bindings.iter().zip(bound) {
                        self.bind(self.binding(binding)?.0, term);
                    }
                }
                Step::Unbind(count) => self.unbind(count),
                Step::Annotate(expr) => self.annotate(expr, *values.last().expect("the term should be done"))?,
            }
        }
        let term = values.pop().expect("an expression should give a term");
        let found = self.terms.sort(term);
        match sort {
            Some(sort) if sort != found => {
                tree.error(expr, format!("a term of sort {sort} should stand here, not of {found}"))
            }
            _ => Ok(term),
        }
    }

    /// Pushes the steps for a list.
    fn visit_list(
        &mut self,
        expr: Expr,
        list: &'a [Expr],
        steps: &mut Vec<Step<'a>>,
        values: &mut Vec<Term>,
    ) -> Result<(), ScriptError> {
        let tree = self.tree;
        let Some((&head, rest)) = list.split_first() else { return tree.error(expr, "a term should stand here") };
        match tree.word(head) {
            Some("let") => {
                let &[bindings, body] = rest else { return tree.error(expr, "`let` takes bindings and a term") };
                let bindings = tree.list(bindings).filter(|bindings| !bindings.is_empty());
                let Some(bindings) = bindings else { return tree.error(expr, "`let` takes a list of bindings") };
                steps.push(Step::Unbind(bindings.len()));
                steps.push(Step::Visit(body));
                steps.push(Step::Bind(bindings));
                let mut seen = rustc_hash::FxHashSet::default();
                let mut visits = Vec::with_capacity(bindings.len());
                for &binding in bindings {
                    let (name, value) = self.binding(binding)?;
                    if !seen.insert(name) {
                        return tree.error(binding, format!("`{name}` is bound twice by one `let`"));
                    }
                    visits.push(Step::Visit(value));
                }
                steps.extend(visits.into_iter().rev());
            }
            Some("!") => {
                let Some(&term) = rest.first() else { return tree.error(expr, "`!` takes a term and attributes") };
                steps.push(Step::Annotate(expr));
                steps.push(Step::Visit(term));
            }
            Some("_") => values.push(self.numbered(expr, rest)?),
            Some("as") => values.push(self.qualified(expr, rest)?),
            Some(word @ ("forall" | "exists" | "lambda" | "match" | "par")) => {
                return tree.error(head, format!("`{word}` is not supported: formulas are free of quantifiers"));
            }
            _ if rest.is_empty() => return tree.error(expr, "an application without arguments"),
            _ => {
                steps.push(Step::Apply(expr));
                steps.extend(rest.iter().rev().map(|&arg| Step::Visit(arg)));
            }
        }
        Ok(())
    }

    /// The name and the value of a binding.
    fn binding(&self, binding: Expr) -> Result<(&'t str, Expr), ScriptError> {
        match self.tree.list(binding) {
            Some(&[name, value]) => match self.tree.symbol(name) {
                Some(name) => Ok((name, value)),
                None => self.tree.error(name, "a name should stand here"),
            },
            _ => self.tree.error(binding, "a binding is a name and a term"),
        }
    }

    fn annotate(&mut self, expr: Expr, term: Term) -> Result<(), ScriptError> {
        let tree = self.tree;
        let attributes = tree.list(expr).and_then(|parts| parts.get(2..)).unwrap_or_default();
        if attributes.is_empty() {
            return tree.error(expr, "`!` takes a term and attributes");
        }
        let mut rest = attributes;
        while let Some((&keyword, after)) = rest.split_first() {
            let Some(Token::Keyword(name)) = tree.atom(keyword) else {
                return tree.error(keyword, "a keyword should stand here");
            };
            let is_keyword = |&expr: &Expr| matches!(tree.atom(expr), Some(Token::Keyword(_)));
            let value = after.first().copied().filter(|value| !is_keyword(value));
            if name == "named" {
                let Some(symbol) = value.and_then(|value| tree.symbol(value)) else {
                    return tree.error(keyword, "`:named` takes a name");
                };
                self.named.push((symbol, keyword, term));
            }
            rest = if value.is_some() { &after[1..] } else { after };
        }
        Ok(())
    }

    /// Fails if an annotation named a term that contains one of these parameters, which have no meaning outside.
    pub(super) fn require_names_without(&self, parameters: &[(&str, Term)]) -> Result<(), ScriptError> {
        for &(name, place, term) in &self.named {
            let variables = self.terms.variables(&[term]);
            if let Some((parameter, _)) = parameters.iter().find(|(_, variable)| variables.contains(variable)) {
                return self.tree.error(place, format!("`{name}` would name a term with the parameter `{parameter}`"));
            }
        }
        Ok(())
    }

    fn atom(&mut self, expr: Expr) -> Result<Term, ScriptError> {
        let tree = self.tree;
        match tree.atom(expr) {
            Some(Token::Hexadecimal(digits)) => self.literal(expr, digits, 4),
            Some(Token::Binary(digits)) => self.literal(expr, digits, 1),
            Some(Token::Numeral(_) | Token::Decimal(_)) => {
                tree.error(expr, "numbers are not supported: bit-vectors are written #x2a, #b101010 or (_ bv42 8)")
            }
            Some(Token::String(_) | Token::Keyword(_)) => tree.error(expr, "a term should stand here"),
            _ => match tree.symbol(expr) {
                Some(name) => self.constant(expr, name),
                None => tree.error(expr, format!("`{}` cannot stand for a term", tree.text(expr))),
            },
        }
    }

    /// A literal with `bits_per_digit` bits per digit.
    fn literal(&mut self, expr: Expr, digits: &str, bits_per_digit: u32) -> Result<Term, ScriptError> {
        if digits.len() > (GREATEST_WIDTH / bits_per_digit) as usize {
            return self.tree.error(expr, format!("bit-vectors wider than {GREATEST_WIDTH} bits are not supported"));
        }
        let mut bools = Vec::with_capacity(digits.len() * bits_per_digit as usize);
        for digit in digits.chars().rev() {
            let value = digit.to_digit(16).expect("the lexer should let only digits through");
            bools.extend((0..bits_per_digit).map(|bit| value >> bit & 1 == 1));
        }
        Ok(self.terms.bits(Bits::from_bools(bools.into_iter())))
    }

    fn constant(&mut self, expr: Expr, name: &str) -> Result<Term, ScriptError> {
        if let Some(&term) = self.locals.get(name).and_then(|meanings| meanings.last()) {
            return Ok(term);
        }
        match (name, self.names.get(name)) {
            ("true", _) => Ok(self.terms.bool(true)),
            ("false", _) => Ok(self.terms.bool(false)),
            (_, Some(Meaning::Constant(term))) => Ok(*term),
            (_, Some(Meaning::Macro { .. })) => self.tree.error(expr, format!("`{name}` takes arguments")),
            _ if operators::is_theory_symbol(name) => self.tree.error(expr, format!("`{name}` takes arguments")),
            _ => self.tree.error(expr, format!("there is no `{name}`")),
        }
    }

    /// `(_ bv42 8)`.
    fn numbered(&mut self, expr: Expr, rest: &[Expr]) -> Result<Term, ScriptError> {
        let tree = self.tree;
        let digits = rest.first().and_then(|&name| tree.word(name)).and_then(|name| name.strip_prefix("bv"));
        let digits = digits.filter(|digits| !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit()));
        let (Some(digits), &[_, width]) = (digits, rest) else {
            return tree.error(expr, format!("`{}` is no constant; (_ bv42 8) is one", tree.text(expr)));
        };
        let Some(width @ 1..=GREATEST_WIDTH) = tree.number(width) else {
            return tree.error(width, format!("a width from 1 to {GREATEST_WIDTH} should stand here"));
        };
        match decimal(width, digits) {
            Some(bits) => Ok(self.terms.bits(bits)),
            None => tree.error(expr, format!("the number does not fit in {width} bits")),
        }
    }

    /// `(as x Bool)`: the name, which must have that sort.
    fn qualified(&mut self, expr: Expr, rest: &[Expr]) -> Result<Term, ScriptError> {
        let tree = self.tree;
        let &[name, sort] = rest else { return tree.error(expr, "`as` takes a name and a sort") };
        let sort = self.sorts.read(tree, sort)?;
        let term = match tree.symbol(name) {
            Some("const") => return tree.error(expr, "a constant array takes its element: ((as const SORT) VALUE)"),
            Some(symbol) => self.constant(name, symbol)?,
            None => return tree.error(name, "a name should stand here"),
        };
        match self.terms.sort(term) {
            found if found == sort => Ok(term),
            found => tree.error(expr, format!("`{}` has sort {found}", tree.text(name))),
        }
    }

    /// The application of an operator or a defined function.
    fn apply(&mut self, parts: &[Expr], args: &[Term]) -> Result<Term, ScriptError> {
        let tree = self.tree;
        let head = parts[0];
        if let Some(list) = tree.list(head) {
            return match (list.first().and_then(|&word| tree.word(word)), list.get(1..).unwrap_or_default()) {
                (Some("_"), [name, indices @ ..]) if tree.symbol(*name).is_some() && !indices.is_empty() => {
                    let name = tree.symbol(*name).unwrap_or_default();
                    let mut numbers = Vec::new();
                    for &index in indices {
                        let Some(number) = tree.number(index) else {
                            return tree.error(index, "a number (of 32 bits at most) should stand here");
                        };
                        numbers.push(number);
                    }
                    self.operator(parts, name, &numbers, args)
                }
                (Some("as"), &[name, sort]) if tree.symbol(name) == Some("const") => {
                    self.constant_array(parts, sort, args)
                }
                (Some("as"), &[name, _]) => {
                    tree.error(head, format!("`{}` is no function that takes a sort", tree.text(name)))
                }
                _ => tree.error(head, "a function should stand here"),
            };
        }
        let Some(name) = tree.symbol(head) else { return tree.error(head, "a function should stand here") };
        if self.locals.get(name).is_some_and(|meanings| !meanings.is_empty()) {
            return tree.error(head, format!("`{name}` is no function"));
        }
        match self.names.get(name) {
            Some(Meaning::Constant(_)) => tree.error(head, format!("`{name}` is no function")),
            Some(Meaning::Macro { parameters, body }) => self.expand(parts, name, parameters, *body, args),
            None => self.operator(parts, name, &[], args),
        }
    }

    fn operator(&mut self, parts: &[Expr], name: &str, indices: &[u32], args: &[Term]) -> Result<Term, ScriptError> {
        match operators::apply(self.terms, name, indices, args) {
            Some(Ok(term)) => Ok(term),
            Some(Err(misuse)) => self.tree.error(parts[misuse.argument.map_or(0, |index| index + 1)], misuse.message),
            None => {
                let what = match name {
                    "bv2nat" | "nat2bv" | "int2bv" | "ubv_to_int" | "sbv_to_int" | "int_to_bv" => {
                        "is not supported: there are no integers here"
                    }
                    _ => "is not known",
                };
                self.tree.error(parts[0], format!("the function `{name}` {what}"))
            }
        }
    }

    fn constant_array(&mut self, parts: &[Expr], sort: Expr, args: &[Term]) -> Result<Term, ScriptError> {
        let tree = self.tree;
        let (Sort::Array { index, element }, &[value]) = (self.sorts.read(tree, sort)?, args) else {
            return tree.error(parts[0], "a constant array takes the sort of an array and its one element");
        };
        match self.terms.sort(value) {
            found if found == Sort::Bits(element) => Ok(self.terms.constant_array(index, value)),
            found => {
                let expected = Sort::Bits(element);
                tree.error(parts[1], format!("the element should have sort {expected}, not {found}"))
            }
        }
    }

    fn expand(
        &mut self,
        parts: &[Expr],
        name: &str,
        parameters: &[Term],
        body: Term,
        args: &[Term],
    ) -> Result<Term, ScriptError> {
        if parameters.len() != args.len() {
            let (expected, found) = (parameters.len(), args.len());
            return self.tree.error(parts[0], format!("`{name}` takes {expected} arguments, not {found}"));
        }
        for (index, (&parameter, &arg)) in parameters.iter().zip(args).enumerate() {
            let (expected, found) = (self.terms.sort(parameter), self.terms.sort(arg));
            if expected != found {
                let message = format!("argument {} of `{name}` should have sort {expected}, not {found}", index + 1);
                return self.tree.error(parts[index + 1], message);
            }
        }
        let pairs = parameters.iter().copied().zip(args.iter().copied());
        Ok(Substitution::new(pairs).apply(self.terms, body))
    }
}

/// A number in decimal digits; `None` if it does not fit.
fn decimal(width: u32, digits: &str) -> Option<Bits> {
    const CHUNK: usize = 18;
    let limit = width.div_ceil(u64::BITS) as usize;
    let mut limbs: Vec<u64> = Vec::new();
    let (first, rest) = digits.split_at(digits.len() % CHUNK);
    let chunks = rest.as_bytes().chunks(CHUNK).map(|chunk| std::str::from_utf8(chunk).unwrap_or_default());
    for chunk in std::iter::once(first).chain(chunks).filter(|chunk| !chunk.is_empty()) {
        let mut carry: u128 = chunk.parse().ok()?;
        let base = 10u128.pow(chunk.len() as u32);
        for limb in &mut limbs {
            carry += u128::from(*limb) * base;
            *limb = carry as u64;
            carry >>= u64::BITS;
        }
        if carry > 0 {
            limbs.push(carry as u64);
        }
        // Leading zeros make no limbs, so the number is too large if it has more limbs than the width.
        if limbs.len() > limit {
            return None;
        }
    }
    limbs.resize(limit, 0);
    let bit = |index: usize| limbs[index / 64] >> (index % 64) & 1 == 1;
    if (width as usize..limit * 64).any(bit) {
        return None;
    }
    Some(Bits::from_bools((0..width as usize).map(bit)))
}
