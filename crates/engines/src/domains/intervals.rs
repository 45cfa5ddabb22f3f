//! The non-relational domain of intervals with congruences: a [`Number`] for each variable.

use crate::domains::number::Number;
use crate::domains::numeric::{Linear, Numeric, Var};
use std::rc::Rc;

/// A number for each variable, in the order of variables. An unconstrained variable is kept, since the number records
/// the width.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Intervals {
    /// Shared between copies until one of them changes: most copies never do.
    entries: Rc<Vec<(Var, Number)>>,
}

impl Intervals {
    fn find(&self, var: Var) -> Result<usize, usize> {
        self.entries.binary_search_by_key(&var, |(other, _)| *other)
    }

    /// Combines the entries of variables that both have, with equal widths; the others are dropped.
    fn both(&self, other: &Intervals, combine: impl Fn(&Number, &Number) -> Number) -> Intervals {
        let mut entries = Vec::with_capacity(self.entries.len().min(other.entries.len()));
        let mut theirs = other.entries.iter().peekable();
        for (var, number) in self.entries.iter() {
            while theirs.next_if(|(name, _)| name < var).is_some() {}
            if let Some((_, second)) = theirs.next_if(|(name, _)| name == var) {
                if number.width() == second.width() {
                    entries.push((*var, combine(number, second)));
                }
            }
        }
        Intervals { entries: Rc::new(entries) }
    }
}

impl Numeric for Intervals {
    fn top() -> Intervals {
        Intervals::default()
    }

    fn get(&self, var: Var) -> Option<Number> {
        self.find(var).ok().map(|index| self.entries[index].1)
    }

    fn assign(&mut self, var: Var, value: Option<Number>, _linear: Option<Linear>) {
        match (self.find(var), value) {
            (Ok(index), Some(value)) => Rc::make_mut(&mut self.entries)[index].1 = value,
            (Err(index), Some(value)) => Rc::make_mut(&mut self.entries).insert(index, (var, value)),
            (Ok(index), None) => {
                Rc::make_mut(&mut self.entries).remove(index);
            }
            (Err(_), None) => {}
        }
    }

    fn restrict(&mut self, var: Var, value: &Number) -> bool {
        match self.find(var) {
            Ok(index) if self.entries[index].1.width() == value.width() => match self.entries[index].1.meet(value) {
                Some(both) => {
                    Rc::make_mut(&mut self.entries)[index].1 = both;
                    true
                }
                None => false,
            },
            Ok(_) => true,
            Err(index) => {
                Rc::make_mut(&mut self.entries).insert(index, (var, *value));
                true
            }
        }
    }

    fn bound_difference(&mut self, left: Var, right: Var, most: i128) -> bool {
        let (Some(a), Some(b)) = (self.get(left), self.get(right)) else { return true };
        if a.width() != b.width() || a.width() == 1 {
            return true;
        }
        let below = Number::between(a.width(), i128::MIN, b.high().saturating_add(most));
        let above = Number::between(b.width(), a.low().saturating_sub(most), i128::MAX);
        match (below, above) {
            (Some(below), Some(above)) => self.restrict(left, &below) && self.restrict(right, &above),
            (None, _) | (_, None) => false,
        }
    }

    fn retain(&mut self, keep: &mut dyn FnMut(Var) -> bool) {
        let dropped: Vec<bool> = self.entries.iter().map(|(var, _)| !keep(*var)).collect();
        if dropped.contains(&true) {
            let mut drops = dropped.into_iter();
            Rc::make_mut(&mut self.entries).retain(|_| !drops.next().unwrap_or(false));
        }
    }

    fn vars(&self) -> Vec<Var> {
        self.entries.iter().map(|(var, _)| *var).collect()
    }

    fn join(&self, other: &Intervals) -> Intervals {
        if Rc::ptr_eq(&self.entries, &other.entries) {
            return self.clone();
        }
        self.both(other, Number::join)
    }

    fn widen(&self, next: &Intervals, thresholds: &[i128]) -> Intervals {
        self.both(next, |old, new| old.widen(new, thresholds))
    }

    fn includes(&self, other: &Intervals) -> bool {
        Rc::ptr_eq(&self.entries, &other.entries)
            || self.entries.iter().all(|(var, number)| match other.get(*var) {
                Some(second) => number.width() == second.width() && number.includes(&second),
                None => false,
            })
    }

    fn beside(&self, other: &Intervals) -> Intervals {
        let mut result = self.clone();
        for (var, number) in other.entries.iter() {
            result.assign(*var, Some(*number), None);
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_one_knows_is_forgotten_by_a_join() {
        let (x, y) = (Var(1), Var(2));
        let mut a = Intervals::top();
        a.assign(x, Some(Number::constant(8, 3)), None);
        a.assign(y, Some(Number::constant(8, 1)), None);
        let mut b = Intervals::top();
        b.assign(x, Some(Number::constant(8, 5)), None);
        let join = a.join(&b);
        assert_eq!(join.get(y), None);
        assert_eq!(join.get(x).map(|n| (n.low(), n.high())), Some((3, 5)));
        assert!(join.includes(&a) && join.includes(&b) && !a.includes(&join));
        assert!(!b.restrict(x, &Number::constant(8, 4)));
    }
}
