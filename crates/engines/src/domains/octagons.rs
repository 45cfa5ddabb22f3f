//! The domain of octagons (Miné, The octagon abstract domain, HOSC 2006): bounds on `x`, `x + y` and `x - y`, in a
//! reduced product with the numbers of [`Intervals`].
//!
//! The matrix has two rows for each variable: `2i` stands for `x`, `2i + 1` for `-x`; the entry at row `a` and column
//! `b` bounds `b - a`. It is closed strongly and tightly for integers (Bagnara, Hill and Zaffanella, STTT 2009):
//! shortest paths, then bounds of single variables rounded down, then combined. The result of widening is not closed,
//! since repeated widening might not terminate otherwise.
//!
//! Bounds are over the integers, without wrap-around: a relation is introduced only where the operation does not leave
//! the range of the width. Deviation: only variables that have been related are in the matrix, and at most
//! [`MAX_RELATED`] of them; the oldest are dropped first.

use crate::domains::intervals::Intervals;
use crate::domains::number::{range, Number};
use crate::domains::numeric::{Linear, Numeric, Var};

/// No bound.
const NONE: i128 = i128::MAX;
/// Maximum number of related variables: closure is cubic.
const MAX_RELATED: usize = 16;

/// An octagon and intervals.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Octagons {
    numbers: Intervals,
    related: Vec<Var>,
    bounds: Vec<i128>,
}

fn add(a: i128, b: i128) -> i128 {
    if a == NONE || b == NONE {
        NONE
    } else {
        a + b
    }
}

impl Octagons {
    fn size(&self) -> usize {
        2 * self.related.len()
    }

    fn bound(&self, row: usize, column: usize) -> i128 {
        self.bounds[row * self.size() + column]
    }

    fn lower(&mut self, row: usize, column: usize, bound: i128) {
        let size = self.size();
        for (row, column) in [(row, column), (column ^ 1, row ^ 1)] {
            let entry = &mut self.bounds[row * size + column];
            *entry = (*entry).min(bound);
        }
    }

    fn index(&self, var: Var) -> Option<usize> {
        self.related.iter().position(|other| *other == var)
    }

    /// The same over these variables; new ones are unbounded.
    fn over(&self, related: Vec<Var>) -> Octagons {
        let size = 2 * related.len();
        let mut bounds = vec![NONE; size * size];
        let old: Vec<Option<usize>> = related.iter().map(|var| self.index(*var)).collect();
        for row in 0..size {
            for column in 0..size {
                if let (Some(a), Some(b)) = (old[row / 2], old[column / 2]) {
                    bounds[row * size + column] = self.bound(2 * a + row % 2, 2 * b + column % 2);
                }
            }
            bounds[row * size + row] = 0;
        }
        Octagons { numbers: self.numbers.clone(), related, bounds }
    }

    /// Adds the variables to the matrix, with their own bounds.
    fn relate(&mut self, vars: [Var; 2]) {
        let mut related: Vec<Var> = self.related.iter().copied().filter(|var| !vars.contains(var)).collect();
        let excess = (related.len() + 2).saturating_sub(MAX_RELATED);
        related.drain(..excess);
        related.extend(vars);
        related.dedup();
        if related != self.related {
            *self = self.over(related);
        }
        for var in vars {
            self.import(var);
        }
    }

    /// Imports the bounds of a variable from its number.
    fn import(&mut self, var: Var) {
        if let (Some(index), Some(number)) = (self.index(var), self.numbers.get(var)) {
            self.lower(2 * index + 1, 2 * index, 2 * number.high());
            self.lower(2 * index, 2 * index + 1, -2 * number.low());
        }
    }

    fn forget(&mut self, var: Var) {
        if self.index(var).is_some() {
            let related = self.related.iter().copied().filter(|other| *other != var).collect();
            *self = self.over(related);
        }
    }

    /// Closes strongly and tightly, and updates the numbers. Returns false if the octagon is empty.
    fn close(&mut self) -> bool {
        let size = self.size();
        for via in 0..size {
            for row in 0..size {
                let first = self.bound(row, via);
                if first == NONE {
                    continue;
                }
                for column in 0..size {
                    let path = add(first, self.bound(via, column));
                    let entry = &mut self.bounds[row * size + column];
                    *entry = (*entry).min(path);
                }
            }
        }
        for row in 0..size {
            let entry = &mut self.bounds[row * size + (row ^ 1)];
            if *entry != NONE {
                *entry = entry.div_euclid(2) * 2;
            }
        }
        for row in 0..size {
            if self.bound(row, row) < 0 || add(self.bound(row, row ^ 1), self.bound(row ^ 1, row)) < 0 {
                return false;
            }
            for column in 0..size {
                let sum = add(self.bound(row, row ^ 1), self.bound(column ^ 1, column));
                if sum != NONE {
                    let entry = &mut self.bounds[row * size + column];
                    *entry = (*entry).min(sum / 2);
                }
            }
            self.bounds[row * size + row] = 0;
        }
        self.export()
    }

    /// Exports the bounds of single variables to the numbers. Returns false if the octagon is empty.
    fn export(&mut self) -> bool {
        for (index, var) in self.related.clone().into_iter().enumerate() {
            let (upper, lower) = (self.bound(2 * index + 1, 2 * index), self.bound(2 * index, 2 * index + 1));
            let Some(number) = self.numbers.get(var) else { continue };
            let high = if upper == NONE { number.high() } else { upper.div_euclid(2) };
            let low = if lower == NONE { number.low() } else { -lower.div_euclid(2) };
            match Number::between(number.width(), low, high) {
                Some(bounds) if self.numbers.restrict(var, &bounds) => {}
                Some(_) | None => return false,
            }
        }
        true
    }

    fn width(&self, var: Var) -> Option<u16> {
        self.numbers.get(var).map(|number| number.width())
    }

    /// Both over the variables that both relate.
    fn aligned(&self, other: &Octagons) -> (Octagons, Octagons) {
        let is_common = |var: &Var| other.related.contains(var) && self.width(*var) == other.width(*var);
        let common: Vec<Var> = self.related.iter().copied().filter(is_common).collect();
        (self.over(common.clone()), other.over(common))
    }

    /// Closed, with the bounds of single variables imported.
    fn prepared(&self) -> Octagons {
        let mut closed = self.clone();
        for var in self.related.clone() {
            closed.import(var);
        }
        if closed.close() {
            closed
        } else {
            self.clone()
        }
    }

    /// Drops variables without relations.
    fn without_unrelated(self) -> Octagons {
        let size = self.size();
        let is_related = |index: usize| {
            let other = |column: usize| column / 2 != index;
            (0..size).any(|column| {
                other(column) && (self.bound(2 * index, column) != NONE || self.bound(2 * index + 1, column) != NONE)
            })
        };
        let keep: Vec<Var> =
            self.related.iter().enumerate().filter(|(index, _)| is_related(*index)).map(|(_, var)| *var).collect();
        if keep.len() == self.related.len() {
            self
        } else {
            self.over(keep)
        }
    }
}

impl Numeric for Octagons {
    fn top() -> Octagons {
        Octagons { numbers: Intervals::top(), related: Vec::new(), bounds: Vec::new() }
    }

    fn get(&self, var: Var) -> Option<Number> {
        self.numbers.get(var)
    }

    fn assign(&mut self, var: Var, value: Option<Number>, linear: Option<Linear>) {
        let source = linear.and_then(|linear| self.numbers.get(linear.var).map(|number| (linear, number)));
        let exact = source.filter(|(_, number)| number.width() > 1).and_then(|(linear, number)| {
            let (least, greatest) = range(number.width());
            let stays = number.low() + linear.plus >= least && number.high() + linear.plus <= greatest;
            stays.then_some(linear)
        });
        match exact {
            Some(linear) if linear.var == var => {
                // x := x + c moves every bound that mentions x.
                if let Some(index) = self.index(var) {
                    let size = self.size();
                    let shift = |row: usize| match row {
                        row if row == 2 * index => linear.plus,
                        row if row == 2 * index + 1 => -linear.plus,
                        _ => 0,
                    };
                    for row in 0..size {
                        for column in 0..size {
                            let entry = &mut self.bounds[row * size + column];
                            if *entry != NONE {
                                *entry += shift(column) - shift(row);
                            }
                        }
                    }
                }
                self.numbers.assign(var, value, None);
            }
            Some(linear) => {
                self.forget(var);
                self.numbers.assign(var, value, None);
                if value.is_some() && value.map(|number| number.width()) == self.width(linear.var) {
                    self.relate([linear.var, var]);
                    if let (Some(to), Some(from)) = (self.index(var), self.index(linear.var)) {
                        self.lower(2 * from, 2 * to, linear.plus);
                        self.lower(2 * to, 2 * from, -linear.plus);
                    }
                    // The value is possible: closing cannot find a contradiction.
                    self.close();
                }
            }
            None => {
                self.forget(var);
                self.numbers.assign(var, value, None);
            }
        }
    }

    fn restrict(&mut self, var: Var, value: &Number) -> bool {
        if !self.numbers.restrict(var, value) {
            return false;
        }
        if self.index(var).is_none() {
            return true;
        }
        self.import(var);
        self.close()
    }

    fn bound_difference(&mut self, left: Var, right: Var, most: i128) -> bool {
        let is_related = left != right && self.width(left).is_some() && self.width(left) == self.width(right);
        if !self.numbers.bound_difference(left, right, most) {
            return false;
        }
        if !is_related || self.width(left) == Some(1) {
            return true;
        }
        self.relate([left, right]);
        if let (Some(left), Some(right)) = (self.index(left), self.index(right)) {
            self.lower(2 * right, 2 * left, most);
        }
        self.close()
    }

    fn retain(&mut self, keep: &mut dyn FnMut(Var) -> bool) {
        let kept: Vec<Var> = self.related.iter().copied().filter(|var| keep(*var)).collect();
        if kept.len() < self.related.len() {
            *self = self.over(kept);
        }
        self.numbers.retain(keep);
    }

    fn vars(&self) -> Vec<Var> {
        self.numbers.vars()
    }

    fn join(&self, other: &Octagons) -> Octagons {
        let (a, b) = self.prepared().aligned(&other.prepared());
        let bounds = a.bounds.iter().zip(&b.bounds).map(|(a, b)| *a.max(b)).collect();
        Octagons { numbers: self.numbers.join(&other.numbers), related: a.related, bounds }.without_unrelated()
    }

    fn widen(&self, next: &Octagons, thresholds: &[i128]) -> Octagons {
        let (a, b) = self.aligned(&next.prepared());
        let bounds = a.bounds.iter().zip(&b.bounds).map(|(a, b)| if b <= a { *a } else { NONE }).collect();
        let numbers = self.numbers.widen(&next.numbers, thresholds);
        Octagons { numbers, related: a.related, bounds }.without_unrelated()
    }

    fn includes(&self, other: &Octagons) -> bool {
        if !self.numbers.includes(&other.numbers) {
            return false;
        }
        let other = other.prepared().over(self.related.clone());
        self.bounds.iter().zip(&other.bounds).enumerate().all(|(entry, (own, theirs))| {
            let (row, column) = (entry / self.size(), entry % self.size());
            // Bounds of single variables are those of the numbers, compared above.
            row / 2 == column / 2 || theirs <= own
        })
    }

    fn beside(&self, other: &Octagons) -> Octagons {
        let theirs: Vec<Var> = other.related.clone();
        let mut related: Vec<Var> = self.related.iter().copied().filter(|var| !theirs.contains(var)).collect();
        let excess = (related.len() + theirs.len()).saturating_sub(MAX_RELATED);
        related.drain(..excess.min(related.len()));
        let own = related.len();
        related.extend(theirs);
        let mut result = self.over(related.clone());
        let second = other.over(related);
        for row in 2 * own..result.size() {
            for column in 2 * own..result.size() {
                let entry = row * result.size() + column;
                result.bounds[entry] = second.bounds[entry];
            }
        }
        result.numbers = self.numbers.beside(&other.numbers);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ir::arith::{mask, signed};
    use proptest::prelude::*;

    const WIDTH: u16 = 3;
    const VARS: [Var; 3] = [Var(0), Var(1), Var(2)];
    type Point = [i128; 3];

    fn points() -> Vec<Point> {
        let (least, greatest) = range(WIDTH);
        let mut all = Vec::new();
        for x in least..=greatest {
            for y in least..=greatest {
                all.extend((least..=greatest).map(|z| [x, y, z]));
            }
        }
        all
    }

    fn allows(octagon: &Octagons, point: &Point) -> bool {
        let bits = |value: i128| value as u128 & mask(WIDTH);
        let inside =
            VARS.iter().zip(point).all(|(var, value)| octagon.get(*var).is_none_or(|n| n.contains(bits(*value))));
        let value = |row: usize| {
            let position = VARS.iter().position(|var| *var == octagon.related[row / 2]).expect("a known variable");
            point[position] * if row.is_multiple_of(2) { 1 } else { -1 }
        };
        let size = octagon.size();
        inside
            && (0..size * size).all(|entry| {
                let (row, column) = (entry / size, entry % size);
                octagon.bounds[entry] == NONE || value(column) - value(row) <= octagon.bounds[entry]
            })
    }

    /// A step of a program, on octagons and on points.
    #[derive(Clone, Debug)]
    enum Step {
        Copy { to: usize, from: usize, plus: i128 },
        Bound { left: usize, right: usize, most: i128 },
        Restrict { var: usize, low: i128, high: i128 },
    }

    fn any_step() -> impl Strategy<Value = Step> {
        prop_oneof![
            (0usize..3, 0usize..3, -3i128..4).prop_map(|(to, from, plus)| Step::Copy { to, from, plus }),
            (0usize..3, 0usize..3, -5i128..6).prop_map(|(left, right, most)| Step::Bound { left, right, most }),
            (0usize..3, -4i128..4, -4i128..4).prop_map(|(var, low, high)| Step::Restrict { var, low, high }),
        ]
    }

    fn start() -> (Octagons, Vec<Point>) {
        let mut octagon = Octagons::top();
        VARS.iter().for_each(|var| octagon.assign(*var, Some(Number::top(WIDTH)), None));
        (octagon, points())
    }

    /// Runs steps on both; `None` once the octagon is empty.
    fn run(steps: &[Step]) -> (Option<Octagons>, Vec<Point>) {
        let (mut octagon, mut concrete) = start();
        for step in steps {
            let is_possible = match step {
                Step::Copy { to, from, plus } => {
                    let old = octagon.get(VARS[*from]).expect("all have numbers");
                    let by = Number::constant(WIDTH, *plus as u128 & mask(WIDTH));
                    let value = Number::binary(ir::BinaryOp::Add, &old, &by);
                    octagon.assign(VARS[*to], value, Some(Linear { var: VARS[*from], plus: *plus }));
                    for point in &mut concrete {
                        point[*to] = signed(WIDTH, (point[*from] + plus) as u128 & mask(WIDTH));
                    }
                    true
                }
                Step::Bound { left, right, most } => {
                    if left != right {
                        concrete.retain(|point| point[*left] - point[*right] <= *most);
                    }
                    left == right || octagon.bound_difference(VARS[*left], VARS[*right], *most)
                }
                Step::Restrict { var, low, high } => match Number::between(WIDTH, *low, *high) {
                    Some(number) => {
                        concrete.retain(|point| (*low..=*high).contains(&point[*var]));
                        octagon.restrict(VARS[*var], &number)
                    }
                    None => true,
                },
            };
            if !is_possible {
                return (None, concrete);
            }
        }
        concrete.sort_unstable();
        concrete.dedup();
        (Some(octagon), concrete)
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn steps_lose_no_point(steps in prop::collection::vec(any_step(), 1..7)) {
            let (octagon, concrete) = run(&steps);
            match octagon {
                None => prop_assert!(concrete.is_empty()),
                Some(octagon) => {
                    for point in &concrete {
                        prop_assert!(allows(&octagon, point), "{:?} {:?}", point, octagon);
                    }
                }
            }
        }

        #[test]
        fn joining_widening_and_inclusion(
            first in prop::collection::vec(any_step(), 1..6), second in prop::collection::vec(any_step(), 1..6)
        ) {
            if let ((Some(a), left), (Some(b), right)) = (run(&first), run(&second)) {
                let (join, wide) = (a.join(&b), a.widen(&b, &[-1, 0, 2]));
                for point in left.iter().chain(&right) {
                    prop_assert!(allows(&join, point) && allows(&wide, point));
                }
                prop_assert!(join.includes(&a) && join.includes(&b));
                if a.includes(&b) {
                    prop_assert!(points().iter().all(|point| !allows(&b, point) || allows(&a, point)));
                }
                // Repeated widening by the same octagon stabilises.
                let again = wide.widen(&b, &[-1, 0, 2]);
                prop_assert_eq!(&again.widen(&b, &[-1, 0, 2]).numbers, &again.widen(&again, &[-1, 0, 2]).numbers);
            }
        }

        /// Over difference and sum constraints of variables far from the ends of the range the closure is exact: it is
        /// empty only if no point is left, and every bound is attained.
        #[test]
        fn closure_is_tight(steps in prop::collection::vec(
            (0usize..3, 0usize..3, -5i128..6).prop_map(|(left, right, most)| Step::Bound { left, right, most }), 1..5)
        ) {
            let (octagon, concrete) = run(&steps);
            prop_assert_eq!(octagon.is_none(), concrete.is_empty());
            if let Some(octagon) = octagon {
                for (index, var) in VARS.iter().enumerate() {
                    let number = octagon.get(*var).expect("all have numbers");
                    let reached = |value: i128| concrete.iter().any(|point| point[index] == value);
                    prop_assert!(reached(number.low()) && reached(number.high()));
                }
            }
        }
    }

    #[test]
    fn a_relation_outlives_the_numbers() {
        let (mut octagon, _) = start();
        assert!(octagon.restrict(VARS[0], &Number::between(WIDTH, -2, 2).expect("not empty")));
        octagon.assign(VARS[1], Number::between(WIDTH, -1, 3), Some(Linear { var: VARS[0], plus: 1 }));
        assert!(octagon.restrict(VARS[0], &Number::constant(WIDTH, 2)));
        assert_eq!(octagon.get(VARS[1]).and_then(|number| number.single()), Some(3));
    }
}
