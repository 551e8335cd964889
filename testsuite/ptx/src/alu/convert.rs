//! `cvt` (PTX ISA 9.7.9.21).
//!
//! Rust's `as` is what the PTX ISA asks for: it extends by the source's
//! sign, rounds integers to the nearest number, clamps numbers to an
//! integer's range and makes a NaN 0.

use super::evaluate::{Compute, Scalar, unary};
use super::half::Half;
use super::with_integer;
use crate::types::{Type, Width};

/// Expands `$body` with `$T` as the native integer of 8 to 64 bits.
macro_rules! with_any_integer {
    ($type:expr, $T:ident, $body:expr) => {
        with_integer!($type, $T, $body,
            "s8" => i8, "u8" => u8, "s16" => i16, "u16" => u16,
            "s32" => i32, "u32" => u32, "s64" => i64, "u64" => u64)
    };
}

pub(super) fn decode(mnemonic: &[&str]) -> Option<Compute> {
    match *mnemonic {
        ["cvt", to, from] => match from {
            "f16" => widen_half(to),
            "f32" => (to == "f64").then(|| unary(|a: f32| f64::from(a)))?,
            _ => with_any_integer!(from, F, with_any_integer!(to, T, unary(|a: F| a as T))),
        },
        ["cvt", "rn", to, from] => match (to, from) {
            ("f32", "f64") => unary(|a: f64| a as f32),
            ("f16", "f64") => unary(Half::nearest),
            ("f16", "f32") => unary(|a: f32| Half::nearest(f64::from(a))),
            ("f16", _) => with_any_integer!(from, F, unary(|a: F| Half::nearest(a as f64))),
            ("f32", _) => with_any_integer!(from, F, unary(|a: F| a as f32)),
            ("f64", _) => with_any_integer!(from, F, unary(|a: F| a as f64)),
            _ => None,
        },
        ["cvt", rounding, to, from] => match from {
            "f16" => round::<Half>(rounding, to),
            "f32" => round::<f32>(rounding, to),
            "f64" => round::<f64>(rounding, to),
            _ => None,
        },
        _ => None,
    }
}

fn widen_half(to: &str) -> Option<Compute> {
    match to {
        "f16" => unary(|a: Half| a),
        "f32" => unary(|a: Half| a.value() as f32),
        "f64" => unary(|a: Half| a.value()),
        _ => None,
    }
}

/// A number that can be rounded to an integral one, exactly as `f64`.
trait Number: Scalar {
    fn exact(self) -> f64;
    fn back(integral: f64) -> Self;
}

impl Number for Half {
    fn exact(self) -> f64 {
        self.value()
    }
    fn back(integral: f64) -> Half {
        Half::nearest(integral)
    }
}

impl Number for f32 {
    fn exact(self) -> f64 {
        f64::from(self)
    }
    fn back(integral: f64) -> f32 {
        integral as f32
    }
}

impl Number for f64 {
    fn exact(self) -> f64 {
        self
    }
    fn back(integral: f64) -> f64 {
        integral
    }
}

/// The conversions that round to an integral value.
fn round<N: Number>(rounding: &str, to: &str) -> Option<Compute> {
    match rounding {
        "rni" => round_by::<N>(to, f64::round_ties_even),
        "rzi" => round_by::<N>(to, f64::trunc),
        "rmi" => round_by::<N>(to, f64::floor),
        "rpi" => round_by::<N>(to, f64::ceil),
        _ => None,
    }
}

fn round_by<N: Number>(
    to: &str,
    integral: impl Fn(f64) -> f64 + Copy + 'static,
) -> Option<Compute> {
    match to {
        "f16" | "f32" | "f64" => {
            let same = size_of::<N>() == Type::named(to)?.width().bytes();
            unary(move |a: N| N::back(integral(a.exact()))).filter(|_| same)
        }
        _ => with_any_integer!(to, T, unary(move |a: N| integral(a.exact()) as T)),
    }
}

/// What extends a signed value of width `from` in a wider register; for `cvt`
/// and `ld` the destination may be wider than the type (PTX ISA 9.4.1).
pub(crate) fn widen(from: Width, to: Width) -> Option<Compute> {
    match (from, to) {
        (Width::One, Width::Two) => unary(|a: i8| i16::from(a)),
        (Width::One, Width::Four) => unary(|a: i8| i32::from(a)),
        (Width::One, Width::Eight) => unary(|a: i8| i64::from(a)),
        (Width::Two, Width::Four) => unary(|a: i16| i32::from(a)),
        (Width::Two, Width::Eight) => unary(|a: i16| i64::from(a)),
        (Width::Four, Width::Eight) => unary(|a: i32| i64::from(a)),
        _ => None,
    }
}

/// What cuts a value to `width`.
pub(crate) fn truncate(width: Width) -> Option<Compute> {
    match width {
        Width::One => unary(|a: u8| a),
        Width::Two => unary(|a: u16| a),
        Width::Four => unary(|a: u32| a),
        Width::Eight => unary(|a: u64| a),
    }
}
