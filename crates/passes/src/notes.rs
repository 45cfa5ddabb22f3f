//! What passes have to know of a program that the core form does not say. The front end notes it.

use base::Span;
use ir::{FunctionId, LocalId, ObjectId, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a type of functions says of registers: for each parameter and the result, whether it is one for floating-point numbers.
pub type Registers = (Vec<bool>, bool);

/// Whether a call leaves arguments where the function looks for them, and finds the result, if it wants that.
pub fn fit_registers(called: &Registers, defined: &Registers, wanted: &[Type]) -> bool {
    let mut named = called.0.iter().zip(&defined.0);
    named.all(|(one, other)| one == other) && (wanted.is_empty() || called.1 == defined.1)
}

/// What a variable is that is `const`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum ConstKind {
    Scalar,
    Array,
    /// A structure or union, or an array of such.
    Record,
    /// The same in C++.
    Class,
    /// It may be `const` or not: debug information does not say it of compound literals.
    Unknown,
}

/// A variable that is `const`.
#[derive(Clone, Copy)]
pub struct ConstVariable {
    /// Where it is notes.
    pub span: Span,
    /// What it is.
    pub kind: ConstKind,
}

impl ConstVariable {
    /// Whether something stands behind its declaration. What has no name has none.
    pub fn is_before(&self, span: Span) -> bool {
        self.span.is_known()
            && self.span.file == span.file
            && (self.span.line, self.span.column) < (span.line, span.column)
    }
}

/// The variables of a function, as far as this matters.
#[derive(Default)]
pub struct Variables {
    /// What points to those that are `const`.
    pub constants: Vec<(LocalId, ConstVariable)>,
    /// Those that the program itself has; all others are the compiler's.
    pub named: Vec<LocalId>,
    /// Parameters that point to where the function leaves its result.
    pub results: Vec<LocalId>,
    /// Objects of which it is not known when their life ends.
    pub unended: Vec<LocalId>,
    /// In which registers calls through pointers pass arguments.
    pub calls: Vec<(Span, Registers)>,
    /// In which registers the function is passed its own.
    pub registers: Option<Registers>,
    /// Whether a scalar without a name is written more than once.
    pub is_written_again: bool,
}

/// What the front end knows of a program beyond the core form.
#[derive(Default)]
pub struct Notes {
    pub(crate) constants: FxHashMap<(FunctionId, LocalId), ConstVariable>,
    pub(crate) named: FxHashSet<(FunctionId, LocalId)>,
    pub(crate) results: FxHashSet<(FunctionId, LocalId)>,
    unended: FxHashSet<(FunctionId, LocalId)>,
    calls: FxHashMap<(FunctionId, Span), Vec<Registers>>,
    registers: FxHashMap<FunctionId, Registers>,
    /// Variables of each thread that are `const`.
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

    /// Whether the calls of a function at a place may be of another one, as far as registers tell. Several calls at one place are not told apart.
    pub fn fit_registers(&self, (caller, span): (FunctionId, Span), callee: FunctionId, is_used: bool) -> bool {
        let Some((defined, calls)) = self.registers.get(&callee).zip(self.calls.get(&(caller, span))) else {
            return true;
        };
        let wanted: &[Type] = if is_used { &[Type::BOOL] } else { &[] };
        calls.iter().all(|called| fit_registers(called, defined, wanted))
    }

    /// Whether it is not known of what is allocated when its life ends.
    pub fn is_unended(&self, function: FunctionId, dst: LocalId) -> bool {
        self.unended.contains(&(function, dst))
    }

    /// Adds a variable of each thread that is `const`.
    pub fn add_object(&mut self, object: ObjectId) {
        self.objects.insert(object);
    }
}
