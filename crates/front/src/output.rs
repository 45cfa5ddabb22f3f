//! What output functions read: their models do nothing, so the texts that they are given are read before the call. Constant texts
//! need no reading: nobody writes them.

use crate::calls::{call_by_name, literal, Arg};
use crate::function::FunctionLowering;
use crate::layout::{Gap, Lower};
use ir::Expr;

/// Which arguments are texts, or which is the format.
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
        _ => None,
    }
}

/// The text of an argument that is a constant.
fn constant_text(arg: &Arg<'_>) -> Option<String> {
    literal(arg).filter(|_| arg.value.is_some_and(|value| value.is_global_constant()))
}

/// Reads what a call of an output function reads.
pub(crate) fn read_arguments<'m>(f: &mut FunctionLowering<'_, 'm>, name: &str, args: &[Arg<'m>]) -> Lower<()> {
    match reads(name) {
        None => Ok(()),
        // `perror` may be given no text.
        Some(Reads::Texts(indices)) => {
            let texts = indices.iter().filter_map(|&index| args.get(index));
            let mut given = texts.filter(|arg| !(name == "perror" && arg.exprs == [Expr::Null]));
            given.try_for_each(|arg| read(f, arg, None))
        }
        Some(Reads::Format(index)) => match args.get(index).map(|format| (format, constant_text(format))) {
            Some((_, Some(format))) => read_conversions(f, &format, &args[index + 1..]),
            Some((format, None)) => {
                // What the format says of pointers, %s or %n, is not known.
                let is_pointer =
                    |arg: &Arg<'m>| matches!(arg.exprs.as_slice(), [expr] if f.type_of(expr) == ir::Type::Ptr);
                if args[index + 1..].iter().any(is_pointer) {
                    return Err(Gap("a pointer printed by a format that is not a literal".to_owned()));
                }
                read(f, format, None)
            }
            None => Ok(()),
        },
    }
}

/// Reads the texts of conversions.
fn read_conversions<'m>(f: &mut FunctionLowering<'_, 'm>, format: &str, args: &[Arg<'m>]) -> Lower<()> {
    let mut args = args.iter();
    for conversion in conversions(format) {
        let mut most = conversion.precision.map(|precision| Expr::int(64, u128::from(precision)));
        for is_precision in conversion.stars {
            let star = args.next();
            if let (true, Some([given])) = (is_precision, star.map(|star| star.exprs.as_slice())) {
                let (from, to) = (f.type_of(given), ir::Type::Int(64));
                most = Some(crate::constants::resize(given.clone(), from, to));
            }
        }
        let arg = if conversion.kind == '%' { None } else { args.next() };
        match (conversion.kind, arg) {
            ('n', _) => return Err(Gap("%n in a format".to_owned())),
            ('$', _) => return Err(Gap("numbered arguments in a format".to_owned())),
            ('s', Some(arg)) if !conversion.is_wide => read(f, arg, most)?,
            _ => {}
        }
    }
    Ok(())
}

/// Reads a text, up to so many characters.
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
    /// Whether its text has wide characters.
    is_wide: bool,
    /// Arguments that come before what is converted: whether they are the precision.
    stars: Vec<bool>,
    precision: Option<u64>,
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
