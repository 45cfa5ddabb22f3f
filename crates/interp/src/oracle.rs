//! Questions that come up inside a step and that the program does not answer: inputs, and under release-acquire which
//! write is read and where a write is placed. Random runs, replay and exploration differ only in the oracle.

use ir::arith::mask;
use ir::Pick;
use smallvec::SmallVec;
use std::rc::Rc;

/// The values tried for inputs that have too many values to try all.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputDomain {
    /// The values, cut to the width of each input.
    pub values: Vec<i128>,
    /// Inputs have no other values: not even values known to represent all others are tried.
    pub exclusive: bool,
}

impl Default for InputDomain {
    fn default() -> InputDomain {
        InputDomain { values: vec![0, 1, 2, -1], exclusive: false }
    }
}

/// Inputs with at most this many values are tried with all of them.
pub const COMPLETE_BELOW: u128 = 256;

/// A question to the oracle.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Question {
    /// The value of an input.
    Input {
        /// Its width.
        width: u16,
        /// All values are below this.
        below: u128,
        /// Values that represent all others, if such are known.
        classes: Option<Rc<[u128]>>,
    },
    /// Which of this many writes is read.
    Read(u32),
    /// At which of this many positions a write is placed.
    Place(u32),
    /// Whether a weak compare-exchange fails spuriously.
    SpuriousFailure,
}

impl InputDomain {
    /// Whether all answers to a question are tried.
    pub fn is_complete(&self, question: &Question) -> bool {
        match question {
            Question::Input { below, classes, .. } => *below <= COMPLETE_BELOW || classes.is_some(),
            Question::Read(_) | Question::Place(_) | Question::SpuriousFailure => true,
        }
    }

    /// How many answers to a question are tried.
    pub fn count(&self, question: &Question) -> u32 {
        match question {
            Question::Input { classes: Some(classes), .. } if !self.exclusive => classes.len() as u32,
            Question::Input { below, .. } if *below <= COMPLETE_BELOW => *below as u32,
            Question::Input { .. } => self.values.len().max(1) as u32,
            Question::Read(count) | Question::Place(count) => *count,
            Question::SpuriousFailure => 2,
        }
    }

    /// The answer with an index.
    pub fn answer(&self, question: &Question, index: u32) -> Pick {
        match question {
            Question::Input { classes: Some(classes), .. } if !self.exclusive => Pick::Input(classes[index as usize]),
            Question::Input { below, .. } if *below <= COMPLETE_BELOW => Pick::Input(u128::from(index)),
            Question::Input { width, below, .. } => {
                let value = self.values.get(index as usize).copied().unwrap_or(0) as u128 & mask(*width);
                Pick::Input(value.min(*below - 1))
            }
            Question::Read(_) => Pick::Read(index),
            Question::Place(_) => Pick::Place(index),
            Question::SpuriousFailure => Pick::SpuriousFailure(index != 0),
        }
    }
}

/// Answers questions.
pub trait Oracle {
    /// The answer. `None` if there is none (a replayed schedule that does not fit).
    fn ask(&mut self, question: Question) -> Option<Pick>;

    /// The answer to a question about something with a name: a variable, or an object in memory.
    fn ask_about(&mut self, question: Question, _name: &str) -> Option<Pick> {
        self.ask(question)
    }
}

/// The bias of a random run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Leaning {
    /// No bias: all answers are equally likely.
    None,
    /// Prefers the newest write for reads and the last position for stores.
    Newest,
    /// Prefers the oldest write for reads and the first position for stores.
    Oldest,
}

/// Answers at random and records the answers.
pub struct Random<'a> {
    /// Its bias.
    pub leaning: Leaning,
    /// The source of randomness.
    pub chance: &'a mut Chance,
    /// The domain of inputs.
    pub domain: &'a InputDomain,
    /// Further values for inputs that are not tried completely.
    pub suggestions: &'a [i128],
    /// The answers so far.
    pub picks: SmallVec<[Pick; 2]>,
}

impl Oracle for Random<'_> {
    fn ask(&mut self, question: Question) -> Option<Pick> {
        if let Some(pick) = self.suggested(&question) {
            self.picks.push(pick);
            return Some(pick);
        }
        let count = self.domain.count(&question);
        let is_about_stores = matches!(question, Question::Read(_) | Question::Place(_));
        let leans = is_about_stores && self.leaning != Leaning::None && self.chance.below(16) != 0;
        let index = match self.leaning {
            Leaning::Newest if leans => count.saturating_sub(1),
            Leaning::Oldest if leans => 0,
            Leaning::None | Leaning::Newest | Leaning::Oldest => self.chance.below(count),
        };
        let pick = self.domain.answer(&question, index);
        self.picks.push(pick);
        Some(pick)
    }
}

impl Random<'_> {
    /// Every other time, a suggestion for an input that is not tried completely.
    fn suggested(&mut self, question: &Question) -> Option<Pick> {
        let Question::Input { width, below, .. } = question else { return None };
        let is_open = !self.domain.is_complete(question) && !self.domain.exclusive && !self.suggestions.is_empty();
        if !is_open || self.chance.below(2) == 0 {
            return None;
        }
        let value = self.suggestions[self.chance.below(self.suggestions.len() as u32) as usize];
        Some(Pick::Input((value as u128 & mask(*width)).min(*below - 1)))
    }
}

/// A small generator of pseudo-random numbers (xorshift64*): the same on every machine.
#[derive(Clone, Debug)]
pub struct Chance(u64);

impl Chance {
    /// The generator for a seed.
    pub fn new(seed: u64) -> Chance {
        // Splitmix64's finaliser, so that neighbouring seeds differ.
        let mut x = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Chance((x ^ (x >> 31)) | 1)
    }

    /// The next number.
    pub fn next_number(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        (((self.next_number() >> 32) * u64::from(bound)) >> 32) as u32
    }
}

/// Answers as recorded.
pub struct Recorded<'a> {
    /// The remaining answers.
    pub picks: &'a [Pick],
}

impl Oracle for Recorded<'_> {
    fn ask(&mut self, question: Question) -> Option<Pick> {
        let (first, rest) = self.picks.split_first()?;
        let fits = match (&question, first) {
            (Question::Input { below, .. }, Pick::Input(value)) => value < below,
            (Question::Read(count), Pick::Read(index)) | (Question::Place(count), Pick::Place(index)) => index < count,
            (Question::SpuriousFailure, Pick::SpuriousFailure(_)) => true,
            (Question::Input { .. } | Question::Read(_) | Question::Place(_) | Question::SpuriousFailure, _) => false,
        };
        self.picks = rest;
        fits.then_some(*first)
    }
}

/// Gives all combinations of answers, one per run of the step: a counter whose digits are the answers.
pub struct Enumerate<'a> {
    domain: &'a InputDomain,
    digits: SmallVec<[(Pick, Question, u32); 2]>,
    next: usize,
}

impl<'a> Enumerate<'a> {
    /// The first combination.
    pub fn new(domain: &'a InputDomain) -> Enumerate<'a> {
        Enumerate { domain, digits: SmallVec::new(), next: 0 }
    }

    /// The answers of this combination.
    pub fn picks(&self) -> SmallVec<[Pick; 2]> {
        self.digits.iter().map(|(pick, ..)| *pick).collect()
    }

    /// Moves to the next combination; false if there is none.
    pub fn advance(&mut self) -> bool {
        self.next = 0;
        while let Some((pick, question, index)) = self.digits.last_mut() {
            *index += 1;
            if *index < self.domain.count(question) {
                *pick = self.domain.answer(question, *index);
                return true;
            }
            self.digits.pop();
        }
        false
    }
}

impl Oracle for Enumerate<'_> {
    fn ask(&mut self, question: Question) -> Option<Pick> {
        if self.next == self.digits.len() {
            if self.domain.count(&question) == 0 {
                return None;
            }
            self.digits.push((self.domain.answer(&question, 0), question, 0));
        }
        self.next += 1;
        Some(self.digits[self.next - 1].0)
    }
}
