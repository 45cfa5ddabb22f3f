//! Whether `setlocale` may be called while another thread is in a function that the locale affects (C11 7.11.1.1p5:
//! that may be a race). Most programs call it before they start threads, and then the models can ignore the locale.

use ir::analysis::Analyses;
use ir::{EdgeId, FunctionId, Program};

/// Whether that is possible.
pub(crate) fn is_shared(program: &Program) -> bool {
    let edges_of = |is: &dyn Fn(&str) -> bool| -> Vec<(FunctionId, EdgeId)> {
        let is_one = |function: &FunctionId| {
            let is_model = program.is_model(program.functions[*function].span);
            is_model && program.library_name(*function).is_some_and(is)
        };
        let functions = program.functions.ids().filter(is_one);
        functions
            .flat_map(|function| program.functions[function].edges.ids().map(move |edge| (function, edge)))
            .collect()
    };
    let setting = edges_of(&|name| name == "setlocale");
    let affected = edges_of(&ir::is_affected_by_locale);
    if setting.is_empty() || affected.is_empty() {
        return false;
    }
    let analyses = Analyses::new(program);
    let parallel = analyses.parallel();
    setting.iter().any(|&one| affected.iter().any(|&other| parallel.may_happen(one, other)))
}
