//! The operators of QF_ABV by name: Core, FixedSizeBitVectors with the overflow predicates of SMT-LIB 2.7, ArraysEx.
//!
//! Integers are not modelled, so neither are the conversions to and from them.

use crate::term::{Bits, Sort, Term, Terms};

/// Maximum width: one wider term could fill the memory.
pub(super) const GREATEST_WIDTH: u32 = 1 << 20;

/// Why an operator cannot be applied, and the offending argument, counted from 0.
pub(super) struct Misuse {
    pub(super) argument: Option<usize>,
    pub(super) message: String,
}

impl Misuse {
    fn new(message: impl Into<String>) -> Misuse {
        Misuse { argument: None, message: message.into() }
    }
}

type Applied = Result<Term, Misuse>;
type Unary = fn(&mut Terms, Term) -> Term;
type Binary = fn(&mut Terms, Term, Term) -> Term;
type Indexed = fn(&mut Terms, u32, Term) -> Term;

/// The form of an operator's arguments.
enum Form {
    Not,
    And,
    Or,
    Xor,
    Implies,
    Equal,
    Distinct,
    Ite,
    /// Of bit-vectors.
    Unary(Unary),
    /// Of two bit-vectors of one width.
    Binary(Binary),
    /// Of two or more bit-vectors of one width, from the left.
    Chain(Binary),
    Sum,
    BitAnd,
    BitOr,
    /// With products of twice the width inside.
    DoubleWidth(Binary),
    Concat,
    Select,
    Store,
    Extract,
    /// Widens by its index.
    Extend(Indexed),
    Rotate(Indexed),
    Repeat,
}

fn form(name: &str) -> Option<Form> {
    Some(match name {
        "not" => Form::Not,
        "and" => Form::And,
        "or" => Form::Or,
        "xor" => Form::Xor,
        "=>" => Form::Implies,
        "=" => Form::Equal,
        "distinct" => Form::Distinct,
        "ite" => Form::Ite,
        "bvnot" => Form::Unary(Terms::bit_not),
        "bvneg" => Form::Unary(Terms::neg),
        "bvnego" => Form::Unary(Terms::neg_overflows),
        "bvadd" => Form::Sum,
        "bvand" => Form::BitAnd,
        "bvor" => Form::BitOr,
        "bvmul" => Form::Chain(Terms::mul),
        "bvxor" => Form::Chain(Terms::bit_xor),
        "bvsub" => Form::Binary(Terms::sub),
        "bvudiv" => Form::Binary(Terms::udiv),
        "bvurem" => Form::Binary(Terms::urem),
        "bvsdiv" => Form::Binary(Terms::sdiv),
        "bvsrem" => Form::Binary(Terms::srem),
        "bvsmod" => Form::Binary(Terms::smod),
        "bvshl" => Form::Binary(Terms::shl),
        "bvlshr" => Form::Binary(Terms::lshr),
        "bvashr" => Form::Binary(Terms::ashr),
        "bvnand" => Form::Binary(|terms, a, b| {
            let both = terms.bit_and([a, b]);
            terms.bit_not(both)
        }),
        "bvnor" => Form::Binary(|terms, a, b| {
            let either = terms.bit_or([a, b]);
            terms.bit_not(either)
        }),
        "bvxnor" => Form::Binary(Terms::bit_xnor),
        "bvcomp" => Form::Binary(|terms, a, b| {
            let same = terms.eq(a, b);
            terms.bit_of(same)
        }),
        "bvult" => Form::Binary(Terms::ult),
        "bvule" => Form::Binary(Terms::ule),
        "bvugt" => Form::Binary(|terms, a, b| terms.ult(b, a)),
        "bvuge" => Form::Binary(|terms, a, b| terms.ule(b, a)),
        "bvslt" => Form::Binary(Terms::slt),
        "bvsle" => Form::Binary(Terms::sle),
        "bvsgt" => Form::Binary(|terms, a, b| terms.slt(b, a)),
        "bvsge" => Form::Binary(|terms, a, b| terms.sle(b, a)),
        "bvuaddo" => Form::Binary(Terms::uadd_overflows),
        "bvsaddo" => Form::Binary(Terms::sadd_overflows),
        "bvumulo" => Form::DoubleWidth(Terms::umul_overflows),
        "bvsmulo" => Form::DoubleWidth(Terms::smul_overflows),
        "bvusubo" => Form::Binary(Terms::usub_overflows),
        "bvssubo" => Form::Binary(Terms::ssub_overflows),
        "bvsdivo" => Form::Binary(Terms::sdiv_overflows),
        "concat" => Form::Concat,
        "select" => Form::Select,
        "store" => Form::Store,
        "extract" => Form::Extract,
        "zero_extend" => Form::Extend(Terms::zero_extend),
        "sign_extend" => Form::Extend(Terms::sign_extend),
        "rotate_left" => Form::Rotate(Terms::rotate_left),
        "rotate_right" => Form::Rotate(Terms::rotate_right),
        "repeat" => Form::Repeat,
        _ => return None,
    })
}

/// Whether the name belongs to a theory, so that scripts must not redefine it.
pub(crate) fn is_theory_symbol(name: &str) -> bool {
    matches!(name, "true" | "false") || form(name).is_some()
}

/// Applies an operator; `None` if there is no such operator.
pub(super) fn apply(terms: &mut Terms, name: &str, indices: &[u32], args: &[Term]) -> Option<Applied> {
    let form = form(name)?;
    let mut call = Call { terms, name, args };
    Some(call.check_shape(&form, indices).and_then(|()| call.apply(&form, indices)))
}

struct Call<'a> {
    terms: &'a mut Terms,
    name: &'a str,
    args: &'a [Term],
}

impl Call<'_> {
    /// Checks the numbers of indices and arguments.
    fn check_shape(&self, form: &Form, indices: &[u32]) -> Result<(), Misuse> {
        let (index_count, least, most) = match form {
            Form::Not | Form::Unary(_) => (0, 1, 1),
            Form::Binary(_) | Form::DoubleWidth(_) | Form::Select => (0, 2, 2),
            Form::Ite | Form::Store => (0, 3, 3),
            Form::Extract => (2, 1, 1),
            Form::Extend(_) | Form::Rotate(_) | Form::Repeat => (1, 1, 1),
            Form::And | Form::Or | Form::Sum | Form::BitAnd | Form::BitOr => (0, 1, usize::MAX),
            Form::Xor | Form::Implies | Form::Equal | Form::Distinct | Form::Chain(_) | Form::Concat => {
                (0, 2, usize::MAX)
            }
        };
        if indices.len() != index_count {
            let form = ["without indices", "with one index", "with two indices"][index_count];
            return Err(Misuse::new(format!("`{}` is written {form}", self.name)));
        }
        let given = self.args.len();
        if given < least || given > most {
            let more = if most == usize::MAX { " or more" } else { "" };
            let noun = if least == 1 { "argument" } else { "arguments" };
            return Err(Misuse::new(format!("`{}` takes {least}{more} {noun}, not {given}", self.name)));
        }
        Ok(())
    }

    /// Requires sorts of the arguments.
    fn check_sorts(&self, expected: impl Fn(usize) -> Sort) -> Result<(), Misuse> {
        for (index, &arg) in self.args.iter().enumerate() {
            let (expected, found) = (expected(index), self.terms.sort(arg));
            if expected != found {
                let place = index + 1;
                let message = format!("argument {place} of `{}` should have sort {expected}, not {found}", self.name);
                return Err(Misuse { argument: Some(index), message });
            }
        }
        Ok(())
    }

    /// The width of the first argument.
    fn first_width(&self) -> Result<u32, Misuse> {
        match self.terms.sort(self.args[0]) {
            Sort::Bits(width) => Ok(width),
            found @ (Sort::Bool | Sort::Array { .. }) => {
                let message = format!("argument 1 of `{}` should be a bit-vector, not of sort {found}", self.name);
                Err(Misuse { argument: Some(0), message })
            }
        }
    }

    fn check_width(&self, width: u64) -> Result<(), Misuse> {
        if width <= u64::from(GREATEST_WIDTH) {
            return Ok(());
        }
        Err(Misuse::new(format!("bit-vectors wider than {GREATEST_WIDTH} bits are not supported")))
    }

    /// Bit-vectors, all of the first one's width.
    fn words(&self) -> Result<u32, Misuse> {
        let width = self.first_width()?;
        self.check_sorts(|_| Sort::Bits(width))?;
        Ok(width)
    }

    fn booleans(&self) -> Result<(), Misuse> {
        self.check_sorts(|_| Sort::Bool)
    }

    fn fold(&mut self, op: Binary) -> Term {
        let (first, rest) = self.args.split_first().expect("there should be arguments");
        rest.iter().fold(*first, |result, &arg| op(self.terms, result, arg))
    }

    fn apply(&mut self, form: &Form, indices: &[u32]) -> Applied {
        let args = self.args;
        match form {
            Form::Not | Form::And | Form::Or | Form::Xor | Form::Implies => {
                self.booleans()?;
                Ok(self.connective(form))
            }
            Form::Equal | Form::Distinct => {
                let sort = self.terms.sort(args[0]);
                self.check_sorts(|_| sort)?;
                if matches!(form, Form::Distinct) {
                    return Ok(self.terms.distinct(args));
                }
                let pairs: Vec<Term> = args.windows(2).map(|pair| self.terms.eq(pair[0], pair[1])).collect();
                Ok(self.terms.and(pairs))
            }
            Form::Ite => {
                let sort = self.terms.sort(args[1]);
                self.check_sorts(|index| if index == 0 { Sort::Bool } else { sort })?;
                Ok(self.terms.ite(args[0], args[1], args[2]))
            }
            Form::Unary(op) => {
                self.first_width()?;
                Ok(op(self.terms, args[0]))
            }
            Form::Binary(op) | Form::Chain(op) => {
                self.words()?;
                Ok(self.fold(*op))
            }
            Form::DoubleWidth(op) => {
                let width = self.words()?;
                self.check_width(2 * u64::from(width))?;
                Ok(op(self.terms, args[0], args[1]))
            }
            Form::Sum => {
                let width = self.words()?;
                let one = Bits::one(width);
                Ok(self.terms.linear_sum(Bits::zero(width), args.iter().map(|&arg| (one.clone(), arg))))
            }
            Form::BitAnd | Form::BitOr => {
                self.words()?;
                let args = args.iter().copied();
                Ok(if matches!(form, Form::BitAnd) { self.terms.bit_and(args) } else { self.terms.bit_or(args) })
            }
            Form::Select | Form::Store => self.array(form),
            Form::Concat | Form::Extract | Form::Extend(_) | Form::Rotate(_) | Form::Repeat => {
                self.slices(form, indices)
            }
        }
    }

    fn connective(&mut self, form: &Form) -> Term {
        let args = self.args;
        match form {
            Form::Not => self.terms.not(args[0]),
            Form::And => self.terms.and(args.iter().copied()),
            Form::Or => self.terms.or(args.iter().copied()),
            Form::Xor => self.fold(Terms::xor),
            _ => {
                // Implication associates to the right: all premises together imply the last argument.
                let (conclusion, premises) = args.split_last().expect("there should be arguments");
                let together = self.terms.and(premises.iter().copied());
                self.terms.implies(together, *conclusion)
            }
        }
    }

    fn array(&mut self, form: &Form) -> Applied {
        let args = self.args;
        let sort = self.terms.sort(args[0]);
        let Sort::Array { index, element } = sort else {
            let message = format!("argument 1 of `{}` should be an array, not of sort {sort}", self.name);
            return Err(Misuse { argument: Some(0), message });
        };
        self.check_sorts(|argument| [sort, Sort::Bits(index), Sort::Bits(element)][argument])?;
        Ok(match form {
            Form::Select => self.terms.select(args[0], args[1]),
            _ => self.terms.store(args[0], args[1], args[2]),
        })
    }

    fn slices(&mut self, form: &Form, indices: &[u32]) -> Applied {
        let args = self.args;
        let width = self.first_width()?;
        match *form {
            Form::Concat => {
                let mut total = 0;
                for (index, &arg) in args.iter().enumerate() {
                    let Sort::Bits(width) = self.terms.sort(arg) else {
                        let message = format!("argument {} of `concat` should be a bit-vector", index + 1);
                        return Err(Misuse { argument: Some(index), message });
                    };
                    total += u64::from(width);
                }
                self.check_width(total)?;
                let (last, rest) = args.split_last().expect("there should be arguments");
                Ok(rest.iter().rfold(*last, |low, &high| self.terms.concat(high, low)))
            }
            Form::Extract => {
                let (high, low) = (indices[0], indices[1]);
                if low > high || high >= width {
                    return Err(Misuse::new(format!("bits {high} to {low} do not lie in {width} bits")));
                }
                Ok(self.terms.extract(high, low, args[0]))
            }
            Form::Extend(op) => {
                self.check_width(u64::from(width) + u64::from(indices[0]))?;
                Ok(op(self.terms, indices[0], args[0]))
            }
            Form::Rotate(op) => Ok(op(self.terms, indices[0], args[0])),
            _ => {
                if indices[0] == 0 {
                    return Err(Misuse::new("`repeat` repeats at least once"));
                }
                self.check_width(u64::from(width) * u64::from(indices[0]))?;
                Ok(self.terms.repeat(indices[0], args[0]))
            }
        }
    }
}
