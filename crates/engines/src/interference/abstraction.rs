//! Interference abstractions ⟨R, W, Λ, Σ⟩ as values (Sinha and Wang, On interference abstractions, POPL 2011, section
//! 5): R, the reads that must read from some write; W, the writes each may read from (link sets); Λ, the read-write
//! pairs whose constraints are asserted; and Σ, the triples of a read, its write and a rival for which it is asserted
//! that the rival does not come between. Reads, the ways to read and the rivals of each are numbers; this file knows
//! nothing about programs.
//!
//! Deviation: the order theory derives from-reads, so Σ is empty in that form: ways have no rivals.
//!
//! Larger R, Λ, Σ or smaller W make the formula stronger, so abstractions are ordered by what they allow.

use std::collections::BTreeSet;
use std::fmt;

/// The number of rivals, by read and way.
pub type Shape = Vec<Vec<usize>>;

/// The part of an abstraction that concerns one way to read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Way {
    is_allowed: bool,
    is_reported: bool,
    /// The rivals that are asserted not to come between.
    apart: BTreeSet<usize>,
    rivals: usize,
}

/// The part of an abstraction that concerns one read.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Read {
    is_present: bool,
    ways: Vec<Way>,
}

impl Read {
    /// Whether a way cannot be chosen, so that every constraint on it holds vacuously.
    fn is_idle(&self, way: usize) -> bool {
        self.is_present && !self.ways[way].is_allowed
    }
}

/// An interference abstraction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Abstraction(Vec<Read>);

/// The size of an abstraction.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Size {
    /// |R|.
    pub reads: usize,
    /// Σ|W(r)| over the reads in R.
    pub links: usize,
    /// |Λ|.
    pub pairs: usize,
    /// |Σ|.
    pub triples: usize,
}

impl Abstraction {
    fn of(shape: &Shape, make: impl Fn(usize) -> Way, is_present: bool) -> Abstraction {
        let read = |rivals: &Vec<usize>| Read { is_present, ways: rivals.iter().map(|&rivals| make(rivals)).collect() };
        Abstraction(shape.iter().map(read).collect())
    }

    /// The weakest abstraction over reads with these ways: no constraints.
    pub fn weakest(shape: &Shape) -> Abstraction {
        Abstraction::of(shape, |rivals| Way { is_allowed: true, rivals, ..Way::default() }, false)
    }

    /// The strongest over-approximation: every constraint is asserted and every way allowed. Equivalent to the program.
    pub fn full(shape: &Shape) -> Abstraction {
        let way = |rivals| Way { is_allowed: true, is_reported: true, apart: (0..rivals).collect(), rivals };
        Abstraction::of(shape, way, true)
    }

    /// Adds a read to R.
    pub fn add_read(&mut self, read: usize) {
        self.0[read].is_present = true;
    }

    /// Allows or forbids a way.
    pub fn set_link(&mut self, read: usize, way: usize, is_allowed: bool) {
        self.0[read].ways[way].is_allowed = is_allowed;
    }

    /// Adds a pair to Λ. Returns whether it is new.
    pub fn add_pair(&mut self, read: usize, way: usize) -> bool {
        !std::mem::replace(&mut self.0[read].ways[way].is_reported, true)
    }

    /// Adds a triple to Σ. Returns whether it is new.
    pub fn add_triple(&mut self, read: usize, way: usize, rival: usize) -> bool {
        self.0[read].ways[way].apart.insert(rival)
    }

    /// Whether a read is in R.
    pub fn has_read(&self, read: usize) -> bool {
        self.0[read].is_present
    }

    /// Whether a way is in W.
    pub fn has_link(&self, read: usize, way: usize) -> bool {
        self.0[read].ways[way].is_allowed
    }

    /// Whether a pair is in Λ.
    pub fn has_pair(&self, read: usize, way: usize) -> bool {
        self.0[read].ways[way].is_reported
    }

    /// Whether a triple is in Σ.
    pub fn has_triple(&self, read: usize, way: usize, rival: usize) -> bool {
        self.0[read].ways[way].apart.contains(&rival)
    }

    /// Whether all ways of a read are in W.
    pub fn is_full_at(&self, read: usize) -> bool {
        self.0[read].ways.iter().all(|way| way.is_allowed)
    }

    /// Whether it over-approximates the program: if it has no violation, neither has the program.
    pub fn is_over(&self) -> bool {
        (0..self.0.len()).all(|read| !self.has_read(read) || self.is_full_at(read))
    }

    /// Whether it under-approximates the program: a violation of it is one of the program.
    pub fn is_under(&self) -> bool {
        let is_reported = |way: &Way| !way.is_allowed || way.is_reported && way.apart.len() == way.rivals;
        self.0.iter().all(|read| read.is_present && read.ways.iter().all(is_reported))
    }

    /// Whether `other` allows everything that this one allows.
    pub fn is_within(&self, other: &Abstraction) -> bool {
        self.0.iter().zip(&other.0).all(|(this, other)| {
            let says_as_much = |way: usize| {
                let (one, two) = (&this.ways[way], &other.ways[way]);
                this.is_idle(way) || (one.is_reported || !two.is_reported) && two.apart.is_subset(&one.apart)
            };
            // Links of reads outside R do not matter.
            (this.is_present || !other.is_present)
                && (0..this.ways.len()).all(says_as_much)
                && (!other.is_present || this.ways.iter().zip(&other.ways).all(|(a, b)| !a.is_allowed || b.is_allowed))
        })
    }

    /// The greatest lower bound: the weakest abstraction that is within both.
    #[must_use]
    pub fn meet(&self, other: &Abstraction) -> Abstraction {
        let read = |this: &Read, other: &Read| {
            let way = |(a, b): (&Way, &Way)| {
                let is_allowed = (a.is_allowed || !this.is_present) && (b.is_allowed || !other.is_present);
                let apart = a.apart.union(&b.apart).copied().collect();
                Way { is_allowed, is_reported: a.is_reported || b.is_reported, apart, rivals: a.rivals }
            };
            let ways = this.ways.iter().zip(&other.ways).map(way).collect();
            Read { is_present: this.is_present || other.is_present, ways }
        };
        Abstraction(self.0.iter().zip(&other.0).map(|(this, other)| read(this, other)).collect())
    }

    /// The least upper bound: the strongest abstraction that both are within.
    #[must_use]
    pub fn join(&self, other: &Abstraction) -> Abstraction {
        let read = |this: &Read, other: &Read| {
            let is_present = this.is_present && other.is_present;
            let way = |index: usize| {
                let (a, b) = (&this.ways[index], &other.ways[index]);
                let is_allowed = !is_present || a.is_allowed || b.is_allowed;
                let (is_reported, apart) = match (this.is_idle(index), other.is_idle(index)) {
                    (true, true) => (true, (0..a.rivals).collect()),
                    (true, false) => (b.is_reported, b.apart.clone()),
                    (false, true) => (a.is_reported, a.apart.clone()),
                    (false, false) => {
                        (a.is_reported && b.is_reported, a.apart.intersection(&b.apart).copied().collect())
                    }
                };
                Way { is_allowed, is_reported, apart, rivals: a.rivals }
            };
            Read { is_present, ways: (0..this.ways.len()).map(way).collect() }
        };
        Abstraction(self.0.iter().zip(&other.0).map(|(this, other)| read(this, other)).collect())
    }

    /// Its size.
    pub fn size(&self) -> Size {
        let mut size = Size::default();
        for read in &self.0 {
            size.reads += usize::from(read.is_present);
            size.links += read.ways.iter().filter(|way| read.is_present && way.is_allowed).count();
            size.pairs += read.ways.iter().filter(|way| way.is_reported).count();
            size.triples += read.ways.iter().map(|way| way.apart.len()).sum::<usize>();
        }
        size
    }

    /// The size of the full abstraction.
    pub fn full_size(&self) -> Size {
        let links = self.0.iter().map(|read| read.ways.len()).sum();
        let triples = self.0.iter().flat_map(|read| &read.ways).map(|way| way.rivals).sum();
        Size { reads: self.0.len(), links, pairs: links, triples }
    }
}

impl fmt::Display for Abstraction {
    /// One line for each read: `r3 in R  w0* w2*/5 -w4*`. A star marks pairs in Λ, the number after a slash counts
    /// triples in Σ, and a minus marks ways outside W that have constraints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, read) in self.0.iter().enumerate() {
            write!(f, "r{index}{}", if read.is_present { " in R " } else { "" })?;
            for (number, way) in read.ways.iter().enumerate() {
                if way.is_allowed || way.is_reported || !way.apart.is_empty() {
                    let (star, mark) = (if way.is_reported { "*" } else { "" }, if way.is_allowed { "" } else { "-" });
                    write!(f, " {mark}w{number}{star}")?;
                }
                if !way.apart.is_empty() {
                    write!(f, "/{}", way.apart.len())?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All abstractions of one read with `ways` ways of one rival each.
    fn all(ways: usize) -> Vec<Abstraction> {
        let mut all = Vec::new();
        for code in 0..1usize << (3 * ways + 1) {
            let bit = |index: usize| code >> index & 1 == 1;
            let way = |way: usize| Way {
                is_allowed: bit(3 * way + 1),
                is_reported: bit(3 * way + 2),
                apart: (0..usize::from(bit(3 * way + 3))).collect(),
                rivals: 1,
            };
            all.push(Abstraction(vec![Read { is_present: bit(0), ways: (0..ways).map(way).collect() }]));
        }
        all
    }

    #[test]
    fn meets_and_joins_are_bounds() {
        let all = all(2);
        for a in &all {
            assert!(a.is_within(a));
            for b in &all {
                let (meet, join) = (a.meet(b), a.join(b));
                assert!(meet.is_within(a) && meet.is_within(b), "{a}{b}{meet}");
                assert!(a.is_within(&join) && b.is_within(&join), "{a}{b}{join}");
                for c in all.iter().step_by(3) {
                    assert!(!(c.is_within(a) && c.is_within(b)) || c.is_within(&meet), "{a}{b}{c}{meet}");
                    assert!(!(a.is_within(c) && b.is_within(c)) || join.is_within(c), "{a}{b}{c}{join}");
                }
            }
        }
    }

    #[test]
    fn the_program_is_over_and_under() {
        let shape = vec![vec![2, 0], vec![], vec![1, 1, 1]];
        let (full, weakest) = (Abstraction::full(&shape), Abstraction::weakest(&shape));
        assert!(full.is_over() && full.is_under() && full.is_within(&weakest));
        assert!(weakest.is_over() && !weakest.is_under());
        for a in all(2) {
            let full = Abstraction::full(&vec![vec![1, 1]]);
            assert!(!a.is_over() || full.is_within(&a), "{a}");
            assert!(!a.is_under() || a.is_within(&full), "{a}");
        }
        assert_eq!(full.size(), Size { reads: 3, links: 5, pairs: 5, triples: 5 });
        assert_eq!(weakest.full_size(), full.size());
        let mut some = Abstraction::weakest(&vec![vec![3, 0]]);
        some.add_read(0);
        some.set_link(0, 1, false);
        assert!(some.add_pair(0, 0) && !some.add_pair(0, 0));
        assert!(some.add_triple(0, 0, 2) && some.has_triple(0, 0, 2) && !some.has_triple(0, 0, 1));
        assert_eq!(some.to_string(), "r0 in R  w0*/1\n");
    }
}
