//! Interference abstractions ⟨R, W, Λ⟩ as values (Sinha and Wang, On interference abstractions, POPL 2011, section 4): the
//! reads for which it is said that they read from something, the writes each may read from, and the pairs of which it is
//! said what they mean. Reads and the ways to read are numbered; nothing is known of programs here.
//!
//! Deviation: on the order theory from-reads are derived, so that the paper's fourth part Σ, the triples of a read, its
//! write and a competing write, does not exist.
//!
//! More in R, Λ or fewer in W make the formula stronger, so abstractions are ordered by what they allow.

use std::fmt;

/// What is said of one read.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Read {
    is_present: bool,
    /// By way to read: whether it is allowed, and whether it is told what it means.
    ways: Vec<(bool, bool)>,
}

impl Read {
    /// Whether a way means what it should: it is told, or it cannot be chosen.
    fn is_settled(&self, way: usize) -> bool {
        self.ways[way].1 || self.is_present && !self.ways[way].0
    }
}

/// An interference abstraction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Abstraction(Vec<Read>);

/// How large an abstraction is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Size {
    /// |R|.
    pub reads: usize,
    /// Σ|W(r)| over the reads in R.
    pub links: usize,
    /// |Λ|.
    pub pairs: usize,
}

impl Abstraction {
    /// The weakest one over reads with so many ways: nothing is said.
    pub fn weakest(ways: &[usize]) -> Abstraction {
        Abstraction(ways.iter().map(|&count| Read { is_present: false, ways: vec![(true, false); count] }).collect())
    }

    /// Everything is said, and every way is allowed: the program itself.
    pub fn full(ways: &[usize]) -> Abstraction {
        Abstraction(ways.iter().map(|&count| Read { is_present: true, ways: vec![(true, true); count] }).collect())
    }

    /// Adds a read to R.
    pub fn add_read(&mut self, read: usize) {
        self.0[read].is_present = true;
    }

    /// Allows or forbids a way.
    pub fn set_link(&mut self, read: usize, way: usize, is_allowed: bool) {
        self.0[read].ways[way].0 = is_allowed;
    }

    /// Adds a pair to Λ.
    pub fn add_pair(&mut self, read: usize, way: usize) {
        self.0[read].ways[way].1 = true;
    }

    /// Whether a read is in R.
    pub fn has_read(&self, read: usize) -> bool {
        self.0[read].is_present
    }

    /// Whether a way is in W.
    pub fn has_link(&self, read: usize, way: usize) -> bool {
        self.0[read].ways[way].0
    }

    /// Whether a pair is in Λ.
    pub fn has_pair(&self, read: usize, way: usize) -> bool {
        self.0[read].ways[way].1
    }

    /// Whether all ways of a read are in W.
    pub fn is_full_at(&self, read: usize) -> bool {
        self.0[read].ways.iter().all(|(is_allowed, _)| *is_allowed)
    }

    /// Whether it allows all that the program does: if it has no violation, there is none.
    pub fn is_over(&self) -> bool {
        (0..self.0.len()).all(|read| !self.has_read(read) || self.is_full_at(read))
    }

    /// Whether the program does all that it allows: a violation of it is one.
    pub fn is_under(&self) -> bool {
        self.0
            .iter()
            .all(|read| read.is_present && read.ways.iter().all(|(is_allowed, is_told)| !is_allowed || *is_told))
    }

    /// Whether whatever this one allows, the other does.
    pub fn is_within(&self, other: &Abstraction) -> bool {
        self.0.iter().zip(&other.0).all(|(this, other)| {
            let ways = this.ways.iter().zip(&other.ways);
            // Links of reads that nothing is said of do not matter.
            let is_present = this.is_present || !other.is_present;
            let mut links = ways;
            is_present
                && (0..this.ways.len()).all(|way| this.is_settled(way) || !other.ways[way].1)
                && (!other.is_present || links.all(|((this, _), (other, _))| !*this || *other))
        })
    }

    fn combine(&self, other: &Abstraction, is_meet: bool) -> Abstraction {
        let pick = |a: bool, b: bool| if is_meet { a || b } else { a && b };
        let told = |read: &Read, way: usize| if is_meet { read.ways[way].1 } else { read.is_settled(way) };
        let read = |this: &Read, other: &Read| {
            let link = |a: bool, b: bool| match (this.is_present, other.is_present) {
                (true, true) if is_meet => a && b,
                (true, true) => a || b,
                (true, false) if is_meet => a,
                (false, true) if is_meet => b,
                (_, _) => true,
            };
            let way = |way: usize| {
                let (a, b) = (this.ways[way].0, other.ways[way].0);
                (link(a, b), pick(told(this, way), told(other, way)))
            };
            let is_present = pick(this.is_present, other.is_present);
            Read { is_present, ways: (0..this.ways.len()).map(way).collect() }
        };
        Abstraction(self.0.iter().zip(&other.0).map(|(this, other)| read(this, other)).collect())
    }

    /// The weakest one within both.
    #[must_use]
    pub fn meet(&self, other: &Abstraction) -> Abstraction {
        self.combine(other, true)
    }

    /// The strongest one that both are within.
    #[must_use]
    pub fn join(&self, other: &Abstraction) -> Abstraction {
        self.combine(other, false)
    }

    /// How large it is.
    pub fn size(&self) -> Size {
        let mut size = Size::default();
        for read in &self.0 {
            size.reads += usize::from(read.is_present);
            size.links += read.ways.iter().filter(|(is_allowed, _)| read.is_present && *is_allowed).count();
            size.pairs += read.ways.iter().filter(|(_, is_told)| *is_told).count();
        }
        size
    }
}

impl fmt::Display for Abstraction {
    /// One line for each read: `r3 in R  w0* w2`, with a star at the pairs in Λ.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, read) in self.0.iter().enumerate() {
            write!(f, "r{index}{}", if read.is_present { " in R " } else { "" })?;
            for (way, (is_allowed, is_told)) in read.ways.iter().enumerate() {
                if *is_allowed || *is_told {
                    let (star, mark) = (if *is_told { "*" } else { "" }, if *is_allowed { "" } else { "-" });
                    write!(f, " {mark}w{way}{star}")?;
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

    /// All abstractions of one read with so many ways.
    fn all(ways: usize) -> Vec<Abstraction> {
        let mut all = Vec::new();
        for code in 0..1usize << (2 * ways + 1) {
            let read = Read {
                is_present: code & 1 == 1,
                ways: (0..ways).map(|way| (code >> (2 * way + 1) & 1 == 1, code >> (2 * way + 2) & 1 == 1)).collect(),
            };
            all.push(Abstraction(vec![read]));
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
                for c in &all {
                    assert!(!(c.is_within(a) && c.is_within(b)) || c.is_within(&meet), "{a}{b}{c}{meet}");
                    assert!(!(a.is_within(c) && b.is_within(c)) || join.is_within(c), "{a}{b}{c}{join}");
                }
            }
        }
    }

    #[test]
    fn the_program_is_over_and_under() {
        let ways = [2, 0, 3];
        let (full, weakest) = (Abstraction::full(&ways), Abstraction::weakest(&ways));
        assert!(full.is_over() && full.is_under() && full.is_within(&weakest));
        assert!(weakest.is_over() && !weakest.is_under());
        for a in all(2) {
            let full = Abstraction::full(&[2]);
            assert!(!a.is_over() || full.is_within(&a), "{a}");
            assert!(!a.is_under() || a.is_within(&full), "{a}");
        }
        assert_eq!(full.size(), Size { reads: 3, links: 5, pairs: 5 });
        let mut some = Abstraction::weakest(&[2]);
        some.add_read(0);
        some.set_link(0, 1, false);
        some.add_pair(0, 0);
        assert_eq!(some.to_string(), "r0 in R  w0*\n");
    }
}
