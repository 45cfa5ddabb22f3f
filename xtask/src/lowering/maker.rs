//! Builds one test case: a straight-line function in LLVM's text form whose operands are known, so that nothing in it is
//! poison or undefined.
//!
//! Operands come in two forms: as constants, which the front end folds, and loaded from memory, so that the interpreter
//! computes. Choices do not depend on the form: a seed gives the same case twice.

use super::types::{Scalar, Ty};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use testing::programs::rng::Rng;

/// How operands reach the instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// As constants.
    Constants,
    /// Loaded from memory.
    Memory,
}

/// A value of the case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Val {
    pub(super) ty: Ty,
    /// Its name in instructions.
    pub(super) text: String,
    /// Whether it may be a NaN whose bits LLVM leaves open.
    pub(super) is_open: bool,
}

/// A result that is compared: a scalar in a slot of the object `out`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shown {
    /// Its type.
    pub(super) scalar: Scalar,
    /// Whether all NaNs count as equal.
    pub(super) is_open: bool,
    /// Whether 0 and -0 count as equal.
    pub(super) ignores_zero_sign: bool,
}

/// Bytes of one slot.
pub(super) const SLOT: usize = 16;
/// The size in bytes of the object that a case may write to.
pub(super) const OBJECT: usize = 256;
/// The offset of addresses in it: with equal room before and after.
pub(super) const MIDDLE: usize = 128;

/// A finished case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Case {
    /// Its seed.
    pub seed: u64,
    /// Its subject: an instruction or intrinsic function.
    pub subject: &'static str,
    /// Its functions and objects.
    pub text: String,
    /// Functions that it declares.
    pub declarations: BTreeSet<String>,
    /// Its results, from the first slot on.
    pub shown: Vec<Shown>,
}

/// A case under construction.
pub(super) struct Maker {
    pub(super) rng: Rng,
    form: Form,
    /// Prefix of global names.
    number: u64,
    first_slot: usize,
    body: Vec<String>,
    names: usize,
    input: Vec<u8>,
    values: Vec<Val>,
    declarations: BTreeSet<String>,
    globals: String,
    shown: Vec<Shown>,
}

impl Maker {
    pub(super) fn new(seed: u64, form: Form, first_slot: usize) -> Maker {
        Maker {
            rng: Rng::new(seed),
            form,
            number: seed,
            first_slot,
            body: Vec::new(),
            names: 0,
            input: Vec::new(),
            values: Vec::new(),
            declarations: BTreeSet::new(),
            globals: String::new(),
            shown: Vec::new(),
        }
    }

    // ----- types

    /// A width, often one that machines have.
    pub(super) fn width(&mut self) -> u16 {
        match self.rng.below(4) {
            0 | 1 => *self.rng.pick(&[1, 8, 16, 32, 64, 128]),
            2 => *self.rng.pick(&[2, 3, 7, 9, 15, 17, 24, 31, 33, 40, 48, 63, 65, 96, 127]),
            _ => self.rng.between(1, 128) as u16,
        }
    }

    pub(super) fn float(&mut self) -> Scalar {
        *self.rng.pick(&[Scalar::Float, Scalar::Double])
    }

    /// One scalar, or at times a vector.
    pub(super) fn vary(&mut self, scalar: Scalar) -> Ty {
        let lanes = self.rng.chance(25).then(|| self.rng.between(1, 5) as u8);
        Ty { scalar, lanes }
    }

    pub(super) fn int_like(&mut self) -> Ty {
        // In a chain, the type of an existing value.
        let there: Vec<Ty> = self.values.iter().map(|v| v.ty).filter(|ty| ty.scalar.is_int()).collect();
        if !there.is_empty() && self.rng.chance(70) {
            return *self.rng.pick(&there);
        }
        let width = self.width();
        let ty = self.vary(Scalar::Int(width));
        // LLVM compiles few vectors of other elements.
        match ty.lanes {
            Some(_) if self.rng.chance(85) => ty.with(Scalar::Int(*self.rng.pick(&[1, 8, 16, 32, 64]))),
            _ => ty,
        }
    }

    pub(super) fn float_like(&mut self) -> Ty {
        let there: Vec<Ty> = self.values.iter().map(|v| v.ty).filter(|ty| !ty.scalar.is_int()).collect();
        if !there.is_empty() && self.rng.chance(70) {
            return *self.rng.pick(&there);
        }
        let float = self.float();
        self.vary(float)
    }

    // ----- operands

    /// An operand: an earlier value or a new leaf.
    pub(super) fn operand(&mut self, ty: Ty) -> Val {
        let there: Vec<Val> = self.values.iter().filter(|v| v.ty == ty).cloned().collect();
        if !there.is_empty() && self.rng.chance(65) {
            return self.rng.pick(&there).clone();
        }
        self.leaf(ty)
    }

    /// An operand whose bits are determined.
    pub(super) fn exact_operand(&mut self, ty: Ty) -> Val {
        let val = self.operand(ty);
        if val.is_open {
            return self.leaf(ty);
        }
        val
    }

    /// A leaf with random or extreme bits.
    pub(super) fn leaf(&mut self, ty: Ty) -> Val {
        let lanes: Vec<u128> = (0..ty.count()).map(|_| ty.scalar.bits(&mut self.rng)).collect();
        self.leaf_of(ty, &lanes)
    }

    /// A leaf with these bits, lane by lane.
    pub(super) fn leaf_of(&mut self, ty: Ty, lanes: &[u128]) -> Val {
        let text = match (self.form, ty.lanes) {
            (Form::Constants, None) => ty.scalar.literal(lanes[0]),
            (Form::Constants, Some(_)) => {
                let parts: Vec<String> =
                    lanes.iter().map(|bits| format!("{} {}", ty.scalar, ty.scalar.literal(*bits))).collect();
                format!("<{}>", parts.join(", "))
            }
            (Form::Memory, _) => self.loaded(ty, lanes),
        };
        Val { ty, text, is_open: false }
    }

    fn loaded(&mut self, ty: Ty, lanes: &[u128]) -> String {
        // A vector of other elements is not laid out like an array of them.
        let is_whole = ty.lanes.is_none() || ty.scalar.is_machine_word();
        if is_whole {
            let pointer = self.put(ty.scalar, lanes);
            return self.line(format!("load {ty}, ptr {pointer}, align 1"));
        }
        let mut vector = "poison".to_owned();
        for (i, bits) in lanes.iter().enumerate() {
            let pointer = self.put(ty.scalar, &[*bits]);
            let element = self.line(format!("load {}, ptr {pointer}, align 1", ty.scalar));
            vector = self.line(format!("insertelement {ty} {vector}, {} {element}, i32 {i}", ty.scalar));
        }
        vector
    }

    /// Adds bits to the input and returns their place.
    fn put(&mut self, scalar: Scalar, lanes: &[u128]) -> String {
        let at = self.input.len();
        for bits in lanes {
            let bytes = usize::from(scalar.width().div_ceil(8));
            self.input.extend(&bits.to_le_bytes()[..bytes]);
        }
        format!("getelementptr (i8, ptr @in{}, i64 {at})", self.number)
    }

    /// Bytes that a case may read.
    pub(super) fn input_bytes(&mut self, count: usize) -> String {
        let at = self.input.len();
        let bytes: Vec<u8> = (0..count).map(|_| self.rng.below(256) as u8).collect();
        self.input.extend(bytes);
        format!("getelementptr (i8, ptr @in{}, i64 {at})", self.number)
    }

    /// The address of a byte of the object that the case may write to.
    pub(super) fn object(&self, at: usize) -> String {
        format!("getelementptr (i8, ptr @object{}, i64 {at})", self.number)
    }

    /// A pointer to a byte of the object: a constant, or one from memory.
    pub(super) fn pointer(&mut self, at: usize) -> String {
        let address = self.object(at);
        match self.form {
            Form::Constants => address,
            Form::Memory => {
                let name = self.global(&format!("global ptr {address}"));
                self.line(format!("load ptr, ptr {name}"))
            }
        }
    }

    // ----- text

    /// An instruction with a value; returns its name.
    pub(super) fn line(&mut self, instruction: String) -> String {
        let name = format!("%v{}", self.names);
        self.names += 1;
        self.body.push(format!("  {name} = {instruction}"));
        name
    }

    /// An instruction without a value, or a label.
    pub(super) fn effect(&mut self, instruction: impl Into<String>) {
        self.body.push(format!("  {}", instruction.into()));
    }

    pub(super) fn label(&mut self, name: &str) {
        self.body.push(format!("{name}:"));
    }

    pub(super) fn declare(&mut self, declaration: impl Into<String>) {
        self.declarations.insert(declaration.into());
    }

    /// A new object or constant of the module; returns its name.
    pub(super) fn global(&mut self, definition: &str) -> String {
        let name = format!("@g{}_{}", self.number, self.names);
        self.names += 1;
        let _ = writeln!(self.globals, "{name} = {definition}");
        name
    }

    /// A function of the module, from its text with `NAME` for its name; returns that.
    pub(super) fn function(&mut self, text: &str) -> String {
        let name = format!("@f{}_{}", self.number, self.names);
        self.names += 1;
        let _ = writeln!(self.globals, "{}", text.replace("NAME", &name));
        name
    }

    // ----- values and results

    /// An instruction whose value may be used by others and is compared.
    pub(super) fn value(&mut self, ty: Ty, instruction: String, is_open: bool) -> Val {
        let text = self.line(instruction);
        let val = Val { ty, text, is_open };
        self.keep(val.clone());
        val
    }

    /// Makes a value available to others, and compares it.
    pub(super) fn keep(&mut self, val: Val) {
        self.show(&val, false);
        self.values.push(val);
    }

    /// Compares a value.
    pub(super) fn show(&mut self, val: &Val, ignores_zero_sign: bool) {
        for lane in 0..val.ty.count() {
            let scalar = val.ty.scalar;
            let element = match val.ty.lanes {
                None => val.text.clone(),
                Some(_) => self.line(format!("extractelement {} {}, i32 {lane}", val.ty, val.text)),
            };
            let int = match scalar {
                Scalar::Int(_) => element,
                Scalar::Float | Scalar::Double => {
                    self.line(format!("bitcast {scalar} {element} to i{}", scalar.width()))
                }
            };
            let (width, stored) = (scalar.width(), scalar.width().next_power_of_two().max(8));
            let int = match width == stored {
                true => int,
                false => self.line(format!("zext i{width} {int} to i{stored}")),
            };
            let at = (self.first_slot + self.shown.len()) * SLOT;
            self.effect(format!("store i{stored} {int}, ptr getelementptr (i8, ptr @out, i64 {at}), align 1"));
            self.shown.push(Shown { scalar, is_open: val.is_open, ignores_zero_sign });
        }
    }

    /// Compares an integer.
    pub(super) fn show_int(&mut self, width: u16, text: String) {
        self.show(&Val { ty: Ty::int(width), text, is_open: false }, false);
    }

    /// Compares bytes of the object.
    pub(super) fn show_object(&mut self, at: usize, count: usize) {
        for i in 0..count {
            let pointer = self.object(at + i);
            let byte = self.line(format!("load i8, ptr {pointer}"));
            self.show_int(8, byte);
        }
    }

    /// The case.
    pub(super) fn finish(mut self, subject: &'static str) -> Case {
        let number = self.number;
        let initial: Vec<u8> = (0..OBJECT).map(|_| self.rng.below(256) as u8).collect();
        let mut text = self.globals;
        let body = self.body.join("\n");
        if body.contains(&format!("@in{number}")) {
            self.input.push(0);
            let _ =
                writeln!(text, "@in{number} = global [{} x i8] {}", self.input.len(), base::escape::llvm(&self.input));
        }
        let object = format!("@object{number}");
        if body.contains(&object) || text.contains(&object) {
            let _ = writeln!(text, "{object} = global [{OBJECT} x i8] {}, align 16", base::escape::llvm(&initial));
        }
        let _ = writeln!(text, "define void @case{number}() {{\nentry:\n{body}\n  ret void\n}}");
        Case { seed: number, subject, text, declarations: self.declarations, shown: self.shown }
    }
}
