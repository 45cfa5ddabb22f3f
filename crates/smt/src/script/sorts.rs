//! Sorts of scripts: Bool, bit-vectors, arrays of bit-vectors, and names defined for them.

use super::lexer::ScriptError;
use super::operators::GREATEST_WIDTH;
use super::tree::{Expr, Tree};
use crate::term::Sort;
use rustc_hash::FxHashMap;

/// Sorts nest no deeper: only definitions with parameters could make them.
const DEEPEST: usize = 100;

/// What `define-sort` gave a name to.
#[derive(Clone)]
enum Shape {
    Known(Sort),
    Parameter(usize),
    Array(Box<(Shape, Shape)>),
}

/// Names of sorts, with how many parameters each takes.
#[derive(Clone, Default)]
pub(super) struct Sorts {
    defined: FxHashMap<String, (usize, Shape)>,
}

impl Sorts {
    /// Reads a sort.
    pub(super) fn read(&self, tree: &Tree<'_>, expr: Expr) -> Result<Sort, ScriptError> {
        let shape = self.shape(tree, expr, &[], 0)?;
        resolve(&shape).or_else(|message| tree.error(expr, message))
    }

    /// Whether the name is taken.
    pub(super) fn has(&self, name: &str) -> bool {
        matches!(name, "Bool" | "BitVec" | "Array") || self.defined.contains_key(name)
    }

    /// Gives a name to a sort, which may mention parameters.
    pub(super) fn define(
        &mut self,
        tree: &Tree<'_>,
        name: &str,
        parameters: &[&str],
        body: Expr,
    ) -> Result<(), ScriptError> {
        let shape = self.shape(tree, body, parameters, 0)?;
        if parameters.is_empty() {
            resolve(&shape).or_else(|message| tree.error(body, message))?;
        }
        self.defined.insert(name.to_owned(), (parameters.len(), shape));
        Ok(())
    }

    /// Takes a name away again.
    pub(super) fn remove(&mut self, name: &str) {
        self.defined.remove(name);
    }

    fn shape(&self, tree: &Tree<'_>, expr: Expr, parameters: &[&str], depth: usize) -> Result<Shape, ScriptError> {
        if depth > DEEPEST {
            return tree.error(expr, "sorts nest too deeply here");
        }
        let Some(list) = tree.list(expr) else {
            let Some(name) = tree.symbol(expr) else { return tree.error(expr, "a sort should stand here") };
            if let Some(index) = parameters.iter().position(|parameter| *parameter == name) {
                return Ok(Shape::Parameter(index));
            }
            return match (name, self.defined.get(name)) {
                ("Bool", _) => Ok(Shape::Known(Sort::Bool)),
                (_, Some((0, shape))) => Ok(shape.clone()),
                (_, Some((count, _))) => tree.error(expr, format!("the sort `{name}` takes {count} arguments")),
                ("Int" | "Real" | "String" | "RoundingMode" | "RegLan", None) => {
                    tree.error(expr, format!("the sort `{name}` is not supported: Bool, bit-vectors and arrays are"))
                }
                (_, None) => tree.error(expr, format!("there is no sort `{name}`")),
            };
        };
        let Some((&head, rest)) = list.split_first() else { return tree.error(expr, "a sort should stand here") };
        match (tree.word(head), rest) {
            (Some("_"), &[name, width]) if tree.word(name) == Some("BitVec") => match tree.number(width) {
                Some(width @ 1..=GREATEST_WIDTH) => Ok(Shape::Known(Sort::Bits(width))),
                _ => tree.error(width, format!("a width from 1 to {GREATEST_WIDTH} should stand here")),
            },
            (Some("Array"), &[index, element]) => {
                let index = self.shape(tree, index, parameters, depth + 1)?;
                let element = self.shape(tree, element, parameters, depth + 1)?;
                Ok(Shape::Array(Box::new((index, element))))
            }
            (Some("Array"), _) => tree.error(expr, "`Array` takes 2 arguments"),
            _ => {
                let name = tree.symbol(head).unwrap_or_default();
                let Some((count, shape)) = self.defined.get(name) else {
                    return tree.error(expr, format!("there is no sort `{}`", tree.text(head)));
                };
                if *count != rest.len() || rest.is_empty() {
                    return tree.error(expr, format!("the sort `{name}` takes {count} arguments"));
                }
                let args: Result<Vec<Shape>, ScriptError> =
                    rest.iter().map(|&arg| self.shape(tree, arg, parameters, depth + 1)).collect();
                substitute(shape, &args?, depth).or_else(|message| tree.error(expr, message))
            }
        }
    }
}

/// The shape with its parameters replaced.
fn substitute(shape: &Shape, args: &[Shape], depth: usize) -> Result<Shape, String> {
    if depth > DEEPEST {
        return Err("sorts nest too deeply here".to_owned());
    }
    Ok(match shape {
        Shape::Known(_) => shape.clone(),
        Shape::Parameter(index) => args[*index].clone(),
        Shape::Array(parts) => {
            let index = substitute(&parts.0, args, depth + 1)?;
            let element = substitute(&parts.1, args, depth + 1)?;
            Shape::Array(Box::new((index, element)))
        }
    })
}

/// The sort, where arrays go from bit-vectors to bit-vectors.
fn resolve(shape: &Shape) -> Result<Sort, String> {
    match shape {
        Shape::Known(sort) => Ok(*sort),
        Shape::Parameter(_) => panic!("a parameter should have been replaced"),
        Shape::Array(parts) => match (resolve(&parts.0)?, resolve(&parts.1)?) {
            (Sort::Bits(index), Sort::Bits(element)) => Ok(Sort::Array { index, element }),
            _ => Err("arrays go from bit-vectors to bit-vectors here".to_owned()),
        },
    }
}
