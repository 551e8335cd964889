//! PTX ISA 11.6 and 5.4: names, their visibility and initial values.

use crate::machine::{Machine, WARP};

fn error(texts: &[&str]) -> String {
    Machine::link(texts).err().map_or("no error".to_owned(), |error| error.to_string())
}

/// Bytes of a variable.
fn bytes(machine: &Machine, name: &str) -> Vec<u8> {
    let (address, size) = machine.program.variable(name).expect("a variable");
    machine.memory.read(address, size as usize)
}

#[test]
fn initial_values() {
    let machine = Machine::new(
        ".visible .global .align 8 .u64 words[3] = { 1, -1, other+4 };
        .global .u32 other[2] = { 7 };
        .visible .const .align 1 .b8 text[6] = { 104, 105, 0 };
        .visible .global .f32 single = 0f3F800000;
        .global .align 4 .u32 grid[2][2] = { {1, 2}, {3, 4} };
        .visible .global .f64 open[] = { 0d3FF0000000000000, 0d4000000000000000 };
        .visible .global .u64 pointers[2] = { generic(text)+2, f };
        .global .u32 empty[];
        .func f { ret; }",
    );
    assert_eq!(machine.program.variable("empty").map(|(_, size)| size), Some(0));
    let word = |name: &str, index: usize| {
        let bytes = bytes(&machine, name);
        u64::from_le_bytes(*bytes[8 * index..].first_chunk().expect("a word"))
    };
    let (other, _) = machine.program.variable("other").expect("internal, but found");
    assert_eq!([word("words", 0), word("words", 1)], [1, u64::MAX]);
    assert_eq!(word("words", 2), other + 4);
    assert_eq!(bytes(&machine, "other"), [7, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(bytes(&machine, "text"), *b"hi\0\0\0\0");
    assert_eq!(bytes(&machine, "single"), 1f32.to_le_bytes());
    assert_eq!(bytes(&machine, "grid"), [1u32, 2, 3, 4].map(u32::to_le_bytes).concat());
    assert_eq!(bytes(&machine, "open"), [1f64, 2.0].map(f64::to_le_bytes).concat());
    let (text, _) = machine.program.variable("text").expect("text");
    assert_eq!(word("pointers", 0), text + 2);
    assert_ne!(word("pointers", 1), 0);
    assert_eq!(machine.program.variables().count(), 8);
}

const KERNEL: &str = "
    .extern .func (.param .u32 %v) value;
    .extern .global .u32 cell;
    .visible .entry k (.param .u64 %a, .param .u64 %b)
    {
    .reg .u64 %out; .reg .u32 %r, %s; .param .u32 %v;
    ld.param.u64 %out, [%a];
    call (%v), value;
    ld.param.u32 %r, [%v];
    ld.global.u32 %s, [cell];
    mad.lo.u32 %r, %r, 100, %s;
    st.u32 [%out], %r;
    ret;
    }";

/// A function that returns a constant.
fn value(linkage: &str, name: &str, value: u32) -> String {
    format!("{linkage} .func (.param .u32 %v) {name} {{ st.param.u32 [%v], {value}; ret; }}\n")
}

fn run(texts: &[&str]) -> u32 {
    let machine = Machine::link(texts).unwrap_or_else(|error| panic!("{error}"));
    let out = machine.memory.allocate(128);
    machine.run(WARP, &[out, 0]).unwrap_or_else(|fault| panic!("{fault}"));
    machine.memory.words(out, 1)[0]
}

#[test]
fn names_of_other_objects() {
    let other = value(".visible", "value", 3) + ".visible .global .u32 cell = 4;";
    assert_eq!(run(&[KERNEL, &other]), 304);
    assert_eq!(run(&[&other, KERNEL]), 304);
}

#[test]
fn internal_names_stay_inside() {
    let internal = value("", "value", 9) + ".global .u32 cell = 9;";
    let other = value(".visible", "value", 3) + ".visible .global .u32 cell = 4;";
    assert_eq!(run(&[&internal, KERNEL, &other, &internal]), 304);
    assert_eq!(error(&[KERNEL, &internal]), "0.ptx:11: undefined symbol 'value'");
}

#[test]
fn weak_definitions_yield() {
    let weak = value(".weak", "value", 1) + ".weak .global .u32 cell = 2;";
    let strong = value(".visible", "value", 3) + ".visible .global .u32 cell = 4;";
    let common = value(".weak", "value", 5) + ".common .global .u32 cell;";
    assert_eq!(run(&[KERNEL, &weak]), 102);
    assert_eq!(run(&[&weak, KERNEL, &strong]), 304);
    assert_eq!(run(&[&strong, KERNEL, &weak]), 304);
    assert_eq!(run(&[&common, KERNEL, &weak]), 500);
}

#[test]
fn aliases_are_other_names() {
    let aliased = value("", "internal", 6)
        + ".visible .func (.param .u32 %v) value;\n.alias value, internal;\n"
        + ".visible .global .u32 cell = 1;";
    assert_eq!(run(&[KERNEL, &aliased]), 601);
    assert_eq!(error(&[".alias a, b;"]), "0.ptx:4: alias of undefined symbol 'b'");
}

#[test]
fn errors_name_the_object() {
    let twice = ".visible .global .u32 x;";
    let missing = ".global .u64 x = y;";
    insta::assert_snapshot!([error(&[twice, twice]), error(&[missing])].join("\n"));
}
