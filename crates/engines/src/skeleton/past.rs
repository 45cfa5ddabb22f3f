//! What a run left behind before a skeleton begins. The events of such a skeleton are those of a later part of the run
//! ([`crate::slice`]): the objects there are have the numbers that come first, and what stands in them is looked up when
//! it is needed.

use super::events::Skeleton;
use super::value::{constant, Value, GHOST};
use ir::FunctionId;
use smt::Terms;
use std::collections::BTreeSet;
use std::fmt;
use std::rc::Rc;

/// What stands in memory or in a variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// Nothing yet: any value, which is chosen when it is used.
    Undefined,
    /// Something that is not told exactly: parts of it undefined, or parts of pointers.
    Mixed,
    /// A number.
    Number(u128),
    /// An address in an object.
    Object {
        /// Which one of those there are.
        index: usize,
        /// Whether in its ghost.
        ghost: bool,
        /// How far from its first byte.
        offset: i64,
    },
    /// An address of a function.
    Function(FunctionId),
}

/// Looks up what stands in an object (of those there are), in its ghost if the second is true, at an offset, in so many bytes.
pub type Lookup = Rc<dyn Fn(usize, bool, u64, u64) -> Content>;

/// What was there before.
#[derive(Clone)]
pub(crate) struct Past {
    /// So many objects.
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
    /// What stood in an object before the first event; `None` if the object was not there.
    pub(crate) fn before(&self, number: u16, offset: u64, bytes: u64) -> Option<Content> {
        let past = self.past.as_ref()?;
        let index = (number & !GHOST).checked_sub(1).filter(|&index| index < past.objects)?;
        if past.cleared.contains(&(number, offset)) {
            return Some(Content::Number(0));
        }
        Some((past.lookup)(usize::from(index), number & GHOST != 0, offset, bytes))
    }

    /// A content as a value of a width; `None` if it is not known.
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

    /// Whether a cell of a lock is certainly 0 before the first event.
    pub(crate) fn is_free_before(&self, terms: &Terms, number: u16, offset: u64) -> bool {
        let is_cleared = !self.initial.get(&number).is_some_and(|cells| {
            cells.iter().any(|(&at, &(bytes, value))| {
                at < offset.saturating_add(4) && offset < at + bytes && constant(terms, value.bits) != Some(0)
            })
        });
        is_cleared && matches!(self.before(number, offset, 4), None | Some(Content::Number(0)))
    }
}
