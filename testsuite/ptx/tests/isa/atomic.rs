//! PTX ISA 9.7.13.15 and 9.7.13.16.

use crate::machine::{Machine, WARP};

/// Old value that lane 0 gets, and value in memory after one lane's operation.
fn once(operation: &str, width: u32, before: u64, operands: [u64; 2]) -> (u64, u64) {
    let machine = Machine::kernel(&format!(
        ".reg .b{width} %old, %b, %c;
        ld.b{width} %b, [%in+8]; ld.b{width} %c, [%in+16];
        setp.eq.u32 %p0, %l, 0;
        @%p0 {operation};
        @%p0 st.b{width} [%in+24], %old;"
    ));
    let memory = &machine.memory;
    let cell = memory.allocate(32);
    let words = [before, operands[0], operands[1], 0];
    memory.write(cell, &words.map(u64::to_le_bytes).concat());
    machine.run(WARP, &[memory.allocate(128), cell]).unwrap_or_else(|fault| panic!("{fault}"));
    let word = |offset| {
        let bytes = memory.read(cell + offset, 8);
        bytes.iter().rev().fold(0, |all, &byte| all << 8 | u64::from(byte))
    };
    (word(24), word(0))
}

#[test]
fn every_operation_returns_the_old_value() {
    let ones = 0xffff_ffff;
    let f = |value: f32| u64::from(value.to_bits());
    let d = f64::to_bits;
    let cases = [
        ("atom.exch.b32 %old, [%in], %b", 32, 5, [7, 0], 7),
        ("atom.exch.b64 %old, [%in], %b", 64, 5, [u64::MAX, 0], u64::MAX),
        ("atom.cas.b16 %old, [%in], %b, %c", 16, 5, [5, 9], 9),
        ("atom.cas.b32 %old, [%in], %b, %c", 32, 5, [5, 9], 9),
        ("atom.cas.b32 %old, [%in], %b, %c", 32, 5, [6, 9], 5),
        ("atom.cas.b64 %old, [%in], %b, %c", 64, 1 << 40, [1 << 40, 9], 9),
        ("atom.global.add.u32 %old, [%in], %b", 32, ones, [2, 0], 1),
        ("atom.add.s32 %old, [%in], %b", 32, 1, [ones, 0], 0),
        ("atom.add.u64 %old, [%in], %b", 64, ones, [1, 0], 1 << 32),
        ("atom.add.f32 %old, [%in], %b", 32, f(1.5), [f(2.0), 0], f(3.5)),
        ("atom.add.f64 %old, [%in], %b", 64, d(1.5), [d(2.0), 0], d(3.5)),
        ("atom.add.noftz.f16 %old, [%in], %b", 16, 0x3c00, [0x3c00, 0], 0x4000),
        ("atom.and.b32 %old, [%in], %b", 32, 0xff, [0x0f, 0], 0x0f),
        ("atom.and.b64 %old, [%in], %b", 64, 0xff, [0x0f, 0], 0x0f),
        ("atom.or.b32 %old, [%in], %b", 32, 0xf0, [0x0f, 0], 0xff),
        ("atom.or.b64 %old, [%in], %b", 64, 0xf0, [0x0f, 0], 0xff),
        ("atom.xor.b32 %old, [%in], %b", 32, 0xff, [0x0f, 0], 0xf0),
        ("atom.xor.b64 %old, [%in], %b", 64, 0xff, [0x0f, 0], 0xf0),
        ("atom.min.u32 %old, [%in], %b", 32, ones, [1, 0], 1),
        ("atom.min.s32 %old, [%in], %b", 32, ones, [1, 0], ones),
        ("atom.max.u32 %old, [%in], %b", 32, ones, [1, 0], ones),
        ("atom.max.s32 %old, [%in], %b", 32, ones, [1, 0], 1),
        ("atom.min.u64 %old, [%in], %b", 64, 3, [u64::MAX, 0], 3),
        ("atom.max.s64 %old, [%in], %b", 64, 3, [u64::MAX, 0], 3),
        ("atom.inc.u32 %old, [%in], %b", 32, 5, [5, 0], 0),
        ("atom.inc.u32 %old, [%in], %b", 32, 4, [5, 0], 5),
        ("atom.dec.u32 %old, [%in], %b", 32, 0, [5, 0], 5),
        ("atom.dec.u32 %old, [%in], %b", 32, 9, [5, 0], 5),
        ("atom.dec.u32 %old, [%in], %b", 32, 3, [5, 0], 2),
        ("atom.relaxed.gpu.global.add.u32 %old, [%in], 1", 32, 1, [0, 0], 2),
    ];
    for (operation, width, before, operands, after) in cases {
        assert_eq!(once(operation, width, before, operands), (before, after), "{operation}");
    }
}

#[test]
fn lanes_follow_each_other() {
    let machine = Machine::kernel("atom.add.u32 %r0, [%in], 2; st.u32 [%out], %r0;");
    let memory = &machine.memory;
    let (out, cell) = (memory.allocate(128), memory.allocate(4));
    machine.run(WARP, &[out, cell]).expect("no fault");
    assert_eq!(memory.words(cell, 1), [64]);
    let expected: Vec<u32> = (0..32).map(|lane| 2 * lane).collect();
    assert_eq!(memory.words(out, 32), expected);
}

#[test]
fn without_a_result() {
    let machine = Machine::kernel(
        "red.add.u32 [%in], %l; atom.add.u32 _, [%in], 1; red.global.or.b32 [%in+4], 6;",
    );
    let memory = &machine.memory;
    let cell = memory.allocate(8);
    machine.run(WARP, &[memory.allocate(128), cell]).expect("no fault");
    assert_eq!(memory.words(cell, 2), [31 * 32 / 2 + 32, 6]);
}

#[test]
fn shared_memory_has_atomics_too() {
    let machine = Machine::kernel(
        ".shared .u32 s; st.shared.u32 [s], 0; atom.shared.add.u32 %r0, [s], 1;
        ld.shared.u32 %r1, [s]; st.u32 [%out], %r1;",
    );
    assert_eq!(machine.words(32), [32; 32]);
}
