//! Draws control-flow graphs in the language of GraphViz's `dot`: locations are nodes, statements label the edges, and
//! dashed arrows lead from direct calls and spawns to the functions they start.

use crate::print::print_stmt;
use crate::program::{Edge, FunctionId, LocId, Program};
use crate::stmt::{Callee, Stmt};
use base::escape::{graphviz, Justify};
use base::{Id, IdVec};
use std::fmt::Write;

/// One function.
pub fn function_dot(program: &Program, function: FunctionId) -> String {
    graph(program, &[function])
}

/// All functions of a program, each in a box.
pub fn program_dot(program: &Program) -> String {
    graph(program, &program.functions.ids().collect::<Vec<_>>())
}

fn graph(program: &Program, functions: &[FunctionId]) -> String {
    let mut out = String::from("digraph program {\n  node [shape=circle fontname=monospace fontsize=10];\n");
    out.push_str("  edge [fontname=monospace fontsize=10];\n");
    let mut is_drawn = IdVec::filled(false, program.functions.len());
    for &function in functions {
        draw_function(&mut out, program, function);
        is_drawn[function] = true;
    }
    for &function in functions {
        for edge in program.functions[function].edges.iter() {
            draw_call(&mut out, program, &is_drawn, function, edge);
        }
    }
    out.push_str("}\n");
    out
}

/// Writing to a string cannot fail.
macro_rules! put {
    ($out:expr, $($arg:tt)*) => {
        writeln!($out, $($arg)*).expect("a string should take what is written to it")
    };
}

fn draw_function(out: &mut String, program: &Program, id: FunctionId) {
    let function = &program.functions[id];
    put!(out, "  subgraph cluster_{} {{", id.index());
    put!(out, "    label={};", graphviz(&function.name, Justify::Left));
    // Locations that no edge touches are not worth a node.
    let mut is_drawn = vec![false; function.locs];
    let touched = function.edges.iter().flat_map(|edge| [edge.from, edge.to]).chain([function.entry]);
    for loc in touched {
        if let Some(drawn) = is_drawn.get_mut(loc.index()) {
            *drawn = true;
        }
    }
    for (index, _) in is_drawn.iter().enumerate().filter(|(_, drawn)| **drawn) {
        let loc = LocId::new(index);
        let shape = match loc {
            loc if loc == function.entry => " shape=doubleoctagon",
            loc if loc == function.exit => " shape=doublecircle",
            _ => "",
        };
        put!(out, "    {} [label=\"{loc}\"{shape}];", node(id, loc));
    }
    for edge in function.edges.iter() {
        let mut label = print_stmt(program, id, &edge.stmt);
        if edge.span.is_known() {
            put!(label, "\nline {}", edge.span.line);
        }
        put!(out, "    {} -> {} [label={}];", node(id, edge.from), node(id, edge.to), graphviz(&label, Justify::Left));
    }
    out.push_str("  }\n");
}

fn draw_call(out: &mut String, program: &Program, is_drawn: &IdVec<FunctionId, bool>, id: FunctionId, edge: &Edge) {
    let (callee, word) = if let Stmt::Call { callee: Callee::Direct(callee), .. } = &edge.stmt {
        (*callee, "call")
    } else if let Stmt::Spawn { callee: Callee::Direct(callee), .. } = &edge.stmt {
        (*callee, "spawn")
    } else {
        return;
    };
    if is_drawn[callee] {
        let target = node(callee, program.functions[callee].entry);
        put!(out, "  {} -> {target} [style=dashed label={word} constraint=false];", node(id, edge.from));
    }
}

fn node(function: FunctionId, loc: LocId) -> String {
    format!("{function}_{loc}")
}
