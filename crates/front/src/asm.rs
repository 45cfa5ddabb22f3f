//! Inline assembly that is a compiler barrier or a known fence. All other assembly is not modelled.

use crate::calls::Arg;
use crate::function::FunctionLowering;
use crate::layout::{gap, Lower};
use ir::{Expr, Order, Stmt, Type};

/// Lowers an `asm` statement with its arguments and result types.
pub(crate) fn lower(
    f: &mut FunctionLowering<'_, '_>,
    text: &str,
    constraints: &str,
    args: Vec<Arg<'_>>,
    returns: &[Type],
) -> Lower<Vec<Expr>> {
    let gap = || gap(format!("asm {:?}", text.trim()));
    let mut fences = Vec::new();
    for line in lines(text) {
        fences.extend(fence(&line).ok_or_else(gap)?);
    }
    fences.into_iter().for_each(|order| f.builder.emit(Stmt::Fence(order)));
    if returns.is_empty() {
        return Ok(Vec::new());
    }
    // `asm("" : "=r"(x) : "0"(y))` hides a value from the optimiser: output number n is the input tied to it.
    let inputs: Vec<&str> = constraints.split(',').filter(|c| !c.starts_with(['=', '~', '!'])).collect();
    let mut results = Vec::new();
    for (number, ty) in returns.iter().enumerate() {
        let tied = inputs.iter().position(|constraint| *constraint == number.to_string()).ok_or_else(gap)?;
        match args.get(tied).map(|arg| arg.exprs.as_slice()) {
            Some([expr]) => results.push(crate::calls::coerce(f, expr.clone(), *ty)),
            _ => return Err(gap()),
        }
    }
    Ok(results)
}

/// The instructions of the text, one per entry, in lower case; a prefix stays with its instruction.
fn lines(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace('\t', " ");
    let mut lines: Vec<String> = Vec::new();
    let mut prefix = String::new();
    for line in text.split(['\n', ';']) {
        let line = line.split('#').next().unwrap_or("").split_whitespace().collect::<Vec<_>>().join(" ");
        match line.as_str() {
            "" => {}
            "lock" | "rep" => prefix = format!("{line} "),
            _ => lines.push(std::mem::take(&mut prefix) + &line),
        }
    }
    lines
}

/// The effect of an instruction: none (`Some(None)`), a fence, or unknown (`None`).
fn fence(line: &str) -> Option<Option<Order>> {
    match line {
        "nop" | "rep nop" | "pause" | "yield" => Some(None),
        "mfence" => Some(Some(Order::SeqCst)),
        "lfence" => Some(Some(Order::Acquire)),
        "sfence" => Some(Some(Order::Release)),
        _ => {
            // A locked operation on the stack that changes nothing is the older form of a full fence.
            let operation = line.strip_prefix("lock ")?;
            let changes_nothing = ["addl $$0", "addl $0", "orl $$0", "orl $0", "addq $$0", "orq $$0"]
                .iter()
                .any(|start| operation.starts_with(start));
            (changes_nothing && (operation.contains("sp)"))).then_some(Some(Order::SeqCst))
        }
    }
}
