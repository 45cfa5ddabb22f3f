//! Makes random threaded programs. Statements obey the rules of the cells they access, so a program without a seeded bug
//! has no data race, no memory error, no deadlock and no misused lock, by construction:
//!
//! - one lock is held at a time;
//! - a channel leads from a thread to one with a higher number, within one phase, so no two threads wait for each other;
//! - every thread passes the same barriers;
//! - bit-fields that are one memory location have one rule.

use super::ast::*;
use crate::programs::rng::Rng;

/// The random program with this seed.
pub fn make(seed: u64) -> Program {
    let mut rng = Rng::new(seed);
    let api = match rng.below(100) {
        0..=64 => Api::Pthread,
        65..=81 => Api::C11,
        _ => Api::Std,
    };
    let count = if rng.chance(70) { 2 } else { 3 };
    let phases = if rng.chance(25) { 2 } else { 1 };
    let mut maker = Maker { api, count, phases, locations: [None; 5], slots: 0, locks: 0, rng };
    let cells = (0..maker.rng.between(1, 3)).map(|_| maker.cell()).collect();
    let atomics = (0..maker.rng.below(3)).map(|_| *maker.rng.pick(&AtomicType::ALL)).collect();
    let arguments = [Arguments::Variables, Arguments::Literals, Arguments::Array, Arguments::Heap];
    let arguments = *maker.rng.pick(&arguments);
    let threads = vec![Thread { phases: vec![Vec::new(); phases] }; count];
    let mut program = Program { api, threads, cells, atomics, channels: Vec::new(), arguments, bug: None };
    maker.fill(&mut program);
    maker.channel(&mut program);
    if maker.rng.chance(40) {
        maker.seed_bug(&mut program);
    }
    program
}

struct Maker {
    api: Api,
    count: usize,
    phases: usize,
    /// The rules of the memory locations of `bits`, and of the union, as far as they have one.
    locations: [Option<Sharing>; 5],
    /// The number of elements of the array of structures.
    slots: usize,
    locks: usize,
    rng: Rng,
}

impl Maker {
    fn value(&mut self) -> u8 {
        self.rng.below(4) as u8
    }

    fn cell(&mut self) -> Cell {
        let ty = *self.rng.pick(&Type::ALL);
        let place = match self.rng.below(12) {
            0 | 1 => Place::Global(ty),
            2 | 3 => {
                let is_new = self.slots == 0 || self.rng.chance(50);
                self.slots += usize::from(is_new);
                Place::Slot(self.slots - 1, self.rng.chance(50))
            }
            4 | 5 => Place::Bits(*self.rng.pick(&Field::ALL)),
            6 => Place::Union,
            7 => Place::Heap(ty),
            8 => Place::Block(ty),
            9 => Place::Row,
            10 => Place::Literal,
            _ => Place::Static,
        };
        let sharing = match place {
            Place::Slot(index, _) => Sharing::Guarded(Lock { kind: LockKind::Slot, index }),
            Place::Bits(field) => self.sharing_of(field.location()),
            Place::Union => self.sharing_of(4),
            Place::Global(_) | Place::Heap(_) | Place::Block(_) | Place::Row | Place::Literal | Place::Static => {
                self.sharing()
            }
        };
        Cell { place, sharing }
    }

    /// The rule of a memory location that may contain several cells.
    fn sharing_of(&mut self, location: usize) -> Sharing {
        let sharing = self.locations[location].unwrap_or_else(|| self.sharing());
        self.locations[location] = Some(sharing);
        sharing
    }

    fn sharing(&mut self) -> Sharing {
        match self.rng.below(10) {
            0 | 1 => Sharing::Private(self.rng.below(self.count)),
            2 | 3 if self.phases > 1 => Sharing::Published(self.rng.below(self.count)),
            _ => Sharing::Guarded(self.lock()),
        }
    }

    fn lock(&mut self) -> Lock {
        let kinds: &[LockKind] = match self.api {
            Api::Pthread => &[
                LockKind::Mutex,
                LockKind::Mutex,
                LockKind::Recursive,
                LockKind::Spin,
                LockKind::ReadWrite,
                LockKind::Semaphore,
                LockKind::Flag,
            ],
            Api::C11 => &[LockKind::Mutex, LockKind::Mutex, LockKind::Recursive, LockKind::Flag],
            Api::Std => &[LockKind::Mutex, LockKind::Mutex, LockKind::Recursive, LockKind::ReadWrite, LockKind::Flag],
        };
        self.locks += 1;
        Lock { kind: *self.rng.pick(kinds), index: self.locks - 1 }
    }

    /// Fills threads with statements.
    fn fill(&mut self, program: &mut Program) {
        let is_weak = self.rng.chance(40);
        for thread in 0..self.count {
            for phase in 0..self.phases {
                let most = if self.count + self.phases > 3 { 2 } else { 3 };
                for _ in 0..self.rng.between(1, most) {
                    let act = self.act(program, thread, phase, is_weak);
                    let shell = if self.rng.chance(55) { Shell::Bare } else { *self.rng.pick(&Shell::ALL) };
                    program.threads[thread].phases[phase].push(Stmt { act, shell });
                }
            }
        }
    }

    fn act(&mut self, program: &Program, thread: usize, phase: usize, is_weak: bool) -> Act {
        let value = self.value();
        match self.rng.below(20) {
            0..=9 => self.access(program, thread, phase, value),
            10..=12 if !program.atomics.is_empty() => self.atomic(program, is_weak),
            13 => Act::Local { value },
            14 if self.api != Api::Std => Act::Key { value },
            15 => Act::Once,
            _ => Act::Compute { sum: *self.rng.pick(&Sum::ALL), value },
        }
    }

    fn access(&mut self, program: &Program, thread: usize, phase: usize, value: u8) -> Act {
        let may_write = |cell: &Cell| match cell.sharing {
            Sharing::Guarded(_) => true,
            Sharing::Private(owner) => owner == thread,
            Sharing::Published(owner) => owner == thread && phase == 0,
        };
        let may_read = |cell: &Cell| may_write(cell) || (phase > 0 && matches!(cell.sharing, Sharing::Published(_)));
        let is_update = self.rng.chance(65);
        let allowed = |cell: &Cell| if is_update { may_write(cell) } else { may_read(cell) };
        let cells: Vec<usize> = (0..program.cells.len()).filter(|index| allowed(&program.cells[*index])).collect();
        if cells.is_empty() {
            return Act::Compute { sum: *self.rng.pick(&Sum::ALL), value };
        }
        let cell = *self.rng.pick(&cells);
        let dress = *self.rng.pick(&Dress::ALL);
        let takings = [Taking::Calls, Taking::Calls, Taking::Macro, Taking::Helpers, Taking::Try];
        let taking = *self.rng.pick(&takings);
        match is_update {
            true => Act::Update { cell, value, dress, taking },
            false => Act::Observe { cell, dress, taking },
        }
    }

    fn atomic(&mut self, program: &Program, is_weak: bool) -> Act {
        let object = self.rng.below(program.atomics.len());
        let (first, second) = (self.value(), self.value());
        let op = match self.rng.below(5) {
            0 => AtomicOp::Store(first),
            1 if program.atomics[object].is_scalar() => AtomicOp::Add(first),
            2 => AtomicOp::Exchange(first),
            3 => AtomicOp::CompareExchange(first, second),
            _ => AtomicOp::Load,
        };
        let strengths = [Strength::Total, Strength::Handover, Strength::Relaxed];
        let strength = if is_weak { *self.rng.pick(&strengths) } else { Strength::Total };
        Act::Atomic { object, op, strength }
    }

    /// Adds a channel, in one program of three.
    fn channel(&mut self, program: &mut Program) {
        if !self.rng.chance(35) {
            return;
        }
        let from = self.rng.below(self.count - 1);
        let to = self.rng.between(from + 1, self.count - 1);
        let kinds = [ChannelKind::Condition, ChannelKind::Semaphore, ChannelKind::Awaited, ChannelKind::Polled];
        program.channels.push(Channel { from, to, kind: *self.rng.pick(&kinds) });
        let phase = self.rng.below(self.phases);
        let value = self.value();
        for (thread, act) in [(from, Act::Give { channel: 0, value }), (to, Act::Take { channel: 0 })] {
            let body = &mut program.threads[thread].phases[phase];
            body.insert(self.rng.below(body.len() + 1), Stmt { act, shell: Shell::Bare });
        }
    }

    /// Inserts a bug, with its parts at the start of the first phase.
    fn seed_bug(&mut self, program: &mut Program) {
        let bug = if self.rng.chance(45) {
            Bug::Race(*self.rng.pick(&Race::ALL))
        } else {
            Bug::Memory(*self.rng.pick(&Memory::ALL))
        };
        program.bug = Some(bug);
        let first = self.rng.below(self.count);
        let second = (first + self.rng.between(1, self.count - 1)) % self.count;
        let parts = if bug.has_two_parts() { vec![first, second] } else { vec![first] };
        for (part, thread) in parts.into_iter().enumerate() {
            let stmt = Stmt { act: Act::Bug(part), shell: Shell::Bare };
            program.threads[thread].phases[0].insert(0, stmt);
        }
    }
}

impl Bug {
    /// Whether it involves two threads.
    pub fn has_two_parts(self) -> bool {
        match self {
            Bug::Race(_) | Bug::Memory(Memory::Freed) => true,
            Bug::Memory(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bug_and_every_feature_comes_up() {
        let programs: Vec<Program> = (0..3000).map(make).collect();
        let bug = |bug: Bug| programs.iter().any(|program| program.bug == Some(bug));
        assert!(Race::ALL.iter().all(|race| bug(Bug::Race(*race))));
        assert!(Memory::ALL.iter().all(|memory| bug(Bug::Memory(*memory))));
        let acts: Vec<Act> = programs.iter().flat_map(Program::statements).map(|stmt| stmt.act).collect();
        let is_dressed =
            |dress: Dress| acts.iter().any(|act| matches!(act, Act::Update { dress: d, .. } if *d == dress));
        assert!(Dress::ALL.iter().all(|dress| is_dressed(*dress)));
        let is_summed = |sum: Sum| acts.iter().any(|act| matches!(act, Act::Compute { sum: s, .. } if *s == sum));
        assert!(Sum::ALL.iter().all(|sum| is_summed(*sum)));
        assert!(programs.iter().any(Program::is_total) && !programs.iter().all(Program::is_total));
    }
}
