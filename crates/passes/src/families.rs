//! Mismatched deallocation. Each block must be freed by the counterpart of the function that allocated it: `delete`
//! frees what `new` allocated, `delete[]` what `new[]` allocated, `free` what `malloc` and its like allocated (C++
//! [expr.delete]/2, [new.delete], C11 7.22.3.3); memory allocated with an alignment is deleted with one. Anything else
//! violates `memory`, and so does a `delete` with a size other than that of the block.
//!
//! Where points-to sets rule this out, as for most programs, nothing changes. Otherwise the last word of the ghost
//! record of each block allocated by `new` records its allocation function, and is checked where a block is freed that
//! may have been allocated otherwise. (Programs in C leave the size of blocks there, without the highest bit:
//! `models/stdlib.c`.) A size that is not a constant is compared only in programs that are changed for another reason.
//! Programs that replace these functions are not checked.

use crate::chain::Chain;
use crate::misuse::Tracer;
use ir::analysis::{Memory, PointsTo, Target};
use ir::{AllocKind, BinaryOp, Callee, CastOp, Claim, EdgeId, Expr, FunctionId, Maker, Program, Stmt, Type};

/// The layout of the word: a bit, the family, the size.
const TAG: u128 = 1 << 31;
const SIZE_BITS: u16 = 28;
const MAX: u128 = (1 << SIZE_BITS) - 1;

/// The family of operators `new` (`prefix` is `_Zn`) or `delete` (`_Zd`).
fn of_operator(name: &str, prefix: &str, single: char) -> Option<Maker> {
    let rest = name.strip_prefix(prefix)?;
    let is_aligned = rest.contains("St11align_val_t");
    match (rest.chars().next()?, is_aligned) {
        (first, false) if first == single => Some(Maker::New),
        (first, true) if first == single => Some(Maker::AlignedNew),
        ('a', false) => Some(Maker::NewArray),
        ('a', true) => Some(Maker::AlignedNewArray),
        _ => None,
    }
}

/// The family of an allocation function.
fn of_maker(name: &str) -> Option<Maker> {
    of_operator(name, "_Zn", 'w')
}

/// The family of a deallocation function.
fn of_freer(name: &str) -> Option<Maker> {
    let name = name.rsplit_once("__").map_or(name, |(name, _)| name);
    match name {
        "free" | "cfree" | "realloc" | "reallocarray" => Some(Maker::Malloc),
        _ => of_operator(name, "_Zd", 'l'),
    }
}

fn tag(maker: Maker) -> u128 {
    TAG | (maker as u128) << SIZE_BITS
}

/// A call that frees a block.
struct Free {
    at: (FunctionId, EdgeId),
    family: Maker,
    pointer: Expr,
    /// The size argument.
    size: Option<Expr>,
}

/// Inserts checks for mismatched deallocation.
pub(crate) fn settle(program: &mut Program) {
    let is_operator = |name: &str| of_maker(name).or(of_operator(name, "_Zd", 'l')).is_some();
    let mut operators = program.functions.iter().filter(|function| is_operator(&function.name)).peekable();
    if operators.peek().is_none() || !operators.all(|function| program.is_model(function.span)) {
        return;
    }
    let frees = find(program);
    if frees.is_empty() {
        return;
    }
    let width = program.data_model.pointer_width();
    for (at, family, pointer, size) in makers(program) {
        let mut chain = Chain::new(&mut program.functions[at.0], at.1, false, width);
        // `new` with `std::nothrow` may return null.
        let is_null = Expr::binary(BinaryOp::Eq, Type::Ptr, pointer.clone(), Expr::Null);
        chain.unless(is_null, |chain| chain.store_word(&pointer, 12, word_of(family, size, width)));
        chain.finish();
    }
    for free in frees {
        let mut chain = Chain::new(&mut program.functions[free.at.0], free.at.1, true, width);
        check(&mut chain, &free, width);
        chain.finish();
    }
}

/// The calls in user code that may free a block of another family.
fn find(program: &Program) -> Vec<Free> {
    let points_to = PointsTo::new(program);
    let mut tracer = Tracer::new(program, &points_to);
    let mut frees = Vec::new();
    for (at, stmt) in program.statements() {
        let Stmt::Call { callee: Callee::Direct(callee), args, .. } = stmt else { continue };
        let Some(pointer) = args.first().filter(|_| !program.is_model(program.functions[at.0].span)) else { continue };
        let name = &program.functions[*callee].name;
        let Some(family) = of_freer(name).filter(|_| program.is_model(program.functions[*callee].span)) else {
            continue;
        };
        let size = args.get(1).filter(|_| is_sized(name));
        let contexts = points_to.contexts().of_function(at.0).to_vec();
        let is_wrong = contexts.into_iter().any(|context| {
            let given = size.and_then(|size| tracer.number(context, size));
            points_to.targets(context, pointer).into_iter().any(|target| {
                let Target::Object { memory, context, ghost: false } = target else { return false };
                let Memory::Site(function, edge) = memory else { return false };
                let Stmt::Alloc { kind: AllocKind::Heap, .. } = program.functions[function].edges[edge].stmt else {
                    return false;
                };
                let made = of_maker(&program.functions[function].name).unwrap_or(Maker::Malloc);
                let size = tracer.size(memory, context);
                made != family || given.zip(size).is_some_and(|(given, size)| given as i128 != size)
            })
        });
        if is_wrong {
            frees.push(Free { at, family, pointer: pointer.clone(), size: size.cloned() });
        }
    }
    frees
}

/// Whether the second parameter of an operator `delete` is a size.
fn is_sized(name: &str) -> bool {
    name.strip_prefix("_Zd")
        .is_some_and(|rest| rest.get(1..).is_some_and(|rest| rest.starts_with("Pvm") || rest.starts_with("Pvj")))
}

/// The calls in user code that allocate a C++ block: family, variable for the address, and size.
fn makers(program: &Program) -> Vec<((FunctionId, EdgeId), Maker, Expr, Expr)> {
    let mut makers = Vec::new();
    for (at, stmt) in program.statements() {
        let Stmt::Call { callee: Callee::Direct(callee), args, dsts } = stmt else { continue };
        if let (Some(family), [dst], Some(size)) =
            (of_maker(&program.functions[*callee].name), dsts.as_slice(), args.first())
        {
            makers.push((at, family, Expr::Local(*dst), size.clone()));
        }
    }
    makers
}

/// The word stored in the record of a block.
fn word_of(family: Maker, size: Expr, width: u16) -> Expr {
    let (word, wide) = (Type::Int(32), Type::Int(width));
    let is_small = Expr::binary(BinaryOp::Ult, wide, size.clone(), Expr::int(width, MAX));
    let cut = if width == 32 { size } else { Expr::cast(CastOp::Trunc, wide, word, size) };
    let size = Expr::select(is_small, cut, Expr::int(32, MAX));
    ir::arith::fold(Expr::binary(BinaryOp::Or, word, size, Expr::int(32, tag(family))))
}

/// Checks the record of a block that is to be freed, if there is one.
fn check(chain: &mut Chain<'_>, free: &Free, width: u16) {
    let word = Type::Int(32);
    let is_null = Expr::binary(BinaryOp::Eq, Type::Ptr, free.pointer.clone(), Expr::Null);
    chain.unless(is_null, |chain| {
        let found = chain.load_word(&free.pointer, 12);
        let shift = Expr::int(32, if free.family == Maker::Malloc { 31 } else { u128::from(SIZE_BITS) });
        let kind = Expr::binary(BinaryOp::Lshr, word, found.clone(), shift);
        let right = if free.family == Maker::Malloc { 0 } else { tag(free.family) >> SIZE_BITS };
        let cond = Expr::binary(BinaryOp::Eq, word, kind, Expr::int(32, right));
        chain.add(Stmt::Assert { cond, claim: Claim::MadeBy(free.family), is_defined: false });
        if let Some(size) = &free.size {
            let cond = Expr::binary(BinaryOp::Eq, word, found, word_of(free.family, size.clone(), width));
            chain.add(Stmt::Assert { cond, claim: Claim::SizeOfBlock, is_defined: false });
        }
    });
}
