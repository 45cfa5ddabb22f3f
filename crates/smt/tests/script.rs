//! SMT-LIB scripts: text in, text out.

use base::Budget;
use smt::script::Session;

/// The output of a script, followed by its error message if any.
fn run(script: &str) -> String {
    let mut output = String::new();
    let result = Session::new().run(script, &Budget::unlimited(), &mut |text| output.push_str(text));
    if let Err(error) = result {
        output.push_str(&format!("error {error}\n"));
    }
    output
}

fn says(script: &str, expected: &str) {
    assert_eq!(run(script), expected, "{script}");
}

/// Checks that a closed Boolean term is true, by solving and not only by rewriting.
fn holds(term: &str) {
    says(&format!("(assert (not {term}))(check-sat)"), "unsat\n");
}

#[test]
fn answers_models_and_values() {
    let script = "
        (set-logic QF_BV) ; comment
        (set-info :status sat)
        (set-option :produce-models true)
        (declare-fun x () (_ BitVec 8))
        (declare-const |a b| Bool)
        (assert (and |a b| (= (bvadd x #x01) #x00)))
        (check-sat)
        (get-model)
        (get-value (x |a b| (bvudiv x #x10)
           (_ bv3 4)))
        (assert (bvult x #x05))
        (check-sat)
        (exit)
        (not a command";
    let expected = "sat\n(\n  (define-fun x () (_ BitVec 8) #xff)\n  (define-fun |a b| () Bool true)\n)\n\
                    ((x #xff) (|a b| true) ((bvudiv x #x10) #x0f) ((_ bv3 4) #x3))\nunsat\n";
    says(script, expected);
}

#[test]
fn arrays() {
    let script = "
        (set-logic QF_ABV)
        (define-sort Byte () (_ BitVec 8))
        (define-sort Map (I) (Array I Byte))
        (declare-const m (Map (_ BitVec 2)))
        (assert (= (store ((as const (Map (_ BitVec 2))) #x00) #b01 #x07) m))
        (check-sat)
        (get-value ((select m #b01) (select m #b10)))
        (get-model)
        (assert (distinct (select m #b00) (select m #b11)))
        (check-sat)";
    let expected = "sat\n(((select m #b01) #x07) ((select m #b10) #x00))\n(\n  (define-fun m () \
                    (Array (_ BitVec 2) (_ BitVec 8)) (store ((as const (Array (_ BitVec 2) (_ BitVec 8))) #x00) #b01 #x07))\n)\n\
                    unsat\n";
    says(script, expected);
}

#[test]
fn levels_and_assumptions() {
    let script = "
        (declare-const p Bool)(declare-const q Bool)
        (assert (or p q))
        (push 2)
        (declare-const r Bool)
        (assert (! (not p) :named first :other (a b)))
        (check-sat-assuming ((not q) r))
        (get-unsat-assumptions)
        (get-info :assertion-stack-levels)
        (pop 1)(pop)
        (declare-const r (_ BitVec 1))
        (check-sat-assuming ((not q) (= r #b1)))
        (get-value (p q r))
        (check-sat-assuming (p (not p) p))";
    says(script, "unsat\n((not q))\n(:assertion-stack-levels 2)\nsat\n((p true) (q false) (r #b1))\nunsat\n");
    let named = "(declare-const x Bool)(assert (! (! x :named y) :named z))(assert (not z))(check-sat)";
    says(named, "unsat\n");
}

#[test]
fn definitions_are_macros() {
    let script = "
        (declare-const x (_ BitVec 4))
        (define-fun square ((y (_ BitVec 4))) (_ BitVec 4) (bvmul y y))
        (define-fun x2 () (_ BitVec 4) (square x))
        (define-const four (_ BitVec 4) #x4)
        (define-fun pick ((x Bool) (y Bool) (z Bool)) Bool (ite x y (let ((x z)) x)))
        (assert (pick false false (= (square x2) #x1)))
        (assert (bvsgt x four))
        (assert (distinct x #x5))
        (check-sat)
        (get-value (x))";
    says(script, "sat\n((x #x7))\n");
}

#[test]
fn lets_are_parallel() {
    let script = "
        (declare-const a (_ BitVec 4))
        (define-const b (_ BitVec 4) #x3)
        (assert (= a #x5))
        (assert (let ((a b) (b a)) (and (= a #x3) (= b #x5) (let ((a b)) (= a #x5)) (= a #x3))))
        (check-sat)";
    says(script, "sat\n");
}

#[test]
fn options_and_information() {
    let script = "(set-option :print-success true)(set-logic QF_ABV)(set-option :produce-assertions true)
        (declare-const x Bool)(assert   (or x
            false))(get-assertions)(check-sat)(set-option :print-success false)
        (get-info :name)(get-info :error-behavior)(get-option :produce-models)(echo \"a \"\"b\"\" c\")
        (set-option :tactic fast)(get-info :weather)(set-option :random-seed 7)
        (reset-assertions)(declare-const x (_ BitVec 1))(check-sat)(reset)(set-logic QF_BV)";
    let expected = "success\nsuccess\nsuccess\nsuccess\nsuccess\n((or x false))\nsat\n(:name \"heddle\")\n\
                    (:error-behavior immediate-exit)\ntrue\n\"a \"\"b\"\" c\"\nunsupported\nunsupported\nsat\n";
    says(script, expected);
}

#[test]
fn global_declarations_survive() {
    let script = "(set-option :global-declarations true)(push)(declare-const x Bool)(assert x)(pop)
        (assert (not x))(check-sat)(reset-assertions)(assert x)(check-sat)(get-value (x))";
    says(script, "sat\nsat\n((x true))\n");
}

#[test]
fn operators_have_their_meaning() {
    for term in [
        "(= (bvsmod #xd #x3) #x0)",
        "(= (bvsmod #xc #x3) #x2)",
        "(= (bvsmod #x4 #xd) #xe)",
        "(= (bvsrem #xc #x3) #xf)",
        "(= (bvsdiv #x8 #xf) #x8)",
        "(= (bvsdiv #x8 #x0) #x1)",
        "(= (bvudiv #x7 #x0) #xf)",
        "(= (bvurem #x7 #x0) #x7)",
        "(= (bvcomp #x3 #x3) #b1)",
        "(= (bvnand #xc #xa) #x7)",
        "(= (bvnor #xc #xa) #x1)",
        "(= (bvxnor #xc #xa) #x9)",
        "(= ((_ rotate_left 5) #x9) #x3)",
        "(= ((_ rotate_right 1) #x9) #xc)",
        "(= ((_ repeat 3) #b10) #b101010)",
        "(= ((_ zero_extend 0) #b1) #b1)",
        "(= ((_ sign_extend 3) #b10) #b11110)",
        "(= ((_ extract 2 1) #b0100) #b10)",
        "(= (concat #b1 #x2) #b10010)",
        "(= (bvadd #x9 #x9 #x9) #xb)",
        "(= (bvand #xe #x7 #xd) #x4)",
        "(= (bvxor #xe #x7 #xd) #x4)",
        "(= (bvmul #x3 #x3 #x3) #xb)",
        "(= (bvor #x1 #x2 #x4) #x7)",
        "(= (bvashr #x8 #x9) #xf)",
        "(= (bvshl #x1 #x4) #x0)",
        "(= (_ bv18446744073709551616 65) #b10000000000000000000000000000000000000000000000000000000000000000)",
        "(bvnego #x8)",
        "(not (bvnego #x7))",
        "(bvuaddo #x8 #x8)",
        "(not (bvuaddo #x8 #x7))",
        "(bvsaddo #x7 #x1)",
        "(not (bvsaddo #xf #xf))",
        "(bvumulo #x4 #x4)",
        "(not (bvumulo #x5 #x3))",
        "(bvsmulo #x4 #x2)",
        "(not (bvsmulo #xc #x2))",
        "(bvusubo #x3 #x4)",
        "(bvssubo #x8 #x1)",
        "(bvsdivo #x8 #xf)",
        "(not (bvsdivo #x8 #x1))",
        "(=> false true false)",
        "(=> true true true)",
        "(xor true true true)",
        "(= #x1 (_ bv1 4) #b0001)",
        "(not (= #x1 #x1 #x2))",
        "(distinct #x1 #x2 #x3)",
        "(not (distinct #x1 #x2 #x1))",
        "(bvsle #x8 #x7)",
        "(bvuge #x8 #x7)",
        "(as true Bool)",
    ] {
        holds(term);
    }
}

#[test]
fn errors_have_a_place() {
    for (script, expected) in [
        ("(assert", "1:1: this parenthesis is never closed"),
        ("(push 1))", "1:9: this parenthesis closes nothing"),
        ("check-sat", "1:1: a command should stand here"),
        ("\n (frobnicate)", "2:3: there is no command `frobnicate`"),
        ("(get-proof)", "1:2: the command `get-proof` is not supported"),
        ("(set-logic QF_LIA)", "1:12: the logic QF_LIA is not supported: QF_BV, QF_ABV, QF_AUFBV, QF_UFBV, ALL are"),
        ("(set-logic QF_BV)\n(set-logic QF_BV)", "2:1: the logic is already set"),
        ("(assert\n  (and true x))", "2:13: there is no `x`"),
        ("(assert (bvult #x1 #b1))", "1:20: argument 2 of `bvult` should have sort (_ BitVec 4), not (_ BitVec 1)"),
        ("(assert (not true false))", "1:10: `not` takes 1 argument, not 2"),
        ("(assert (bvand #x1))", "1:9: a term of sort Bool should stand here, not of (_ BitVec 4)"),
        ("(assert (= ((_ extract 4 0) #x1) #x1))", "1:13: bits 4 to 0 do not lie in 4 bits"),
        ("(assert (= (_ bv16 4) #x1))", "1:12: the number does not fit in 4 bits"),
        ("(assert (forall ((x Bool)) x))", "1:10: `forall` is not supported: formulas are free of quantifiers"),
        (
            "(declare-fun f (Bool) Bool)",
            "1:16: functions with arguments can be defined, but declaring them is not supported",
        ),
        ("(declare-const x Int)", "1:18: the sort `Int` is not supported: Bool, bit-vectors and arrays are"),
        ("(declare-const x (_ BitVec 0))", "1:28: a width from 1 to 1048576 should stand here"),
        ("(declare-const x (Array Bool Bool))", "1:18: arrays go from bit-vectors to bit-vectors here"),
        ("(declare-const true Bool)", "1:16: the name `true` is already taken"),
        ("(declare-const x Bool)(declare-const |x| Bool)", "1:38: the name `x` is already taken"),
        ("(declare-const let Bool)", "1:16: a name should stand here"),
        ("(pop 1)", "1:1: there are only 0 levels to pop"),
        ("(get-model)", "1:1: there is no model: the last command that could give one was not `sat`"),
        ("(get-unsat-assumptions)", "1:1: there is no core: no check has answered `unsat` since the last change"),
        ("(assert |a\nb", "1:9: this quoted symbol has no end"),
        ("(echo \"a", "1:7: this string has no end"),
        ("(assert #q)", "1:9: `#q` is no literal: #x and #b begin one"),
        ("(assert 1a)", "1:9: `1a` is neither a number nor a symbol"),
        ("(assert ä)", "1:9: the character 'ä' cannot stand here"),
        ("(assert (let ((x true) (x false)) x))", "1:24: `x` is bound twice by one `let`"),
        (
            "(define-fun f ((x Bool)) Bool x)(assert (f #x1))",
            "1:44: argument 1 of `f` should have sort Bool, not (_ BitVec 4)",
        ),
        ("(define-fun f ((x Bool)) Bool x)(assert f)", "1:41: `f` takes arguments"),
        ("(assert (bv2nat #x1))", "1:10: the function `bv2nat` is not supported: there are no integers here"),
        ("(assert ())", "1:9: a term should stand here"),
        (
            "(define-fun f ((p Bool)) Bool (and (! true :named t) (! (not p) :named n)))",
            "1:65: `n` would name a term with the parameter `p`",
        ),
        ("(define-sort M (X) (Array X Bool))", "1:20: arrays go from bit-vectors to bit-vectors here"),
        (
            "(define-sort M (X Y) (Array Y X))(declare-const m (M Bool Bool))",
            "1:51: arrays go from bit-vectors to bit-vectors here",
        ),
    ] {
        says(script, &format!("error {expected}\n"));
    }
}

/// Each definition uses the one before it twice.
#[test]
fn definitions_of_sorts_do_not_grow() {
    let mut script = "(define-sort S0 (X Y) (Array X Y))".to_owned();
    for number in 1..60 {
        script.push_str(&format!("(define-sort S{number} (X Y) (S{} (Array X X) (Array Y Y)))", number - 1));
    }
    script.push_str("(declare-const z (S59 Bool Bool))");
    says(&script, "error 1:57: arrays go from bit-vectors to bit-vectors here\n");
}

/// Adding one part after the other must not take quadratic time.
#[test]
fn long_conjunctions_and_concatenations_take_no_quadratic_time() {
    let count = 100_000;
    let declare = |sort: &str| (0..count).map(|i| format!("(declare-const v{i} {sort})")).collect::<String>();
    let nested: String = (0..count).map(|i| format!("(and v{i} ")).collect();
    let script = format!("{}(assert {nested}true{})(check-sat)", declare("Bool"), ")".repeat(count));
    says(&script, "sat\n");
    let masks: String = (0..count).map(|i| format!("(bvand v{i} ")).collect();
    let mask = format!("{}(assert (= #x1 {masks}#x1{}))", declare("(_ BitVec 4)"), ")".repeat(count));
    says(&mask, "");
    let parts: String = (0..count).map(|i| format!(" v{i}")).collect();
    let ones = "1".repeat(count);
    let words = declare("(_ BitVec 1)");
    says(&format!("{words}(assert (= #b{ones} (concat{parts})))(check-sat)"), "sat\n");
    let others: String = (0..count).map(|i| format!(" v{}", (i + 1) % count)).collect();
    says(&format!("{words}(assert (= (concat{others}) (concat{parts})))"), "");
}

#[test]
fn nesting_needs_no_stack() {
    let depth = 100_000;
    for (open, close) in [
        ("(not ", ")"),
        ("(let ((p (not p))) ", ")"),
        ("(and q (or p ", "))"),
        ("(= p ", ")"),
        ("(= x (bvnot (bvadd x (ite ", " x y))))"),
    ] {
        // Each level of the last one is some dozens of clauses.
        let depth = if open.contains("bvadd") { depth / 20 } else { depth };
        let (open, close) = (open.repeat(depth), close.repeat(depth));
        let script = format!(
            "(declare-const p Bool)(declare-const q Bool)(declare-const x (_ BitVec 8))(declare-const y (_ BitVec 8))
             (assert {open}q{close})"
        );
        says(&script, "");
    }
}

/// Texts with a few characters, lines or parentheses changed: an answer or an error, never a panic.
#[test]
fn changed_text_does_no_harm() {
    let seeds = [
        "(set-logic QF_ABV)(declare-const x (_ BitVec 8))(declare-fun m () (Array (_ BitVec 3) (_ BitVec 8)))\n\
         (define-fun f ((a (_ BitVec 8)) (b Bool)) (_ BitVec 8) (ite b (bvadd a x #x01) ((_ rotate_left 3) a)))\n\
         (assert (! (= (select m ((_ extract 2 0) x)) (f x true)) :named n))\n\
         (push 1)(assert (bvslt (concat x x) (_ bv300 16)))(check-sat)(get-value (x (select m #b000)))(get-model)\n\
         (pop 1)(check-sat-assuming (n (not n)))(get-unsat-assumptions)(echo \"done\")",
        "(declare-const |a b| Bool)(define-sort W (X) (Array X (_ BitVec 2)))(declare-const k (W (_ BitVec 1)))\n\
         (assert (let ((a ((_ repeat 2) #b1)) (b ((_ zero_extend 1) #b0))) (distinct a b (select k #b1))))\n\
         (assert (= k ((as const (W (_ BitVec 1))) (bvsmod #b01 #b10)) (store k #b1 #b01)))\n\
         (check-sat)(reset-assertions)(get-info :name)(set-option :print-success true)(push 2)(pop 1)(exit)",
    ];
    let pieces =
        ["(", ")", " ", "0", "9", "#x1", "|", "\"", ";", "\n", "_", "!", "as", "x", "let", "é", "bvadd", "4294967295"];
    let count: u64 = std::env::var("HEDDLE_FUZZ_ITERATIONS").ok().and_then(|text| text.parse().ok()).unwrap_or(2000);
    let seed: u64 = std::env::var("HEDDLE_FUZZ_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(1);
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut below = |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % bound
    };
    for round in 0..count {
        let mut text: Vec<char> = seeds[below(seeds.len())].chars().collect();
        for _ in 0..=below(4) {
            let at = below(text.len());
            match below(4) {
                0 => drop(text.remove(at)),
                1 => drop(text.splice(at..at, pieces[below(pieces.len())].chars())),
                2 => {
                    let end = (at + below(12)).min(text.len());
                    drop(text.splice(at..end, pieces[below(pieces.len())].chars()));
                }
                _ => {
                    let (from, to) = (below(text.len()), (at + below(40)).min(text.len()));
                    let copy = text[at..to].to_vec();
                    drop(text.splice(from..from, copy));
                }
            }
        }
        let text: String = text.into_iter().collect();
        let started = std::time::Instant::now();
        run(&text);
        assert!(started.elapsed().as_secs() < 20, "round {round}: {text}");
    }
}

/// Runs a script, prints its assertions, and parses them again in the same session: the same terms.
#[test]
fn printed_terms_are_read_as_themselves() {
    let declarations = "(declare-const p Bool)(declare-const |a b| (_ BitVec 1))(declare-const x (_ BitVec 2))
        (declare-const y (_ BitVec 8))(declare-const m (Array (_ BitVec 2) (_ BitVec 1)))";
    for formula in [
        "(bvsmulo |a b| #b1)",
        "(= (bvsub |a b| (ite (= x #b00) |a b| #b0)) |a b|)",
        "(= m (store (store ((as const (Array (_ BitVec 2) (_ BitVec 1))) #b1) #b10 #b1) #b01 #b1))",
        "(bvult (bvneg (bvadd (ite p #xff #x80) #x01)) y)",
        "(let ((z (bvadd y (bvmul y y)))) (= (bvudiv z y) (concat x ((_ extract 6 1) (bvmul z z)))))",
        "(or (bvsle y #x10) (bvslt (bvxor y #x0f) (bvnot y)) (not p))",
    ] {
        let mut session = Session::new();
        let send = |session: &mut Session, text: &str| {
            session.run(text, &Budget::unlimited(), &mut |_| {}).unwrap_or_else(|error| panic!("{error} in {text}"));
        };
        send(&mut session, &format!("{declarations}(assert {formula})"));
        let (terms, assertions) = session.formula();
        let (text, script) = (terms.to_smtlib(assertions[0]), terms.to_script(&assertions));
        send(&mut session, &format!("(assert {text})"));
        let (_, assertions) = session.formula();
        assert_eq!(assertions[0], assertions[1], "{formula} is printed as {text}");
        assert_eq!(run(&script), run(&format!("{declarations}(assert {formula})(check-sat)")), "{script}");
    }
}

#[test]
fn names_are_quoted_and_made_different() {
    let mut terms = smt::Terms::new();
    let names = ["x", "x", "let", "a b", "bvadd", "", "1", "p|q", "x!1", "?3"];
    let variables: Vec<_> = names.into_iter().map(|name| terms.variable(name, smt::Sort::Bool)).collect();
    let both = terms.and(variables.iter().copied());
    let expected = "(and x x!1 |let| |a b| bvadd!1 || |1| |p_q| x!1!1 ?3)";
    assert_eq!(terms.to_smtlib(both), expected);
    assert_eq!(run(&terms.to_script(&[both])), "sat\n");
}
