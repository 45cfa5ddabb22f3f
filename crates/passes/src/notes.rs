//! Notes of the front end: what passes need to know about a program that the core form does not express.

use base::Span;
use ir::{FunctionId, LocalId, ObjectId, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// The register classes of a function type: for each parameter and the result, whether it is passed in a floating-point
/// register.
pub type Registers = (Vec<bool>, bool);

/// Whether a call passes arguments where the function expects them, and finds the result, if it uses that.
pub fn fit_registers(called: &Registers, defined: &Registers, wanted: &[Type]) -> bool {
    let mut named = called.0.iter().zip(&defined.0);
    named.all(|(one, other)| one == other) && (wanted.is_empty() || called.1 == defined.1)
}

/// The type of a `const` variable.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum ConstKind {
    Scalar,
    Array,
    /// A structure or union, or an array of such.
    Record,
    /// The same in C++.
    Class,
    /// Possibly `const`: debug information does not say it of compound literals.
    Unknown,
}

/// A variable that is `const`.
#[derive(Clone, Copy)]
pub struct ConstVariable {
    /// The position of its declaration.
    pub span: Span,
    /// Its type.
    pub kind: ConstKind,
}

impl ConstVariable {
    /// Whether a position is after its declaration. An unnamed variable has none.
    pub fn is_before(&self, span: Span) -> bool {
        self.span.is_known()
            && self.span.file == span.file
            && (self.span.line, self.span.column) < (span.line, span.column)
    }
}

/// The relevant variables of a function.
#[derive(Default)]
pub struct Variables {
    /// The pointers to `const` variables.
    pub constants: Vec<(LocalId, ConstVariable)>,
    /// User variables; all others are the compiler's.
    pub named: Vec<LocalId>,
    /// Parameters that point to the memory for the function's result.
    pub results: Vec<LocalId>,
    /// Objects with unknown end of life.
    pub unended: Vec<LocalId>,
    /// The register classes of calls through pointers.
    pub calls: Vec<(Span, Registers)>,
    /// The register classes of the function itself.
    pub registers: Option<Registers>,
    /// Whether an unnamed scalar is written more than once.
    pub is_written_again: bool,
}

/// The notes about a program.
#[derive(Default)]
pub struct Notes {
    pub(crate) constants: FxHashMap<(FunctionId, LocalId), ConstVariable>,
    pub(crate) named: FxHashSet<(FunctionId, LocalId)>,
    pub(crate) results: FxHashSet<(FunctionId, LocalId)>,
    unended: FxHashSet<(FunctionId, LocalId)>,
    calls: FxHashMap<(FunctionId, Span), Vec<Registers>>,
    registers: FxHashMap<FunctionId, Registers>,
    /// Thread-local `const` variables.
    pub(crate) objects: FxHashSet<ObjectId>,
    pub(crate) is_written_again: bool,
}

impl Notes {
    /// Adds the variables of a function.
    pub fn add(&mut self, function: FunctionId, variables: Variables) {
        self.constants.extend(variables.constants.into_iter().map(|(local, variable)| ((function, local), variable)));
        self.named.extend(variables.named.into_iter().map(|local| (function, local)));
        self.results.extend(variables.results.into_iter().map(|local| (function, local)));
        self.unended.extend(variables.unended.into_iter().map(|local| (function, local)));
        self.is_written_again |= variables.is_written_again;
        for (span, registers) in variables.calls {
            self.calls.entry((function, span)).or_default().push(registers);
        }
        self.registers.extend(variables.registers.map(|registers| (function, registers)));
    }

    /// Whether the calls at a position may be of another function, as far as registers tell. Several calls at one
    /// position are not distinguished.
    pub fn fit_registers(&self, (caller, span): (FunctionId, Span), callee: FunctionId, is_used: bool) -> bool {
        let Some((defined, calls)) = self.registers.get(&callee).zip(self.calls.get(&(caller, span))) else {
            return true;
        };
        let wanted: &[Type] = if is_used { &[Type::BOOL] } else { &[] };
        calls.iter().all(|called| fit_registers(called, defined, wanted))
    }

    /// Whether an allocated object has an unknown end of life.
    pub fn is_unended(&self, function: FunctionId, dst: LocalId) -> bool {
        self.unended.contains(&(function, dst))
    }

    /// Adds a thread-local `const` variable.
    pub fn add_object(&mut self, object: ObjectId) {
        self.objects.insert(object);
    }
}
