//! Programs: static objects and functions, with their source positions.

use crate::expr::Type;
use crate::premise::Premise;
use crate::property::Property;
use crate::stmt::Stmt;
use base::{define_id, FileId, IdVec, Span};
use std::collections::BTreeSet;

define_id!(
    /// A static object. Prints as `o3`.
    ObjectId, "o");
define_id!(
    /// A function. Prints as `fn3`.
    FunctionId, "fn");
define_id!(
    /// A control location of one function. Prints as `l7`.
    LocId, "l");
define_id!(
    /// An edge of one function. Prints as `e7`.
    EdgeId, "e");
define_id!(
    /// A local variable of one function. Prints as `v7`.
    LocalId, "v");

/// The sizes of C's types; only the size of a pointer matters here.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum DataModel {
    /// 32-bit `int`, `long` and pointers.
    Ilp32,
    /// 32-bit `int`, 64-bit `long` and pointers.
    Lp64,
}

impl DataModel {
    /// The name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "ilp32",
            DataModel::Lp64 => "lp64",
        }
    }

    /// The size of a pointer in bytes.
    pub fn pointer_bytes(self) -> u64 {
        match self {
            DataModel::Ilp32 => 4,
            DataModel::Lp64 => 8,
        }
    }

    /// The width of a pointer in bits.
    pub fn pointer_width(self) -> u16 {
        match self {
            DataModel::Ilp32 => 32,
            DataModel::Lp64 => 64,
        }
    }

    /// The integer type as wide as a pointer.
    pub fn size_type(self) -> Type {
        Type::Int(self.pointer_width())
    }
}

/// A whole program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The size of pointers.
    pub data_model: DataModel,
    /// Source files, as the compiler named them.
    pub files: IdVec<FileId, String>,
    /// Static objects, with unique names.
    pub objects: IdVec<ObjectId, Object>,
    /// Functions, with unique names (no object has the name of a function).
    pub functions: IdVec<FunctionId, Function>,
    /// The entry function of the first thread, without parameters.
    pub entry: FunctionId,
    /// The premises of every proof about it. Not part of the text form.
    pub premises: BTreeSet<Premise>,
}

/// Statements of a program whose accesses are proved to race with nothing.
pub type RaceFree = std::sync::Arc<BTreeSet<(FunctionId, EdgeId)>>;

/// The storage kind of a static object.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ObjectKind {
    /// One copy, writable.
    Global,
    /// One copy per thread, writable.
    ThreadLocal,
    /// One copy; writing it is a violation of `memory`.
    Constant,
}

/// The target of a pointer in an initialiser.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Symbol {
    /// A static object.
    Object(ObjectId),
    /// A function.
    Function(FunctionId),
}

/// A pointer inside an initialiser.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Relocation {
    /// Its offset in the object.
    pub at: u64,
    /// Its target.
    pub symbol: Symbol,
    /// The offset in the target.
    pub offset: i64,
}

/// The initial contents of a static object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Initial {
    /// Arbitrary: the object is defined outside the program.
    Arbitrary,
    /// These bytes, then zeros, overlaid with pointers.
    Bytes {
        /// The first bytes; the rest of the object is zero.
        bytes: Vec<u8>,
        /// Pointers, in order of position.
        relocations: Vec<Relocation>,
    },
}

/// A static object.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Object {
    /// Its unique name: the source's, with a suffix where that is not unique.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// Its alignment in bytes.
    pub align: u64,
    /// Its storage.
    pub kind: ObjectKind,
    /// Whether it stands for internal state of the C library, kept between calls of functions that need not be
    /// thread-safe. The program cannot name it, and a race on it is one of the calls.
    pub is_hidden: bool,
    /// Its contents at the start.
    pub initial: Initial,
    /// Where it is declared.
    pub span: Span,
}

/// A local variable: a parameter, a promoted variable of the source, or a temporary.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Local {
    /// Its name, unique in the function.
    pub name: String,
    /// Its type.
    pub ty: Type,
}

/// An edge of a control-flow graph.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// Where it starts.
    pub from: LocId,
    /// Where it ends. The edges of `Return`, `ExitThread` and `Exit` end at the function's `exit`.
    pub to: LocId,
    /// What it does.
    pub stmt: Stmt,
    /// The position in the source.
    pub span: Span,
}

/// A function: a control-flow graph over local variables, initially all arbitrary except the parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Function {
    /// Its unique name.
    pub name: String,
    /// Its parameters, in order.
    pub params: Vec<LocalId>,
    /// The types of its results.
    pub returns: Vec<Type>,
    /// All local variables.
    pub locals: IdVec<LocalId, Local>,
    /// Number of locations.
    pub locs: usize,
    /// The initial location.
    pub entry: LocId,
    /// The final location: no edge starts here.
    pub exit: LocId,
    /// The edges. A location other than `exit` has one edge with any statement, or several that are all `Assume`, whose
    /// conditions are exclusive and together exhaustive, or none (a run that gets there ends).
    pub edges: IdVec<EdgeId, Edge>,
    /// Where it is defined.
    pub span: Span,
}

impl Function {
    /// Maximum number of locations of a function with `edges` edges: all endpoints of edges, `entry` and `exit`. Unused
    /// locations are allowed, but not so many that maps over locations would be out of proportion.
    pub fn most_locs(edges: usize) -> usize {
        2 * edges + 2
    }

    /// The edges that start at each location, as a dense map.
    pub fn edges_out(&self) -> IdVec<LocId, Vec<EdgeId>> {
        let mut out = IdVec::filled(Vec::new(), self.locs);
        for (id, edge) in self.edges.enumerate() {
            out[edge.from].push(id);
        }
        out
    }
}

impl Program {
    /// The function with this name.
    pub fn function_named(&self, name: &str) -> Option<FunctionId> {
        self.functions.enumerate().find(|(_, function)| function.name == name).map(|(id, _)| id)
    }

    /// The static object with this name.
    pub fn object_named(&self, name: &str) -> Option<ObjectId> {
        self.objects.enumerate().find(|(_, object)| object.name == name).map(|(id, _)| id)
    }

    /// Every statement, by function and edge.
    pub fn statements(&self) -> impl Iterator<Item = ((FunctionId, EdgeId), &Stmt)> {
        let functions = self.functions.enumerate();
        functions
            .flat_map(|(id, function)| function.edges.enumerate().map(move |(edge, item)| ((id, edge), &item.stmt)))
    }

    /// The statements that access memory.
    pub fn accesses(&self) -> impl Iterator<Item = (FunctionId, EdgeId)> + '_ {
        self.statements().filter(|(_, stmt)| !stmt.touches().is_empty()).map(|(at, _)| at)
    }

    /// The assertions of `unreach`.
    pub fn assertions(&self) -> impl Iterator<Item = (FunctionId, EdgeId)> + '_ {
        let is_assertion = |stmt: &Stmt| stmt.is_assertion(Property::Unreach);
        self.statements().filter(move |(_, stmt)| is_assertion(stmt)).map(|(at, _)| at)
    }

    /// Whether a position is in user code, rather than in a model or in a system header.
    pub fn is_users(&self, span: Span) -> bool {
        span.is_known() && self.files.get(span.file).is_some_and(|name| !is_library_file(name))
    }

    /// Whether a position is in a model.
    pub fn is_model(&self, span: Span) -> bool {
        self.files.get(span.file).is_some_and(|name| is_model_file(name))
    }

    /// The name of a library function for people: a variant of a model like `pthread_mutex_lock__simple` has the name
    /// of the function it stands for. None for mangled C++ names, except those of `new`, and for internal functions of
    /// models.
    pub fn library_name(&self, function: FunctionId) -> Option<&str> {
        let name = self.functions[function].name.as_str();
        if name.starts_with("_Znw") || name.starts_with("_Zna") {
            return Some("new");
        }
        let plain = name.rsplit_once("__").map(|(plain, _)| plain).filter(|plain| !plain.is_empty());
        Some(plain.unwrap_or(name)).filter(|name| !name.starts_with("_Z") && !name.starts_with("__heddle_"))
    }

    /// `file:line` of a position, for people; empty if unknown.
    pub fn place(&self, span: Span) -> String {
        match self.files.get(span.file) {
            Some(file) if span.is_known() => format!("{file}:{}", span.line),
            _ => String::new(),
        }
    }
}

/// Whether a file is a model, which are named like `<pthread model>`, or a system header, which live where systems keep
/// them.
pub fn is_library_file(name: &str) -> bool {
    is_model_file(name) || name.starts_with("/usr/")
}

fn is_model_file(name: &str) -> bool {
    name.starts_with('<')
}
