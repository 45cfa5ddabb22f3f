//! Random scripts: arbitrary ones and some that look like executions of threads, all with several calls of the solver.

use super::reference;
use super::script::{Name, Script, Step, Theory};
use base::Budget;
use smt::order::{clocks, Includes, Pairs};
use smt::proof::order::check_lemma;
use smt::sat::Answer;
use smt::Sat;

/// Splitmix64: the same scripts for the same seed everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    fn name(&mut self, variables: usize) -> Name {
        let name = 1 + self.below(variables) as Name;
        if self.chance(50) {
            name
        } else {
            -name
        }
    }

    fn names(&mut self, variables: usize, max: usize) -> Vec<Name> {
        (0..self.below(max + 1)).map(|_| self.name(variables)).collect()
    }

    fn pairs(&mut self) -> Pairs {
        [Pairs::None, Pairs::External, Pairs::All, Pairs::All][self.below(4)]
    }

    fn includes(&mut self) -> Includes {
        if self.chance(50) {
            return Includes::ALL;
        }
        Includes { reads_from: self.pairs(), write_order: self.pairs(), from_reads: self.pairs() }
    }
}

/// Steps of any kind in any order, over few variables.
fn arbitrary(random: &mut Random) -> Script {
    let orders: Vec<Includes> = (0..1 + random.below(2)).map(|_| random.includes()).collect();
    let variables = 2 + random.below(7);
    let mut steps = Vec::new();
    for _ in 0..2 + random.below(5) {
        steps.push(Step::Event(random.below(3) as u32));
    }
    for _ in 0..8 + random.below(30) {
        let step = match random.below(20) {
            0 => Step::Event(random.below(3) as u32),
            1 => Step::Node(random.below(2)),
            2..=4 => Step::Clause({
                let mut names = random.names(variables, 2);
                names.push(random.name(variables));
                names
            }),
            5..=7 => Step::Solve(random.names(variables, 3)),
            8..=11 => Step::ReadsFrom(random.name(variables), random.below(20), random.below(20)),
            12..=15 => Step::WriteOrder(random.name(variables), random.below(20), random.below(20)),
            _ => {
                let path = random.chance(25).then(|| (random.below(2), random.below(20), random.below(20)));
                let mut when = random.names(variables, 2);
                if random.chance(80) {
                    when.push(random.name(variables));
                }
                Step::Edge { order: random.below(2), when, path, from: random.below(20), to: random.below(20) }
            }
        };
        steps.push(step);
    }
    steps.push(Step::Solve(random.names(variables, 2)));
    Script { orders, hints: random.chance(50), logged: random.chance(50), steps }
}

/// Threads that read and write a few locations: reads read from one write, writes of a location are ordered.
fn execution(random: &mut Random) -> Script {
    let paths = random.chance(30);
    let orders = if paths {
        let happens_before = Includes { reads_from: Pairs::All, ..Includes::NONE };
        vec![happens_before, Includes::ALL]
    } else {
        (0..1 + random.below(2)).map(|_| random.includes()).collect()
    };
    let (threads, locations) = (2 + random.below(3), 1 + random.below(2));
    let mut steps = Vec::new();
    // Thread, location, whether it reads, whether it writes.
    let mut events: Vec<(usize, usize, bool, bool)> = Vec::new();
    for location in 0..locations {
        events.push((threads, location, false, true));
    }
    for thread in 0..threads {
        for _ in 0..1 + random.below(4) {
            let (reads, writes) =
                [(true, false), (true, false), (false, true), (false, true), (true, true)][random.below(5)];
            events.push((thread, random.below(locations), reads, writes));
        }
    }
    steps.extend(events.iter().map(|event| Step::Event(event.0 as u32)));
    let mut next: Name = 0;
    let mut fresh = || {
        next += 1;
        next
    };
    for later in 0..events.len() {
        for earlier in 0..later {
            let same_thread = events[earlier].0 == events[later].0 || events[earlier].0 == threads;
            let same_location = events[earlier].1 == events[later].1;
            for order in 0..orders.len() {
                let keep = if paths { order == 0 } else { order == 0 || random.chance(60) };
                if same_thread && keep {
                    let when = if random.chance(5) { vec![fresh()] } else { Vec::new() };
                    steps.push(Step::Edge { order, when, path: None, from: earlier, to: later });
                }
            }
            if paths && same_location {
                for (from, to) in [(earlier, later), (later, earlier)] {
                    steps.push(Step::Edge { order: 1, when: Vec::new(), path: Some((0, from, to)), from, to });
                }
            }
        }
    }
    let mut choices = Vec::new();
    for (write, _) in events.iter().enumerate().filter(|(_, event)| event.3) {
        for (later, _) in events.iter().enumerate().filter(|(_, event)| event.3).filter(|(later, _)| *later > write) {
            if events[write].1 == events[later].1 {
                let lit = fresh();
                let back = if random.chance(50) { -lit } else { fresh() };
                choices.push(Step::WriteOrder(lit, write, later));
                choices.push(Step::WriteOrder(back, later, write));
                choices.push(Step::Clause(vec![lit, back]));
            }
        }
    }
    for (read, _) in events.iter().enumerate().filter(|(_, event)| event.2) {
        let mut clause = Vec::new();
        for (write, _) in events.iter().enumerate().filter(|(write, event)| event.3 && *write != read) {
            if events[write].1 == events[read].1 {
                let lit = fresh();
                choices.push(Step::ReadsFrom(lit, write, read));
                clause.push(lit);
            }
        }
        choices.push(Step::Clause(clause));
    }
    for choice in choices {
        steps.push(choice);
        if random.chance(3) {
            steps.push(Step::Solve(random.names(next as usize, 3)));
        }
    }
    for _ in 0..1 + random.below(4) {
        for _ in 0..random.below(4) {
            steps.push(Step::Clause((0..1 + random.below(2)).map(|_| random.name(next as usize)).collect()));
        }
        steps.push(Step::Solve(random.names(next as usize, 4)));
    }
    Script { orders, hints: random.chance(50), logged: random.chance(50), steps }
}

#[derive(Default, Debug)]
struct Counts {
    sat: u64,
    unsat: u64,
    enumerated: u64,
    lemmas: u64,
}

/// Runs a script; the error describes a disagreement.
fn run(script: &Script, counts: &mut Counts) -> Result<(), String> {
    let mut theory = Theory::new(script);
    for (index, step) in script.steps.iter().enumerate() {
        theory.tell(step);
        let Step::Solve(names) = step else { continue };
        let reading = reference::read(script, &script.steps[..=index]);
        let assumptions = theory.lits(names);
        let answer = theory.sat.solve(&assumptions, &Budget::unlimited()).map_err(|stop| format!("{stop:?}"))?;
        let expected = reading.solve(names);
        if answer != expected {
            return Err(format!("step {index}: {answer:?}, but transitivity says {expected:?}"));
        }
        if reading.variables.len() <= 8 {
            counts.enumerated += 1;
            let expected = reading.enumerate(names);
            if answer != expected {
                return Err(format!("step {index}: {answer:?}, but enumeration says {expected:?}"));
            }
        }
        match answer {
            Answer::Sat => {
                counts.sat += 1;
                let values: Vec<(Name, bool)> = reading
                    .variables
                    .iter()
                    .map(|&name| {
                        let lit = theory.lit(name);
                        // A variable created only now is in no clause and has no value.
                        (name, !theory.sat.is_untouched(lit) && theory.sat.value(lit))
                    })
                    .collect();
                let is_true =
                    |name: Name| values.iter().any(|&(other, value)| other == name.abs() && value == (name > 0));
                if !reading.is_model(is_true) || !names.iter().all(|&name| is_true(name)) {
                    return Err(format!("step {index}: no model: {values:?}"));
                }
            }
            Answer::Unsat => {
                counts.unsat += 1;
                let core = theory.sat.core();
                let core: Vec<Name> = names.iter().copied().filter(|&name| core.contains(&theory.lit(name))).collect();
                if reading.solve(&core) != Answer::Unsat {
                    return Err(format!("step {index}: {core:?} is no core"));
                }
            }
        }
        for lemma in theory.order.take_lemmas() {
            counts.lemmas += 1;
            if let Err(reason) = check_lemma(&lemma, &theory.order.problem()) {
                return Err(format!("step {index}: wrong lemma {lemma:?}: {reason}"));
            }
        }
        if theory.order.statistics().missed > 0 {
            return Err(format!("step {index}: a cycle was missed until the model was checked"));
        }
    }
    Ok(())
}

/// Removes steps while the script still fails.
fn shrink(mut script: Script, fails: impl Fn(&Script) -> bool) -> Script {
    let mut chunk = script.steps.len() / 2;
    while chunk > 0 {
        let mut start = 0;
        let mut changed = false;
        while start < script.steps.len() {
            let mut smaller = script.clone();
            smaller.steps.drain(start..(start + chunk).min(script.steps.len()));
            if fails(&smaller) {
                script = smaller;
                changed = true;
            } else {
                start += chunk;
            }
        }
        if !changed {
            chunk /= 2;
        }
    }
    script
}

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn random_problems_agree_with_transitivity_and_enumeration() {
    let (iterations, seed) = (setting("HEDDLE_FUZZ_ITERATIONS", 400), setting("HEDDLE_FUZZ_SEED", 1));
    let mut counts = Counts::default();
    for iteration in 0..iterations {
        let mut random = Random(seed.wrapping_mul(0x1_0000_0000).wrapping_add(iteration));
        let script = if iteration.is_multiple_of(2) { arbitrary(&mut random) } else { execution(&mut random) };
        if let Err(message) = run(&script, &mut counts) {
            let small = shrink(script, |script| run(script, &mut Counts::default()).is_err());
            let now = run(&small, &mut Counts::default());
            panic!("seed {seed}, iteration {iteration}: {message}\nshrunk: {now:?}\n{small:#?}");
        }
    }
    println!("{iterations} problems from seed {seed}: {counts:?}");
    assert!(
        iterations < 100 || counts.sat > iterations / 5 && counts.unsat > iterations / 5,
        "too one-sided: {counts:?}"
    );
}

/// The clock encoding agrees: it is the baseline of the theory.
#[test]
fn random_problems_agree_with_clocks() {
    let (iterations, seed) = (setting("HEDDLE_FUZZ_ITERATIONS", 400) / 4, setting("HEDDLE_FUZZ_SEED", 1));
    for iteration in 0..iterations {
        let mut random = Random(seed.wrapping_mul(0x2_0000_0000).wrapping_add(iteration));
        let mut script = if iteration.is_multiple_of(2) { arbitrary(&mut random) } else { execution(&mut random) };
        script.steps.retain(|step| !matches!(step, Step::Solve(_)));
        let mut theory = Theory::new(&script);
        script.steps.iter().for_each(|step| theory.tell(step));
        let mut plain = Sat::new();
        while plain.variables() < theory.sat.variables() {
            plain.fresh();
        }
        clocks::encode(&theory.order.problem(), &mut plain);
        for step in &script.steps {
            if let Step::Clause(names) = step {
                plain.add(&theory.lits(names));
            }
        }
        let answer = theory.sat.solve(&[], &Budget::unlimited());
        assert_eq!(plain.solve(&[], &Budget::unlimited()), answer, "iteration {iteration}\n{script:#?}");
    }
}
