//! Random choices for the generator: those of the interpreter's random runs, with additions. The numbers are the same
//! on every machine, so a seed determines a program.

use interp::oracle::Chance;

/// The source of choices.
#[derive(Clone, Debug)]
pub struct Rng(Chance);

impl Rng {
    /// The choices for this seed.
    pub fn new(seed: u64) -> Rng {
        Rng(Chance::new(seed))
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "a bound should not be 0");
        self.0.below(u32::try_from(bound).expect("bounds should be small")) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// True in `percent` of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the items.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_of_a_range_comes_up() {
        let mut rng = Rng::new(1);
        let mut seen = [false; 5];
        for _ in 0..200 {
            seen[rng.between(2, 6) - 2] = true;
        }
        assert_eq!(seen, [true; 5]);
    }
}
