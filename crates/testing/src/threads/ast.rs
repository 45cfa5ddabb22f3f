//! Threaded programs of the oracle: shared cells, each with a rule for who may access it and how, and threads whose
//! statements obey these rules, each statement written in one of many ways. A seeded bug is separate, so the ground
//! truth of a program is `Program::bug`.

/// The library of threads and locks; with [`Api::Std`] the program is C++.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Api {
    /// pthreads, in C.
    Pthread,
    /// `threads.h`, in C.
    C11,
    /// `std::thread`, in C++.
    Std,
}

/// A program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Program {
    /// The library.
    pub api: Api,
    /// The threads that `run_once` starts; the thread that runs it waits for them.
    pub threads: Vec<Thread>,
    /// Shared or private memory.
    pub cells: Vec<Cell>,
    /// Atomic objects.
    pub atomics: Vec<AtomicType>,
    /// Ways to hand over a value.
    pub channels: Vec<Channel>,
    /// The storage of thread arguments.
    pub arguments: Arguments,
    /// The seeded bug; without one no run has undefined behaviour, a deadlock or a misused lock.
    pub bug: Option<Bug>,
}

/// A thread: its statements by phase. A barrier separates phases; all threads have the same number of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thread {
    /// The statements.
    pub phases: Vec<Vec<Stmt>>,
}

/// The object that a thread's argument points to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arguments {
    /// One variable for each thread, in the block that waits for them.
    Variables,
    /// A compound literal (in C++ an element of an array) for each.
    Literals,
    /// An array with one element for each.
    Array,
    /// Memory that the thread frees.
    Heap,
}

/// A place in memory and its rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cell {
    /// Its place.
    pub place: Place,
    /// Its access rule.
    pub sharing: Sharing,
}

/// Integer types of cells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type {
    /// `int`
    Int,
    /// `unsigned`
    Unsigned,
    /// `short`
    Short,
    /// `unsigned char`, as `byte`
    Byte,
    /// `long`
    Long,
}

impl Type {
    /// All of them.
    pub const ALL: [Type; 5] = [Type::Int, Type::Unsigned, Type::Short, Type::Byte, Type::Long];

    /// One word that names it in the program.
    pub fn name(self) -> &'static str {
        match self {
            Type::Int => "int",
            Type::Unsigned => "unsigned",
            Type::Short => "short",
            Type::Byte => "byte",
            Type::Long => "long",
        }
    }
}

/// Bit-fields of the structure `bits`, and a member between two of them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    /// The first two share a unit.
    A,
    /// See [`Field::A`].
    B,
    /// Follows a field of width 0.
    C,
    /// A member that is no bit-field, in the byte after `c`.
    Plain,
    /// These are adjacent, so one memory location, but need more than one machine word.
    E,
    /// See [`Field::E`].
    F,
    /// See [`Field::E`].
    G,
}

impl Field {
    /// All of them.
    pub const ALL: [Field; 7] = [Field::A, Field::B, Field::C, Field::Plain, Field::E, Field::F, Field::G];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Field::A => "a",
            Field::B => "b",
            Field::C => "c",
            Field::Plain => "plain",
            Field::E => "e",
            Field::F => "f",
            Field::G => "g",
        }
    }

    /// The memory location (C11 3.14) that it belongs to, by number.
    pub fn location(self) -> usize {
        match self {
            Field::A | Field::B => 0,
            Field::C => 1,
            Field::Plain => 2,
            Field::E | Field::F | Field::G => 3,
        }
    }
}

/// The place of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// A variable of the file.
    Global(Type),
    /// In an array of structures with a lock each: the number of the element, and whether it is a bit-field of it.
    Slot(usize, bool),
    /// In the structure `bits`.
    Bits(Field),
    /// A member of a union.
    Union,
    /// Allocated.
    Heap(Type),
    /// A variable of the block of `run_once` that starts the threads and waits for them.
    Block(Type),
    /// An element of a variable-length array there (in C++ of an array).
    Row,
    /// A member of a compound literal there (in C++ of a variable).
    Literal,
    /// A static variable of a function that returns its address.
    Static,
}

/// The access rule of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sharing {
    /// Every thread that holds the lock.
    Guarded(Lock),
    /// This thread only, until it has ended.
    Private(usize),
    /// This thread in the first phase, and then all threads, for reading.
    Published(usize),
}

/// A lock, with a number among those of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lock {
    /// Its kind.
    pub kind: LockKind,
    /// Its index.
    pub index: usize,
}

/// Kinds of locks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LockKind {
    /// The library's mutex.
    Mutex,
    /// The mutex in an element of the array of structures.
    Slot,
    /// A recursive mutex, locked twice.
    Recursive,
    /// A pthread spin lock.
    Spin,
    /// A read-write lock.
    ReadWrite,
    /// A semaphore that begins with 1.
    Semaphore,
    /// A spinning loop on an `atomic_flag`.
    Flag,
}

/// Types of atomic objects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomicType {
    /// `unsigned char`
    Byte,
    /// `short`
    Short,
    /// `int`
    Int,
    /// `long`
    Long,
    /// A structure of two ints
    Pair,
    /// A structure of two longs
    Wide,
    /// A structure of three longs
    Huge,
}

impl AtomicType {
    /// All of them.
    pub const ALL: [AtomicType; 7] = [
        AtomicType::Byte,
        AtomicType::Short,
        AtomicType::Int,
        AtomicType::Long,
        AtomicType::Pair,
        AtomicType::Wide,
        AtomicType::Huge,
    ];

    /// Its name in the program.
    pub fn name(self) -> &'static str {
        match self {
            AtomicType::Byte => "byte",
            AtomicType::Short => "short",
            AtomicType::Int => "int",
            AtomicType::Long => "long",
            AtomicType::Pair => "struct pair",
            AtomicType::Wide => "struct wide",
            AtomicType::Huge => "struct huge",
        }
    }

    /// Whether it is a number.
    pub fn is_scalar(self) -> bool {
        !matches!(self, AtomicType::Pair | AtomicType::Wide | AtomicType::Huge)
    }
}

/// An atomic operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AtomicOp {
    /// Load and observe.
    Load,
    /// Store.
    Store(u8),
    /// Add and observe the old value; numbers only.
    Add(u8),
    /// Exchange and observe the old value.
    Exchange(u8),
    /// Compare with the first and exchange for the second; success and the old value are observed.
    CompareExchange(u8, u8),
}

/// Memory orders, by strength.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Strength {
    /// seq_cst
    Total,
    /// acquire, release or both
    Handover,
    /// relaxed
    Relaxed,
}

/// A way to hand one value from a thread to one with a higher number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Channel {
    /// The sender.
    pub from: usize,
    /// The receiver.
    pub to: usize,
    /// Its kind.
    pub kind: ChannelKind,
}

/// How a value is handed over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChannelKind {
    /// A condition variable.
    Condition,
    /// A semaphore (pthreads; elsewhere a condition variable).
    Semaphore,
    /// A flag, stored with release and awaited with acquire.
    Awaited,
    /// Such a flag, polled once: a missing value is not taken.
    Polled,
}

/// A statement: an action and its surroundings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stmt {
    /// The action.
    pub act: Act,
    /// Its surroundings.
    pub shell: Shell,
}

/// The surroundings of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shell {
    /// Nothing.
    Bare,
    /// A block with a variable whose address is taken.
    Block,
    /// A `for` loop of two iterations.
    For,
    /// A `do` loop of two iterations.
    Do,
    /// A loop of two iterations, by `goto`.
    Goto,
    /// A case of a `switch`, reached by falling through.
    Switch,
    /// A branch that is always taken, which depends on the value of the thread's argument.
    If,
}

impl Shell {
    /// All of them.
    pub const ALL: [Shell; 7] =
        [Shell::Bare, Shell::Block, Shell::For, Shell::Do, Shell::Goto, Shell::Switch, Shell::If];
}

/// How a lock is acquired and released.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Taking {
    /// By calls.
    Calls,
    /// By a macro around the statement.
    Macro,
    /// By inlined functions (in C++ by a guard object).
    Helpers,
    /// If it is free; otherwise that is observed.
    Try,
}

/// The action of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// Changes a cell by a value.
    Update {
        /// The cell.
        cell: usize,
        /// The value.
        value: u8,
        /// Its syntax.
        dress: Dress,
        /// How its lock is acquired.
        taking: Taking,
    },
    /// Observes a cell.
    Observe {
        /// The cell.
        cell: usize,
        /// Its syntax.
        dress: Dress,
        /// How its lock is acquired.
        taking: Taking,
    },
    /// An atomic operation.
    Atomic {
        /// The object.
        object: usize,
        /// The operation.
        op: AtomicOp,
        /// Its memory order.
        strength: Strength,
    },
    /// Hands a value over.
    Give {
        /// The channel.
        channel: usize,
        /// The value.
        value: u8,
    },
    /// Waits for the value, or polls for it, and observes it.
    Take {
        /// The channel.
        channel: usize,
    },
    /// A thread-local computation, whose result is observed.
    Compute {
        /// The computation.
        sum: Sum,
        /// The value.
        value: u8,
    },
    /// Changes and observes a thread-local variable.
    Local {
        /// The value.
        value: u8,
    },
    /// Changes and observes the thread's value under a key; a destructor counts at its end.
    Key {
        /// The value.
        value: u8,
    },
    /// Calls a function through call-once, and observes its result.
    Once,
    /// The part of the seeded bug with this number.
    Bug(usize),
}

/// The syntax of a change or an observation of a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dress {
    /// An assignment.
    Plain,
    /// A function-like macro.
    Macro,
    /// A `static inline` function.
    Inline,
    /// An `always_inline` function that has a loop.
    Twist,
    /// An `always_inline` function that takes the address, called in a loop.
    Bump,
    /// A table of function pointers.
    Table,
    /// A `switch` with a case that falls through.
    Switch,
    /// A backward `goto` over a declaration.
    Back,
    /// Nested blocks with variables of the same name whose addresses are taken.
    Blocks,
    /// A compound literal (in C++ a lambda that captures by reference).
    Literal,
    /// A variable-length array (in C++ a range-based loop).
    Row,
    /// A function with variable arguments.
    Varargs,
    /// A recursive function.
    Recursion,
    /// A union that is written as one member and read as another (in C++ a reference).
    Union,
    /// A local structure with bit-fields.
    Bits,
    /// A structure that is passed and returned by value.
    ByValue,
}

impl Dress {
    /// All of them.
    pub const ALL: [Dress; 16] = [
        Dress::Plain,
        Dress::Macro,
        Dress::Inline,
        Dress::Twist,
        Dress::Bump,
        Dress::Table,
        Dress::Switch,
        Dress::Back,
        Dress::Blocks,
        Dress::Literal,
        Dress::Row,
        Dress::Varargs,
        Dress::Recursion,
        Dress::Union,
        Dress::Bits,
        Dress::ByValue,
    ];
}

/// Thread-local computations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sum {
    /// Variables of nested blocks.
    Scopes,
    /// Compound literals in a loop by `goto`: C11's example 8 of 6.5.2.5.
    Again,
    /// A variable after a label, reached again.
    Label,
    /// Variable-length arrays of growing length.
    Rows,
    /// `switch` with declarations, `default` in the middle and a loop around.
    Switch,
    /// `va_copy`, arguments of several types.
    Varargs,
    /// Mutual recursion.
    Recursion,
    /// Signed and unsigned bit-fields, narrowing, a field of width 0, structure assignment.
    Bits,
    /// Unions and their bytes.
    Union,
    /// `always_inline` functions that change their parameters, in nested loops.
    Inlined,
    /// Pointers to variables of a loop's body.
    Bodies,
    /// Initialisers with designators, arrays of arrays, pointer arithmetic.
    Arrays,
    /// Conversions between signed, unsigned, narrow and wide integers.
    Conversions,
    /// `memcpy`, `memset`, `strlen`, `strcmp`.
    Library,
    /// Structures by value, function pointers in structures.
    Structures,
    /// `break`, `continue` and `goto` out of nested loops.
    Loops,
}

impl Sum {
    /// All of them.
    pub const ALL: [Sum; 16] = [
        Sum::Scopes,
        Sum::Again,
        Sum::Label,
        Sum::Rows,
        Sum::Switch,
        Sum::Varargs,
        Sum::Recursion,
        Sum::Bits,
        Sum::Union,
        Sum::Inlined,
        Sum::Bodies,
        Sum::Arrays,
        Sum::Conversions,
        Sum::Library,
        Sum::Structures,
        Sum::Loops,
    ];
}

/// A seeded bug. Its parts are the first statements of a phase of the threads that have them, so no wait separates
/// them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Bug {
    /// A data race.
    Race(Race),
    /// A memory error.
    Memory(Memory),
}

/// Data races.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Race {
    /// Two threads change a variable without a lock.
    Bare,
    /// One of the two holds a lock.
    HalfLocked,
    /// Each holds another lock.
    WrongLock,
    /// Adjacent bit-fields of one unit.
    Bits,
    /// Adjacent bit-fields of different machine words.
    WideBits,
    /// A value handed over by a relaxed flag.
    RelaxedFlag,
    /// A value handed over by a large atomic structure that is stored relaxed.
    RelaxedHuge,
    /// An atomic access beside a plain one.
    HalfAtomic,
    /// A variable of the block of `run_once`.
    Block,
    /// A member of one union as two others.
    Union,
    /// Written under a lock that is held for reading.
    ReadLocked,
}

impl Race {
    /// All of them.
    pub const ALL: [Race; 11] = [
        Race::Bare,
        Race::HalfLocked,
        Race::WrongLock,
        Race::Bits,
        Race::WideBits,
        Race::RelaxedFlag,
        Race::RelaxedHuge,
        Race::HalfAtomic,
        Race::Block,
        Race::Union,
        Race::ReadLocked,
    ];
}

/// Memory errors.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Memory {
    /// A variable of a block is accessed after the block.
    Block,
    /// A variable of a loop's body is accessed in the next iteration.
    Body,
    /// A compound literal (in C++ what a lambda captured) is accessed after its block.
    Literal,
    /// A variable-length array (in C++ an array) is accessed after its block.
    Row,
    /// A variable of a function is accessed after its return.
    Return,
    /// A thread accesses a variable of a block that `run_once` leaves before it waits.
    Thread,
    /// One thread frees memory that another one reads.
    Freed,
    /// The thread frees twice.
    FreedTwice,
    /// Beyond an array of the file.
    GlobalEnd,
    /// Beyond allocated memory.
    HeapEnd,
    /// Beyond an array of the function.
    StackEnd,
    /// Through a null pointer.
    Null,
}

impl Memory {
    /// All of them.
    pub const ALL: [Memory; 12] = [
        Memory::Block,
        Memory::Body,
        Memory::Literal,
        Memory::Row,
        Memory::Return,
        Memory::Thread,
        Memory::Freed,
        Memory::FreedTwice,
        Memory::GlobalEnd,
        Memory::HeapEnd,
        Memory::StackEnd,
        Memory::Null,
    ];
}

impl Program {
    /// All statements.
    pub fn statements(&self) -> impl Iterator<Item = &Stmt> {
        self.threads.iter().flat_map(|thread| thread.phases.iter().flatten())
    }

    /// Whether every atomic access is seq_cst, so that a program without undefined behaviour has the outcomes of `sc`.
    pub fn is_total(&self) -> bool {
        self.statements().all(|stmt| match stmt.act {
            Act::Atomic { strength, .. } => strength == Strength::Total,
            Act::Give { channel, .. } | Act::Take { channel } => {
                matches!(self.channels[channel].kind, ChannelKind::Condition | ChannelKind::Semaphore)
            }
            Act::Update { .. } | Act::Observe { .. } | Act::Compute { .. } | Act::Local { .. } => true,
            Act::Key { .. } | Act::Once | Act::Bug(_) => true,
        })
    }

    /// Whether it is C++.
    pub fn is_cxx(&self) -> bool {
        self.api == Api::Std
    }
}
