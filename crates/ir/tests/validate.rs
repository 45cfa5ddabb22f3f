//! Every invariant of the validator has a program that violates only it.

mod common;

use base::{Id, Span};
use ir::*;

/// A valid program to break. The locals cover the types.
fn text(statement: &str) -> String {
    format!(
        "heddle-ir 1\ndata-model lp64\nfile f0 \"a.c\"\nentry @main\n\
         object @g size 16 align 8 global = bytes 00 reloc 0 @g+8 reloc 8 @two+0\n\
         function @main() {{\n  local %x: i32\n  local %y: i32\n  local %c: i1\n  local %d: i1\n  local %p: ptr\n  \
         local %n: i64\n  local %b: i8\n  locs 3 entry l0 exit l2\n  l0 -> l1: {statement} at f0:7:1\n  \
         l1 -> l2: exit\n}}\n\
         function @two(%a: i32, %b: ptr) -> i32, ptr {{\n  locs 2 entry l0 exit l1\n  l0 -> l1: return %a, %b\n}}\n"
    )
}

fn program(statement: &str) -> Program {
    parse(&text(statement)).unwrap_or_else(|error| panic!("{error} in {statement}"))
}

fn messages(program: &Program) -> Vec<String> {
    validate(program).into_iter().map(|problem| problem.message).collect()
}

#[test]
fn statements_that_are_right() {
    for statement in [
        "skip",
        "%n = sub:ptr(%p, @g)",
        "%c = ult:ptr(%p, null)",
        "%x = zext:i32:i32(%x)",
        "%p = inttoptr:i64:ptr(ptrtoint:ptr:i64(%p))",
        "call @two()",
        "call @two(%x, %p, %p, %x)",
        "%x, %p = call @two(%x)",
        "%x = call *%p(%b)",
        "%x = join %n",
        "%p = rmw xchg ptr %p, null relaxed",
        "%x = havoc below %y",
        "%p = havoc",
        "%x = await i32 %p if %c then %x spurious %c timeout semaphore",
    ] {
        assert_eq!(messages(&program(statement)), Vec::<String>::new(), "for {statement}");
    }
}

#[test]
fn expressions_that_are_wrong() {
    let cases = [
        ("%x = not:i32(%c)", "an operand is i1, should be i32"),
        ("%x = add:i32(%c, %x)", "the left operand is i1, should be i32"),
        ("%x = add:i32(%x, %p)", "the right operand is ptr, should be i32"),
        ("%p = add:ptr(%p, %p)", "add does not take a pointer"),
        ("%c = slt:ptr(%p, %p)", "slt does not take a pointer"),
        ("%p = not:ptr(%p)", "not does not take a pointer"),
        ("%x = sub:ptr(%p, %p)", "the assigned value is i64, should be i32"),
        ("%x = eq:i32(%x, %y)", "the assigned value is i1, should be i32"),
        ("%b = fadd:i8(%b, %b)", "fadd takes a float, and none has 8 bits"),
        ("%c = foeq:i8(%b, %b)", "foeq takes a float, and none has 8 bits"),
        ("%b = fsqrt:i8(%b)", "fsqrt takes a float, and none has 8 bits"),
        ("%c = bswap:i1(%c)", "bytes are swapped in what is not whole bytes"),
        ("%b = zext:i32:i8(%x)", "an extension makes its operand narrower"),
        ("%x = trunc:i8:i32(%b)", "a truncation makes its operand wider"),
        ("%x = zext:i8:i32(%c)", "the operand of a cast is i1, should be i8"),
        ("%x = ptrtoint:ptr:i32(%p)", "the integer side of a pointer cast is i32, should be i64"),
        ("%p = inttoptr:i64:i64(%n)", "the pointer side of a cast is i64, should be ptr"),
        ("%p = inttoptr:i32:ptr(%x)", "the integer side of a pointer cast is i32, should be i64"),
        ("%x = ftosi:i8:i32(%b)", "ftosi takes a float, and none has 8 bits"),
        ("%b = uitof:i8:i8(%b)", "uitof takes a float, and none has 8 bits"),
        ("%x = ftof:i8:i32(%b)", "ftof takes a float, and none has 8 bits"),
        ("%x = select(%x, %x, %y)", "the condition of a select is i32, should be i1"),
        ("%x = select(%c, %x, %b)", "the second value of a select is i8, should be i32"),
        ("%p = offset(%n, %n)", "the base of an offset is i64, should be ptr"),
        ("%p = offset(%p, %x)", "the distance of an offset is i32, should be i64"),
        ("%p = ghost(%n)", "the operand of ghost is i64, should be ptr"),
        ("%x = self", "the assigned value is i64, should be i32"),
        ("%x = @g", "the assigned value is ptr, should be i32"),
        ("%x = @two", "the assigned value is ptr, should be i32"),
        ("%x = null", "the assigned value is ptr, should be i32"),
    ];
    for (statement, wanted) in cases {
        let found = messages(&program(statement));
        assert_eq!(found.first().map(String::as_str), Some(wanted), "for {statement}: {found:?}");
    }
}

#[test]
fn statements_that_are_wrong() {
    let cases = [
        ("%x = havoc below %c", "the bound is i1, should be i32"),
        ("%x = havoc below 0:i32", "nothing is below the bound"),
        ("%p = havoc below %p", "a pointer cannot have a bound"),
        ("assume %x", "the condition is i32, should be i1"),
        ("assert %x, one-mutex", "the condition is i32, should be i1"),
        ("%x = load i32 %n", "the address is i64, should be ptr"),
        ("%x = load i8 %p", "the variable is i32, should be i8"),
        ("%x = load i32 %p release", "a load cannot release"),
        ("%x = load i32 %p acq_rel", "a load cannot release"),
        ("store i32 %x, %x", "the address is i32, should be ptr"),
        ("store i32 %p, %c", "the value is i1, should be i32"),
        ("store i32 %p, %x acquire", "a store cannot acquire"),
        ("%x = rmw add i8 %p, %b relaxed", "the variable is i32, should be i8"),
        ("%x = rmw add i32 %x, %x relaxed", "the address is i32, should be ptr"),
        ("%x = rmw add i32 %p, %b relaxed", "the operand is i8, should be i32"),
        ("%x = rmw add i32 %p, %x plain", "a read-modify-write cannot be plain"),
        ("%p = rmw add ptr %p, %p relaxed", "only an exchange can be done with pointers"),
        ("%b, %c = cmpxchg i32 %p, %x, %x seq_cst seq_cst", "the old value is i8, should be i32"),
        ("%x, %y = cmpxchg i32 %p, %x, %x seq_cst seq_cst", "the flag is i32, should be i1"),
        ("%c, %c = cmpxchg i1 %p, %c, %c seq_cst seq_cst", "the variables changed are not distinct"),
        ("%x, %c = cmpxchg i32 %x, %x, %x seq_cst seq_cst", "the address is i32, should be ptr"),
        ("%x, %c = cmpxchg i32 %p, %c, %x seq_cst seq_cst", "the expected value is i1, should be i32"),
        ("%x, %c = cmpxchg i32 %p, %x, %c seq_cst seq_cst", "the desired value is i1, should be i32"),
        ("%x, %c = cmpxchg i32 %p, %x, %x plain relaxed", "the orders do not fit a compare-exchange"),
        ("%x, %c = cmpxchg i32 %p, %x, %x seq_cst release", "the orders do not fit a compare-exchange"),
        ("fence plain", "the fence has no order"),
        ("copy %n, %p, %n", "the destination is i64, should be ptr"),
        ("copy %p, %n, %n", "the source is i64, should be ptr"),
        ("copy %p, %p, %x", "the length is i32, should be i64"),
        ("set %n, %b, %n", "the destination is i64, should be ptr"),
        ("set %p, %x, %n", "the byte is i32, should be i8"),
        ("set %p, %b, %b", "the length is i8, should be i64"),
        ("%x = alloc heap %n align 8 \"\"", "the variable is i32, should be ptr"),
        ("%p = alloc heap %x align 8 \"\"", "the size is i32, should be i64"),
        ("%p = alloc heap %n align 12 \"\"", "the alignment is not a power of two"),
        ("free %n", "the address is i64, should be ptr"),
        ("lock %n", "the address is i64, should be ptr"),
        ("unlock %n", "the address is i64, should be ptr"),
        ("call @two(%c)", "argument 1 is i1, should be i32"),
        ("call @two(%x, %x)", "argument 2 is i32, should be ptr"),
        ("%x = call @two(%x)", "the call does not take all results"),
        ("%y, %x = call @two(%x)", "the variable of a result is i32, should be ptr"),
        ("%x, %x = call *%p()", "the variables changed are not distinct"),
        ("call *%x()", "the called function is i32, should be ptr"),
        ("%x = new_thread", "the variable is i32, should be i64"),
        ("spawn %x, @two()", "the thread number is i32, should be i64"),
        ("spawn %n, @two(%p)", "argument 1 is ptr, should be i32"),
        ("join %x", "the thread number is i32, should be i64"),
        ("detach %x", "the thread number is i32, should be i64"),
        ("%x = await i8 %p if %c once", "the variable is i32, should be i8"),
        ("%x = await i32 %x if %c once", "the address is i32, should be ptr"),
        ("%x = await i32 %p if %x once", "the condition is i32, should be i1"),
        ("%x = await i32 %p if %c then %b once", "the new value is i8, should be i32"),
        ("%x = await i32 %p if %c spurious %y once", "the flag is i32, should be i1"),
        ("%c = await i1 %p if %c spurious %c once", "the variables changed are not distinct"),
        ("%x = await i32 %p if %c timeout once", "a time-out needs a flag that tells of it"),
        ("return", "the statement leaves the function but the edge does not end at the exit"),
        ("exit", "the statement leaves the function but the edge does not end at the exit"),
        ("exit_thread %p", "the statement leaves the function but the edge does not end at the exit"),
    ];
    for (statement, wanted) in cases {
        assert_eq!(messages(&program(statement)), [wanted], "for {statement}");
    }
}

/// Breaks the program in its text.
#[test]
fn shapes_that_are_wrong() {
    let cases = [
        ("entry @main", "entry @two", "the entry function has parameters"),
        ("align 8", "align 12", "the alignment 12 is not a power of two"),
        ("align 8", "align 0", "the alignment 0 is not a power of two"),
        ("size 16", "size 18446744073709551615", "the size 18446744073709551615 is too large"),
        ("bytes 00", "bytes 0000000000000000000000000000000000", "the initial bytes are more than the size"),
        ("reloc 8", "reloc 9", "the relocation at 9 is not inside the object"),
        ("reloc 8", "reloc 18446744073709551615", "the relocation at 18446744073709551615 is not inside the object"),
        ("reloc 8", "reloc 7", "the relocation at 7 overlaps or precedes the one before it"),
        ("(%a: i32, %b: ptr)", "(%a: i32, %b: ptr, %a)", "the parameter v0 occurs twice"),
        ("locs 3 entry l0", "locs 3 entry l9", "the entry location does not exist"),
        ("locs 3 entry l0 exit l2", "locs 3 entry l0 exit l9", "the exit location does not exist"),
        ("l0 -> l1: skip", "l0 -> l9: skip", "l9 does not exist"),
        ("l0 -> l1: skip", "l9 -> l1: skip", "l9 does not exist"),
        ("l0 -> l1: skip", "l2 -> l1: skip", "the edge starts at the exit"),
        ("l0 -> l1: skip", "l0 -> l2: skip", "the edge ends at the exit but its statement does not leave the function"),
        ("l0 -> l1: skip", "l0 -> l1: skip l0 -> l1: skip", "l0 has several edges out that are not all assumes"),
        (
            "l0 -> l1: skip",
            "l0 -> l1: assume %c l0 -> l1: %x = %y",
            "l0 has several edges out that are not all assumes",
        ),
        ("return %a, %b", "return %a", "the number of returned values is wrong"),
        ("return %a, %b", "return %b, %b", "the returned value is ptr, should be i32"),
        ("at f0:7:1", "at f1:7:1", "the position is in f1, which does not exist"),
    ];
    for (old, new, wanted) in cases {
        let text = text("skip");
        assert!(text.contains(old), "{old} should be in the program");
        let program = parse(&text.replacen(old, new, 1)).unwrap_or_else(|error| panic!("{error} for {new}"));
        let found = messages(&program);
        assert_eq!(found.first().map(String::as_str), Some(wanted), "for {new}: {found:?}");
    }
}

/// Invalid programs that the parser would reject.
#[test]
fn what_does_not_parse_is_wrong() {
    type Break = fn(&mut Program, FunctionId);
    fn stmt(program: &mut Program, main: FunctionId, stmt: Stmt) {
        program.functions[main].edges[EdgeId::new(0)].stmt = stmt;
    }
    fn assign(program: &mut Program, main: FunctionId, value: Expr) {
        stmt(program, main, Stmt::Assign { dst: LocalId::new(0), value });
    }
    let cases: Vec<(Break, &str)> = vec![
        (|program, _| program.entry = FunctionId::new(9), "the entry function does not exist"),
        (|program, _| program.objects[ObjectId::new(0)].name = "main".to_owned(), "the name `main` is taken"),
        (|program, main| program.functions[main].name = "g".to_owned(), "the name `g` is taken"),
        (
            |program, main| program.functions[main].locals[LocalId::new(1)].name = "x".to_owned(),
            "the name `x` is taken",
        ),
        (
            |program, main| program.functions[main].locals[LocalId::new(6)].ty = Type::Int(129),
            "the width 129 is not between 1 and 128",
        ),
        (|program, main| program.functions[main].returns = vec![Type::Int(0)], "the width 0 is not between 1 and 128"),
        (|program, main| program.functions[main].exit = LocId::new(0), "entry and exit are the same location"),
        (|program, main| program.functions[main].locs = 7, "7 locations are too many"),
        (|program, main| program.functions[main].params = vec![LocalId::new(77)], "the entry function has parameters"),
        (
            |program, main| program.functions[main].span = Span { file: Id::new(3), line: 1, column: 1 },
            "the position is in f3, which does not exist",
        ),
        (
            |program, _| program.objects[ObjectId::new(0)].span = Span { file: Id::new(3), line: 1, column: 1 },
            "the position is in f3, which does not exist",
        ),
        (
            |program, _| {
                let symbol = Symbol::Object(ObjectId::new(5));
                let relocations = vec![Relocation { at: 0, symbol, offset: 0 }];
                program.objects[ObjectId::new(0)].initial = Initial::Bytes { bytes: vec![], relocations };
            },
            "the symbol of the relocation at 0 does not exist",
        ),
        (
            |program, main| assign(program, main, Expr::Int { width: 32, value: 1 << 32 }),
            "a constant has bits above its width",
        ),
        (
            |program, main| assign(program, main, Expr::Int { width: 0, value: 0 }),
            "the width 0 is not between 1 and 128",
        ),
        (|program, main| assign(program, main, Expr::Local(LocalId::new(70))), "the local v70 does not exist"),
        (
            |program, main| stmt(program, main, Stmt::Havoc { dst: LocalId::new(70), below: None }),
            "the local v70 does not exist",
        ),
        (
            |program, main| stmt(program, main, Stmt::Free { ptr: Expr::Object(ObjectId::new(7)) }),
            "a mentioned object does not exist",
        ),
        (
            |program, main| stmt(program, main, Stmt::Free { ptr: Expr::Function(FunctionId::new(7)) }),
            "a mentioned function does not exist",
        ),
        (
            |program, main| {
                let callee = Callee::Direct(FunctionId::new(7));
                stmt(program, main, Stmt::Call { dsts: vec![], callee, args: vec![] });
            },
            "the called function does not exist",
        ),
        (
            |program, main| {
                let x = Expr::Local(LocalId::new(0));
                let deep = (0..Expr::MAX_DEPTH).fold(x, |arg, _| Expr::unary(UnaryOp::Not, Type::Int(32), arg));
                assign(program, main, deep);
            },
            "the expression is nested too deeply",
        ),
    ];
    for (break_it, wanted) in cases {
        let mut program = program("skip");
        let main = program.entry;
        assert_eq!(messages(&program), Vec::<String>::new());
        break_it(&mut program, main);
        let found = messages(&program);
        assert_eq!(found.first().map(String::as_str), Some(wanted), "{found:?}");
        // An invalid program can still be printed.
        assert!(!print(&program).is_empty());
    }
}

#[test]
fn problems_say_where_they_are() {
    let problem = &validate(&program("assume %x"))[0];
    assert_eq!(problem.to_string(), "function main, l0 -> l1 (a.c:7): the condition is i32, should be i1");
    let broken = text("skip").replace("align 8", "align 7");
    let problem = &validate(&parse(&broken).unwrap())[0];
    assert_eq!(problem.to_string(), "object g: the alignment 7 is not a power of two");
}

/// Random invalid programs do not make the validator panic: ids, locations and types are swapped at random.
#[test]
fn nonsense_does_no_harm() {
    for seed in 1..300 {
        let mut random = common::Random::new(seed);
        let mut program = common::program(seed, 20);
        let donor = common::program(seed + 1000, 60);
        for function in program.functions.iter_mut() {
            let other = &donor.functions[FunctionId::new(0)];
            for edge in function.edges.iter_mut() {
                if let Some(replacement) = other.edges.iter().nth(random.below(2 * other.edges.len() + 1)) {
                    *edge = replacement.clone();
                }
            }
            if random.coin() {
                function.locals = other.locals.iter().take(5).cloned().collect();
            }
        }
        let problems = validate(&program);
        assert!(print(&program).len() > problems.len());
    }
}
