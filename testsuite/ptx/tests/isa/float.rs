//! PTX ISA 9.7.3 and 9.7.4.

use crate::table::check;

const NAN32: u64 = 0x7fc0_0000;
const NAN64: u64 = 0x7ff8 << 48;
const ZERO_MINUS32: u64 = 0x8000_0000;

fn f(value: f32) -> u64 {
    u64::from(value.to_bits())
}

fn d(value: f64) -> u64 {
    value.to_bits()
}

#[test]
fn arithmetic_rounds_to_nearest() {
    check(&[
        ("add.f32 f32, f32, f32", &[f(1.0), f(2.5)], f(3.5)),
        ("add.f32 f32, f32, f32", &[f(16_777_216.0), f(1.0)], f(16_777_216.0)),
        ("add.rn.f32 f32, f32, 0f3F800000", &[f(1.0)], f(2.0)),
        ("add.f64 f64, f64, f64", &[d(0.1), d(0.2)], d(0.1 + 0.2)),
        ("sub.f32 f32, f32, f32", &[f(1.0), f(2.5)], f(-1.5)),
        ("sub.f64 f64, f64, f64", &[d(1.0), d(2.5)], d(-1.5)),
        ("mul.f32 f32, f32, f32", &[f(3.0), f(-0.5)], f(-1.5)),
        ("mul.rn.f64 f64, f64, f64", &[d(0.1), d(3.0)], d(0.1 * 3.0)),
        ("mul.f64 f64, f64, f64", &[d(1e300), d(1e300)], d(f64::INFINITY)),
        ("div.rn.f32 f32, f32, f32", &[f(1.0), f(3.0)], f(1.0 / 3.0)),
        ("div.full.f32 f32, f32, f32", &[f(1.0), f(0.0)], f(f32::INFINITY)),
        ("div.approx.f32 f32, f32, f32", &[f(-1.0), f(4.0)], f(-0.25)),
        ("div.rn.f64 f64, f64, f64", &[d(1.0), d(3.0)], d(1.0 / 3.0)),
    ]);
}

#[test]
fn fma_rounds_once() {
    // What rounding the product takes away from it.
    let single = 1.0 + f32::EPSILON;
    let double = 1.0 + f64::EPSILON;
    let (rest32, rest64) = (f32::EPSILON.powi(2), f64::EPSILON.powi(2));
    check(&[
        ("fma.rn.f32 f32, f32, f32, f32", &[f(single), f(single), f(-(single * single))], {
            f(rest32)
        }),
        ("mad.rn.f32 f32, f32, f32, f32", &[f(2.0), f(3.0), f(4.0)], f(10.0)),
        ("fma.rn.f64 f64, f64, f64, f64", &[d(double), d(double), d(-(double * double))], {
            d(rest64)
        }),
    ]);
}

#[test]
fn min_and_max_prefer_numbers() {
    check(&[
        ("min.f32 f32, f32, f32", &[f(1.0), f(-2.0)], f(-2.0)),
        ("min.f32 f32, f32, f32", &[NAN32, f(-2.0)], f(-2.0)),
        ("min.f32 f32, f32, f32", &[f(-2.0), NAN32], f(-2.0)),
        ("min.f32 f32, f32, f32", &[f(0.0), ZERO_MINUS32], ZERO_MINUS32),
        ("min.f32 f32, f32, f32", &[ZERO_MINUS32, f(0.0)], ZERO_MINUS32),
        ("max.f32 f32, f32, f32", &[f(0.0), ZERO_MINUS32], f(0.0)),
        ("max.f32 f32, f32, f32", &[ZERO_MINUS32, f(0.0)], f(0.0)),
        ("max.f32 f32, f32, f32", &[NAN32, f(1.0)], f(1.0)),
        ("min.f64 f64, f64, f64", &[NAN64, d(7.0)], d(7.0)),
        ("min.f64 f64, f64, f64", &[d(3.0), d(7.0)], d(3.0)),
        ("max.f64 f64, f64, f64", &[d(7.0), NAN64], d(7.0)),
        ("max.f64 f64, f64, f64", &[d(3.0), d(7.0)], d(7.0)),
    ]);
}

#[test]
fn signs_are_changed_even_of_nan() {
    check(&[
        ("abs.f32 f32, f32", &[f(-1.5)], f(1.5)),
        ("abs.f32 f32, f32", &[NAN32 | ZERO_MINUS32], NAN32),
        ("abs.f64 f64, f64", &[d(-1.5)], d(1.5)),
        ("neg.f32 f32, f32", &[f(0.0)], ZERO_MINUS32),
        ("neg.f32 f32, f32", &[NAN32], NAN32 | ZERO_MINUS32),
        ("neg.f64 f64, f64", &[d(2.0)], d(-2.0)),
        ("copysign.f32 f32, f32, f32", &[f(-1.0), f(7.0)], f(-7.0)),
        ("copysign.f64 f64, f64, f64", &[d(1.0), d(-7.0)], d(7.0)),
    ]);
}

#[test]
fn functions() {
    check(&[
        ("sqrt.rn.f32 f32, f32", &[f(2.0)], f(2f32.sqrt())),
        ("sqrt.approx.f32 f32, f32", &[f(9.0)], f(3.0)),
        ("sqrt.rn.f64 f64, f64", &[d(2.0)], d(2f64.sqrt())),
        ("rcp.rn.f32 f32, f32", &[f(3.0)], f(1.0 / 3.0)),
        ("rcp.approx.f32 f32, f32", &[f(4.0)], f(0.25)),
        ("rcp.rn.f64 f64, f64", &[d(3.0)], d(1.0 / 3.0)),
        ("rsqrt.approx.f32 f32, f32", &[f(4.0)], f(0.5)),
        ("rsqrt.approx.f64 f64, f64", &[d(4.0)], d(0.5)),
        ("sin.approx.f32 f32, f32", &[f(0.0)], f(0.0)),
        ("cos.approx.f32 f32, f32", &[f(0.0)], f(1.0)),
        ("lg2.approx.f32 f32, f32", &[f(8.0)], f(3.0)),
        ("ex2.approx.f32 f32, f32", &[f(3.0)], f(8.0)),
        ("tanh.approx.f32 f32, f32", &[f(0.0)], f(0.0)),
    ]);
}

#[test]
fn testp_knows_the_classes() {
    check(&[
        ("testp.infinite.f32 pred, f32", &[f(f32::NEG_INFINITY)], 1),
        ("testp.infinite.f32 pred, f32", &[NAN32], 0),
        ("testp.infinite.f64 pred, f64", &[d(f64::INFINITY)], 1),
        ("testp.finite.f32 pred, f32", &[f(1.0)], 1),
        ("testp.finite.f64 pred, f64", &[NAN64], 0),
        ("testp.number.f32 pred, f32", &[f(f32::INFINITY)], 1),
        ("testp.notanumber.f64 pred, f64", &[NAN64], 1),
        ("testp.normal.f32 pred, f32", &[f(1e-45)], 0),
        ("testp.subnormal.f32 pred, f32", &[f(1e-45)], 1),
    ]);
}

const ONE: u64 = 0x3c00;
const TWO: u64 = 0x4000;
const MOST: u64 = 0x7bff;
const INFINITE: u64 = 0x7c00;

#[test]
fn half_precision() {
    check(&[
        ("add.f16 f16, f16, f16", &[ONE, ONE], TWO),
        ("add.rn.f16 f16, f16, f16", &[0x6800, ONE], 0x6800),
        ("sub.f16 f16, f16, f16", &[TWO, ONE], ONE),
        ("mul.f16 f16, f16, f16", &[TWO, 0xc000], 0xc400),
        ("mul.f16 f16, f16, f16", &[MOST, TWO], INFINITE),
        ("mul.f16 f16, f16, f16", &[0x0001, 0x3800], 0),
        ("fma.rn.f16 f16, f16, f16, f16", &[TWO, TWO, ONE], 0x4500),
        ("min.f16 f16, f16, f16", &[ONE, 0x7e00], ONE),
        ("max.f16 f16, f16, f16", &[ONE, TWO], TWO),
        ("abs.f16 f16, f16", &[0xbc00], ONE),
        ("neg.f16 f16, f16", &[ONE], 0xbc00),
        ("ex2.approx.f16 f16, f16", &[ONE], TWO),
        ("tanh.approx.f16 f16, f16", &[0], 0),
        ("setp.eq.f16 pred, f16, f16", &[0, 0x8000], 1),
        ("setp.lt.f16 pred, f16, f16", &[ONE, TWO], 1),
        ("setp.nan.f16 pred, f16, f16", &[ONE, 0x7e00], 1),
    ]);
}
