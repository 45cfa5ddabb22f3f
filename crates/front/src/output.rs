//! The memory that output functions read, as far as their calls determine it: texts that are passed directly, and those
//! for the conversions of a constant format, are read before the call, which then goes to the variant `__read` of the
//! model. Constant texts need no reading, since they are never written. All other calls go to the model, which reads
//! its arguments (`models/stdio.c`).

use crate::calls::{call_by_name, literal, Arg};
use crate::function::FunctionLowering;
use crate::layout::{gap, Lower};
use crate::llvm::TypeKind;
use ir::Expr;

/// The arguments that are texts, or the one that is the format.
enum Reads {
    Texts(&'static [usize]),
    Format(usize),
}

fn reads(name: &str) -> Option<Reads> {
    match name {
        "puts" | "fputs" | "fputs_unlocked" | "perror" | "remove" => Some(Reads::Texts(&[0])),
        "fopen" | "fopen64" => Some(Reads::Texts(&[0, 1])),
        "fdopen" => Some(Reads::Texts(&[1])),
        "printf" => Some(Reads::Format(0)),
        "fprintf" | "dprintf" | "__printf_chk" => Some(Reads::Format(1)),
        "__fprintf_chk" => Some(Reads::Format(2)),
        // std::operator<<(std::ostream &, const char *) and those for signed and unsigned char
        "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc"
        | "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKa"
        | "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKh" => Some(Reads::Texts(&[1])),
        _ => None,
    }
}

/// The text of an argument that is a constant.
fn constant_text(arg: &Arg<'_>) -> Option<String> {
    literal(arg).filter(|_| arg.value.is_some_and(|value| value.is_global_constant()))
}

/// Reads the texts of an output call; returns whether all of them are known, and so read.
pub(crate) fn read_arguments<'m>(f: &mut FunctionLowering<'_, 'm>, name: &str, args: &[Arg<'m>]) -> Lower<bool> {
    match reads(name) {
        None => Ok(false),
        // Non-constant texts are left to the model, which knows which of them may be null.
        Some(Reads::Texts(indices)) => {
            Ok(indices.iter().all(|&index| args.get(index).is_some_and(|arg| constant_text(arg).is_some())))
        }
        Some(Reads::Format(index)) => match args.get(index).and_then(constant_text) {
            Some(format) => read_conversions(f, &format, &args[index + 1..]),
            None => Ok(false),
        },
    }
}

/// Reads the texts of conversions, if all conversions are supported here.
fn read_conversions<'m>(f: &mut FunctionLowering<'_, 'm>, format: &str, args: &[Arg<'m>]) -> Lower<bool> {
    let conversions = conversions(format);
    if conversions.iter().any(|conversion| conversion.kind == 'n') {
        return Err(gap("%n in a format"));
    }
    if conversions.iter().any(|conversion| !conversion.is_simple()) {
        return Ok(false);
    }
    if conversions_differ(&conversions, args) {
        return Err(gap("undefined behaviour (an argument of another type than its conversion has)"));
    }
    // Missing or mistyped arguments are left to the model.
    if !fits(f, &conversions, args) {
        return Ok(false);
    }
    let mut args = args.iter();
    for conversion in conversions {
        let mut most = conversion.precision.map(|precision| Expr::int(64, u128::from(precision)));
        for is_precision in conversion.stars {
            let star = args.next();
            if let (true, Some([given])) = (is_precision, star.map(|star| star.exprs.as_slice())) {
                let (from, to) = (f.type_of(given), ir::Type::Int(64));
                most = Some(crate::constants::resize(given.clone(), from, to));
            }
        }
        let arg = if matches!(conversion.kind, '%' | 'm') { None } else { args.next() };
        if let ('s', Some(arg)) = (conversion.kind, arg) {
            read(f, arg, most)?;
        }
    }
    Ok(true)
}

/// Whether an argument has another kind than its conversion: an integer, a floating-point number, a pointer (C11
/// 7.21.6.1p9). Integers of another width are accepted: programs are full of them, and these machines pass them in the
/// same place.
fn conversions_differ(conversions: &[Conversion], args: &[Arg<'_>]) -> bool {
    let mut args = args.iter();
    conversions.iter().any(|conversion| {
        let stars = conversion.stars.iter().filter(|_| args.next().is_some()).count();
        let sort = match conversion.kind {
            _ if stars < conversion.stars.len() => return false,
            'd' | 'i' | 'o' | 'u' | 'x' | 'X' | 'c' => [TypeKind::LLVMIntegerTypeKind; 2],
            'a' | 'A' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' => {
                [TypeKind::LLVMDoubleTypeKind, TypeKind::LLVMX86_FP80TypeKind]
            }
            // The access reports that an integer is not a text.
            's' => [TypeKind::LLVMPointerTypeKind, TypeKind::LLVMIntegerTypeKind],
            'p' => [TypeKind::LLVMPointerTypeKind; 2],
            _ => return false,
        };
        args.next().and_then(|arg| arg.value).is_some_and(|value| !sort.contains(&value.ty().kind()))
    })
}

/// Whether there is an argument for each conversion, and a pointer for each text.
fn fits<'m>(f: &FunctionLowering<'_, 'm>, conversions: &[Conversion], args: &[Arg<'m>]) -> bool {
    let mut args = args.iter();
    conversions.iter().all(|conversion| {
        if !conversion.stars.iter().all(|_| args.next().is_some()) {
            return false;
        }
        match conversion.kind {
            '%' | 'm' => true,
            kind => args.next().is_some_and(|arg| match arg.exprs.as_slice() {
                [expr] => kind != 's' || f.type_of(expr) == ir::Type::Ptr,
                _ => kind != 's',
            }),
        }
    })
}

/// Reads a text, up to `most` characters of it.
fn read<'m>(f: &mut FunctionLowering<'_, 'm>, arg: &Arg<'m>, most: Option<Expr>) -> Lower<()> {
    let [text] = arg.exprs.as_slice() else { return Ok(()) };
    if constant_text(arg).is_some() || f.type_of(text) != ir::Type::Ptr {
        return Ok(());
    }
    let most = most.unwrap_or_else(|| Expr::int(64, u128::from(u64::MAX)));
    let args = [text.clone(), most].map(|expr| Arg { exprs: vec![expr], value: None });
    call_by_name(f, "__heddle_read_text", args.into(), &[])?;
    Ok(())
}

/// A conversion of a format.
struct Conversion {
    kind: char,
    /// Whether its text consists of wide characters.
    is_wide: bool,
    /// Arguments before the converted one: whether they are the precision.
    stars: Vec<bool>,
    precision: Option<u64>,
}

impl Conversion {
    /// Whether it reads no memory, or a text of ordinary characters.
    fn is_simple(&self) -> bool {
        "%mdiouxXcaAeEfFgGp".contains(self.kind) || self.kind == 's' && !self.is_wide
    }
}

fn conversions(format: &str) -> Vec<Conversion> {
    let mut found = Vec::new();
    let mut rest = format.chars();
    while let Some(next) = rest.next() {
        if next != '%' {
            continue;
        }
        let mut conversion = Conversion { kind: '%', is_wide: false, stars: vec![], precision: None };
        let mut is_precision = false;
        for part in rest.by_ref() {
            match part {
                '.' => (is_precision, conversion.precision) = (true, Some(0)),
                '*' => {
                    conversion.stars.push(is_precision);
                    conversion.precision = None;
                }
                '0'..='9' if is_precision => {
                    let digit = u64::from(part) - u64::from('0');
                    conversion.precision =
                        conversion.precision.map(|value| value.saturating_mul(10).saturating_add(digit));
                }
                'l' => conversion.is_wide = true,
                '0'..='9' | '-' | '+' | ' ' | '#' | '\'' | 'h' | 'j' | 'z' | 't' | 'L' | 'q' => {}
                kind => {
                    conversion.kind = kind;
                    break;
                }
            }
        }
        found.push(conversion);
    }
    found
}
