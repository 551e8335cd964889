//! PTX ISA 9.7.1, and the scalar video instructions that GCC uses.

use crate::table::check;

const MIN32: u64 = 0x8000_0000;
const MIN64: u64 = 1 << 63;
const ONES: u64 = u64::MAX;

#[test]
fn add_and_sub_wrap() {
    check(&[
        ("add.s32 s32, s32, s32", &[0x7fff_ffff, 1], MIN32),
        ("add.u32 u32, u32, -1", &[5], 4),
        ("add.u64 u64, u64, u64", &[ONES, 2], 1),
        ("add.s64 s64, s64, -9", &[4], 0u64.wrapping_sub(5)),
        ("add.u16 u16, u16, u16", &[0xffff, 2], 1),
        ("add.s16 s16, s16, s16", &[0x7fff, 1], 0x8000),
        ("sub.s32 s32, s32, s32", &[MIN32, 1], 0x7fff_ffff),
        ("sub.u32 u32, u32, u32", &[1, 3], 0xffff_fffe),
        ("sub.u64 u64, u64, u64", &[0, 1], ONES),
        ("sub.s64 s64, s64, s64", &[MIN64, 1], MIN64 - 1),
        ("sub.u16 u16, u16, u16", &[0, 1], 0xffff),
        ("sub.s16 s16, s16, s16", &[0x8000, 1], 0x7fff),
    ]);
}

#[test]
fn mul_takes_the_half_or_the_whole() {
    check(&[
        ("mul.lo.u16 u16, u16, u16", &[0x1234, 0x100], 0x3400),
        ("mul.lo.s16 s16, s16, s16", &[0xffff, 3], 0xfffd),
        ("mul.lo.u32 u32, u32, u32", &[0x8000_0001, 2], 2),
        ("mul.lo.s32 s32, s32, s32", &[0xffff_ffff, 7], 0xffff_fff9),
        ("mul.lo.u64 u64, u64, u64", &[MIN64 + 1, 2], 2),
        ("mul.lo.s64 s64, s64, -1", &[3], 0u64.wrapping_sub(3)),
        ("mul.hi.u16 u16, u16, u16", &[0xffff, 0xffff], 0xfffe),
        ("mul.hi.s16 s16, s16, s16", &[0xffff, 0xffff], 0),
        ("mul.hi.u32 u32, u32, u32", &[0xffff_ffff, 0xffff_ffff], 0xffff_fffe),
        ("mul.hi.s32 s32, s32, s32", &[0xffff_ffff, 2], 0xffff_ffff),
        ("mul.hi.u64 u64, u64, u64", &[ONES, ONES], ONES - 1),
        ("mul.hi.s64 s64, s64, s64", &[ONES, 2], ONES),
        ("mul.wide.u16 u32, u16, u16", &[0xffff, 0xffff], 0xfffe_0001),
        ("mul.wide.s16 s32, s16, s16", &[0xffff, 2], 0xffff_fffe),
        ("mul.wide.u32 u64, u32, u32", &[0xffff_ffff, 0xffff_ffff], 0xffff_fffe_0000_0001),
        ("mul.wide.s32 s64, s32, 8", &[0xffff_ffff], 0u64.wrapping_sub(8)),
    ]);
}

#[test]
fn mad_adds_to_the_product() {
    check(&[
        ("mad.lo.u16 u16, u16, u16, u16", &[0x100, 0x101, 5], 0x105),
        ("mad.lo.s16 s16, s16, s16, s16", &[0xffff, 3, 5], 2),
        ("mad.lo.u32 u32, u32, 4, u32", &[0x4000_0001, 9], 13),
        ("mad.lo.s32 s32, s32, s32, s32", &[0xffff_ffff, 3, 5], 2),
        ("mad.lo.u64 u64, u64, u64, u64", &[ONES, ONES, 1], 2),
        ("mad.lo.s64 s64, s64, s64, s64", &[ONES, 5, 5], 0),
        ("mad.hi.u32 u32, u32, u32, u32", &[0x8000_0000, 4, 1], 3),
        ("mad.hi.s32 s32, s32, s32, s32", &[0xffff_ffff, 4, 1], 0),
        ("mad.hi.u64 u64, u64, u64, u64", &[MIN64, 4, 1], 3),
        ("mad.wide.u16 u32, u16, u16, u32", &[0xffff, 2, 3], 0x2_0001),
        ("mad.wide.s16 s32, s16, s16, s32", &[0xffff, 2, 3], 1),
        ("mad.wide.u32 u64, u32, 4, u64", &[0xffff_ffff, 8], 0x4_0000_0004),
        ("mad.wide.s32 s64, s32, s32, s64", &[0xffff_ffff, 4, 8], 4),
    ]);
}

#[test]
fn div_and_rem_by_zero_and_minus_one() {
    check(&[
        ("div.u32 u32, u32, u32", &[0xffff_ffff, 2], 0x7fff_ffff),
        ("div.u32 u32, u32, u32", &[7, 0], 0xffff_ffff),
        ("div.s32 s32, s32, s32", &[0xffff_fff9, 2], 0xffff_fffd),
        ("div.s32 s32, s32, s32", &[MIN32, 0xffff_ffff], MIN32),
        ("div.s32 s32, s32, s32", &[7, 0], 0xffff_ffff),
        ("div.u64 u64, u64, u64", &[ONES, 3], ONES / 3),
        ("div.u64 u64, u64, u64", &[1, 0], ONES),
        ("div.s64 s64, s64, s64", &[MIN64, ONES], MIN64),
        ("div.u16 u16, u16, u16", &[0xffff, 0x10], 0xfff),
        ("div.s16 s16, s16, s16", &[0x8000, 0xffff], 0x8000),
        ("rem.u32 u32, u32, u32", &[0xffff_ffff, 16], 15),
        ("rem.u32 u32, u32, u32", &[7, 0], 7),
        ("rem.s32 s32, s32, s32", &[0xffff_fff9, 2], 0xffff_ffff),
        ("rem.s32 s32, s32, s32", &[7, 0xffff_fffe], 1),
        ("rem.s32 s32, s32, s32", &[MIN32, 0xffff_ffff], 0),
        ("rem.u64 u64, u64, u64", &[ONES, 10], ONES % 10),
        ("rem.s64 s64, s64, s64", &[MIN64, ONES], 0),
        ("rem.u16 u16, u16, u16", &[17, 5], 2),
        ("rem.s16 s16, s16, s16", &[0xfffd, 2], 0xffff),
    ]);
}

#[test]
fn min_and_max_know_the_sign() {
    check(&[
        ("min.u32 u32, u32, u32", &[0xffff_ffff, 1], 1),
        ("min.s32 s32, s32, s32", &[0xffff_ffff, 1], 0xffff_ffff),
        ("min.u64 u64, u64, u64", &[ONES, 1], 1),
        ("min.s64 s64, s64, s64", &[ONES, 1], ONES),
        ("min.u16 u16, u16, u16", &[0xffff, 1], 1),
        ("min.s16 s16, s16, s16", &[0xffff, 1], 0xffff),
        ("max.u32 u32, u32, u32", &[0xffff_ffff, 1], 0xffff_ffff),
        ("max.s32 s32, s32, s32", &[0xffff_ffff, 1], 1),
        ("max.u64 u64, u64, u64", &[ONES, 1], ONES),
        ("max.s64 s64, s64, s64", &[ONES, 1], 1),
        ("max.u16 u16, u16, u16", &[0xffff, 1], 0xffff),
        ("max.s16 s16, s16, s16", &[0xffff, 1], 1),
    ]);
}

#[test]
fn abs_and_neg_of_the_lowest_value_stay() {
    check(&[
        ("abs.s16 s16, s16", &[0xfffb], 5),
        ("abs.s32 s32, s32", &[0xffff_fffb], 5),
        ("abs.s32 s32, s32", &[MIN32], MIN32),
        ("abs.s64 s64, s64", &[0u64.wrapping_sub(5)], 5),
        ("neg.s16 s16, s16", &[0x8000], 0x8000),
        ("neg.s32 s32, s32", &[5], 0xffff_fffb),
        ("neg.s64 s64, s64", &[MIN64], MIN64),
    ]);
}

#[test]
fn bits_are_counted_and_found() {
    check(&[
        ("popc.b32 u32, b32", &[0xf0f0_0001], 9),
        ("popc.b64 u32, b64", &[ONES], 64),
        ("clz.b32 u32, b32", &[0], 32),
        ("clz.b32 u32, b32", &[0x0001_0000], 15),
        ("clz.b64 u32, b64", &[1], 63),
        ("clz.b64 u32, b64", &[0], 64),
        ("brev.b32 b32, b32", &[1], MIN32),
        ("brev.b64 b64, b64", &[0xf], 0xf << 60),
        ("bfind.u32 u32, u32", &[0x0001_0000], 16),
        ("bfind.u32 u32, u32", &[0], 0xffff_ffff),
        ("bfind.s32 u32, s32", &[0xffff_0000], 15),
        ("bfind.s32 u32, s32", &[0xffff_ffff], 0xffff_ffff),
        ("bfind.u64 u32, u64", &[MIN64], 63),
        ("bfind.s64 u32, s64", &[MIN64], 62),
    ]);
}

#[test]
fn video_instructions_add_a_third_source() {
    check(&[
        ("vadd.u32.u32.u32.add u32, u32, u32, u32", &[0xffff_ffff, 2, 3], 4),
        ("vadd.u32.u32.u32 u32, u32, u32", &[0xffff_ffff, 2], 1),
        ("vsub.u32.u32.u32.add u32, u32, u32, u32", &[1, 2, 3], 2),
        ("vsub.u32.u32.u32 u32, u32, u32", &[1, 2], 0xffff_ffff),
    ]);
}
