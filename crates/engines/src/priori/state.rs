//! Abstract states of a thread at a node: for each shared cell an order of stores and the value at the thread's view of
//! the cell; the thread's own variables and memory; the threads that have certainly ended, with all their actions in
//! view; the objects that may be dead.

use crate::domains::{Bits, Number, Numeric, Order, Var};
use crate::priori::world::World;
use ir::FunctionId;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::rc::Rc;

/// A possible target of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Target {
    /// None: null, or zero.
    Null,
    /// An offset into an object or its ghost.
    Object { object: u32, ghost: bool, offset: Number },
    /// A function.
    Function(FunctionId),
    /// The number of a thread.
    Thread(u32),
    /// The number of the state's own thread.
    Myself,
}

impl Target {
    /// Targets with the same key differ in the offset only.
    fn key(&self) -> (u8, u32, bool) {
        match self {
            Target::Null => (0, 0, false),
            Target::Object { object, ghost, .. } => (1, *object, *ghost),
            Target::Function(function) => (2, base::Id::index(*function) as u32, false),
            Target::Thread(number) => (3, *number, false),
            Target::Myself => (4, 0, false),
        }
    }

    /// Whether two values may be equal, judging by their keys: other threads know this thread by its number.
    fn may_be(&self, other: &Target) -> bool {
        match (self, other) {
            (Target::Myself, Target::Thread(_)) | (Target::Thread(_), Target::Myself) => true,
            (
                Target::Null | Target::Object { .. } | Target::Function(_) | Target::Thread(_) | Target::Myself,
                Target::Null | Target::Object { .. } | Target::Function(_) | Target::Thread(_) | Target::Myself,
            ) => self.key() == other.key(),
        }
    }
}

/// An abstract value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Scalar {
    /// A bit-vector.
    Number(Number),
    /// One of these, in the order of their keys.
    Refs(SmallVec<[Target; 1]>),
    /// Top.
    Any,
}

impl Scalar {
    pub(super) fn one(target: Target) -> Scalar {
        Scalar::Refs(SmallVec::from_elem(target, 1))
    }

    /// A value with these targets; targets with the same key are merged.
    pub(super) fn targets(all: impl IntoIterator<Item = Target>) -> Scalar {
        let mut refs: SmallVec<[Target; 1]> = SmallVec::new();
        for target in all {
            match refs.binary_search_by_key(&target.key(), Target::key) {
                Err(index) => refs.insert(index, target),
                Ok(index) => {
                    if let (Target::Object { offset, .. }, Target::Object { offset: more, .. }) =
                        (&mut refs[index], target)
                    {
                        *offset = offset.join(&more);
                    }
                }
            }
        }
        Scalar::Refs(refs)
    }

    /// The value as targets: the number zero is null.
    pub(super) fn as_refs(&self) -> Option<SmallVec<[Target; 1]>> {
        match self {
            Scalar::Refs(refs) => Some(refs.clone()),
            Scalar::Number(number) if number.single() == Some(0) => Some(SmallVec::from_elem(Target::Null, 1)),
            Scalar::Number(_) | Scalar::Any => None,
        }
    }

    /// The value as a number of a width.
    pub(super) fn as_number(&self, width: u16) -> Option<Number> {
        match self {
            Scalar::Number(number) if number.width() == width => Some(*number),
            Scalar::Refs(refs) if refs.as_slice() == [Target::Null] && Number::is_tracked(width) => {
                Some(Number::constant(width, 0))
            }
            Scalar::Number(_) | Scalar::Refs(_) | Scalar::Any => Number::is_tracked(width).then(|| Number::top(width)),
        }
    }

    pub(super) fn join(&self, other: &Scalar) -> Scalar {
        match (self, other) {
            (Scalar::Number(a), Scalar::Number(b)) if a.width() == b.width() => Scalar::Number(a.join(b)),
            (Scalar::Any, _) | (_, Scalar::Any) => Scalar::Any,
            (_, _) => match (self.as_refs(), other.as_refs()) {
                (Some(a), Some(b)) => Scalar::targets(a.into_iter().chain(b)),
                (None, _) | (_, None) => Scalar::Any,
            },
        }
    }

    pub(super) fn widen(&self, next: &Scalar, thresholds: &[i128]) -> Scalar {
        match (self, next) {
            (Scalar::Number(a), Scalar::Number(b)) if a.width() == b.width() => Scalar::Number(a.widen(b, thresholds)),
            (_, _) => {
                let Scalar::Refs(joined) = self.join(next) else { return self.join(next) };
                let old = self.as_refs().unwrap_or_default();
                let grown = joined.into_iter().map(|target| {
                    let before = old.iter().find(|other| other.key() == target.key());
                    match (target, before) {
                        (Target::Object { object, ghost, offset }, Some(Target::Object { offset: before, .. })) => {
                            Target::Object { object, ghost, offset: before.widen(&offset, thresholds) }
                        }
                        (target, _) => target,
                    }
                });
                Scalar::targets(grown)
            }
        }
    }

    pub(super) fn includes(&self, other: &Scalar) -> bool {
        match (self, other) {
            (Scalar::Any, _) => true,
            (Scalar::Number(a), Scalar::Number(b)) => a.width() == b.width() && a.includes(b),
            (_, _) => self.join(other) == *self,
        }
    }

    /// An over-approximation of the intersection; `None` if it is empty.
    pub(super) fn meet(&self, other: &Scalar) -> Option<Scalar> {
        match (self, other) {
            (Scalar::Any, known) | (known, Scalar::Any) => Some(known.clone()),
            (Scalar::Number(a), Scalar::Number(b)) if a.width() == b.width() => a.meet(b).map(Scalar::Number),
            (Scalar::Number(_), Scalar::Number(_)) => Some(self.clone()),
            (Scalar::Refs(a), Scalar::Refs(b)) => {
                let both: SmallVec<[Target; 1]> =
                    a.iter().copied().filter(|target| b.iter().any(|other| target.may_be(other))).collect();
                (!both.is_empty()).then_some(Scalar::Refs(both))
            }
            (Scalar::Number(_), Scalar::Refs(_)) | (Scalar::Refs(_), Scalar::Number(_)) => Some(self.clone()),
        }
    }
}

/// The contents of a private object where none of its cells has been written since.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Base {
    /// This byte everywhere.
    Byte(u8),
    /// Anything.
    Anything,
}

/// An abstract state.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct State<D> {
    /// Numeric values: of the thread's variables, its private memory, and at its views of shared cells.
    pub(super) numbers: D,
    /// Other values, in the order of variables.
    pub(super) refs: Rc<Vec<(Var, Scalar)>>,
    /// Per cell; missing ones are initial.
    pub(super) orders: Rc<Vec<Option<Rc<Order>>>>,
    /// The fill values of private objects.
    pub(super) bases: Vec<(u32, Base)>,
    /// Objects that may be dead.
    pub(super) dead: Bits,
    /// Threads that have certainly ended, with all their actions in view.
    pub(super) ended: Bits,
}

/// The common part of states that are merged by joining their values.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Shape {
    orders: Rc<Vec<Option<Rc<Order>>>>,
    bases: Vec<(u32, Base)>,
    dead: Bits,
    ended: Bits,
}

/// The common part of states that are merged by joining their orders: the known stores and the candidates of the views.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Stores {
    stores: Vec<Option<(Bits, Bits, bool)>>,
    bases: Vec<(u32, Base)>,
    dead: Bits,
    ended: Bits,
}

impl<D: Numeric> State<D> {
    pub(super) fn start() -> State<D> {
        State {
            numbers: D::top(),
            refs: Rc::default(),
            orders: Rc::default(),
            bases: Vec::new(),
            dead: Bits::empty(),
            ended: Bits::empty(),
        }
    }

    pub(super) fn shape(&self) -> Shape {
        let State { orders, bases, dead, ended, .. } = self;
        Shape { orders: Rc::clone(orders), bases: bases.clone(), dead: dead.clone(), ended: ended.clone() }
    }

    pub(super) fn stores(&self) -> Stores {
        let State { orders, bases, dead, ended, .. } = self;
        let sets = |order: &Rc<Order>| (order.known().clone(), order.tops().clone(), order.is_complete());
        let stores = orders.iter().map(|order| order.as_ref().map(sets)).collect();
        Stores { stores, bases: bases.clone(), dead: dead.clone(), ended: ended.clone() }
    }

    /// Whether the values are the same, whatever the orders.
    pub(super) fn has_same_values(&self, other: &State<D>) -> bool {
        self.refs == other.refs && self.numbers == other.numbers
    }

    /// The value of a variable.
    pub(super) fn get(&self, var: Var) -> Scalar {
        match self.refs.binary_search_by_key(&var, |(other, _)| *other) {
            Ok(index) => self.refs[index].1.clone(),
            Err(_) => self.numbers.get(var).map_or(Scalar::Any, Scalar::Number),
        }
    }

    /// Whether a variable has an entry.
    fn mentions(&self, var: Var) -> bool {
        self.refs.binary_search_by_key(&var, |(other, _)| *other).is_ok() || self.numbers.get(var).is_some()
    }

    pub(super) fn set(&mut self, var: Var, value: Scalar) {
        self.set_linear(var, value, None);
    }

    pub(super) fn set_linear(&mut self, var: Var, value: Scalar, linear: Option<crate::domains::Linear>) {
        let found = self.refs.binary_search_by_key(&var, |(other, _)| *other);
        match value {
            Scalar::Number(number) => {
                if let Ok(index) = found {
                    Rc::make_mut(&mut self.refs).remove(index);
                }
                self.numbers.assign(var, Some(number), linear);
            }
            // An unknown cell needs an explicit entry: a missing one means that it is initial.
            Scalar::Refs(_) | Scalar::Any => {
                self.numbers.assign(var, None, None);
                match found {
                    Ok(index) => Rc::make_mut(&mut self.refs)[index].1 = value,
                    Err(index) => Rc::make_mut(&mut self.refs).insert(index, (var, value)),
                }
            }
        }
    }

    pub(super) fn order(&self, world: &World<'_>, cell: usize) -> Rc<Order> {
        match self.orders.get(cell) {
            Some(Some(order)) => Rc::clone(order),
            Some(None) | None => Rc::new(Order::initial(world.cells[cell].is_chain)),
        }
    }

    pub(super) fn set_order(&mut self, cell: usize, order: Order) {
        let orders = Rc::make_mut(&mut self.orders);
        if orders.len() <= cell {
            orders.resize(cell + 1, None);
        }
        orders[cell] = Some(Rc::new(order));
    }

    /// The value of a cell: at the view, if it is shared.
    pub(super) fn cell(&self, world: &mut World<'_>, cell: usize) -> Scalar {
        let var = world.cells[cell].var;
        if self.mentions(var) {
            return self.get(var);
        }
        let item = &world.cells[cell];
        if !item.is_shared {
            let is_touched = world.overlapping(cell).any(|other| self.mentions(world.cells[other].var));
            let base = self.bases.iter().find(|(object, _)| *object == item.object && !item.ghost);
            match base {
                _ if is_touched => return Scalar::Any,
                Some((_, Base::Anything)) => return Scalar::Any,
                Some((_, Base::Byte(byte))) if (1..=8).contains(&item.len) => {
                    let value = (0..item.len).fold(0u128, |value, _| value << 8 | u128::from(*byte));
                    return Scalar::Number(Number::constant((item.len * 8) as u16, value));
                }
                Some((_, Base::Byte(_))) => return Scalar::Any,
                None => {}
            }
        }
        world.initial_value(cell)
    }

    /// Adds explicit entries for the cells that the other state mentions.
    fn spell_out(&mut self, other: &State<D>, world: &mut World<'_>) {
        for cell in 1..world.cells.len() {
            let var = world.cells[cell].var;
            if other.mentions(var) && !self.mentions(var) {
                let value = self.cell(world, cell);
                self.set(var, value);
            }
        }
    }

    /// Both states with entries for the same cells.
    fn aligned(&self, other: &State<D>, world: &mut World<'_>) -> (State<D>, State<D>) {
        let (mut a, mut b) = (self.clone(), other.clone());
        a.spell_out(other, world);
        b.spell_out(self, world);
        (a, b)
    }

    /// The least upper bound; widened if thresholds are given.
    pub(super) fn join(&self, other: &State<D>, world: &mut World<'_>, thresholds: Option<&[i128]>) -> State<D> {
        let (a, b) = self.aligned(other, world);
        let numbers = match thresholds {
            None => a.numbers.join(&b.numbers),
            Some(thresholds) => a.numbers.widen(&b.numbers, thresholds),
        };
        let mut joined = State { numbers, refs: Rc::default(), ..a.clone() };
        let mut vars: Vec<Var> = a.refs.iter().chain(b.refs.iter()).map(|(var, _)| *var).collect();
        vars.extend(a.numbers.vars().into_iter().filter(|var| joined.numbers.get(*var).is_none()));
        vars.sort_unstable();
        vars.dedup();
        for var in vars {
            if !a.mentions(var) || !b.mentions(var) {
                continue;
            }
            let value = match thresholds {
                None => a.get(var).join(&b.get(var)),
                Some(thresholds) => a.get(var).widen(&b.get(var), thresholds),
            };
            joined.set(var, value);
        }
        let cells = a.orders.len().max(b.orders.len());
        let orders = (0..cells).map(|cell| {
            match (a.orders.get(cell).cloned().flatten(), b.orders.get(cell).cloned().flatten()) {
                (None, None) => None,
                (Some(one), Some(two)) if Rc::ptr_eq(&one, &two) => Some(one),
                (_, _) => Some(Rc::new(a.order(world, cell).join(&b.order(world, cell)))),
            }
        });
        joined.orders = Rc::new(orders.collect());
        joined.bases = a.bases.iter().chain(&b.bases).copied().collect();
        joined.bases.sort_unstable();
        joined.bases.dedup();
        // A cell that is filled differently in the two states may hold anything.
        let ambiguous: Vec<u32> = joined
            .bases
            .iter()
            .filter(|base| !a.bases.contains(base) || !b.bases.contains(base))
            .map(|(object, _)| *object)
            .collect();
        joined.bases.retain(|(object, _)| !ambiguous.contains(object));
        joined.bases.extend(ambiguous.into_iter().map(|object| (object, Base::Anything)));
        joined.bases.sort_unstable();
        joined.bases.dedup();
        joined.dead.insert_all(&b.dead);
        joined.ended.retain_all(&b.ended);
        joined
    }

    /// Whether this state includes the other.
    pub(super) fn includes(&self, other: &State<D>, world: &mut World<'_>) -> bool {
        if self == other {
            return true;
        }
        if !other.dead.is_subset(&self.dead) || !self.ended.is_subset(&other.ended) || self.bases != other.bases {
            return false;
        }
        let cells = self.orders.len().max(other.orders.len());
        for cell in 0..cells {
            match (self.orders.get(cell), other.orders.get(cell)) {
                (Some(Some(a)), Some(Some(b))) if Rc::ptr_eq(a, b) => {}
                (Some(None) | None, Some(None) | None) => {}
                (_, _) => {
                    if !self.order(world, cell).includes(&other.order(world, cell)) {
                        return false;
                    }
                }
            }
        }
        let names = |state: &State<D>| state.refs.iter().map(|(var, _)| *var).collect::<Vec<Var>>();
        let (a, b) = if names(self) == names(other) && self.numbers.vars() == other.numbers.vars() {
            (Cow::Borrowed(self), Cow::Borrowed(other))
        } else {
            let (a, b) = self.aligned(other, world);
            (Cow::Owned(a), Cow::Owned(b))
        };
        a.numbers.includes(&b.numbers)
            && a.refs.iter().all(|(var, value)| match (value, b.mentions(*var)) {
                // Cells have entries on both sides; a variable needs none.
                (Scalar::Any, _) => true,
                (_, true) => value.includes(&b.get(*var)),
                (_, false) => false,
            })
    }

    /// Keeps the given variables, and all cells.
    pub(super) fn retain(&mut self, keep: &mut dyn FnMut(Var) -> bool) {
        self.numbers.retain(keep);
        let dropped: Vec<bool> = self.refs.iter().map(|(var, _)| !keep(*var)).collect();
        if dropped.contains(&true) {
            let mut drops = dropped.into_iter();
            Rc::make_mut(&mut self.refs).retain(|_| !drops.next().unwrap_or(false));
        }
    }
}
