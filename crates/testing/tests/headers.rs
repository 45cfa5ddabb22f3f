//! The headers of test programs: parsing, errors, and that every program has one.

use ir::{MemoryModel, Property};
use testing::headers::{programs, questions, questions_of};

#[test]
fn first_lines_are_read() {
    let text = "// property: unreach   model: tso   truth: unsafe   data-model: ilp32   inputs: 0,-1   args: -DX -O0\n\
                // explore: unknown (time)\n// property: race   truth: safe\n// A remark: with a colon.\nint x; // explore: no\n";
    let read = questions(text).expect("good lines");
    assert_eq!(read.len(), 2);
    assert_eq!(read[0].recorded["explore"], ("unknown (time)".to_owned(), 1));
    assert_eq!((read[0].truth(), read[1].truth()), ("unsafe", "safe"));
    assert_eq!(read[0].inputs, Some(vec![0, -1]));
    assert_eq!(read[0].args, ["-DX", "-O0"]);
    assert_eq!((read[1].property, read[1].model), (Property::Race, MemoryModel::Sc));
    let fails = |text: &str| questions(text).is_err();
    assert!(fails("int x;\n"));
    assert!(fails("// property: unreach   truth: perhaps\n"));
    assert!(fails("// explore: safe\n"));
}

#[test]
fn every_program_asks_something() {
    for folder in ["programs", "tar"] {
        for path in programs(folder) {
            questions_of(&path).expect("first lines that are understood");
        }
    }
}
