//! Partial orders of stores as an abstract domain (Sharma and Sharma, Thread-modular analysis of release-acquire
//! concurrency, SAS 2021, sections 6.1 and 6.3).
//!
//! An [`Order`] is a thread's knowledge of the modification order of one location: stores that are certainly not newer
//! than its view of the location (*known*), which of them certainly come before which, and the stores that its view may
//! be at (*tops*). Events are exact (they stand for at most one store of a run) or summaries (for any number of them).
//! A summary is only ever a top: it is never known, ordered or rejected, so it excludes nothing.
//!
//! Deviations from the paper:
//! - Tops. The paper decides whose value of a location is newer by the maximal known stores; after a join has forgotten
//!   stores that is wrong, since the view may be at one of the forgotten ones. Tops join by union and are dropped only
//!   when they are certainly older than a known store.
//! - Read-modify-writes (section 7.2) exclude by positive evidence only: an order remembers which store each known one
//!   read, nothing comes between the two, and no two read the same. "Not ordered, hence impossible" is used for
//!   *chains*, locations where everything after the initial store is a read-modify-write that acquires: there
//!   `complete` says that all stores up to the view are known, which stays true as nothing can be inserted below, and
//!   of two complete sets one contains the other. Joining different sets loses it.
//! - Meet is closed transitively, together with the order of stores of one thread; a cycle is the impossible order.
//!
//! The second abstraction ([`Order::keep_latest`], section 6.3) forgets stores that are followed by a later one of the
//! same thread, unless they are critical; validity, consistency and dominance look through the order of the thread.

use crate::domains::bits::Bits;

/// A store to the location: `INITIAL` or one of the program's. Numbers are small and count per location.
pub type EventId = usize;

/// The initial store: exact, and older than all others.
pub const INITIAL: EventId = 0;

/// Static knowledge about stores.
pub trait Events {
    /// Whether it stands for more than one store.
    fn is_summary(&self, event: EventId) -> bool;
    /// Whether both are exact stores of one thread, and the first is performed before the second whenever both are
    /// performed.
    fn is_sequenced(&self, first: EventId, second: EventId) -> bool;
    /// Whether no run has both.
    fn is_exclusive(&self, one: EventId, other: EventId) -> bool;
    /// Whether the second abstraction keeps it.
    fn is_critical(&self, event: EventId) -> bool;
}

/// Knowledge about the modification order of one location.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Order {
    known: Bits,
    /// For each known store, in order, the known stores that are certainly newer. Closed transitively.
    newer: Vec<Bits>,
    tops: Bits,
    /// For known read-modify-writes, in order, the exact store that they read.
    sources: Vec<(EventId, EventId)>,
    complete: bool,
}

impl Order {
    /// Only the initial store, with the view at it. `chain`: the location is a chain.
    pub fn initial(chain: bool) -> Order {
        let (known, tops) = (Bits::one(INITIAL), Bits::one(INITIAL));
        Order { known, newer: vec![Bits::empty()], tops, sources: Vec::new(), complete: chain }
    }

    /// The stores that are certainly not newer than the view.
    pub fn known(&self) -> &Bits {
        &self.known
    }

    /// The stores the view may be at.
    pub fn tops(&self) -> &Bits {
        &self.tops
    }

    /// Whether all stores up to the view are known.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    fn row(&self, event: EventId) -> Option<&Bits> {
        let position = self.known.iter().position(|other| other == event)?;
        Some(&self.newer[position])
    }

    /// Whether `older` is certainly older than `newer`, both being known.
    pub fn is_before(&self, older: EventId, newer: EventId) -> bool {
        self.row(older).is_some_and(|row| row.contains(newer))
    }

    /// Whether a store is certainly not newer than some known store, in this order or that of its thread.
    pub fn is_covered(&self, event: EventId, events: &dyn Events) -> bool {
        if events.is_summary(event) {
            return false;
        }
        event == INITIAL
            || self.known.contains(event)
            || self.known.iter().any(|known| events.is_sequenced(event, known))
    }

    /// Valid extension: whether a store may be newer than the view. A store that is known already, precedes a known one
    /// in its thread, or is incompatible with a known one, is not.
    pub fn is_valid_extension(&self, event: EventId, events: &dyn Events) -> bool {
        events.is_summary(event)
            || !self.is_covered(event, events) && !self.known.iter().any(|known| events.is_exclusive(event, known))
    }

    /// Append: the view moves to a store that is newer than it. `None` if it is not a valid extension.
    pub fn append(&self, event: EventId, events: &dyn Events) -> Option<Order> {
        if !self.is_valid_extension(event, events) {
            return None;
        }
        let mut order = self.clone();
        order.tops = Bits::one(event);
        order.complete = false;
        if !events.is_summary(event) {
            order.newer.iter_mut().for_each(|row| row.insert(event));
            order.insert_known(event);
        }
        Some(order)
    }

    /// Append without learning the store: the view moves to it, but nothing that holds of it is known to happen before
    /// later actions. `None` if it is not a valid extension.
    pub fn append_unknown(&self, event: EventId, events: &dyn Events) -> Option<Order> {
        self.is_valid_extension(event, events).then(|| Order {
            tops: Bits::one(event),
            sources: Vec::new(),
            complete: false,
            ..self.clone()
        })
    }

    /// A read-modify-write appends its store immediately after the view: the store it read is the only top, if that is
    /// exact.
    pub fn append_update(&self, event: EventId, events: &dyn Events) -> Option<Order> {
        let mut settled = self.clone();
        let source = self.tops.single().filter(|top| !events.is_summary(*top));
        if let Some(top) = source {
            // The view is the newest of all that is known.
            settled.put_last(top, events)?;
        }
        let mut order = settled.append(event, events)?;
        let is_exact = !events.is_summary(event);
        order.complete = self.complete && is_exact;
        if let (Some(source), true) = (source, is_exact) {
            order.sources.push((event, source));
            order.sources.sort_unstable();
        }
        order.close(events).then_some(order)
    }

    /// A store that is certainly after all others, and that everything later knows: nothing older can matter again.
    pub fn reset(event: EventId, chain: bool, events: &dyn Events) -> Order {
        if events.is_summary(event) {
            let (known, tops) = (Bits::empty(), Bits::one(event));
            return Order { known, newer: Vec::new(), tops, sources: Vec::new(), complete: false };
        }
        let (known, tops) = (Bits::one(event), Bits::one(event));
        Order { known, newer: vec![Bits::empty()], tops, sources: Vec::new(), complete: chain }
    }

    /// Every known store but this one is older than it.
    fn put_last(&mut self, event: EventId, events: &dyn Events) -> Option<()> {
        if !self.known.contains(event) {
            self.insert_known(event);
        }
        let known: Vec<EventId> = self.known.iter().collect();
        for (position, other) in known.into_iter().enumerate() {
            if other != event {
                self.newer[position].insert(event);
            }
        }
        self.close(events).then_some(())
    }

    fn insert_known(&mut self, event: EventId) {
        let position = self.known.iter().take_while(|other| *other < event).count();
        self.newer.insert(position, Bits::empty());
        self.known.insert(event);
    }

    /// Whether two views of one modification order can be combined.
    pub fn is_consistent(&self, other: &Order, events: &dyn Events) -> bool {
        self.combine(other, events).is_some()
    }

    /// The knowledge of a thread whose view is the newer of the two. `None` if no modification order fits both.
    pub fn combine(&self, other: &Order, events: &dyn Events) -> Option<Order> {
        if self == other {
            return Some(self.clone());
        }
        if self.complete && other.complete && !self.known.is_subset(&other.known) && !other.known.is_subset(&self.known)
        {
            return None;
        }
        let mut order = self.unite(other);
        order.tops.insert_all(&other.tops);
        order.complete = match (self.complete, other.complete) {
            (true, true) => true,
            // The view is the complete one's if that knows every candidate of the other.
            (true, false) => other.tops.iter().all(|top| self.is_covered(top, events)),
            (false, true) => self.tops.iter().all(|top| other.is_covered(top, events)),
            (false, false) => false,
        };
        if order.complete && order.known.len() > self.known.len().max(other.known.len()) {
            return None;
        }
        order.close(events).then_some(order)
    }

    /// The greatest lower bound: both describe the same view.
    pub fn meet(&self, other: &Order, events: &dyn Events) -> Option<Order> {
        if self.complete && !other.known.is_subset(&self.known) || other.complete && !self.known.is_subset(&other.known)
        {
            return None;
        }
        let mut order = self.unite(other);
        order.tops.retain_all(&other.tops);
        order.complete = self.complete || other.complete;
        order.close(events).then_some(order)
    }

    /// The facts of both, not closed, with the tops of this.
    fn unite(&self, other: &Order) -> Order {
        let known = self.known.union(&other.known);
        let row = |event| {
            let mut row = self.row(event).cloned().unwrap_or_default();
            row.insert_all(other.row(event).unwrap_or(&Bits::default()));
            row
        };
        let newer = known.iter().map(row).collect();
        let mut sources = self.sources.clone();
        sources.extend(&other.sources);
        sources.sort_unstable();
        sources.dedup();
        Order { newer, known, tops: self.tops.clone(), sources, complete: false }
    }

    /// Adds the consequences of thread order, of what read-modify-writes read, and of transitivity. Returns false on a
    /// contradiction.
    fn close(&mut self, events: &dyn Events) -> bool {
        let known: Vec<EventId> = self.known.iter().collect();
        for (position, one) in known.iter().enumerate() {
            for other in &known {
                if one == other {
                    continue;
                }
                if events.is_exclusive(*one, *other) {
                    return false;
                }
                if *one == INITIAL || events.is_sequenced(*one, *other) {
                    self.newer[position].insert(*other);
                }
            }
        }
        let reads_twice = self.sources.windows(2).any(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1);
        let mut read: Vec<EventId> = self.sources.iter().map(|(_, source)| *source).collect();
        read.sort_unstable();
        if reads_twice || read.windows(2).any(|pair| pair[0] == pair[1]) {
            return false;
        }
        loop {
            self.close_transitively(&known);
            if !self.close_updates(&known) {
                break;
            }
        }
        if known.iter().enumerate().any(|(position, event)| self.newer[position].contains(*event)) {
            return false;
        }
        self.drop_old_tops(events);
        !self.tops.is_empty()
    }

    fn close_transitively(&mut self, known: &[EventId]) {
        for (via_position, via) in known.iter().enumerate() {
            let through = self.newer[via_position].clone();
            for position in 0..known.len() {
                if self.newer[position].contains(*via) {
                    self.newer[position].insert_all(&through);
                }
            }
        }
    }

    /// Nothing comes between a read-modify-write and the store it read. Returns whether anything was new.
    fn close_updates(&mut self, known: &[EventId]) -> bool {
        let mut changed = false;
        let position = |event: EventId| known.binary_search(&event).ok();
        for (update, source) in self.sources.clone() {
            let (Some(at_update), Some(at_source)) = (position(update), position(source)) else { continue };
            let mut more = vec![(at_source, update)];
            for (at, other) in known.iter().enumerate() {
                if *other == update || *other == source {
                    continue;
                }
                if self.newer[at].contains(update) {
                    more.push((at, source));
                }
                if self.newer[at_source].contains(*other) {
                    more.push((at_update, *other));
                }
            }
            for (at, event) in more {
                if !self.newer[at].contains(event) {
                    self.newer[at].insert(event);
                    changed = true;
                }
            }
        }
        changed
    }

    fn drop_old_tops(&mut self, events: &dyn Events) {
        let is_old = |top: EventId| {
            let is_newer = |known: EventId| {
                known != top && (top == INITIAL || self.is_before(top, known) || events.is_sequenced(top, known))
            };
            !events.is_summary(top) && self.known.iter().any(|known| is_newer(known) || events.is_exclusive(top, known))
        };
        self.tops = self.tops.iter().filter(|top| !is_old(*top)).collect();
    }

    /// The least upper bound.
    #[must_use]
    pub fn join(&self, other: &Order) -> Order {
        if self == other {
            return self.clone();
        }
        let known = self.known.intersection(&other.known);
        let row = |event| {
            let mut row = self.row(event).cloned().unwrap_or_default();
            row.retain_all(other.row(event).unwrap_or(&Bits::default()));
            row.retain_all(&known);
            row
        };
        let newer = known.iter().map(row).collect();
        let sources = self.sources.iter().copied().filter(|pair| other.sources.contains(pair)).collect();
        let complete = self.complete && other.complete && self.known == other.known;
        Order { newer, known, tops: self.tops.union(&other.tops), sources, complete }
    }

    /// Widening: ascending chains of joins are finite, since sets of exact stores only shrink and tops only grow.
    #[must_use]
    pub fn widen(&self, next: &Order) -> Order {
        self.join(next)
    }

    /// Whether this includes the other.
    pub fn includes(&self, other: &Order) -> bool {
        self == other
            || self.known.is_subset(&other.known)
                && self.known.iter().all(|event| {
                    self.row(event).unwrap_or(&Bits::default()).is_subset(other.row(event).unwrap_or(&Bits::default()))
                })
                && other.tops.is_subset(&self.tops)
                && self.sources.iter().all(|pair| other.sources.contains(pair))
                && (!self.complete || other.complete && self.known == other.known)
    }

    /// The second abstraction: of the stores of one thread the latest, and all critical ones and those they read.
    #[must_use]
    pub fn keep_latest(&self, events: &dyn Events) -> Order {
        if self.complete {
            // Completeness is about the whole set.
            return self.clone();
        }
        let is_old = |event: EventId| {
            event != INITIAL
                && !events.is_critical(event)
                && !self.sources.iter().any(|(_, source)| *source == event)
                && !self.tops.contains(event)
                && self.known.iter().any(|known| events.is_sequenced(event, known))
        };
        let forgotten: Bits = self.known.iter().filter(|event| is_old(*event)).collect();
        if forgotten.is_empty() {
            return self.clone();
        }
        let known: Bits = self.known.iter().filter(|event| !forgotten.contains(*event)).collect();
        let row = |event| self.row(event).map(|row| row.intersection(&known)).unwrap_or_default();
        Order { newer: known.iter().map(row).collect(), known, ..self.clone() }
    }

    /// Adds an order between two known stores; `None` if that is impossible.
    pub fn with_before(&self, older: EventId, newer: EventId, events: &dyn Events) -> Option<Order> {
        let mut order = self.clone();
        for event in [older, newer] {
            if !order.known.contains(event) {
                order.insert_known(event);
            }
        }
        let position = order.known.iter().position(|event| event == older)?;
        order.newer[position].insert(newer);
        order.close(events).then_some(order)
    }

    /// Restricts the view to these stores; `None` if that is impossible.
    pub fn restrict_tops(&mut self, tops: &Bits) -> Option<()> {
        self.tops.retain_all(tops);
        (!self.tops.is_empty()).then_some(())
    }

    /// The view is at a store that was read; `complete` if the reader now knows all stores up to it.
    #[must_use]
    pub fn read_at(self, event: EventId, complete: bool) -> Order {
        Order { tops: Bits::one(event), complete, ..self }
    }

    /// Forgets knowledge about read-modify-writes: the lowest level.
    #[must_use]
    pub fn without_updates(&self) -> Order {
        Order { sources: Vec::new(), complete: false, ..self.clone() }
    }
}

#[cfg(test)]
mod tests {
    //! Concrete runs on one location, with explicit modification orders, in parallel with the abstract orders of the
    //! threads: the abstract order must always admit the run (Lemmas 2 to 6 and Theorems 1 to 3).

    use super::*;
    use proptest::prelude::*;

    /// Events of three threads: thread `t` owns `1 + 4t` to `4 + 4t`, done in this order; the last of each is a summary.
    struct Sample;

    const THREADS: usize = 3;

    fn thread_of(event: EventId) -> usize {
        (event - 1) / 4
    }

    impl Events for Sample {
        fn is_summary(&self, event: EventId) -> bool {
            event != INITIAL && (event - 1) % 4 == 3
        }
        fn is_sequenced(&self, first: EventId, second: EventId) -> bool {
            let is_exact = |event| event != INITIAL && !self.is_summary(event);
            is_exact(first) && is_exact(second) && thread_of(first) == thread_of(second) && first < second
        }
        fn is_exclusive(&self, _: EventId, _: EventId) -> bool {
            false
        }
        fn is_critical(&self, event: EventId) -> bool {
            event.is_multiple_of(2)
        }
    }

    /// A store of a run.
    #[derive(Clone, Debug)]
    struct Store {
        event: EventId,
        /// It read the store before it.
        glued: bool,
        /// The knowledge and view of its thread; the view is here, so only the order is kept.
        order: Order,
    }

    #[derive(Clone, Debug)]
    struct Run {
        /// In modification order.
        stores: Vec<Store>,
        views: [usize; THREADS],
        orders: [Order; THREADS],
        next: [usize; THREADS],
    }

    #[derive(Clone, Copy, Debug)]
    enum Action {
        Write(usize, usize),
        Update(usize, usize),
        Read(usize, usize),
        /// Lose precision: join with the order of another thread, or apply the second abstraction.
        Join(usize, usize),
        Latest(usize),
        /// One thread learns what another knows, as a join of threads does.
        Learn(usize, usize),
    }

    impl Run {
        fn new(chain: bool) -> Run {
            let order = Order::initial(chain);
            Run {
                stores: vec![Store { event: INITIAL, glued: false, order: order.clone() }],
                views: [0; THREADS],
                orders: [order.clone(), order.clone(), order],
                next: [0; THREADS],
            }
        }

        fn event(&mut self, thread: usize) -> EventId {
            let number = self.next[thread].min(3);
            self.next[thread] += 1;
            1 + 4 * thread + number
        }

        fn insert(&mut self, thread: usize, place: usize, glued: bool, order: Order) {
            let event = order.tops().single().expect("the view is at the new store");
            for view in &mut self.views {
                *view += usize::from(*view >= place);
            }
            self.stores.insert(place, Store { event, glued, order: order.clone() });
            self.views[thread] = place;
            self.orders[thread] = order;
        }

        fn is_read(&self, place: usize) -> bool {
            self.stores.get(place + 1).is_some_and(|next| next.glued)
        }

        /// The knowledge of a thread that reads a store.
        fn read(&self, thread: usize, place: usize) -> Order {
            if place == self.views[thread] {
                return self.orders[thread].clone();
            }
            let event = self.stores[place].event;
            let appended = self.orders[thread].append(event, &Sample).expect("a newer store is a valid extension");
            let message = &self.stores[place].order;
            let order = appended.combine(message, &Sample).expect("the run is possible");
            order.read_at(event, message.complete)
        }

        fn act(&mut self, action: Action, chain: bool) {
            let last = self.stores.len();
            match action {
                Action::Write(thread, pick) if !chain => {
                    let places: Vec<usize> =
                        (self.views[thread] + 1..=last).filter(|place| !self.is_read(place - 1)).collect();
                    let event = self.event(thread);
                    let order = self.orders[thread].append(event, &Sample).expect("its own next store is valid");
                    self.insert(thread, places[pick % places.len()], false, order);
                }
                Action::Update(thread, pick) | Action::Write(thread, pick) => {
                    let places: Vec<usize> = (self.views[thread]..last).filter(|place| !self.is_read(*place)).collect();
                    let place = places[pick % places.len()];
                    let read = self.read(thread, place);
                    let event = self.event(thread);
                    let order = read.append_update(event, &Sample).expect("the run is possible");
                    self.insert(thread, place + 1, true, order);
                }
                Action::Read(thread, pick) => {
                    let place = self.views[thread] + pick % (last - self.views[thread]);
                    self.orders[thread] = self.read(thread, place);
                    self.views[thread] = place;
                }
                Action::Join(thread, other) => {
                    let join = self.orders[thread].join(&self.orders[other]);
                    assert!(join.includes(&self.orders[thread]) && join.includes(&self.orders[other]));
                    self.orders[thread] = join;
                }
                Action::Latest(thread) => {
                    let latest = self.orders[thread].keep_latest(&Sample);
                    assert!(latest.includes(&self.orders[thread]));
                    self.orders[thread] = latest;
                }
                Action::Learn(thread, other) => {
                    let order = self.orders[thread].combine(&self.orders[other], &Sample);
                    self.orders[thread] = order.expect("the run is possible");
                    self.views[thread] = self.views[thread].max(self.views[other]);
                }
            }
        }

        fn allows(&self, order: &Order, view: usize) -> bool {
            let place = |event: EventId| self.stores.iter().position(|store| store.event == event);
            let is_below = |event: EventId| place(event).is_some_and(|place| place <= view);
            order.known.iter().all(|event| !Sample.is_summary(event) && is_below(event))
                && order.known.iter().all(|older| {
                    order.known.iter().all(|newer| !order.is_before(older, newer) || place(older) < place(newer))
                })
                && order.tops.contains(self.stores[view].event)
                && order.sources.iter().all(|(update, source)| place(*update) == place(*source).map(|at| at + 1))
                && (!order.complete || self.stores[..=view].iter().all(|store| order.known.contains(store.event)))
        }

        fn check(&self) {
            for thread in 0..THREADS {
                assert!(self.allows(&self.orders[thread], self.views[thread]), "thread {thread}: {self:?}");
            }
            for (place, store) in self.stores.iter().enumerate() {
                assert!(self.allows(&store.order, place), "store {}: {self:?}", store.event);
            }
        }
    }

    fn any_action() -> impl Strategy<Value = Action> {
        let thread = 0..THREADS;
        prop_oneof![
            (thread.clone(), 0usize..8).prop_map(|(thread, pick)| Action::Write(thread, pick)),
            (thread.clone(), 0usize..8).prop_map(|(thread, pick)| Action::Update(thread, pick)),
            (thread.clone(), 0usize..8).prop_map(|(thread, pick)| Action::Read(thread, pick)),
            (thread.clone(), 0usize..8).prop_map(|(thread, pick)| Action::Read(thread, pick)),
            (thread.clone(), thread.clone()).prop_map(|(thread, other)| Action::Join(thread, other)),
            thread.clone().prop_map(Action::Latest),
            (thread.clone(), thread).prop_map(|(thread, other)| Action::Learn(thread, other)),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_is_known_is_true(chain in any::<bool>(), actions in prop::collection::vec(any_action(), 1..16)) {
            let mut run = Run::new(chain);
            for action in actions {
                run.act(action, chain);
                run.check();
            }
        }

        #[test]
        fn lattice_laws(actions in prop::collection::vec(any_action(), 1..14)) {
            let mut run = Run::new(false);
            actions.into_iter().for_each(|action| run.act(action, false));
            let [a, b, c] = &run.orders;
            prop_assert_eq!(a.join(b), b.join(a));
            prop_assert_eq!(a.join(a), a.clone());
            prop_assert_eq!(a.join(b).join(c), a.join(&b.join(c)));
            prop_assert!(a.join(b).includes(a) && a.widen(b).includes(b));
            prop_assert_eq!(a.includes(b) && b.includes(a), a == b);
            let upper = a.join(b).join(c);
            prop_assert!(!(c.includes(a) && c.includes(b)) || c.includes(&a.join(b)));
            prop_assert!(upper.includes(c));
            if let Some(meet) = a.meet(b, &Sample) {
                prop_assert!(a.includes(&meet) && b.includes(&meet));
                prop_assert_eq!(b.meet(a, &Sample), Some(meet));
            }
            prop_assert_eq!(a.combine(b, &Sample), b.combine(a, &Sample));
            prop_assert_eq!(a.is_consistent(b, &Sample), a.combine(b, &Sample).is_some());
        }
    }

    /// Every run of two threads, at most one summary store in each, as stores in modification order.
    fn linear_orders() -> Vec<Vec<EventId>> {
        fn extend(order: &mut Vec<EventId>, all: &mut Vec<Vec<EventId>>) {
            all.push(order.clone());
            for event in [1, 2, 3, 4, 5, 6, 8] {
                let is_possible = order.iter().all(|old| *old != event && !Sample.is_sequenced(event, *old));
                if is_possible && order.len() < 6 {
                    order.push(event);
                    extend(order, all);
                    order.pop();
                }
            }
        }
        let mut all = Vec::new();
        extend(&mut vec![INITIAL], &mut all);
        all
    }

    /// Whether an order allows that the stores are these, and the view at one of them.
    fn admits(order: &Order, stores: &[EventId], view: usize) -> bool {
        let place = |event: EventId| stores.iter().position(|store| *store == event);
        order.known.iter().all(|event| place(event).is_some_and(|place| place <= view))
            && order
                .known
                .iter()
                .enumerate()
                .all(|(row, older)| order.newer[row].iter().all(|newer| place(older) < place(newer)))
            && order.tops.contains(stores[view])
            && order.sources.iter().all(|(update, source)| place(*update) == place(*source).map(|at| at + 1))
            && (!order.complete || stores[..=view].iter().all(|store| order.known.contains(*store)))
    }

    /// Checks operations on orders against the sets of linear orders that these represent.
    fn check_against_sets(a: &Order, b: &Order, runs: &[Vec<EventId>]) {
        let (join, meet, both) = (a.join(b), a.meet(b, &Sample), a.combine(b, &Sample));
        let latest = a.keep_latest(&Sample);
        let appended: Vec<(EventId, Option<Order>)> = [3, 6, 8].map(|e| (e, a.append(e, &Sample))).into();
        for run in runs {
            let views =
                |order: &Order| -> Vec<usize> { (0..run.len()).filter(|view| admits(order, run, *view)).collect() };
            let (in_a, in_b, in_join) = (views(a), views(b), views(&join));
            let in_meet = meet.as_ref().map(views).unwrap_or_default();
            let in_both = both.as_ref().map(views).unwrap_or_default();
            let in_latest = views(&latest);
            assert!(in_a.iter().chain(&in_b).all(|view| in_join.contains(view)), "join: {a:?} {b:?} {run:?}");
            let is_in_both = |view: &&usize| in_b.contains(view);
            assert!(in_a.iter().filter(is_in_both).eq(in_meet.iter()), "meet: {a:?} {b:?} {run:?}");
            assert!(!b.includes(a) || in_a.iter().all(|view| in_b.contains(view)), "less: {a:?} {b:?} {run:?}");
            assert!(in_a.iter().all(|view| in_latest.contains(view)), "latest: {a:?} {run:?}");
            for view in in_a.iter().flat_map(|one| in_b.iter().map(move |other| *one.max(other))) {
                assert!(in_both.contains(&view), "combine: {a:?} {b:?} {run:?} {view}");
            }
            // A store is appended: the run without it has the old view, the one with it the new one.
            for (event, order) in &appended {
                let Some(at) = run.iter().position(|store| store == event) else { continue };
                let without: Vec<EventId> = run.iter().copied().filter(|store| store != event).collect();
                let is_glued = |order: &Order| order.sources.iter().all(|(update, _)| run[at..].get(1) != Some(update));
                let is_possible = (0..at).any(|view| admits(a, &without, view)) && is_glued(a);
                let is_allowed = order.as_ref().is_some_and(|order| admits(order, run, at));
                assert!(!is_possible || is_allowed, "append {event}: {a:?} {run:?}");
            }
        }
    }

    #[test]
    fn orders_stand_for_sets_of_linear_orders() {
        let runs = linear_orders();
        assert!(runs.len() > 1000);
        let mut runner = proptest::test_runner::TestRunner::new_with_rng(
            ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() },
            proptest::test_runner::TestRng::deterministic_rng(proptest::test_runner::RngAlgorithm::ChaCha),
        );
        let of_two = |action: &Action| match action {
            Action::Write(thread, _) | Action::Update(thread, _) | Action::Read(thread, _) => *thread < 2,
            Action::Join(thread, other) | Action::Learn(thread, other) => *thread < 2 && *other < 2,
            Action::Latest(thread) => *thread < 2,
        };
        let cases = (any::<bool>(), prop::collection::vec(any_action().prop_filter("of two threads", of_two), 1..9));
        let result = runner.run(&cases, |(chain, actions)| {
            let mut run = Run::new(chain);
            actions.into_iter().for_each(|action| run.act(action, chain));
            check_against_sets(&run.orders[0], &run.orders[1], &runs);
            if let Some(store) = run.stores.last() {
                check_against_sets(&store.order, &run.orders[0], &runs);
            }
            Ok(())
        });
        assert!(result.is_ok(), "{result:?}");
    }

    #[test]
    fn two_updates_of_one_store_exclude_each_other() {
        let start = Order::initial(false);
        let one = start.append_update(1, &Sample).expect("possible");
        let other = start.append_update(5, &Sample).expect("possible");
        assert!(!one.is_consistent(&other, &Sample));
        // Merely not ordered: a plain store lies between, as far as is known.
        let plain = start.append(9, &Sample).expect("possible").append_update(5, &Sample).expect("possible");
        assert!(one.is_consistent(&plain, &Sample));
    }

    #[test]
    fn a_summary_excludes_nothing() {
        let start = Order::initial(false);
        let again = start.append(4, &Sample).and_then(|order| order.append(4, &Sample)).expect("possible");
        assert!(again.is_valid_extension(4, &Sample) && !again.is_covered(4, &Sample));
        assert_eq!(again.known(), &Bits::one(INITIAL));
    }

    #[test]
    fn appendix_b_two_runs_have_one_abstract_order() {
        // Stores 1 then 2 of one thread; the other reads 1 and 2, or only 2.
        let start = Order::initial(false);
        let first = start.append(1, &Sample).expect("possible");
        let second = first.append(2, &Sample).expect("possible").keep_latest(&Sample);
        let read = |order: &Order, event, message: &Order| {
            order.append(event, &Sample).and_then(|order| order.combine(message, &Sample)).expect("possible")
        };
        let both = read(&read(&start, 1, &first), 2, &second).keep_latest(&Sample);
        let only = read(&start, 2, &second).keep_latest(&Sample);
        assert_eq!(both, only);
    }
}
