//! The contents of an object in a thread's private memory: disjoint cells. Reads that match no cell are assembled from
//! bytes.

use super::value::Value;
use smt::{Bits, Term, Terms};
use std::collections::BTreeMap;

/// The result of a read of bytes, before initial contents are filled in.
pub(crate) enum Found {
    /// A cell.
    Cell(Value),
    /// No byte was written.
    Nothing,
    /// Several parts, to be assembled.
    Parts,
}

/// The contents of an object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Contents {
    /// By offset: size and value.
    pub(crate) cells: BTreeMap<u64, (u64, Value)>,
    pub(crate) is_live: Term,
}

impl Contents {
    pub(crate) fn new(terms: &mut Terms) -> Contents {
        Contents { cells: BTreeMap::new(), is_live: terms.bool(true) }
    }

    /// The contents of a range.
    pub(crate) fn find(&self, offset: u64, bytes: u64) -> Found {
        match self.cells.get(&offset) {
            Some(&(size, value)) if size == bytes => return Found::Cell(value),
            _ => {}
        }
        if self.overlapping(offset, bytes).is_empty() {
            Found::Nothing
        } else {
            Found::Parts
        }
    }

    /// The offsets of the cells that overlap a range.
    pub(crate) fn overlapping(&self, offset: u64, bytes: u64) -> Vec<u64> {
        let below = self.cells.range(..offset + bytes).rev();
        // Cells do not overlap, and none is larger than 16 bytes.
        let near = below.take_while(|(&at, _)| at + 16 > offset);
        near.filter(|(&at, &(size, _))| at + size > offset).map(|(&at, _)| at).collect()
    }

    /// Writes a value to a range, splitting overlapping cells into bytes. Returns a condition, if any, under which a
    /// pointer was split, about which nothing is known.
    pub(crate) fn put(&mut self, terms: &mut Terms, offset: u64, bytes: u64, value: Value) -> Option<Term> {
        let mut cut = Vec::new();
        for at in self.overlapping(offset, bytes) {
            let Some((size, old)) = self.cells.remove(&at) else { continue };
            for byte in at..at + size {
                if byte < offset || byte >= offset + bytes {
                    let part = byte_of(terms, old, byte - at);
                    self.cells.insert(byte, (1, part));
                }
            }
            if at < offset || at + size > offset + bytes {
                cut.push(has_object(terms, old));
            }
        }
        self.cells.insert(offset, (bytes, value));
        (!cut.is_empty()).then(|| terms.or(cut))
    }

    /// The byte at an offset and whether it is part of a pointer.
    pub(crate) fn byte(&self, terms: &mut Terms, offset: u64) -> Option<(Term, Term)> {
        let at = *self.overlapping(offset, 1).first()?;
        let (_, value) = self.cells[&at];
        let byte = byte_of(terms, value, offset - at).bits;
        Some((byte, has_object(terms, value)))
    }
}

/// A byte of a value.
fn byte_of(terms: &mut Terms, value: Value, index: u64) -> Value {
    let low = index as u32 * 8;
    let bits = terms.extract(low + 7, low, value.bits);
    Value::int(terms, bits)
}

/// Whether a value is a pointer.
fn has_object(terms: &mut Terms, value: Value) -> Term {
    let zero = terms.bits(Bits::zero(super::value::OBJECT_BITS));
    let is_plain = terms.eq(value.object, zero);
    terms.not(is_plain)
}

/// The ranges that cover all cells of both, cut to bytes where they overlap without being the same.
pub(crate) fn common_ranges(a: &Contents, b: &Contents) -> Vec<(u64, u64)> {
    let mut all: Vec<(u64, u64)> =
        a.cells.iter().chain(&b.cells).map(|(&offset, &(bytes, _))| (offset, bytes)).collect();
    all.sort_unstable();
    all.dedup();
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    let mut index = 0;
    while index < all.len() {
        let (start, mut end) = (all[index].0, all[index].0 + all[index].1);
        let mut last = index + 1;
        while last < all.len() && all[last].0 < end {
            end = end.max(all[last].0 + all[last].1);
            last += 1;
        }
        if last == index + 1 {
            ranges.push(all[index]);
        } else {
            ranges.extend((start..end).map(|byte| (byte, 1)));
        }
        index = last;
    }
    ranges
}
