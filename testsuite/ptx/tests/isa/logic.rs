//! PTX ISA 9.7.8, bit fields and selection.

use crate::table::check;

const ONES: u64 = u64::MAX;

#[test]
fn logic_of_every_width() {
    check(&[
        ("and.b16 b16, b16, b16", &[0xff0f, 0x0ff0], 0x0f00),
        ("and.b32 b32, b32, 255", &[0x1234], 0x34),
        ("and.b64 b64, b64, -2", &[3], 2),
        ("or.b16 b16, b16, b16", &[0xf000, 0x000f], 0xf00f),
        ("or.b32 b32, b32, b32", &[0xf000_0000, 1], 0xf000_0001),
        ("or.b64 b64, b64, b64", &[1 << 63, 1], 1 << 63 | 1),
        ("xor.b16 b16, b16, b16", &[0xffff, 0x00ff], 0xff00),
        ("xor.b32 b32, b32, b32", &[0xffff_ffff, 1], 0xffff_fffe),
        ("xor.b64 b64, b64, b64", &[ONES, ONES], 0),
        ("not.b16 b16, b16", &[0x00ff], 0xff00),
        ("not.b32 b32, b32", &[0], 0xffff_ffff),
        ("not.b64 b64, b64", &[1], ONES - 1),
        ("cnot.b16 b16, b16", &[0], 1),
        ("cnot.b32 b32, b32", &[0], 1),
        ("cnot.b32 b32, b32", &[2], 0),
        ("cnot.b64 b64, b64", &[1 << 40], 0),
    ]);
}

#[test]
fn logic_of_predicates() {
    check(&[
        ("and.pred pred, pred, pred", &[1, 1], 1),
        ("and.pred pred, pred, pred", &[1, 0], 0),
        ("or.pred pred, pred, pred", &[0, 1], 1),
        ("xor.pred pred, pred, pred", &[1, 1], 0),
        ("not.pred pred, pred", &[0], 1),
        ("mov.pred pred, pred", &[1], 1),
    ]);
}

#[test]
fn shifts_by_the_width_and_more() {
    check(&[
        ("shl.b16 b16, b16, u32", &[0x8001, 1], 2),
        ("shl.b16 b16, b16, u32", &[1, 16], 0),
        ("shl.b32 b32, b32, u32", &[1, 31], 0x8000_0000),
        ("shl.b32 b32, b32, u32", &[1, 32], 0),
        ("shl.b32 b32, b32, u32", &[1, 0xffff_ffff], 0),
        ("shl.b64 b64, b64, u32", &[1, 63], 1 << 63),
        ("shl.b64 b64, b64, u32", &[1, 64], 0),
        ("shr.u16 u16, u16, u32", &[0x8000, 15], 1),
        ("shr.s16 s16, s16, u32", &[0x8000, 40], 0xffff),
        ("shr.u32 u32, u32, u32", &[0x8000_0000, 31], 1),
        ("shr.u32 u32, u32, u32", &[0xffff_ffff, 32], 0),
        ("shr.b32 b32, b32, u32", &[0x8000_0000, 4], 0x0800_0000),
        ("shr.s32 s32, s32, u32", &[0x8000_0000, 31], 0xffff_ffff),
        ("shr.s32 s32, s32, u32", &[0x8000_0000, 99], 0xffff_ffff),
        ("shr.s32 s32, s32, u32", &[0x7fff_ffff, 99], 0),
        ("shr.u64 u64, u64, u32", &[ONES, 64], 0),
        ("shr.s64 s64, s64, u32", &[1 << 63, 64], ONES),
        ("shr.b64 b64, b64, u32", &[ONES, 60], 15),
    ]);
}

#[test]
fn funnel_shifts_wrap_or_clamp() {
    check(&[
        ("shf.l.wrap.b32 b32, b32, b32, u32", &[0x8000_0000, 1, 1], 3),
        ("shf.l.wrap.b32 b32, b32, b32, u32", &[0x8000_0000, 1, 33], 3),
        ("shf.l.clamp.b32 b32, b32, b32, u32", &[0x1234, 1, 33], 0x1234),
        ("shf.r.wrap.b32 b32, b32, b32, u32", &[2, 1, 1], 0x8000_0001),
        ("shf.r.wrap.b32 b32, b32, b32, u32", &[2, 1, 32], 2),
        ("shf.r.clamp.b32 b32, b32, b32, u32", &[2, 0x77, 40], 0x77),
    ]);
}

#[test]
fn bit_fields_and_permutations() {
    check(&[
        ("bfe.u32 u32, u32, u32, u32", &[0x1234_5678, 8, 8], 0x56),
        ("bfe.u32 u32, u32, u32, u32", &[0xffff_ffff, 28, 8], 0xf),
        ("bfe.u32 u32, u32, u32, u32", &[0xffff_ffff, 0, 0], 0),
        ("bfe.s32 s32, s32, u32, u32", &[0x0000_8000, 8, 8], 0xffff_ff80),
        ("bfe.s32 s32, s32, u32, u32", &[0x8000_0000, 28, 8], 0xffff_fff8),
        ("bfe.s32 s32, s32, u32, u32", &[0x8000_0000, 40, 8], 0xffff_ffff),
        ("bfe.u64 u64, u64, u32, u32", &[ONES, 60, 64], 15),
        ("bfe.s64 s64, s64, u32, u32", &[0xf0, 4, 4], ONES),
        ("prmt.b32 b32, b32, b32, b32", &[0x3322_1100, 0x7766_5544, 0x0123], 0x0011_2233),
        ("prmt.b32 b32, b32, b32, b32", &[0x0000_0080, 0x7766_5544, 0x7648], 0x7766_44ff),
    ]);
}

#[test]
fn selp_takes_the_first_where_the_predicate_holds() {
    check(&[
        ("selp.u16 u16, u16, u16, pred", &[1, 2, 1], 1),
        ("selp.b16 b16, b16, b16, pred", &[1, 2, 0], 2),
        ("selp.u32 u32, 1, 0, pred", &[1], 1),
        ("selp.s32 s32, s32, s32, pred", &[1, 2, 0], 2),
        ("selp.b32 b32, b32, b32, pred", &[1, 2, 1], 1),
        ("selp.u64 u64, u64, u64, pred", &[ONES, 2, 1], ONES),
        ("selp.s64 s64, s64, s64, pred", &[ONES, 2, 0], 2),
        ("selp.b64 b64, b64, b64, pred", &[ONES, 2, 0], 2),
        ("selp.f32 f32, f32, f32, pred", &[0x3f80_0000, 0, 1], 0x3f80_0000),
        ("selp.f64 f64, f64, 0d0000000000000000, pred", &[7, 0], 0),
        ("selp.f16 f16, f16, f16, pred", &[0x3c00, 1, 1], 0x3c00),
    ]);
}
