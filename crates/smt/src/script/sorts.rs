//! Sorts of scripts: Bool, bit-vectors, arrays of bit-vectors, and names defined for them.

use super::lexer::ScriptError;
use super::operators::GREATEST_WIDTH;
use super::tree::{Expr, Tree};
use crate::term::Sort;
use rustc_hash::FxHashMap;

/// Maximum nesting depth of sorts: arrays of arrays are not supported, so deeper nesting is an error.
const DEEPEST: usize = 100;

/// The definition of a sort name. Arrays whose indices or elements cannot be bit-vectors are rejected at once:
/// definitions that use each other could make them exponentially large.
#[derive(Clone, Copy)]
enum Shape {
    Known(Sort),
    Parameter(usize),
    /// An array with a parameter for its indices, its elements or both.
    Array(Part, Part),
}

/// The sort of indices or elements.
#[derive(Clone, Copy)]
enum Part {
    Bits(u32),
    Parameter(usize),
}

/// Names of sorts, with their numbers of parameters.
#[derive(Clone, Default)]
pub(super) struct Sorts {
    defined: FxHashMap<String, (usize, Shape)>,
}

impl Sorts {
    /// Reads a sort.
    pub(super) fn read(&self, tree: &Tree<'_>, expr: Expr) -> Result<Sort, ScriptError> {
        match self.shape(tree, expr, &[], 0)? {
            Shape::Known(sort) => Ok(sort),
            Shape::Parameter(_) | Shape::Array(..) => panic!("a sort without parameters should be known"),
        }
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
        self.defined.insert(name.to_owned(), (parameters.len(), shape));
        Ok(())
    }

    /// Removes a name.
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
                (_, Some((0, shape))) => Ok(*shape),
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
                array(index, element).map_or_else(|| tree.error(expr, NO_ARRAY), Ok)
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
                substitute(*shape, &args?).map_or_else(|| tree.error(expr, NO_ARRAY), Ok)
            }
        }
    }
}

const NO_ARRAY: &str = "arrays go from bit-vectors to bit-vectors here";

/// The array sort from `index` to `element`, if it exists.
fn array(index: Shape, element: Shape) -> Option<Shape> {
    let part = |shape: Shape| match shape {
        Shape::Known(Sort::Bits(width)) => Some(Part::Bits(width)),
        Shape::Parameter(number) => Some(Part::Parameter(number)),
        Shape::Known(Sort::Bool | Sort::Array { .. }) | Shape::Array(..) => None,
    };
    Some(match (part(index)?, part(element)?) {
        (Part::Bits(index), Part::Bits(element)) => Shape::Known(Sort::Array { index, element }),
        (index, element) => Shape::Array(index, element),
    })
}

/// The shape with its parameters replaced, if the result exists.
fn substitute(shape: Shape, args: &[Shape]) -> Option<Shape> {
    let image = |part: Part| match part {
        Part::Bits(width) => Shape::Known(Sort::Bits(width)),
        Part::Parameter(number) => args[number],
    };
    match shape {
        Shape::Known(_) => Some(shape),
        Shape::Parameter(number) => Some(args[number]),
        Shape::Array(index, element) => array(image(index), image(element)),
    }
}
