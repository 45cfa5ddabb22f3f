//! Certificates: logs of the solver are accepted, and tampered ones are rejected.
//!
//! `HEDDLE_FUZZ_ITERATIONS=N` (and `HEDDLE_FUZZ_SEED=S`) make the campaigns longer; they print what they met.

#[path = "proof/formulas.rs"]
mod formulas;
#[path = "common/random.rs"]
mod random;

use base::Budget;
use cadical_sys::{CaDiCal, Status};
use formulas::{parity, pigeons, random_formula, some_formula, Formula, OPTIONS};
use random::{from_environment, Random};
use smt::proof::check::{check, Checker, Clauses, Problem, Report};
use smt::proof::format::{Reader, Step};
use smt::proof::lemma::{EdgeJustification, Lemma};
use smt::proof::log::{Lemmas, Log};
use smt::sat::Answer;
use smt::{Lit, Sat};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::rc::Rc;
use std::time::{Duration, Instant};

fn iterations(default: u64) -> std::ops::Range<u64> {
    let seed = from_environment("HEDDLE_FUZZ_SEED", 1) * 1_000_000_000;
    seed..seed + from_environment("HEDDLE_FUZZ_ITERATIONS", default)
}

/// A solver whose every answer is checked at once.
struct Certified {
    cadical: CaDiCal,
    log: Rc<RefCell<Log<Vec<u8>>>>,
    problem: Clauses,
    formula: Formula,
    checker: Checker,
    text: Vec<u8>,
}

impl Certified {
    fn new(options: &[(&str, i32)]) -> Certified {
        let mut cadical = CaDiCal::new();
        for (name, value) in options {
            assert!(cadical.set(name, *value), "there should be an option {name}");
        }
        let log = Log::new(Vec::new());
        cadical.connect_proof_tracer1(log.clone(), true, false);
        Certified {
            cadical,
            log,
            problem: Clauses::default(),
            formula: Vec::new(),
            checker: Checker::default(),
            text: Vec::new(),
        }
    }

    fn of(formula: &Formula) -> Certified {
        let mut certified = Certified::new(&[]);
        formula.iter().for_each(|clause| certified.add(clause));
        certified
    }

    fn add(&mut self, clause: &[Lit]) {
        clause.iter().for_each(|lit| self.cadical.add(lit.dimacs()));
        self.cadical.add(0);
        self.problem.add(clause);
        self.formula.push(clause.to_vec());
    }

    /// Whether it is satisfiable under these assumptions.
    fn solve(&mut self, assumptions: &[Lit]) -> bool {
        assumptions.iter().for_each(|lit| self.cadical.assume(lit.dimacs()));
        let status = self.cadical.solve();
        let text = self.log.borrow_mut().take().expect("memory");
        self.text.extend_from_slice(&text);
        if let Err(failure) = self.checker.read(&text[..], &self.problem) {
            let line = String::from_utf8_lossy(&self.text).lines().nth(failure.line as usize - 1).map(str::to_owned);
            panic!("{failure}: {line:?}");
        }
        let query = self.checker.report().queries.last().expect("a query");
        match status {
            Status::SATISFIABLE => {
                assert_eq!((&query.assumptions[..], &query.core), (assumptions, &None));
                let mut is_true = |lit: &Lit| self.cadical.val(lit.dimacs()) == lit.dimacs();
                assert!(assumptions.iter().all(&mut is_true));
                assert!(self.formula.iter().all(|clause| clause.iter().any(&mut is_true)));
            }
            Status::UNSATISFIABLE => {
                // CaDiCaL may name more: all false units are one internal literal to it, and all fail at once.
                let failed: Vec<Lit> =
                    assumptions.iter().copied().filter(|lit| self.cadical.failed(lit.dimacs())).collect();
                assert!(query.proves(assumptions, &failed));
            }
            Status::UNKNOWN => panic!("nothing should stop it"),
        }
        status == Status::SATISFIABLE
    }
}

/// Statistics of a campaign: to see that it is not a trivial one.
#[derive(Default)]
struct Met {
    sat: u64,
    unsat: u64,
    with_core: u64,
    total: Report,
}

impl Met {
    fn add(&mut self, report: &Report) {
        for query in &report.queries {
            match &query.core {
                None => self.sat += 1,
                Some(core) => {
                    self.unsat += 1;
                    self.with_core += u64::from(!core.is_empty());
                }
            }
        }
        self.total.inputs += report.inputs;
        self.total.lemmas += report.lemmas;
        self.total.derived += report.derived;
        self.total.restored += report.restored;
    }
}

impl fmt::Display for Met {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Report { inputs, lemmas, derived, restored, .. } = self.total;
        write!(
            f,
            "{} sat, {} unsat ({} with a core of assumptions); {inputs} inputs, {lemmas} lemmas, {derived} derived, \
             {restored} restored",
            self.sat, self.unsat, self.with_core
        )
    }
}

/// Solves a formula in parts, under changing assumptions.
fn solve_in_parts(random: &mut Random, certified: &mut Certified, formula: &Formula) {
    let variables = formula.iter().flatten().map(|lit| lit.var()).max().unwrap_or(1);
    let parts = 1 + random.below(5);
    for part in formula.chunks(formula.len().div_ceil(parts)) {
        part.iter().for_each(|clause| certified.add(clause));
        for _ in 0..=random.below(2) {
            let count = if random.chance(3) { 0 } else { random.below(8) };
            let assumptions: Vec<Lit> = (0..count).map(|_| random.literal(variables + 2)).collect();
            certified.solve(&assumptions);
        }
    }
    certified.solve(&[]);
}

fn some_options(random: &mut Random) -> Vec<(&'static str, i32)> {
    let keep = !random.chance(4);
    OPTIONS.into_iter().filter(|_| keep && random.chance(2)).collect()
}

#[test]
fn every_unsat_has_a_proof() {
    let mut met = Met::default();
    for iteration in iterations(150) {
        let mut random = Random::new(iteration);
        let options = some_options(&mut random);
        let formula = some_formula(&mut random);
        let mut certified = Certified::new(&options);
        solve_in_parts(&mut random, &mut certified, &formula);
        // Read back as a whole it is the same proof.
        let report = check(&certified.text[..], &certified.problem).unwrap();
        assert_eq!(&report, certified.checker.report());
        met.add(&report);
    }
    println!("every_unsat_has_a_proof: {met}");
    assert!(met.unsat > 0 && met.sat > 0 && met.with_core > 0 && met.total.restored > 0);
}

/// The assignments, as bits, that satisfy all clauses.
fn models(formula: &Formula, variables: usize) -> Vec<u32> {
    (0..1 << variables)
        .filter(|model| formula.iter().all(|clause| clause.iter().any(|lit| holds(*lit, *model))))
        .collect()
}

fn holds(lit: Lit, model: u32) -> bool {
    (model >> (lit.var() - 1) & 1 == 1) == lit.is_positive()
}

/// Ways to tamper with a line of a proof.
const TAMPERINGS: [&str; 6] = [
    "antecedent dropped",
    "antecedent changed",
    "literal dropped",
    "literal negated",
    "literal changed",
    "line dropped",
];

/// Tampers with one line; `None` if the line has nothing to change in this way.
fn tamper(random: &mut Random, tampering: &str, line: &str) -> Option<String> {
    let mut words: Vec<String> = line.split(' ').map(str::to_owned).collect();
    if tampering == "line dropped" {
        return "itlq".contains(&words[0]).then(String::new);
    }
    let start = match words[0].as_str() {
        "l" => 2,
        "u" => 1,
        _ => return None,
    };
    let middle = words.iter().position(|word| word == "0")?;
    let mut pick = |range: std::ops::Range<usize>| {
        if range.is_empty() {
            None
        } else {
            Some(range.start + random.below(range.len()))
        }
    };
    let is_antecedent = tampering.starts_with("antecedent");
    let at = if is_antecedent { pick(middle + 1..words.len() - 1)? } else { pick(start..middle)? };
    let number: i64 = words[at].parse().ok()?;
    match tampering {
        "antecedent dropped" | "literal dropped" => _ = words.remove(at),
        "antecedent changed" => words[at] = (1 + random.below(number as usize + 2)).to_string(),
        "literal negated" => words[at] = (-number).to_string(),
        _ => words[at] = random.literal(10).dimacs().to_string(),
    }
    Some(words.join(" "))
}

/// Checks by truth table that all derived clauses of an accepted proof are implied.
fn assert_implied(text: &str, models: &[u32]) {
    let mut reader = Reader::new(text.as_bytes());
    while let Some(step) = reader.next_step().expect("it was read before") {
        if let Step::Derived { clause, .. } | Step::Unsat { clause, .. } = step {
            let is_implied = models.iter().all(|model| clause.iter().any(|lit| holds(*lit, *model)));
            assert!(is_implied, "accepted, but not implied: {clause:?}\n{text}");
        }
    }
}

#[test]
fn what_is_accepted_is_true() {
    // Whatever the changed text, the checker never accepts a clause that the truth table refutes.
    let mut counts: BTreeMap<&str, [u64; 2]> = BTreeMap::new();
    for iteration in iterations(300) {
        let mut random = Random::new(iteration);
        let variables = 4 + random.below(7);
        let clauses = variables * (25 + random.below(25)) / 10;
        let formula = random_formula(&mut random, variables, clauses);
        let mut certified = Certified::new(&some_options(&mut random));
        solve_in_parts(&mut random, &mut certified, &formula);
        let models = models(&formula, variables + 2);
        let text = String::from_utf8(certified.text.clone()).unwrap();
        // The table is that of the whole formula, so it also confirms clauses derived from parts of it.
        assert_implied(&text, &models);
        let lines: Vec<&str> = text.lines().collect();
        for tampering in TAMPERINGS {
            let at = random.below(lines.len());
            let Some(line) = tamper(&mut random, tampering, lines[at]) else { continue };
            let mut spoilt = lines[..at].join("\n") + "\n" + &line;
            spoilt += if line.is_empty() { "" } else { "\n" };
            spoilt.extend(lines[at + 1..].iter().flat_map(|line| [line, "\n"]));
            let accepted = check(spoilt.as_bytes(), &certified.problem);
            counts.entry(tampering).or_default()[usize::from(accepted.is_ok())] += 1;
            match accepted {
                Ok(_) => assert_implied(&spoilt, &models),
                Err(failure) => assert!(failure.line as usize > at.min(1), "{failure}"),
            }
        }
    }
    for (tampering, [rejected, harmless]) in counts {
        println!("what_is_accepted_is_true: {tampering}: {rejected} rejected, {harmless} harmless");
        assert!(rejected > harmless, "{tampering}");
    }
}

#[test]
fn a_proof_needs_every_clause_of_a_minimal_formula() {
    let formula = pigeons(3);
    let mut certified = Certified::of(&formula);
    assert!(!certified.solve(&[]));
    let text = String::from_utf8(certified.text).unwrap();
    for (i, left_out) in formula.iter().enumerate() {
        // Not in the list of inputs: rejected where it is claimed.
        let mut problem = Clauses::default();
        formula.iter().filter(|clause| *clause != left_out).for_each(|clause| problem.add(clause));
        let failure = check(text.as_bytes(), &problem).unwrap_err();
        assert_eq!(failure.to_string(), format!("line {}: this is not an input clause", i + 2));
        // Not in the proof: rejected where it is used.
        let without: String =
            text.lines().enumerate().filter(|(at, _)| *at != i + 1).flat_map(|(_, line)| [line, "\n"]).collect();
        let failure = check(without.as_bytes(), &problem).unwrap_err();
        assert_eq!(failure.reason.to_string(), format!("there is no clause {}", i + 1));
    }
}

#[test]
fn a_proof_needs_its_antecedents() {
    let formula = pigeons(4);
    let mut certified = Certified::of(&formula);
    assert!(!certified.solve(&[]));
    let text = String::from_utf8(certified.text).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let mut rejected = 0;
    for (i, line) in lines.iter().enumerate().filter(|(_, line)| line.starts_with('l') || line.starts_with('u')) {
        let words: Vec<&str> = line.split(' ').collect();
        let middle = words.iter().position(|word| *word == "0").unwrap();
        for at in middle + 1..words.len() - 1 {
            let spoilt = [&words[..at], &words[at + 1..]].concat().join(" ");
            let proof: String =
                [&lines[..i], &[&spoilt], &lines[i + 1..]].concat().iter().flat_map(|line| [line, "\n"]).collect();
            let failure = check(proof.as_bytes(), &certified.problem).unwrap_err();
            assert_eq!(failure.line as usize, i + 1);
            rejected += 1;
        }
    }
    assert!(rejected > 50, "{rejected}");
}

fn lit(number: i32) -> Lit {
    Lit::from_dimacs(number)
}

/// Inputs 1∨2 and the edges 0→1 (fixed), 1→2 if 3, 2→0 if 4 and 5, and 7→8 if 2 can be reached from 1.
struct Small(Clauses);

impl Small {
    fn new() -> Small {
        let mut clauses = Clauses::default();
        clauses.add(&[lit(1), lit(2)]);
        clauses.add_edge(0, 1, &[]);
        clauses.add_edge(1, 2, &[lit(3)]);
        clauses.add_edge(2, 0, &[lit(4), lit(5)]);
        clauses.add_edge(8, 7, &[]);
        Small(clauses)
    }
}

impl Problem for Small {
    fn is_input(&self, clause: &[Lit]) -> bool {
        self.0.is_input(clause)
    }

    fn is_edge(&self, edge: &EdgeJustification, path: Option<(u32, u32)>) -> bool {
        match path {
            None => self.0.is_edge(edge, path),
            Some(path) => (edge.from, edge.to) == (7, 8) && path == (1, 2) && edge.literals.is_empty(),
        }
    }

    fn is_array_lemma(&self, clause: &[Lit], text: &str) -> bool {
        clause == [lit(-1)] && text == "select(store(a, i, v), i) = v\n\\"
    }
}

#[test]
fn lines_that_do_not_hold() {
    for (lines, expected) in [
        ("i 1 2 1 1 0", ""),
        ("i 1 1 0", "line 2: this is not an input clause"),
        ("i 1 1 2 0\ni 1 1 2 0", "line 3: there is a clause 1 already"),
        ("i 1 1 2 0\nd 1 0", ""),
        ("i 1 1 2 0\nd 1 0\nd 1 0", "line 4: there is no clause 1"),
        ("i 1 1 2 0\nl 2 1 2 0 1 0", ""),
        ("i 1 1 2 0\nl 2 1 0 1 0", "line 3: the antecedents do not lead to a conflict"),
        ("i 1 1 2 0\nl 2 0 1 0", "line 3: clause 1 is not unit here"),
        ("i 1 1 2 0\nl 2 1 2 9 0 1 0", "line 3: no clause before has the variable of 9"),
        ("i 1 1 2 0\nl 2 1 -1 0 0", ""),
        ("i 1 1 2 0\nd 1 0\nr 1 1 2 0", "line 4: there is no clause 1"),
        ("i 1 1 2 0\nr 1 2 1 0", ""),
        ("i 1 1 2 0\nr 1 1 0", "line 3: clause 1 was another one when it was eliminated"),
        ("u 0 0", "line 2: there is no query to conclude"),
        ("s", "line 2: there is no query to conclude"),
        ("q 0\nq 0", "line 3: the last query is not concluded"),
        ("i 1 1 2 0\nq -1 -2 5 0\nu 1 2 0 1 0", ""),
        ("i 1 1 2 0\nq -1 5 0\nu 1 2 0 1 0", "line 4: 2 is not the negation of an assumption"),
        ("q 7 -7 0\nu -7 7 0 0", ""),
        ("q 7 -7 0\nu -7 0 0", "line 3: the antecedents do not lead to a conflict"),
        ("q 0\nx\nq 0\ns", ""),
        ("t 1 -3 -4 -5 0 cycle e 0 1 0 e 1 2 3 0 e 2 0 5 4 0", ""),
        ("t 1 -3 -4 -5 6 0 cycle e 1 2 3 0 e 2 0 5 4 0 e 0 1 0", ""),
        ("t 1 -3 -4 0 cycle e 0 1 0 e 1 2 3 0 e 2 0 5 4 0", "line 2: the clause should have the negation of 5"),
        ("t 1 -3 -4 0 cycle e 0 1 0 e 1 2 3 0 e 2 0 4 0", "line 2: there is no edge from 2 to 0 for the reasons given"),
        ("t 1 -3 0 cycle e 0 1 0 e 1 2 3 0", "line 2: the edges are no cycle"),
        ("t 1 -3 -4 -5 0 cycle e 1 2 3 0 e 0 1 0 e 2 0 4 5 0", "line 2: the edges are no cycle"),
        ("t 1 0 cycle", "line 2: the edges are no cycle"),
        ("t 1 -3 0 cycle e 7 8 0 ( e 1 2 3 0 ) e 8 7 0", ""),
        ("t 1 0 cycle e 7 8 0 ( e 1 2 3 0 ) e 8 7 0", "line 2: the clause should have the negation of 3"),
        ("t 1 -3 0 cycle e 7 8 0 e 8 7 0", "line 2: there is no edge from 7 to 8 for the reasons given"),
        (
            "t 1 -3 0 cycle e 7 8 0 ( e 0 1 0 e 1 2 3 0 ) e 8 7 0",
            "line 2: there is no edge from 7 to 8 for the reasons given",
        ),
        (
            "t 1 -3 0 cycle e 7 8 0 ( e 1 2 3 0 e 8 7 0 ) e 8 7 0",
            "line 2: the edges that an edge follows from are no path",
        ),
        ("t 1 -3 0 cycle e 7 8 0 ( ) e 8 7 0", "line 2: expected edges and `)`"),
        ("t 1 -1 0 array select(store(a, i, v), i) = v\\n\\\\", ""),
        ("t 1 -2 0 array select(store(a, i, v), i) = v\\n\\\\", "line 2: this is not a lemma of arrays"),
        ("t 1 -1 0 list", "line 2: expected `cycle` or `array`"),
        ("i 0 1 2 0", "line 2: expected the number of a clause"),
        ("i 1 1 2", "line 2: expected a literal or 0"),
        ("i 1 -2147483648 0", "line 2: expected a literal or 0"),
        ("i 1 1 2 0 0", "line 2: expected the end of the line"),
        ("", "line 2: expected one of the letters i t l d r q u s x"),
    ] {
        let text = format!("heddle proof 1\n{lines}\n");
        let message = check(text.as_bytes(), &Small::new()).err().map_or(String::new(), |failure| failure.to_string());
        assert_eq!(message, expected, "{lines}");
    }
    let headless = check("i 1 1 2 0\n".as_bytes(), &Small::new()).unwrap_err().to_string();
    assert_eq!(headless, "line 1: the first line should be `heddle proof 1`");
    let cut_off = check("heddle proof 1\ni 1 1 2 0\ni 2 1".as_bytes(), &Small::new()).unwrap_err().to_string();
    assert_eq!(cut_off, "line 3: expected the end of the line");
}

#[test]
fn lemmas_are_marked() {
    let log = Log::new(Vec::new());
    let mut sat = Sat::with_tracer(log.clone());
    let lits: Vec<Lit> = (0..5).map(|_| sat.fresh()).collect();
    let mut small = Small::new();
    small.0.add(&[Lit::TRUE]);
    let lemma = Lemma::Array("select(store(a, i, v), i) = v\n\\".to_owned());
    // In the sat, variable 1 is true: the lemma contradicts it.
    log.borrow_mut().announce(&[lit(-1)], lemma);
    sat.add_lemma(&[lit(-1)]);
    let cycle = [
        EdgeJustification::new(0, 1, &[]),
        EdgeJustification::new(1, 2, &[lits[1]]),
        EdgeJustification::new(2, 0, &[lits[2], lits[3]]),
    ];
    log.borrow_mut().announce(&[!lits[1], !lits[2], !lits[3]], Lemma::Cycle(cycle.to_vec()));
    sat.add_lemma(&[!lits[3], !lits[1], !lits[2]]);
    assert_eq!(sat.solve(&[], &Budget::unlimited()), Ok(Answer::Unsat));
    // A second time without announcement it is an input, which it is not.
    sat.add_lemma(&[!lits[3], !lits[1], !lits[2]]);
    drop(sat);
    let text = String::from_utf8(log.borrow_mut().take().unwrap()).unwrap();
    let failure = check(text.as_bytes(), &small).unwrap_err();
    assert_eq!(failure.reason.to_string(), "this is not an input clause");
    let until = text.match_indices('\n').nth(failure.line as usize - 2).unwrap().0;
    let report = check(&text.as_bytes()[..=until], &small).unwrap();
    assert_eq!((report.inputs, report.lemmas), (1, 2));
    assert_eq!(report.queries[0].core, Some(Vec::new()));
}

#[test]
fn budgets_and_files() {
    let path = std::env::temp_dir().join(format!("heddle-proof-{}", std::process::id()));
    let log = Log::new(std::io::BufWriter::new(std::fs::File::create(&path).unwrap()));
    let mut sat = Sat::with_tracer(log.clone());
    let mut problem = Clauses::default();
    problem.add(&[Lit::TRUE]);
    // Variable 1 is taken: the holes of the pigeons begin at 2.
    let next = |lit: &Lit| Lit::from_dimacs(lit.var() as i32 + 1).negate_if(!lit.is_positive());
    (0..110).for_each(|_| _ = sat.fresh());
    for clause in pigeons(9) {
        let clause: Vec<Lit> = clause.iter().map(next).collect();
        problem.add(&clause);
        sat.add(&clause);
    }
    let short = Budget::new(Some(Duration::from_millis(20)), None);
    assert!(sat.solve(&[lit(2)], &short).is_err());
    problem.add(&[lit(100)]);
    sat.add(&[lit(100)]);
    assert_eq!(sat.solve(&[lit(3), lit(-100)], &Budget::unlimited()), Ok(Answer::Unsat));
    let core = sat.core();
    log.borrow_mut().finish().unwrap();
    let file = std::io::BufReader::new(std::fs::File::open(&path).unwrap());
    let report = check(file, &problem).unwrap();
    std::fs::remove_file(&path).unwrap();
    let cores: Vec<_> = report.queries.iter().map(|query| query.core.clone()).collect();
    assert_eq!(cores, [None, Some(core)]);
}

#[test]
fn a_disk_that_is_full() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let log = Log::new(Full);
    let mut sat = Sat::with_tracer(log.clone());
    sat.add(&[Lit::FALSE]);
    assert_eq!(sat.solve(&[], &Budget::unlimited()), Ok(Answer::Unsat));
    let error = log.borrow_mut().finish().unwrap_err().to_string();
    assert!(error.starts_with("cannot write the proof"), "{error}");
    assert_eq!(log.borrow_mut().finish().unwrap_err().to_string(), "the proof was given up earlier");
}

/// CPU time of this thread so far (wall clock if the system does not report it): other processes may be running.
fn processor_time() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let schedule = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = schedule.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

/// Solves the formulas; returns the time, and the proofs if they were logged.
fn solve_all(formulas: &[Formula], is_logged: bool) -> (Duration, Vec<Vec<u8>>) {
    let mut proofs = Vec::new();
    let start = processor_time();
    for formula in formulas {
        let mut cadical = CaDiCal::new();
        let log = Log::new(Vec::new());
        if is_logged {
            cadical.connect_proof_tracer1(log.clone(), true, false);
        }
        for clause in formula {
            clause.iter().for_each(|lit| cadical.add(lit.dimacs()));
            cadical.add(0);
        }
        cadical.solve();
        proofs.push(log.borrow_mut().take().expect("memory"));
    }
    (processor_time() - start, proofs)
}

#[test]
fn what_logging_costs() {
    // Only printed: times are not asserted. Larger with HEDDLE_FUZZ_ITERATIONS.
    let mut random = Random::new(7);
    let scale = if from_environment("HEDDLE_FUZZ_ITERATIONS", 0) > 0 { 2 } else { 1 };
    let threshold = |random: &mut Random, n: usize| random_formula(random, n, n * 43 / 10);
    let families: [(&str, Vec<Formula>); 3] = [
        ("random", (0..6).map(|_| threshold(&mut random, 100 * scale)).collect()),
        ("pigeons", vec![pigeons(6 + scale)]),
        ("parity", (0..4).map(|_| parity(&mut random, 16 + 8 * scale)).collect()),
    ];
    for (name, formulas) in families {
        let (plain, _) = solve_all(&formulas, false);
        let (logged, proofs) = solve_all(&formulas, true);
        let start = processor_time();
        for (formula, proof) in formulas.iter().zip(&proofs) {
            let mut problem = Clauses::default();
            formula.iter().for_each(|clause| problem.add(clause));
            check(&proof[..], &problem).unwrap();
        }
        let checked = processor_time() - start;
        let bytes: usize = proofs.iter().map(Vec::len).sum();
        println!(
            "what_logging_costs: {name}: solving {plain:.1?}; with a log {:.2} times that; checking {:.2} times; {} kB",
            logged.as_secs_f64() / plain.as_secs_f64(),
            checked.as_secs_f64() / plain.as_secs_f64(),
            bytes / 1000
        );
    }
}

#[test]
fn what_the_solver_may_tell() {
    use cadical_sys::ProofTracer;
    // A clause with a witness is not implied: no certificate.
    let log = Log::new(Vec::new());
    log.borrow_mut().add_derived_clause(1, false, 2, &[2], &[]);
    let error = log.borrow_mut().take().unwrap_err().to_string();
    assert!(error.ends_with("a clause that is redundant but not implied"), "{error}");
    // An eliminated clause stays, whether its deletion is reported before or after it is restored; then it can be
    // deleted.
    for is_deleted_first in [true, false] {
        let log = Log::new(Vec::new());
        let mut log = log.borrow_mut();
        log.add_original_clause(1, false, &[2, 3], false);
        log.weaken_minus(1, &[2, 3]);
        if is_deleted_first {
            log.delete_clause(1, false, &[2, 3]);
        }
        log.add_original_clause(1, false, &[3, 2], true);
        if !is_deleted_first {
            log.delete_clause(1, false, &[2, 3]);
        }
        log.add_derived_clause(2, false, 0, &[2, 3], &[1]);
        log.delete_clause(1, false, &[2, 3]);
        log.delete_clause(2, false, &[2, 3]);
        let text = String::from_utf8(log.take().unwrap()).unwrap();
        assert_eq!(text, "heddle proof 1\ni 1 2 3 0\nr 1 3 2 0\nl 2 2 3 0 1 0\nd 1 2 0\n");
    }
}
