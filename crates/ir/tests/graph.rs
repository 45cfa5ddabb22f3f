//! Drawings, and the orders and loops of control-flow graphs.

use base::Id;
use ir::analysis::graph;
use ir::{FunctionId, LocId, Program};

const BANK: &str = include_str!("programs/bank.hir");

/// A function with these edges, as `skip`s and assumes, and an exit that is not reached.
fn function(locs: usize, edges: &[(usize, usize)]) -> Program {
    let mut text = format!(
        "heddle-ir 1 data-model lp64 entry @main function @main() {{ local %c: i1 locs {} entry l0 exit l{locs}\n",
        locs + 1
    );
    let mut out = vec![0; locs];
    for &(from, _) in edges {
        out[from] += 1;
    }
    for &(from, to) in edges {
        text.push_str(&format!("l{from} -> l{to}: {}\n", if out[from] > 1 { "assume %c" } else { "skip" }));
    }
    text.push('}');
    let program = ir::parse(&text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(ir::validate(&program), vec![]);
    program
}

fn main_of(program: &Program) -> &ir::Function {
    &program.functions[program.entry]
}

fn numbers(locs: Vec<LocId>) -> Vec<usize> {
    locs.into_iter().map(Id::index).collect()
}

#[test]
fn a_drawing() {
    let program = ir::parse(BANK).unwrap();
    let deposit = program.function_named("deposit").unwrap();
    let drawn = ir::dot::function_dot(&program, deposit);
    assert_eq!(
        drawn,
        r#"digraph program {
  node [shape=circle fontname=monospace fontsize=10];
  edge [fontname=monospace fontsize=10];
  subgraph cluster_0 {
    label="deposit";
    fn0_l0 [label="l0" shape=doubleoctagon];
    fn0_l1 [label="l1"];
    fn0_l2 [label="l2"];
    fn0_l3 [label="l3"];
    fn0_l4 [label="l4"];
    fn0_l5 [label="l5" shape=doublecircle];
    fn0_l0 -> fn0_l1 [label="lock ghost(@mutex)\lline 7\l"];
    fn0_l1 -> fn0_l2 [label="%b = load i32 @balance\lline 8\l"];
    fn0_l2 -> fn0_l3 [label="store i32 @balance, add:i32(%b, 50:i32)\lline 9\l"];
    fn0_l3 -> fn0_l4 [label="unlock ghost(@mutex)\lline 10\l"];
    fn0_l4 -> fn0_l5 [label="return null\lline 11\l"];
  }
}
"#
    );
    let whole = ir::dot::program_dot(&program);
    assert!(whole.contains("  fn1_l1 -> fn0_l0 [style=dashed label=spawn constraint=false];\n"), "{whole}");
    assert!(whole.contains("\\\"balance == 150\\\""), "quotes should be escaped: {whole}");
}

#[test]
fn orders() {
    let diamond = function(5, &[(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]);
    let order = numbers(graph::reverse_post_order(main_of(&diamond)));
    assert_eq!(order.len(), 5);
    let position = |loc| order.iter().position(|&other| other == loc).unwrap();
    for (before, after) in [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)] {
        assert!(position(before) < position(after), "{before} should come before {after} in {order:?}");
    }
    assert_eq!(graph::loop_heads(main_of(&diamond)), vec![]);
}

#[test]
fn loops() {
    let nested = function(6, &[(0, 1), (1, 2), (1, 5), (2, 3), (3, 2), (3, 4), (4, 1)]);
    assert_eq!(numbers(graph::loop_heads(main_of(&nested))), [1, 2]);
    let on_cycle = graph::on_cycle(main_of(&nested));
    let cyclic: Vec<usize> = on_cycle.enumerate().filter(|(_, on)| **on).map(|(loc, _)| loc.index()).collect();
    assert_eq!(cyclic, [1, 2, 3, 4]);
    let own = function(2, &[(0, 1), (1, 1)]);
    assert_eq!(numbers(graph::loop_heads(main_of(&own))), [1]);
    // A loop with two entries has a head, too.
    let irreducible = function(4, &[(0, 1), (0, 2), (1, 2), (2, 1), (2, 3)]);
    assert_eq!(graph::loop_heads(main_of(&irreducible)).len(), 1);
}

#[test]
fn components_of_a_graph() {
    let mut found = graph::components(&[vec![1], vec![2], vec![0, 3], vec![4], vec![], vec![4, 0]]);
    for component in &mut found {
        component.sort_unstable();
    }
    assert_eq!(found, [vec![4], vec![3], vec![0, 1, 2], vec![5]]);
}

#[test]
fn long_graphs_do_not_overflow_the_stack() {
    let edges: Vec<(usize, usize)> = (0..200_000).map(|from| (from, from + 1)).collect();
    let chain = function(200_001, &edges);
    assert_eq!(graph::reverse_post_order(main_of(&chain)).len(), 200_001);
    assert!(graph::on_cycle(main_of(&chain)).iter().all(|on| !on));
    assert_eq!(FunctionId::new(0), chain.entry);
}

/// Counted loops, and loops that only an input ends, or nothing.
#[test]
fn loops_that_nothing_counts() {
    let is_uncounted = |body: &str| {
        let text = format!(
            "heddle-ir 1 data-model lp64 entry @main function @main() {{ local %i: i32 local %go: i1
             locs 5 entry l0 exit l4 l0 -> l1: %i = 0:i32 {body} l3 -> l4: exit }}"
        );
        let program = ir::parse(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(ir::validate(&program), vec![]);
        graph::is_uncounted(main_of(&program), LocId::new(1))
    };
    assert!(is_uncounted("l1 -> l1: skip"));
    assert!(is_uncounted("l1 -> l2: %go = havoc l2 -> l1: assume %go l2 -> l3: assume not:i1(%go)"));
    let counts =
        "l1 -> l2: %i = add:i32(%i, 1:i32) l2 -> l1: assume slt:i32(%i, 3:i32) l2 -> l3: assume sle:i32(3:i32, %i)";
    assert!(!is_uncounted(counts));
    assert!(!is_uncounted("l1 -> l2: skip l2 -> l3: skip"));
}
