//! PTX ISA 9.7.6 and 9.7.7.

use crate::table::{Row, check};

/// Comparisons of −1 (or the highest number) with 1.
fn against_one(types: [&str; 2], width: u32, comparisons: &[(&str, u64, u64)]) {
    let ones = u64::MAX >> (64 - width);
    for &(comparison, signed, unsigned) in comparisons {
        for (t, expected) in types.iter().zip([signed, unsigned]) {
            let form = format!("setp.{comparison}.{t} pred, {t}, {t}");
            check(&[(&form, &[ones, 1], expected)]);
        }
    }
}

#[test]
fn integers_of_every_width() {
    let comparisons =
        [("eq", 0, 0), ("ne", 1, 1), ("lt", 1, 0), ("le", 1, 0), ("gt", 0, 1), ("ge", 0, 1)];
    against_one(["s16", "u16"], 16, &comparisons);
    against_one(["s32", "u32"], 32, &comparisons);
    against_one(["s64", "u64"], 64, &comparisons);
    check(&[
        ("setp.lo.u32 pred, u32, u32", &[1, 2], 1),
        ("setp.ls.u32 pred, u32, u32", &[2, 2], 1),
        ("setp.hi.u32 pred, u32, u32", &[2, 1], 1),
        ("setp.hs.u32 pred, u32, u32", &[1, 2], 0),
        ("setp.eq.b32 pred, b32, b32", &[7, 7], 1),
        ("setp.ne.b64 pred, b64, b64", &[7, 7], 0),
        ("setp.eq.b16 pred, b16, b16", &[7, 8], 0),
        ("setp.eq.u32 pred, u32, 0", &[0], 1),
    ]);
}

/// What a comparison gives for (1, 2), (2, 2), (2, 1) and (1, NaN).
const FLOATS: [(&str, [u64; 4]); 14] = [
    ("eq", [0, 1, 0, 0]),
    ("ne", [1, 0, 1, 0]),
    ("lt", [1, 0, 0, 0]),
    ("le", [1, 1, 0, 0]),
    ("gt", [0, 0, 1, 0]),
    ("ge", [0, 1, 1, 0]),
    ("equ", [0, 1, 0, 1]),
    ("neu", [1, 0, 1, 1]),
    ("ltu", [1, 0, 0, 1]),
    ("leu", [1, 1, 0, 1]),
    ("gtu", [0, 0, 1, 1]),
    ("geu", [0, 1, 1, 1]),
    ("num", [1, 1, 1, 0]),
    ("nan", [0, 0, 0, 1]),
];

#[test]
fn numbers_ordered_and_not() {
    let single = [1f32, 2.0, f32::NAN].map(|value| u64::from(value.to_bits()));
    let double = [1f64, 2.0, f64::NAN].map(f64::to_bits);
    for (t, [one, two, nan]) in [("f32", single), ("f64", double)] {
        for (comparison, expected) in FLOATS {
            let form = format!("setp.{comparison}.{t} pred, {t}, {t}");
            let inputs = [[one, two], [two, two], [two, one], [one, nan]];
            let rows = inputs.iter().zip(expected);
            let rows: Vec<Row<'_>> =
                rows.map(|(inputs, expected)| (&form[..], &inputs[..], expected)).collect();
            check(&rows);
        }
    }
}

#[test]
fn set_gives_ones_or_one() {
    check(&[
        ("set.gt.u32.s32 u32, s32, s32", &[1, 0xffff_ffff], 0xffff_ffff),
        ("set.u32.eq.u32 u32, u32, u32", &[1, 2], 0),
        ("set.u32.gt.u64 u32, u64, u64", &[2, 1], 0xffff_ffff),
        ("set.lt.s32.f32 s32, f32, f32", &[0, 0x3f80_0000], 0xffff_ffff),
        ("set.lt.f32.f64 f32, f64, f64", &[0, 0x3ff0 << 48], 0x3f80_0000),
        ("set.nan.f32.f32 f32, f32, f32", &[0, 0], 0),
    ]);
}
