//! Which local variables may still be read, at each location of a function: backward data flow. A wait sets its variables
//! before it evaluates its condition (`Stmt::reads`).

use crate::program::{Function, LocId, LocalId};
use base::{Id, IdVec};

/// Per location, the variables that may be read before they are set, as bits.
#[derive(Clone, Debug)]
pub struct Liveness(IdVec<LocId, Vec<u64>>);

impl Liveness {
    /// The live variables of a function.
    pub fn new(function: &Function) -> Liveness {
        let words = function.locals.len().div_ceil(64);
        let mut live = IdVec::filled(vec![0u64; words], function.locs);
        let mut into: IdVec<LocId, Vec<LocId>> = IdVec::filled(Vec::new(), function.locs);
        let mut out: IdVec<LocId, Vec<_>> = IdVec::filled(Vec::new(), function.locs);
        for edge in function.edges.iter() {
            into[edge.to].push(edge.from);
            out[edge.from].push((edge.to, edge.stmt.writes(), edge.stmt.reads()));
        }
        let mut work: Vec<LocId> = live.ids().collect();
        let mut is_queued = IdVec::filled(true, function.locs);
        let mut before = vec![0u64; words];
        while let Some(loc) = work.pop() {
            is_queued[loc] = false;
            let mut all = live[loc].clone();
            for (to, writes, reads) in &out[loc] {
                before.copy_from_slice(&live[*to]);
                for local in writes {
                    before[local.index() / 64] &= !(1 << (local.index() % 64));
                }
                for local in reads {
                    before[local.index() / 64] |= 1 << (local.index() % 64);
                }
                all.iter_mut().zip(&before).for_each(|(all, before)| *all |= before);
            }
            if all != live[loc] {
                live[loc] = all;
                work.extend(into[loc].iter().filter(|from| !std::mem::replace(&mut is_queued[**from], true)));
            }
        }
        Liveness(live)
    }

    /// Whether a variable may be read after a location.
    pub fn is_live(&self, loc: LocId, local: LocalId) -> bool {
        self.0[loc][local.index() / 64] >> (local.index() % 64) & 1 == 1
    }

    /// The variables that may be read after a location.
    pub fn live(&self, loc: LocId) -> impl Iterator<Item = LocalId> + '_ {
        let word = |(index, word): (usize, &u64)| {
            let mut left = *word;
            std::iter::from_fn(move || {
                let bit = (left != 0).then(|| left.trailing_zeros() as usize)?;
                left &= left - 1;
                Some(LocalId::new(index * 64 + bit))
            })
        };
        self.0[loc].iter().enumerate().flat_map(word)
    }
}
