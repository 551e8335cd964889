//! Floating-point arithmetic (PTX ISA 9.7.3 and 9.7.4).
//!
//! Every operation rounds to nearest, the only mode that GCC asks for. The
//! approximations are as exact as the host's functions, hence within the
//! error that the PTX ISA allows them. A NaN that comes out has whatever bits
//! the host gives it.

use super::evaluate::{Compute, binary, ternary, unary};
use super::half::Half;
use super::with_integer;

/// Expands `$body` with `$T` as the native number that `$type` means.
macro_rules! with_float {
    ($type:expr, $T:ident, $body:expr) => {
        with_integer!($type, $T, $body, "f32" => f32, "f64" => f64)
    };
}

pub(super) fn decode(mnemonic: &[&str]) -> Option<Compute> {
    match *mnemonic {
        ["add", t] | ["add", "rn", t] => with_float!(t, T, binary(|a: T, b: T| a + b))
            .or_else(|| half(t, binary(|a, b| nearest(a, b, |a, b| a + b)))),
        ["sub", t] | ["sub", "rn", t] => with_float!(t, T, binary(|a: T, b: T| a - b))
            .or_else(|| half(t, binary(|a, b| nearest(a, b, |a, b| a - b)))),
        ["mul", t] | ["mul", "rn", t] => with_float!(t, T, binary(|a: T, b: T| a * b))
            .or_else(|| half(t, binary(|a, b| nearest(a, b, |a, b| a * b)))),
        ["fma" | "mad", "rn", t] => with_float!(t, T, ternary(|a: T, b: T, c: T| a.mul_add(b, c)))
            .or_else(|| half(t, ternary(fma_half))),
        ["div", "rn" | "full" | "approx", t] => with_float!(t, T, binary(|a: T, b: T| a / b)),
        ["min", t] => with_float!(t, T, binary(|a: T, b: T| least(a, b)))
            .or_else(|| half(t, binary(|a, b| nearest(a, b, least)))),
        ["max", t] => with_float!(t, T, binary(|a: T, b: T| greatest(a, b)))
            .or_else(|| half(t, binary(|a, b| nearest(a, b, greatest)))),
        ["abs", t] => with_float!(t, T, unary(|a: T| a.abs()))
            .or_else(|| half(t, unary(|a: Half| Half(a.0 & 0x7fff)))),
        ["neg", t] => with_float!(t, T, unary(|a: T| -a))
            .or_else(|| half(t, unary(|a: Half| Half(a.0 ^ 0x8000)))),
        // The sign comes from the first source, the rest from the second.
        ["copysign", t] => with_float!(t, T, binary(|sign: T, a: T| a.copysign(sign))),
        ["sqrt", "rn" | "approx", t] => with_float!(t, T, unary(|a: T| a.sqrt())),
        ["rcp", "rn" | "approx", t] => with_float!(t, T, unary(|a: T| 1.0 / a)),
        ["rsqrt", "approx", t] => with_float!(t, T, unary(|a: T| 1.0 / a.sqrt())),
        ["sin", "approx", "f32"] => unary(f32::sin),
        ["cos", "approx", "f32"] => unary(f32::cos),
        ["lg2", "approx", "f32"] => unary(f32::log2),
        ["ex2", "approx", "f32"] => unary(f32::exp2),
        ["tanh", "approx", "f32"] => unary(f32::tanh),
        ["ex2", "approx", "f16"] => unary(|a: Half| Half::nearest(a.value().exp2())),
        ["tanh", "approx", "f16"] => unary(|a: Half| Half::nearest(a.value().tanh())),
        ["testp", property, t] => with_float!(t, T, test::<T>(property)),
        _ => None,
    }
}

/// `instruction` if the type is `f16`.
fn half(t: &str, instruction: Option<Compute>) -> Option<Compute> {
    instruction.filter(|_| t == "f16")
}

fn nearest(a: Half, b: Half, operation: impl Fn(f64, f64) -> f64) -> Half {
    Half::nearest(operation(a.value(), b.value()))
}

fn fma_half(a: Half, b: Half, c: Half) -> Half {
    Half::nearest(a.value().mul_add(b.value(), c.value()))
}

/// What `min`, `max` and `testp` need of a number.
trait Float: Copy + PartialOrd + 'static {
    fn is_nan(self) -> bool;
    fn is_sign_negative(self) -> bool;
    fn category(self) -> std::num::FpCategory;
}

macro_rules! floats {
    ($($type:ident),*) => {$(
        impl Float for $type {
            fn is_nan(self) -> bool {
                self.is_nan()
            }
            fn is_sign_negative(self) -> bool {
                self.is_sign_negative()
            }
            fn category(self) -> std::num::FpCategory {
                self.classify()
            }
        }
    )*};
}
floats!(f32, f64);

/// The smaller number; −0 is below +0, and a NaN yields to a number.
fn least<T: Float>(a: T, b: T) -> T {
    let first = b.is_nan() || a < b || (a == b && a.is_sign_negative());
    if first { a } else { b }
}

/// The greater number; +0 is above −0, and a NaN yields to a number.
fn greatest<T: Float>(a: T, b: T) -> T {
    let first = b.is_nan() || a > b || (a == b && b.is_sign_negative());
    if first { a } else { b }
}

/// `testp` (PTX ISA 9.7.3.1).
fn test<T: Float + super::Scalar>(property: &str) -> Option<Compute> {
    use std::num::FpCategory;
    match property {
        "finite" => unary(|a: T| !matches!(a.category(), FpCategory::Nan | FpCategory::Infinite)),
        "infinite" => unary(|a: T| a.category() == FpCategory::Infinite),
        "number" => unary(|a: T| !a.is_nan()),
        "notanumber" => unary(|a: T| a.is_nan()),
        "normal" => unary(|a: T| a.category() == FpCategory::Normal),
        "subnormal" => unary(|a: T| a.category() == FpCategory::Subnormal),
        _ => None,
    }
}
