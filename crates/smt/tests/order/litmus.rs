//! Litmus tests: which outcomes the axioms of each memory model allow.

use base::Budget;
use smt::order::{Event, Includes, Order, OrderId, Pairs};
use smt::sat::Answer;
use smt::{Lit, Sat};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Model {
    Sc,
    Tso,
    Pso,
    Ra,
}

#[derive(Clone, Debug)]
enum Access {
    /// Location, value written.
    Write(String, u32),
    /// Location, value read.
    Read(String, u32),
    /// Location, value read (none: any) and value written.
    Update(String, Option<u32>, u32),
    Fence,
}

impl Access {
    fn location(&self) -> Option<&str> {
        match self {
            Access::Write(location, _) | Access::Read(location, _) | Access::Update(location, ..) => Some(location),
            Access::Fence => None,
        }
    }

    fn is_update(&self) -> bool {
        matches!(self, Access::Update(..))
    }
}

/// `Wx1` writes, `Rx0` reads 0, `Ux01` reads 0 and writes 1, `F` is a full fence.
fn parse(text: &str) -> Vec<Vec<Access>> {
    let digit = |c: char| c.to_digit(10).expect("values are digits");
    let access = |word: &str| {
        let letters: Vec<char> = word.chars().collect();
        match letters[..] {
            ['W', x, v] => Access::Write(x.to_string(), digit(v)),
            ['R', x, v] => Access::Read(x.to_string(), digit(v)),
            ['U', x, v, w] => Access::Update(x.to_string(), Some(digit(v)), digit(w)),
            ['F'] => Access::Fence,
            _ => panic!("no access: {word}"),
        }
    };
    text.split('|').map(|thread| thread.split_whitespace().map(access).collect()).collect()
}

struct Test {
    sat: Sat,
    order: Order,
    orders: Vec<OrderId>,
    /// Thread, place in the thread, access, event.
    events: Vec<(usize, usize, Access, Event)>,
}

impl Test {
    fn new(model: Model, threads: &[Vec<Access>]) -> Test {
        let mut sat = Sat::new();
        let mut order = Order::new(&mut sat);
        let happens_before = Includes { reads_from: Pairs::All, ..Includes::NONE };
        let external = Includes { reads_from: Pairs::External, ..Includes::ALL };
        let includes = match model {
            Model::Sc => vec![Includes::ALL],
            Model::Tso | Model::Pso => vec![Includes::ALL, external],
            Model::Ra => vec![happens_before, Includes::ALL],
        };
        let orders = includes.into_iter().map(|includes| order.order(includes)).collect();
        let mut test = Test { sat, order, orders, events: Vec::new() };
        let mut fences = 0;
        for (thread, accesses) in threads.iter().enumerate() {
            for (place, access) in accesses.iter().enumerate() {
                let access = match access {
                    // Under ra a fence is a read-modify-write of a hidden location.
                    Access::Fence if model == Model::Ra => {
                        fences += 1;
                        Access::Update("fence".to_owned(), None, fences)
                    }
                    other => other.clone(),
                };
                let event = test.order.event(thread as u32);
                test.events.push((thread, place, access, event));
            }
        }
        let mut locations: Vec<String> =
            test.events.iter().filter_map(|(_, _, access, _)| access.location().map(str::to_owned)).collect();
        locations.sort();
        locations.dedup();
        for (index, location) in locations.into_iter().enumerate() {
            let thread = threads.len() + index;
            let event = test.order.event(thread as u32);
            test.events.push((thread, 0, Access::Write(location, 0), event));
        }
        test.program_order(model);
        test
    }

    fn program_order(&mut self, model: Model) {
        let events = self.events.clone();
        for (thread, place, access, event) in &events {
            for (other_thread, other_place, other, later) in &events {
                let same_location = access.location().is_some() && access.location() == other.location();
                let nodes: Vec<_> = self
                    .orders
                    .iter()
                    .map(|&order| (self.order.node_at(*event, order), self.order.node_at(*later, order)))
                    .collect();
                if model == Model::Ra && same_location && event != later {
                    self.order.edge_if_path(&mut self.sat, &[], nodes[0], nodes[1].0, nodes[1].1);
                }
                if thread != other_thread || place >= other_place {
                    continue;
                }
                let is_full = |access: &Access| access.is_update() || matches!(access, Access::Fence);
                let writes_then_reads = matches!(access, Access::Write(..)) && matches!(other, Access::Read(..));
                let writes_apart =
                    matches!(access, Access::Write(..)) && matches!(other, Access::Write(..)) && !same_location;
                let (first, second) = match model {
                    Model::Sc => (true, false),
                    Model::Tso => (same_location, is_full(access) || is_full(other) || !writes_then_reads),
                    Model::Pso => {
                        (same_location, is_full(access) || is_full(other) || !writes_then_reads && !writes_apart)
                    }
                    Model::Ra => (true, false),
                };
                for (keep, &(from, to)) in [first, second].into_iter().zip(&nodes) {
                    if keep {
                        self.order.edge(from, to);
                    }
                }
            }
        }
    }

    /// Whether the reads can read their values and the named locations end with theirs.
    fn allows(mut self, finals: &[(&str, u32)]) -> bool {
        let events = self.events.clone();
        let writes: Vec<(&str, u32, Event)> = events
            .iter()
            .filter_map(|(_, _, access, event)| match access {
                Access::Write(location, value) | Access::Update(location, _, value) => {
                    Some((location.as_str(), *value, *event))
                }
                Access::Read(..) | Access::Fence => None,
            })
            .collect();
        for (index, &(location, value, event)) in writes.iter().enumerate() {
            for &(other_location, other_value, other) in &writes[..index] {
                if location != other_location {
                    continue;
                }
                let lit = self.sat.fresh();
                self.order.write_order(&mut self.sat, lit, event, other);
                self.order.write_order(&mut self.sat, !lit, other, event);
                for &(_, last) in finals.iter().filter(|(name, _)| *name == location) {
                    if last == value {
                        self.sat.add(&[!lit]);
                    } else if last == other_value {
                        self.sat.add(&[lit]);
                    }
                }
                // The initial write is first.
                if value == 0 {
                    self.sat.add(&[lit]);
                }
            }
        }
        for (_, _, access, event) in &events {
            let (location, read) = match access {
                Access::Read(location, value) => (location, Some(*value)),
                Access::Update(location, value, _) => (location, *value),
                Access::Write(..) | Access::Fence => continue,
            };
            let mut sources: Vec<Lit> = Vec::new();
            for &(written, value, write) in &writes {
                if written == location && write != *event && read.is_none_or(|read| read == value) {
                    let lit = self.sat.fresh();
                    self.order.reads_from(&mut self.sat, lit, write, *event);
                    sources.push(lit);
                }
            }
            self.sat.add(&sources);
        }
        self.sat.solve(&[], &Budget::unlimited()) == Ok(Answer::Sat)
    }
}

/// The models that allow an outcome.
fn allowing(text: &str, finals: &[(&str, u32)]) -> Vec<Model> {
    let threads = parse(text);
    [Model::Sc, Model::Tso, Model::Pso, Model::Ra]
        .into_iter()
        .filter(|&model| Test::new(model, &threads).allows(finals))
        .collect()
}

use Model::{Pso, Ra, Sc, Tso};

#[test]
fn store_buffering() {
    assert_eq!(allowing("Wx1 Ry0 | Wy1 Rx0", &[]), [Tso, Pso, Ra]);
    assert_eq!(allowing("Wx1 Ry0 | Wy1 Rx1", &[]), [Sc, Tso, Pso, Ra]);
    assert_eq!(allowing("Wx1 F Ry0 | Wy1 F Rx0", &[]), []);
    assert_eq!(allowing("Wx1 F Ry0 | Wy1 Rx0", &[]), [Tso, Pso, Ra]);
    // A read-modify-write drains the buffer, but orders nothing under release-acquire.
    assert_eq!(allowing("Ux01 Ry0 | Uy01 Rx0", &[]), [Ra]);
    // A thread sees its own writes early.
    assert_eq!(allowing("Wx1 Rx1 Ry0 | Wy1 Ry1 Rx0", &[]), [Tso, Pso, Ra]);
}

#[test]
fn message_passing() {
    assert_eq!(allowing("Wx1 Wy1 | Ry1 Rx0", &[]), [Pso]);
    assert_eq!(allowing("Wx1 F Wy1 | Ry1 Rx0", &[]), []);
    assert_eq!(allowing("Wx1 Wy1 | Ry1 Rx1", &[]), [Sc, Tso, Pso, Ra]);
    // Through a read-modify-write in the middle.
    assert_eq!(allowing("Wx1 Uy01 | Uy12 | Ry2 Rx0", &[]), []);
}

#[test]
fn load_buffering() {
    assert_eq!(allowing("Rx1 Wy1 | Ry1 Wx1", &[]), []);
    assert_eq!(allowing("Rx0 Wy1 | Ry1 Wx1", &[]), [Sc, Tso, Pso, Ra]);
}

#[test]
fn independent_reads_of_independent_writes() {
    assert_eq!(allowing("Wx1 | Wy1 | Rx1 Ry0 | Ry1 Rx0", &[]), [Ra]);
    assert_eq!(allowing("Wx1 | Wy1 | Rx1 F Ry0 | Ry1 F Rx0", &[]), []);
}

#[test]
fn write_orders() {
    assert_eq!(allowing("Wx1 Wy2 | Wy1 Wx2", &[("x", 1), ("y", 1)]), [Pso, Ra]);
    assert_eq!(allowing("Wx1 F Wy2 | Wy1 F Wx2", &[("x", 1), ("y", 1)]), []);
    assert_eq!(allowing("Wx1 Wy1 | Wy2 Rx0", &[("y", 2)]), [Tso, Pso, Ra]);
    assert_eq!(allowing("Wx2 Wy1 | Ry1 Wx1", &[("x", 2)]), [Pso]);
}

#[test]
fn causality() {
    assert_eq!(allowing("Wx1 | Rx1 Wy1 | Ry1 Rx0", &[]), []);
    assert_eq!(allowing("Wx1 | Rx1 Wy1 | Ry1 Rx1", &[]), [Sc, Tso, Pso, Ra]);
}

#[test]
fn coherence() {
    assert_eq!(allowing("Wx1 | Rx1 Rx0", &[]), []);
    assert_eq!(allowing("Wx1 Wx2", &[("x", 1)]), []);
    assert_eq!(allowing("Wx1 Rx0", &[]), []);
    assert_eq!(allowing("Rx1 Wx1", &[]), []);
    assert_eq!(allowing("Rx2 Wx1 | Wx2", &[("x", 2)]), []);
    assert_eq!(allowing("Wx1 Rx2 | Wx2", &[("x", 1)]), []);
    assert_eq!(allowing("Wx1 | Wx2 | Rx1 Rx2 | Rx2 Rx1", &[]), []);
    assert_eq!(allowing("Wx1 | Wx2 | Rx1 Rx2 | Rx1 Rx2", &[]), [Sc, Tso, Pso, Ra]);
}

#[test]
fn read_modify_writes_are_atomic() {
    assert_eq!(allowing("Ux01 | Ux02", &[]), []);
    assert_eq!(allowing("Ux01 | Ux12", &[]), [Sc, Tso, Pso, Ra]);
    assert_eq!(allowing("Ux01 | Wx2", &[("x", 1)]), []);
    assert_eq!(allowing("Ux21 | Wx2", &[("x", 1)]), [Sc, Tso, Pso, Ra]);
    assert_eq!(allowing("Ux01 | Ux12 | Ux03", &[]), []);
}
