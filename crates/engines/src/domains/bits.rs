//! Sets of small numbers as bit vectors. Trailing empty words are removed, so that equal sets are equal values.

use smallvec::SmallVec;

/// A set of small numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Bits {
    words: SmallVec<[u64; 2]>,
}

impl Bits {
    /// The empty set.
    pub fn empty() -> Bits {
        Bits::default()
    }

    /// The set of one number.
    pub fn one(item: usize) -> Bits {
        let mut bits = Bits::default();
        bits.insert(item);
        bits
    }

    /// Adds an element.
    pub fn insert(&mut self, item: usize) {
        if self.words.len() <= item / 64 {
            self.words.resize(item / 64 + 1, 0);
        }
        self.words[item / 64] |= 1 << (item % 64);
    }

    /// Removes an element.
    pub fn remove(&mut self, item: usize) {
        if let Some(word) = self.words.get_mut(item / 64) {
            *word &= !(1 << (item % 64));
        }
        self.trim();
    }

    /// Whether a number is an element.
    pub fn contains(&self, item: usize) -> bool {
        self.words.get(item / 64).is_some_and(|word| word >> (item % 64) & 1 == 1)
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The only element, if there is exactly one.
    pub fn single(&self) -> Option<usize> {
        (self.len() == 1).then(|| self.iter().next()).flatten()
    }

    /// The elements, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.words.iter().enumerate().flat_map(|(index, word)| {
            let mut rest = *word;
            std::iter::from_fn(move || {
                (rest != 0).then(|| {
                    let bit = rest.trailing_zeros() as usize;
                    rest &= rest - 1;
                    index * 64 + bit
                })
            })
        })
    }

    /// Adds the elements of the other set. Returns whether any was new.
    pub fn insert_all(&mut self, other: &Bits) -> bool {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut changed = false;
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            changed |= *more & !*word != 0;
            *word |= more;
        }
        changed
    }

    /// Keeps the elements of the other set.
    pub fn retain_all(&mut self, other: &Bits) {
        self.words.truncate(other.words.len());
        for (word, keep) in self.words.iter_mut().zip(&other.words) {
            *word &= keep;
        }
        self.trim();
    }

    /// The union.
    #[must_use]
    pub fn union(&self, other: &Bits) -> Bits {
        let mut bits = self.clone();
        bits.insert_all(other);
        bits
    }

    /// The intersection.
    #[must_use]
    pub fn intersection(&self, other: &Bits) -> Bits {
        let mut bits = self.clone();
        bits.retain_all(other);
        bits
    }

    /// The difference.
    #[must_use]
    pub fn without(&self, other: &Bits) -> Bits {
        let mut bits = self.clone();
        for (word, gone) in bits.words.iter_mut().zip(&other.words) {
            *word &= !gone;
        }
        bits.trim();
        bits
    }

    /// Whether every element is one of the other set.
    pub fn is_subset(&self, other: &Bits) -> bool {
        let word = |index: usize| other.words.get(index).copied().unwrap_or(0);
        self.words.iter().enumerate().all(|(index, own)| own & !word(index) == 0)
    }

    fn trim(&mut self) {
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }
}

impl FromIterator<usize> for Bits {
    fn from_iter<I: IntoIterator<Item = usize>>(items: I) -> Bits {
        let mut bits = Bits::default();
        items.into_iter().for_each(|item| bits.insert(item));
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_behave_as_sets() {
        let some: Bits = [1, 70, 3].into_iter().collect();
        let other: Bits = [3, 200].into_iter().collect();
        assert_eq!(some.union(&other).iter().collect::<Vec<_>>(), [1, 3, 70, 200]);
        assert_eq!(some.intersection(&other), Bits::one(3));
        assert!(Bits::one(70).is_subset(&some) && !other.is_subset(&some));
        let mut shrunk = some.clone();
        shrunk.remove(70);
        assert_eq!(shrunk, [1, 3].into_iter().collect());
        assert_eq!((some.len(), Bits::one(5).single(), some.single()), (3, Some(5), None));
    }
}
