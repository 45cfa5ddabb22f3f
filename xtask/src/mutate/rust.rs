//! The mutation sites in Rust code, by its syntax tree. A mutant must have the type of the code it replaces, because
//! all mutants are in one program, beside the originals; the compiler detects those that do not, and they are drawn
//! again.

use super::site::{Operator, Site};
use anyhow::{Context, Result};
use proc_macro2::Span;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{BinOp, Expr, Lit, Stmt};

/// Maximum number of lines of a statement that is dropped: larger effects are detected at once.
const MAX_LINES: usize = 3;

/// The used names of each enumeration.
#[derive(Clone, Default, Debug)]
pub struct Names(BTreeMap<String, BTreeSet<String>>);

impl Names {
    /// Adds those of a file.
    pub fn add(&mut self, text: &str) -> Result<()> {
        let file = syn::parse_file(text).context("the file should be Rust")?;
        let mut collect = CollectNames { names: self };
        collect.visit_file(&file);
        Ok(())
    }

    fn others<'n>(&'n self, owner: &str, name: &'n str) -> impl Iterator<Item = &'n String> {
        self.0.get(owner).into_iter().flatten().filter(move |other| *other != name)
    }
}

struct CollectNames<'n> {
    names: &'n mut Names,
}

impl Visit<'_> for CollectNames<'_> {
    fn visit_path(&mut self, path: &syn::Path) {
        if let Some((owner, name)) = enumeration(path) {
            self.names.0.entry(owner).or_default().insert(name);
        }
        visit::visit_path(self, path);
    }
}

/// The last two names of a path, if they look like an enumeration and one of its variants.
fn enumeration(path: &syn::Path) -> Option<(String, String)> {
    let mut last = path.segments.iter().rev().map(|segment| segment.ident.to_string());
    let (name, owner) = (last.next()?, last.next()?);
    let is_upper = |text: &str| text.starts_with(|c: char| c.is_ascii_uppercase());
    let is_constant = name.len() > 1 && name.chars().all(|c| !c.is_ascii_lowercase());
    (is_upper(&owner) && is_upper(&name) && !is_constant && owner != "Self").then_some((owner, name))
}

/// All sites of a file.
pub fn sites(text: &str, names: &Names) -> Result<Vec<Site>> {
    let file = syn::parse_file(text).context("the file should be Rust")?;
    let mut finder = Finder { text, names, sites: Vec::new() };
    finder.visit_file(&file);
    Ok(finder.sites)
}

struct Finder<'t> {
    text: &'t str,
    names: &'t Names,
    sites: Vec<Site>,
}

impl Finder<'_> {
    fn add(&mut self, range: Range<usize>, operator: Operator, after: String) {
        self.sites.push(Site { range, operator, after });
    }

    fn of(&self, node: &impl Spanned) -> &str {
        &self.text[bytes(node.span())]
    }

    fn negate(&mut self, condition: &Expr) {
        if !has_let(condition) {
            let after = format!("!({})", self.of(condition));
            self.add(bytes(condition.span()), Operator::NegatedCondition, after);
        }
    }

    fn binary(&mut self, expr: &syn::ExprBinary) {
        let (operator, other) = match expr.op {
            BinOp::Eq(_) => (Operator::Comparison, "!="),
            BinOp::Ne(_) => (Operator::Comparison, "=="),
            BinOp::Lt(_) => (Operator::Comparison, "<="),
            BinOp::Le(_) => (Operator::Comparison, "<"),
            BinOp::Gt(_) => (Operator::Comparison, ">="),
            BinOp::Ge(_) => (Operator::Comparison, ">"),
            BinOp::And(_) => (Operator::Connective, "||"),
            BinOp::Or(_) => (Operator::Connective, "&&"),
            BinOp::Add(_) => (Operator::Arithmetic, "-"),
            BinOp::Sub(_) | BinOp::Mul(_) => (Operator::Arithmetic, "+"),
            BinOp::Div(_) => (Operator::Arithmetic, "%"),
            BinOp::Rem(_) => (Operator::Arithmetic, "/"),
            BinOp::Shl(_) => (Operator::Arithmetic, ">>"),
            BinOp::Shr(_) => (Operator::Arithmetic, "<<"),
            BinOp::BitAnd(_) => (Operator::Arithmetic, "|"),
            BinOp::BitOr(_) | BinOp::BitXor(_) => (Operator::Arithmetic, "&"),
            _ => return,
        };
        if !has_let(&expr.left) && !has_let(&expr.right) {
            let after = format!("({}) {other} ({})", self.of(&*expr.left), self.of(&*expr.right));
            self.add(bytes(expr.span()), operator, after);
        }
    }

    fn arguments(&mut self, whole: Span, arguments: &syn::punctuated::Punctuated<Expr, syn::Token![,]>) {
        let mut two = arguments.iter().take(2);
        if let (Some(first), Some(second)) = (two.next(), two.next()) {
            let (whole, first, second) = (bytes(whole), bytes(first.span()), bytes(second.span()));
            let text = self.text;
            let after = [
                &text[whole.start..first.start],
                &text[second.clone()],
                &text[first.end..second.start],
                &text[first],
                &text[second.end..whole.end],
            ];
            self.add(whole, Operator::SwappedArguments, after.concat());
        }
    }
}

impl Visit<'_> for Finder<'_> {
    fn visit_item_fn(&mut self, item: &syn::ItemFn) {
        if item.sig.constness.is_none() {
            visit::visit_block(self, &item.block);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &syn::ImplItemFn) {
        if item.sig.constness.is_none() {
            visit::visit_block(self, &item.block);
        }
    }

    fn visit_item_mod(&mut self, item: &syn::ItemMod) {
        if !item.attrs.iter().any(|attribute| attribute.path().is_ident("cfg")) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_const(&mut self, _: &syn::ItemConst) {}
    fn visit_item_static(&mut self, _: &syn::ItemStatic) {}
    fn visit_impl_item_const(&mut self, _: &syn::ImplItemConst) {}
    fn visit_pat(&mut self, _: &syn::Pat) {}
    fn visit_type(&mut self, _: &syn::Type) {}
    fn visit_path(&mut self, _: &syn::Path) {}
    fn visit_attribute(&mut self, _: &syn::Attribute) {}

    fn visit_stmt(&mut self, stmt: &Stmt) {
        if let Stmt::Expr(Expr::Call(_) | Expr::MethodCall(_) | Expr::Assign(_) | Expr::Try(_), Some(_)) = stmt {
            if self.of(stmt).lines().count() <= MAX_LINES {
                self.add(bytes(stmt.span()), Operator::DroppedStatement, String::new());
            }
        }
        visit::visit_stmt(self, stmt);
    }

    fn visit_arm(&mut self, arm: &syn::Arm) {
        if let Some((_, guard)) = &arm.guard {
            self.negate(guard);
        }
        visit::visit_arm(self, arm);
    }

    fn visit_expr(&mut self, expr: &Expr) {
        match expr {
            Expr::If(branch) => self.negate(&branch.cond),
            Expr::Binary(binary) => self.binary(binary),
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(_) => self.add(bytes(expr.span()), Operator::Constant, format!("{} + 1", self.of(expr))),
                Lit::Bool(value) => self.add(bytes(expr.span()), Operator::Constant, (!value.value).to_string()),
                _ => {}
            },
            Expr::Path(path) => {
                if let Some((owner, name)) = enumeration(&path.path) {
                    let text = self.of(expr).to_owned();
                    let stem = text.strip_suffix(&name).unwrap_or(&text);
                    let others: Vec<String> =
                        self.names.others(&owner, &name).map(|other| format!("{stem}{other}")).collect();
                    for other in others {
                        self.add(bytes(expr.span()), Operator::Variant, other);
                    }
                }
            }
            Expr::Call(call) => {
                self.arguments(expr.span(), &call.args);
                call.args.iter().for_each(|argument| self.visit_expr(argument));
                return;
            }
            Expr::MethodCall(call) => self.arguments(expr.span(), &call.args),
            Expr::Repeat(repeat) => {
                self.visit_expr(&repeat.expr);
                return;
            }
            Expr::Macro(_) | Expr::Const(_) => return,
            _ => {}
        }
        visit::visit_expr(self, expr);
    }
}

fn bytes(span: Span) -> Range<usize> {
    span.byte_range()
}

/// Whether a condition binds variables, and so cannot be an operand.
fn has_let(expr: &Expr) -> bool {
    struct Search(bool);
    impl Visit<'_> for Search {
        fn visit_expr_let(&mut self, _: &syn::ExprLet) {
            self.0 = true;
        }
        fn visit_block(&mut self, _: &syn::Block) {}
    }
    let mut search = Search(false);
    search.visit_expr(expr);
    search.0
}

/// A text in which the chosen sites check at run time whether their mutation is active, and the new positions of the
/// sites.
pub fn instrument(text: &str, chosen: &[(usize, Site)]) -> (String, Vec<(Range<usize>, usize)>) {
    let mut chosen: Vec<&(usize, Site)> = chosen.iter().collect();
    chosen.sort_by_key(|(_, site)| site.range.start);
    let (mut result, mut places, mut done) = (String::new(), Vec::new(), 0);
    for (id, site) in chosen {
        result.push_str(&text[done..site.range.start]);
        let begin = result.len();
        let before = site.before(text);
        result.push_str(&match site.operator {
            Operator::DroppedStatement => format!("if !crate::mutant::is_on({id}) {{ {before} }}"),
            _ => format!("(if crate::mutant::is_on({id}) {{ {} }} else {{ {before} }})", site.after),
        });
        places.push((begin..result.len(), *id));
        done = site.range.end;
    }
    result.push_str(&text[done..]);
    (result, places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<(Operator, String, String)> {
        let mut names = Names::default();
        names.add(text).expect("Rust");
        let sites = sites(text, &names).expect("Rust");
        sites.iter().map(|site| (site.operator, site.before(text).to_owned(), site.after.clone())).collect()
    }

    #[test]
    fn every_operator_has_its_place() {
        let text = "fn f(o: Order) { if x < 2 && !done { emit(Order::Acquire, y + 1); } let _ = Order::Relaxed; }";
        let found = all(text);
        for (operator, before, after) in [
            (Operator::NegatedCondition, "x < 2 && !done", "!(x < 2 && !done)"),
            (Operator::Comparison, "x < 2", "(x) <= (2)"),
            (Operator::Connective, "x < 2 && !done", "(x < 2) || (!done)"),
            (Operator::Constant, "2", "2 + 1"),
            (Operator::DroppedStatement, "emit(Order::Acquire, y + 1);", ""),
            (Operator::SwappedArguments, "emit(Order::Acquire, y + 1)", "emit(y + 1, Order::Acquire)"),
            (Operator::Arithmetic, "y + 1", "(y) - (1)"),
            (Operator::Variant, "Order::Acquire", "Order::Relaxed"),
        ] {
            let wanted = (operator, before.to_owned(), after.to_owned());
            assert!(found.contains(&wanted), "{wanted:?} is not in {found:?}");
        }
    }

    #[test]
    fn what_is_constant_or_a_pattern_or_a_test_is_left_alone() {
        assert!(all("const N: usize = 1 + 2; static S: [u8; 3] = [0; 3]; const fn f() -> u8 { 1 }").is_empty());
        assert!(all("#[cfg(test)] mod tests { fn f() { assert(1 == 2); } }").is_empty());
        assert!(all("fn f() { let [a, b]: [u8; 2] = x; match a { 1 | 2 => b, _ => a } }").is_empty());
        assert!(all("fn f() { if let Some(x) = y { x } }").is_empty());
    }

    #[test]
    fn instrumented_text_is_rust() {
        let text = "fn f(n: u32) -> u32 {\n    g(n);\n    if n == 1 { 7 } else { n * 2 }\n}\n";
        let names = Names::default();
        let found = sites(text, &names).expect("Rust");
        for (id, site) in found.iter().enumerate() {
            let (instrumented, places) = instrument(text, &[(id, site.clone())]);
            syn::parse_file(&instrumented).unwrap_or_else(|error| panic!("{instrumented}: {error}"));
            assert!(instrumented[places[0].0.clone()].contains(&format!("is_on({id})")));
        }
    }
}
