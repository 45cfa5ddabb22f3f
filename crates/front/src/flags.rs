//! The clang flags for every C or C++ file, the program's and the models'. Also included by `build.rs`, and by
//! `cargo xtask mutate`, which compiles the models too.

/// The compiler.
pub(crate) const CLANG: &str = "clang-19";

/// No optimisation, but nothing that forbids it either; all names and positions kept; old C accepted.
pub(crate) const FLAGS: &[&str] = &[
    "-c",
    "-emit-llvm",
    "-O0",
    "-Xclang",
    "-disable-O0-optnone",
    "-g",
    // Files keep their given names: clang would cut off the prefix shared with this directory.
    "-fdebug-compilation-dir=/",
    "-fno-discard-value-names",
    "-fno-stack-protector",
    "-fcf-protection=none",
    "-ffp-contract=off",
    "-w",
    "-Wno-error=int-conversion",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=incompatible-pointer-types",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=return-mismatch",
    "-Wno-error=return-type",
    "-ferror-limit=3",
    WEAK_C11,
    WEAK_GNU,
];

/// Additional flags for the models.
#[allow(dead_code)]
pub(crate) const MODEL_FLAGS: &[&str] = &["-ffreestanding", "-fno-builtin", "-std=gnu11", "-fdebug-compilation-dir=."];

/// A compare-exchange of an object that no instruction can exchange becomes a call of libatomic, which has no parameter
/// for `weak`. So a bit is added to the memory order of a failure, for the model of the call (`models/atomic.c`) alone.
const WEAK_C11: &str = "-D__c11_atomic_compare_exchange_weak(o,e,d,s,f)=__c11_atomic_compare_exchange_weak(o,e,d,s,\
                        (f)|(sizeof(*(o))>2*sizeof(void*)||sizeof(*(o))&(sizeof(*(o))-1)?65536:0))";
const WEAK_GNU: &str = "-D__atomic_compare_exchange(o,e,d,w,s,f)=__atomic_compare_exchange(o,e,d,w,s,\
                        (f)|((sizeof(*(o))>2*sizeof(void*)||sizeof(*(o))&(sizeof(*(o))-1))&&(w)?65536:0))";
