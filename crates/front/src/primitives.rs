//! The primitives that the models are written in (`models/heddle.h`): each is one statement or expression of the core
//! form.

use crate::calls::{call_by_name, fail, literal, results_of_nothing, scalar, truth, Arg};
use crate::function::FunctionLowering;
use crate::layout::{gap, Lower};
use crate::load::Failure;
use crate::{simplify, Libc};
use ir::{Access, AllocKind, Awaited, BinaryOp, Callee, Claim, Expr, LocalId, Order, Stmt, Type, UnaryOp};

/// The functions, without their prefix.
const PRIMITIVES: &[&str] = &[
    "ghost",
    "self",
    "new_thread",
    "spawn",
    "join",
    "detach",
    "exit_thread",
    "lock",
    "unlock",
    "choose",
    "assume",
    "assert",
    "assert_defined",
    "exit",
    "unmodelled",
    "atomic_begin",
    "atomic_end",
    "relaxed_begin",
    "relaxed_end",
    "fence",
    "alloc",
    "free",
    "await",
    "await_clear",
    "hidden",
    "needs",
];

/// Whether the name is one of these functions. (Other names with their prefix are functions that models share.)
pub(crate) fn is_primitive(name: &str) -> bool {
    name.strip_prefix("__heddle_").is_some_and(|primitive| PRIMITIVES.contains(&primitive))
}

/// Lowers a call of a primitive; `None` if the name is not one.
pub(crate) fn lower<'m>(
    f: &mut FunctionLowering<'_, 'm>,
    name: &str,
    args: &[Arg<'m>],
    returns: &[Type],
) -> Lower<Option<Vec<Expr>>> {
    let Some(primitive) = name.strip_prefix("__heddle_").filter(|_| is_primitive(name)) else { return Ok(None) };
    if let Some(result) = value(f, primitive, args)? {
        let result = match returns.first() {
            Some(ty) => crate::calls::coerce(f, result, *ty),
            None => return Ok(Some(Vec::new())),
        };
        return Ok(Some(vec![result]));
    }
    if effect(f, primitive, args)? {
        return Ok(Some(results_of_nothing(f, returns)));
    }
    Ok(None)
}

/// Primitives with a result.
fn value<'m>(f: &mut FunctionLowering<'_, 'm>, primitive: &str, args: &[Arg<'m>]) -> Lower<Option<Expr>> {
    let size_type = f.program.data_model.size_type();
    let result = match primitive {
        "ghost" => Expr::Ghost(Box::new(scalar(args, 0)?)),
        "self" => Expr::SelfThread,
        "new_thread" => {
            let dst = f.builder.temporary(size_type);
            f.builder.emit(Stmt::NewThread { dst });
            Expr::Local(dst)
        }
        "join" => {
            let dst = f.builder.temporary(Type::Ptr);
            f.builder.emit(Stmt::Join { dst: Some(dst), thread: scalar(args, 0)? });
            Expr::Local(dst)
        }
        "choose" => {
            let below = scalar(args, 0)?;
            let dst = f.builder.temporary(f.type_of(&below));
            f.builder.emit(Stmt::Havoc { dst, below: Some(below) });
            Expr::Local(dst)
        }
        "alloc" => {
            let dst = f.builder.temporary(Type::Ptr);
            let (align, zeroed) = (constant(args, 1)?.max(1) as u64, constant(args, 2)? != 0);
            let (size, kind, name) = (scalar(args, 0)?, AllocKind::Heap, "malloc".to_owned());
            f.builder.emit(Stmt::Alloc { dst, size, align, kind, zeroed, name });
            Expr::Local(dst)
        }
        "needs" => Expr::int(32, u128::from(f.program.needs.has(constant(args, 0)?))),
        "await" => wait(f, args)?,
        "await_clear" => wait_clear(f, args)?,
        _ => return Ok(None),
    };
    Ok(Some(result))
}

/// Primitives without a result; `false` if the name is not one of them.
fn effect<'m>(f: &mut FunctionLowering<'_, 'm>, primitive: &str, args: &[Arg<'m>]) -> Lower<bool> {
    match primitive {
        "spawn" => {
            let callee = match scalar(args, 1)? {
                Expr::Function(id) => Callee::Direct(id),
                pointer => Callee::Indirect(pointer),
            };
            let thread = scalar(args, 0)?;
            f.builder.emit(Stmt::Spawn { thread, callee, args: vec![scalar(args, 2)?] });
        }
        "detach" => f.builder.emit(Stmt::Detach { thread: scalar(args, 0)? }),
        "exit_thread" => {
            if f.program.uses_exit_handlers {
                call_by_name(f, "__heddle_before_thread_exit", Vec::new(), &[])?;
            }
            f.builder.emit_leave(Stmt::ExitThread(scalar(args, 0)?));
        }
        "lock" => f.builder.emit(Stmt::Lock { ptr: scalar(args, 0)? }),
        "unlock" => f.builder.emit(Stmt::Unlock { ptr: scalar(args, 0)? }),
        "assume" => {
            let condition = truth(f, args, 0)?;
            f.builder.emit(Stmt::Assume(condition));
        }
        "assert" | "assert_defined" => {
            let cond = truth(f, args, 0)?;
            let claim = text(args, 1)?.parse().map_err(|problem: String| gap(problem))?;
            f.builder.emit(Stmt::Assert { cond, claim, is_defined: primitive == "assert_defined" });
        }
        // Models use it where something has failed: err, std::terminate.
        "exit" if f.program.failure == Failure::Status => fail(f, Claim::NoFatalError),
        "exit" => f.builder.emit_leave(Stmt::Exit),
        "unmodelled" => return Err(gap(text(args, 0)?)),
        "atomic_begin" => f.builder.emit(Stmt::AtomicBegin { is_fence: true }),
        "atomic_end" => f.builder.emit(Stmt::AtomicEnd { is_fence: true }),
        "relaxed_begin" => f.builder.emit(Stmt::AtomicBegin { is_fence: false }),
        "relaxed_end" => f.builder.emit(Stmt::AtomicEnd { is_fence: false }),
        "fence" => f.builder.emit(Stmt::Fence(ir::Order::Relaxed)),
        "free" => f.builder.emit(Stmt::Free { ptr: scalar(args, 0)? }),
        "hidden" => touch_hidden(f, args)?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// `void hidden(int *object, int access)`: an access to the hidden state of a function that need not be thread-safe, if
/// that may be a race.
fn touch_hidden<'m>(f: &mut FunctionLowering<'_, 'm>, args: &[Arg<'m>]) -> Lower<()> {
    let ptr = scalar(args, 0)?;
    let Expr::Object(object) = ptr else { return Err(gap("a hidden object that is not named")) };
    match f.program.libc {
        Libc::ThreadSafe => return Ok(()),
        Libc::Standard | Libc::Glibc => f.program.hide(object),
    }
    let (ty, value) = (Type::Int(32), Expr::int(32, 0));
    match constant(args, 1)? {
        0 => {
            let dst = f.builder.temporary(ty);
            f.builder.emit(Stmt::Load { dst, ty, ptr, access: Access::PLAIN });
        }
        1 => f.builder.emit(Stmt::Store { ty, ptr, value, access: Access::PLAIN }),
        2 => {
            let access = Access { order: Order::Release, ..Access::PLAIN };
            f.builder.emit(Stmt::Store { ty, ptr, value, access });
        }
        _ => return Err(gap("an unknown access to a hidden object")),
    }
    Ok(())
}

fn text(args: &[Arg<'_>], index: usize) -> Lower<String> {
    let text = args.get(index).and_then(literal);
    text.ok_or_else(|| gap("a primitive whose text is no literal"))
}

pub(crate) fn constant(args: &[Arg<'_>], index: usize) -> Lower<u128> {
    match scalar(args, index)? {
        Expr::Int { value, .. } => Ok(value),
        _ => Err(gap("a primitive whose argument is no literal")),
    }
}

/// How a wait can end early.
struct Mode {
    spurious: Option<LocalId>,
    timeout: bool,
}

impl Mode {
    fn new(f: &mut FunctionLowering<'_, '_>, mode: u128) -> Mode {
        Mode { spurious: (mode != 0).then(|| f.builder.temporary(Type::BOOL)), timeout: mode == 2 }
    }

    /// Whether the wait ended early, as an `int`.
    fn result(&self) -> Expr {
        match self.spurious {
            Some(local) => simplify::cast(ir::CastOp::Zext, Type::BOOL, Type::Int(32), Expr::Local(local)),
            None => Expr::int(32, 0),
        }
    }
}

/// `int await(int *cell, int kind, int a, int b, int mode, const char *awaited)`.
fn wait<'m>(f: &mut FunctionLowering<'_, 'm>, args: &[Arg<'m>]) -> Lower<Expr> {
    let ty = Type::Int(32);
    let (ptr, a, b) = (scalar(args, 0)?, scalar(args, 2)?, scalar(args, 3)?);
    let mode = Mode::new(f, constant(args, 4)?);
    let awaited = awaited(args, 5)?;
    let dst = f.builder.temporary(ty);
    let old = Expr::Local(dst);
    let (ready, new) = match constant(args, 1)? {
        0 => (simplify::binary(BinaryOp::Eq, ty, old.clone(), a), Some(b)),
        1 => (simplify::binary(BinaryOp::Ne, ty, old.clone(), a), None),
        2 => {
            let ready = simplify::binary(BinaryOp::Sle, ty, a, old.clone());
            (ready, Some(simplify::binary(BinaryOp::Add, ty, old.clone(), b)))
        }
        3 => {
            let masked = simplify::binary(BinaryOp::And, ty, old.clone(), a);
            let ready = simplify::binary(BinaryOp::Eq, ty, masked, Expr::int(32, 0));
            (ready, Some(simplify::binary(BinaryOp::Add, ty, old.clone(), b)))
        }
        _ => return Err(gap("an unknown kind of wait")),
    };
    // A spurious wake-up leaves the cell unchanged.
    let update = new.map(|new| match mode.spurious {
        Some(spurious) => simplify::select(Expr::Local(spurious), old, new),
        None => new,
    });
    let (spurious, timeout) = (mode.spurious, mode.timeout);
    f.builder.emit(Stmt::Await { dst, ty, ptr, ready, update, spurious, timeout, awaited });
    Ok(mode.result())
}

/// What a model waits for.
fn awaited(args: &[Arg<'_>], index: usize) -> Lower<Awaited> {
    text(args, index)?.parse().map_err(|problem: String| gap(problem))
}

/// `int await_clear(unsigned long long *cell, unsigned long long mask, int mode, const char *awaited)`.
fn wait_clear<'m>(f: &mut FunctionLowering<'_, 'm>, args: &[Arg<'m>]) -> Lower<Expr> {
    let ty = Type::Int(64);
    let (ptr, mask) = (scalar(args, 0)?, scalar(args, 1)?);
    let mode = Mode::new(f, constant(args, 2)?);
    let awaited = awaited(args, 3)?;
    let dst = f.builder.temporary(ty);
    let old = Expr::Local(dst);
    let masked = simplify::binary(BinaryOp::And, ty, old.clone(), mask.clone());
    let ready = simplify::binary(BinaryOp::Eq, ty, masked, Expr::int(64, 0));
    let update = mode.spurious.map(|spurious| {
        let kept = simplify::unary(UnaryOp::Not, ty, mask);
        let cleared = simplify::binary(BinaryOp::And, ty, old.clone(), kept);
        simplify::select(Expr::Local(spurious), cleared, old)
    });
    let (spurious, timeout) = (mode.spurious, mode.timeout);
    f.builder.emit(Stmt::Await { dst, ty, ptr, ready, update, spurious, timeout, awaited });
    Ok(mode.result())
}
