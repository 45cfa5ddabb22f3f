//! The state before a skeleton that covers a later part of a run ([`crate::slice`]): its objects have the first
//! numbers, and their contents are looked up on demand.

use super::events::Skeleton;
use super::value::{constant, Value, GHOST};
use ir::FunctionId;
use smt::Terms;
use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

/// The contents of memory or of a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Uninitialised: any value, chosen when it is used.
    Undefined,
    /// Not exactly known: partly uninitialised, or parts of pointers.
    Mixed,
    /// A number.
    Number(u128),
    /// An address in an object.
    Object {
        /// Its index among the existing objects.
        index: usize,
        /// Whether in its ghost.
        ghost: bool,
        /// The distance from its first byte.
        offset: i64,
    },
    /// The address of a function.
    Function(FunctionId),
}

/// Looks up the contents of an existing object (of its ghost, if the second argument is true), given an offset and a
/// number of bytes.
pub type Lookup = Rc<dyn Fn(usize, bool, u64, u64) -> Content>;

/// The state before the first event.
#[derive(Clone)]
pub(crate) struct Past {
    /// Number of objects.
    pub(crate) objects: u16,
    pub(crate) lookup: Lookup,
    /// Cells of ghosts that count as 0, because an event at the very beginning writes them.
    pub(crate) cleared: BTreeSet<(u16, u64)>,
}

impl fmt::Debug for Past {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} objects", self.objects)
    }
}

impl Skeleton {
    /// The contents of an object before the first event; `None` if the object did not exist.
    pub(crate) fn before(&self, number: u16, offset: u64, bytes: u64) -> Option<Content> {
        let past = self.past.as_ref()?;
        let index = (number & !GHOST).checked_sub(1).filter(|&index| index < past.objects)?;
        if past.cleared.contains(&(number, offset)) {
            return Some(Content::Number(0));
        }
        Some((past.lookup)(usize::from(index), number & GHOST != 0, offset, bytes))
    }

    /// Contents as a value of a width; `None` if unknown.
    pub(crate) fn value_of(&mut self, terms: &mut Terms, content: Content, width: u32) -> Option<Value> {
        match content {
            Content::Undefined | Content::Mixed => None,
            Content::Number(number) => Some(Value::constant(terms, width, number)),
            Content::Object { index, ghost, offset } => {
                let number = index as u16 + 1;
                let number = if ghost { number | GHOST } else { number };
                Some(Value::pointer(terms, number, width, offset as u128))
            }
            Content::Function(function) => {
                let number = self.objects.function(function)?;
                Some(Value::pointer(terms, number, width, 0))
            }
        }
    }

    /// Whether a lock's cell is certainly 0 before the first event.
    pub(crate) fn is_free_before(&self, terms: &Terms, number: u16, offset: u64) -> bool {
        let is_cleared = !self.initial.get(&number).is_some_and(|cells| {
            cells.iter().any(|(&at, &(bytes, value))| {
                at < offset.saturating_add(4) && offset < at + bytes && constant(terms, value.bits) != Some(0)
            })
        });
        is_cleared && matches!(self.before(number, offset, 4), None | Some(Content::Number(0)))
    }
}
