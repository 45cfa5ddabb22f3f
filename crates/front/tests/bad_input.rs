//! Bad input gives a message, never a panic, a hang or the end of the process.

use front::{load, load_text, LoadOptions};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};

/// A file with these contents, in a directory of its own that is removed at the end.
struct Scratch {
    directory: PathBuf,
}

impl Scratch {
    fn new() -> Scratch {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("heddle-front-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let directory = std::env::temp_dir().join(name);
        fs::create_dir_all(&directory).expect("the temporary directory should be writable");
        Scratch { directory }
    }

    fn file(&self, name: &str, contents: &[u8]) -> PathBuf {
        let path = self.directory.join(name);
        fs::write(&path, contents).expect("the temporary directory should be writable");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Loads files that cannot be loaded; returns the diagnostics.
fn refused(paths: &[PathBuf], options: &LoadOptions) -> String {
    let (program, diagnostics) = load(paths, options);
    assert!(program.is_none(), "should not have loaded");
    assert!(!diagnostics.is_empty(), "should have said why");
    let text: Vec<String> = diagnostics.iter().map(ToString::to_string).collect();
    assert!(text.iter().all(|text| text.len() < 10_000), "messages should stay readable");
    text.join("\n")
}

fn refused_file(name: &str, contents: &[u8]) -> String {
    let scratch = Scratch::new();
    refused(&[scratch.file(name, contents)], &LoadOptions::default())
}

#[track_caller]
fn says(text: &str, part: &str) {
    assert!(text.contains(part), "{text:?} should contain {part:?}");
}

#[test]
fn files_that_are_none() {
    says(&refused(&[], &LoadOptions::default()), "no input files");
    says(&refused(&[PathBuf::from("does/not/exist.c")], &LoadOptions::default()), "cannot read does/not/exist.c");
    says(&refused(&[std::env::temp_dir()], &LoadOptions::default()), "is a directory");
    says(&refused_file("x.rs", b"fn main() {}"), "do not know what kind of file");
    says(&refused_file("noextension", b"int main;"), "do not know what kind of file");
}

#[test]
fn files_without_a_program() {
    says(&refused_file("empty.c", b""), "defines no function `main`");
    says(&refused_file("other.c", b"int f(void) { return 0; }"), "defines no function `main`");
    says(&refused_file("declared.c", b"int main(void); int f(void) { return main(); }"), "defines no function `main`");
    says(&refused_file("empty.ll", b""), "defines no function `main`");
    says(&refused_file("variable.c", b"int main;"), "defines no function `main`");
}

#[test]
fn clang_says_what_does_not_compile() {
    let text = refused_file("broken.c", b"int main(void) {\n  return undeclared_name;\n}\n");
    says(&text, "broken.c does not compile");
    says(&text, "broken.c:2:10: error: use of undeclared identifier 'undeclared_name'");
    says(&refused_file("broken.cc", b"int main() { return \"text\"; }"), "error:");
    says(&refused_file("missing.c", b"#include \"not-there.h\"\nint main(void) { return 0; }"), "not-there.h");
    says(&refused_file("twice.c", b"int main(void) { return 0; } int main(void) { return 1; }"), "redefinition");
}

#[test]
fn a_large_file_of_garbage() {
    // A fixed pseudo-random sequence; 8 MB keep the test fast, and nothing depends on the size.
    let mut seed: u32 = 1;
    let garbage: Vec<u8> = (0..8_000_000)
        .map(|_| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        })
        .collect();
    says(&refused_file("garbage.c", &garbage), "does not compile");
    says(&refused_file("garbage.bc", &garbage), "is not a valid LLVM module");
    says(&refused_file("garbage.ll", &garbage), "is not a valid LLVM module");
}

#[test]
fn llvm_modules_that_are_broken() {
    let bitcode = bitcode("int x; int main(void) { return x + 1; }");
    for length in [0, 3, 4, 20, bitcode.len() / 2, bitcode.len() - 5] {
        says(&refused_file("cut.bc", &bitcode[..length]), "cut.bc");
    }
    // Damaged in the middle: rejected, or by chance still a module; but never a crash.
    let scratch = Scratch::new();
    for i in 0..40 {
        let mut damaged = bitcode.clone();
        let at = damaged.len() * (i + 1) / 42;
        damaged[at] ^= 0x5a;
        let (program, diagnostics) = load(&[scratch.file("damaged.bc", &damaged)], &LoadOptions::default());
        assert!(program.is_some() || !diagnostics.is_empty());
    }
    says(&refused_file("wrong.ll", b"define i32 @main() { ret i32 %x }"), "use of undefined value");
    let text = b"define i32 @main() {\n  br label %a\na:\n  %x = add i32 %y, 1\n  %y = add i32 %x, 1\n  ret i32 %y\n}";
    says(&refused_file("order.ll", text), "does not dominate");
}

#[test]
fn entries_that_do_not_fit() {
    let scratch = Scratch::new();
    let file = scratch.file("e.c", b"int start(char c) { return c; } int go(void) { return 1; }");
    let with = |entry: &str| LoadOptions { entry: Some(entry.to_owned()), ..LoadOptions::default() };
    says(&refused(std::slice::from_ref(&file), &with("start")), "parameters other than those of main");
    says(&refused(std::slice::from_ref(&file), &with("nothing")), "defines no function `nothing`");
    says(&refused(std::slice::from_ref(&file), &with("")), "defines no function ``");
    assert!(load(&[file], &with("go")).0.is_some());
}

#[test]
fn files_that_do_not_fit_together() {
    let scratch = Scratch::new();
    let one = scratch.file("one.c", b"int x; int main(void) { return 0; }");
    let two = scratch.file("two.c", b"int main(void) { return 1; }");
    says(&refused(&[one.clone(), two], &LoadOptions::default()), "cannot link");
    let module = scratch.file("m.bc", &bitcode("int f(void) { return 2; }"));
    let ilp32 = LoadOptions { data_model: Some(ir::DataModel::Ilp32), ..LoadOptions::default() };
    says(&refused(std::slice::from_ref(&module), &ilp32), "lp64, not for ilp32");
    says(&refused(&[one, module], &ilp32), "different machines");
}

#[test]
fn files_that_gcc_preprocessed() {
    let scratch = Scratch::new();
    let text = b"# 1 \"start.c\"
extern void *malloc(unsigned long) __attribute__((__malloc__)) __attribute__((__malloc__(__builtin_free, 1)));
extern _Float64 parse(_Float64x, _Float128);
typedef _Atomic struct
{
  _Bool __val;
} atomic_flag;
typedef _Atomic int atomic_int;
atomic_flag flag = { 0 };
atomic_int count;
int main(void) {
    __extension__ ({ __auto_type p = (&count); __typeof__((void)0, *p) t = (3); __atomic_store(p, &t, 5); });
    __atomic_fetch_add((&count), 2, 0);
    __atomic_test_and_set((&flag), 5);
    return count;
}
";
    let (program, diagnostics) = load(&[scratch.file("gcc.i", text)], &LoadOptions::default());
    let program = program.unwrap_or_else(|| panic!("{}", diagnostics[0]));
    let main = &program.functions[program.function_named("main").unwrap()];
    assert!(main.edges.iter().any(|edge| program.place(edge.span) == "start.c:12"));
    let text = ir::print(&program);
    says(&text, "store i32 %p, %t seq_cst");
    says(&text, "rmw add i32 @count, 2:i32 relaxed");
    says(&text, "rmw xchg i8 @flag, 1:i8 seq_cst");
}

#[test]
fn flags_that_clang_refuses() {
    let options = LoadOptions { clang_args: vec!["--no-such-flag".to_owned()], ..LoadOptions::default() };
    let (program, diagnostics) = load_text("x.c", "int main(void) { return 0; }", &options);
    assert!(program.is_none());
    says(&diagnostics[0].to_string(), "no-such-flag");
}

/// The bitcode that clang makes from a C text.
fn bitcode(text: &str) -> Vec<u8> {
    let scratch = Scratch::new();
    let (source, target) = (scratch.file("s.c", text.as_bytes()), scratch.directory.join("s.bc"));
    let mut clang = std::process::Command::new("clang-19");
    let status = clang.args(["-c", "-emit-llvm", "-o"]).arg(&target).arg(&source).status().expect("clang should run");
    assert!(status.success());
    fs::read(target).expect("clang should have written its output")
}
