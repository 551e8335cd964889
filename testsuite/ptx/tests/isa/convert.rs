//! PTX ISA 9.7.9.21.

use crate::table::{Row, check};

const ONES: u64 = u64::MAX;

fn f(value: f32) -> u64 {
    u64::from(value.to_bits())
}

fn d(value: f64) -> u64 {
    value.to_bits()
}

#[test]
fn integers_extend_by_the_sign_of_the_source() {
    check(&[
        ("cvt.u16.u8 u16, u32", &[0x1ff], 0xff),
        ("cvt.s16.s8 s16, u32", &[0x1ff], 0xffff),
        ("cvt.u32.u8 u32, u32", &[0xfff], 0xff),
        ("cvt.s32.s8 s32, u32", &[0x80], 0xffff_ff80),
        ("cvt.u32.u16 u32, u16", &[0xffff], 0xffff),
        ("cvt.s32.s16 s32, u16", &[0x8000], 0xffff_8000),
        ("cvt.u64.u8 u64, u32", &[0x80], 0x80),
        ("cvt.s64.s8 s64, u32", &[0x80], ONES << 7),
        ("cvt.u64.u16 u64, u16", &[0x8000], 0x8000),
        ("cvt.s64.s16 s64, u16", &[0x8000], ONES << 15),
        ("cvt.u64.u32 u64, u32", &[0x8000_0000], 0x8000_0000),
        ("cvt.s64.s32 s64, s32", &[0x8000_0000], ONES << 31),
        ("cvt.u32.u64 u32, u64", &[ONES], 0xffff_ffff),
        ("cvt.u16.u32 u16, u32", &[0x1_2345], 0x2345),
        ("cvt.u16.u64 u16, u64", &[0x1_2345], 0x2345),
        ("cvt.u32.u32 u32, u32", &[7], 7),
        ("cvt.u8.u32 u32, u32", &[0x1ff], 0xff),
    ]);
}

/// PTX ISA 9.4.1: the destination may be wider than the type.
#[test]
fn a_wider_destination_gets_the_sign() {
    check(&[
        ("cvt.s8.s32 u32, s32", &[0x80], 0xffff_ff80),
        ("cvt.s16.s8 u32, u32", &[0x80], 0xffff_ff80),
        ("cvt.s16.s8 u64, u32", &[0x80], ONES << 7),
        ("cvt.s32.s64 u64, s64", &[0x8000_0000], ONES << 31),
        ("cvt.u16.u8 u32, u32", &[0x80], 0x80),
    ]);
}

#[test]
fn integers_become_the_nearest_number() {
    check(&[
        ("cvt.rn.f32.s32 f32, s32", &[0xffff_ffff], f(-1.0)),
        ("cvt.rn.f32.u32 f32, u32", &[0xffff_ffff], f(4_294_967_296.0)),
        ("cvt.rn.f32.s64 f32, s64", &[ONES], f(-1.0)),
        ("cvt.rn.f32.u64 f32, u64", &[ONES], f(18_446_744_073_709_551_616.0)),
        ("cvt.rn.f32.s32 f32, s32", &[16_777_217], f(16_777_216.0)),
        ("cvt.rn.f32.s32 f32, s32", &[16_777_219], f(16_777_220.0)),
        ("cvt.rn.f32.u16 f32, u16", &[0xffff], f(65_535.0)),
        ("cvt.rn.f32.s16 f32, s16", &[0xffff], f(-1.0)),
        ("cvt.rn.f32.s8 f32, u32", &[0xff], f(-1.0)),
        ("cvt.rn.f64.s32 f64, s32", &[0x8000_0000], d(-2_147_483_648.0)),
        ("cvt.rn.f64.u32 f64, u32", &[0x8000_0000], d(2_147_483_648.0)),
        ("cvt.rn.f64.s64 f64, s64", &[1 << 63], d(-9_223_372_036_854_775_808.0)),
        ("cvt.rn.f64.u64 f64, u64", &[1 << 63], d(9_223_372_036_854_775_808.0)),
        ("cvt.rn.f16.s32 f16, s32", &[2049], 0x6800),
        ("cvt.rn.f16.u64 f16, u64", &[ONES], 0x7c00),
    ]);
}

#[test]
fn numbers_round_as_told() {
    let roundings: [(&str, [i32; 4]); 4] = [
        ("rni", [2, -2, 2, -2]),
        ("rzi", [1, -1, 2, -2]),
        ("rmi", [1, -2, 2, -3]),
        ("rpi", [2, -1, 3, -2]),
    ];
    for (rounding, expected) in roundings {
        let inputs = [1.5, -1.5, 2.5, -2.5];
        for (input, expected) in inputs.into_iter().zip(expected) {
            let integer = expected as u32;
            let forms =
                ["s32.f64 s32, f64", "f64.f64 f64, f64", "s32.f32 s32, f32", "f32.f32 f32, f32"]
                    .map(|types| format!("cvt.{rounding}.{types}"));
            let (single, double) = ([f(input as f32)], [d(input)]);
            let rows: [Row<'_>; 4] = [
                (&forms[0], &double, u64::from(integer)),
                (&forms[1], &double, d(f64::from(expected))),
                (&forms[2], &single, u64::from(integer)),
                (&forms[3], &single, f(expected as f32)),
            ];
            check(&rows);
        }
    }
}

#[test]
fn numbers_out_of_range_are_clamped() {
    check(&[
        ("cvt.rzi.s32.f32 s32, f32", &[f(3e9)], 0x7fff_ffff),
        ("cvt.rzi.s32.f32 s32, f32", &[f(-3e9)], 0x8000_0000),
        ("cvt.rzi.s32.f32 s32, f32", &[f(f32::NAN)], 0),
        ("cvt.rzi.u32.f32 u32, f32", &[f(-1.0)], 0),
        ("cvt.rzi.u32.f32 u32, f32", &[f(5e9)], 0xffff_ffff),
        ("cvt.rzi.s64.f64 s64, f64", &[d(1e19)], ONES >> 1),
        ("cvt.rzi.u64.f64 u64, f64", &[d(1e19)], 10_000_000_000_000_000_000),
        ("cvt.rzi.u64.f64 u64, f64", &[d(f64::INFINITY)], ONES),
        ("cvt.rzi.s64.f32 s64, f32", &[f(-2.9)], 0u64.wrapping_sub(2)),
        ("cvt.rzi.u64.f32 u64, f32", &[f(3.9)], 3),
        ("cvt.rzi.s16.f32 s16, f32", &[f(40_000.0)], 0x7fff),
        ("cvt.rzi.u16.f64 u16, f64", &[d(-1.0)], 0),
        ("cvt.rzi.s8.f32 s32, f32", &[f(-200.0)], 0xffff_ff80),
        ("cvt.rzi.u8.f64 u32, f64", &[d(300.0)], 0xff),
    ]);
}

#[test]
fn numbers_become_narrower_and_wider() {
    check(&[
        ("cvt.f64.f32 f64, f32", &[f(0.1)], d(f64::from(0.1f32))),
        ("cvt.rn.f32.f64 f32, f64", &[d(0.1)], f(0.1)),
        ("cvt.rn.f32.f64 f32, f64", &[d(1e300)], f(f32::INFINITY)),
        ("cvt.f32.f16 f32, f16", &[0x3c00], f(1.0)),
        ("cvt.f32.f16 f32, f16", &[0x0001], f(5.960_464_5e-8)),
        ("cvt.f32.f16 f32, f16", &[0xfc00], f(f32::NEG_INFINITY)),
        ("cvt.f64.f16 f64, f16", &[0xc000], d(-2.0)),
        ("cvt.rn.f16.f32 f16, f32", &[f(1.0)], 0x3c00),
        ("cvt.rn.f16.f32 f16, f32", &[f(65_504.0)], 0x7bff),
        ("cvt.rn.f16.f32 f16, f32", &[f(65_520.0)], 0x7c00),
        ("cvt.rn.f16.f32 f16, f32", &[f(1.000_488_3)], 0x3c00),
        ("cvt.rn.f16.f32 f16, f32", &[f(1.001_464_8)], 0x3c02),
        ("cvt.rn.f16.f32 f16, f32", &[f(-5.960_464_5e-8)], 0x8001),
        ("cvt.rn.f16.f32 f16, f32", &[f(6.097_555e-5)], 0x03ff),
        ("cvt.rn.f16.f64 f16, f64", &[d(0.0)], 0),
        ("cvt.rzi.s32.f16 s32, f16", &[0x4100], 2),
        ("cvt.rni.f16.f16 f16, f16", &[0x4100], 0x4000),
    ]);
}
