//! Runs single instructions: for one value, for a value of each lane, and
//! under a guard.

use crate::machine::{Machine, WARP};

/// What the destination holds before, and idle lanes keep.
const BEFORE: u64 = 0x1122_3344_5566_7788;
/// What lanes with odd numbers have in place of an input.
const OTHER: u64 = 0x5a5a_5a5a_5a5a_5a5a;

/// `(form, inputs, output)`: a form is an instruction with the types of its
/// registers in their places, e.g. `add.s32 s32, s32, 7`; inputs and output
/// are bits.
pub(crate) type Row<'a> = (&'a str, &'a [u64], u64);

pub(crate) fn check(rows: &[Row<'_>]) {
    for &(form, inputs, expected) in rows {
        let width = bits(form.split_whitespace().nth(1).expect("a destination"));
        let mask = u64::MAX >> (64 - width);
        let show = |got: u64| format!("{form} of {inputs:x?}: {got:#x}, not {expected:#x}");

        let uniform = execute(form, &[inputs.to_vec()], "", false);
        assert!(uniform.iter().all(|&got| got == expected & mask), "{}", show(uniform[0]));

        let others: Vec<u64> = inputs.iter().map(|input| input ^ OTHER).collect();
        let other = execute(form, std::slice::from_ref(&others), "", false)[0];
        let mixed = execute(form, &[inputs.to_vec(), others], "", true);
        for (lane, &got) in mixed.iter().enumerate() {
            let expected = if lane % 2 == 0 { expected & mask } else { other };
            assert_eq!(got, expected, "{form} of {inputs:x?} in lane {lane}");
        }

        let guarded = execute(form, &[inputs.to_vec()], "@%even", false);
        for (lane, &got) in guarded.iter().enumerate() {
            let before = if width == 1 { 1 } else { BEFORE & mask };
            let expected = if lane % 2 == 0 { expected & mask } else { before };
            assert_eq!(got, expected, "guarded {form} in lane {lane}");
        }
    }
}

/// Width of a register type in bits.
fn bits(name: &str) -> u32 {
    match name.trim_end_matches(',') {
        "pred" => 1,
        other => other[1..].parse().expect("a type"),
    }
}

fn is_type(word: &str) -> bool {
    word == "pred"
        || word.len() >= 2
            && word.starts_with(['b', 'u', 's', 'f'])
            && matches!(&word[1..], "16" | "32" | "64")
}

/// The destination in all lanes; even lanes take the first set of inputs, odd
/// ones the last.
fn execute(form: &str, inputs: &[Vec<u64>], guard: &str, by_lane: bool) -> Vec<u64> {
    let (mnemonic, operands) = form.split_once(' ').expect("operands");
    let (mut declarations, mut loads, mut operand_list) =
        (String::new(), String::new(), Vec::new());
    let mut sources = 0;
    for (number, operand) in operands.split(", ").enumerate() {
        if !is_type(operand) {
            operand_list.push(operand.to_owned());
            continue;
        }
        let register = format!("%v{number}");
        declarations += &format!(".reg .{operand} {register};\n");
        let width = bits(operand);
        let (from, offset) = if number == 0 { ("before", 0) } else { ("in", 8 * sources) };
        sources += u64::from(number > 0);
        loads += &match width {
            1 => format!("ld.u8 %byte, [%{from}+{offset}];\nsetp.ne.u32 {register}, %byte, 0;\n"),
            _ => format!("ld.b{width} {register}, [%{from}+{offset}];\n"),
        };
        operand_list.push(register);
    }
    let store = match bits(operands.split(", ").next().expect("a destination")) {
        1 => "selp.u32 %byte, 1, 0, %v0;\nst.u8 [%out], %byte;".to_owned(),
        width => format!("st.b{width} [%out], %v0;"),
    };
    let stride = if by_lane { 8 * inputs[0].len().max(1) } else { 0 };
    let text = format!(
        ".visible .entry k (.param .u64 %p0, .param .u64 %p1, .param .u64 %p2)
{{
.reg .u64 %out, %in, %before;
.reg .u32 %lane, %bit, %byte;
.reg .pred %even;
{declarations}
ld.param.u64 %out, [%p0];
ld.param.u64 %in, [%p1];
ld.param.u64 %before, [%p2];
mov.u32 %lane, %laneid;
and.b32 %bit, %lane, 1;
setp.eq.u32 %even, %bit, 0;
mad.wide.u32 %out, %lane, 8, %out;
mad.wide.u32 %in, %bit, {stride}, %in;
{loads}
{guard} {mnemonic} {};
{store}
ret;
}}
",
        operand_list.join(", ")
    );
    let machine = Machine::new(&text);
    let words: Vec<u8> = inputs.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    let input = machine.memory.allocate(words.len().max(8) as u64);
    machine.memory.write(input, &words);
    let output = machine.memory.allocate(8 * 32);
    let before = machine.memory.allocate(8);
    machine.memory.write(before, &BEFORE.to_le_bytes());
    machine.run(WARP, &[output, input, before]).unwrap_or_else(|fault| panic!("{fault}\n{text}"));
    let bytes = machine.memory.read(output, 8 * 32);
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte));
    bytes.chunks(8).map(word).collect()
}
