//! Comparison and selection (PTX ISA 9.7.6 and 9.7.7).

use super::evaluate::{Compute, Scalar, binary};
use super::half::Half;
use super::with_integer;

pub(super) fn decode(mnemonic: &[&str]) -> Option<Compute> {
    match *mnemonic {
        ["setp", comparison, t] => compare::<Predicate>(comparison, t),
        // GCC puts the type of the result before the comparison.
        ["set", comparison, "u32" | "s32" | "b32", t]
        | ["set", "u32" | "s32" | "b32", comparison, t] => compare::<Ones>(comparison, t),
        ["set", comparison, "f32", t] | ["set", "f32", comparison, t] => {
            compare::<One>(comparison, t)
        }
        _ => None,
    }
}

/// What a comparison leaves in its destination.
trait Outcome: 'static {
    type Value: Scalar;
    fn of(holds: bool) -> Self::Value;
}

/// `setp`.
struct Predicate;

/// `set` to an integer: all bits are ones where the comparison holds.
struct Ones;

/// `set` to a number: 1.0 where the comparison holds.
struct One;

impl Outcome for Predicate {
    type Value = bool;
    fn of(holds: bool) -> bool {
        holds
    }
}

impl Outcome for Ones {
    type Value = u32;
    fn of(holds: bool) -> u32 {
        if holds { u32::MAX } else { 0 }
    }
}

impl Outcome for One {
    type Value = f32;
    fn of(holds: bool) -> f32 {
        f32::from(u8::from(holds))
    }
}

fn compare<O: Outcome>(comparison: &str, t: &str) -> Option<Compute> {
    match t {
        "f16" => compare_floats::<O, Half>(comparison),
        "f32" => compare_floats::<O, f32>(comparison),
        "f64" => compare_floats::<O, f64>(comparison),
        "b16" | "b32" | "b64" if !matches!(comparison, "eq" | "ne") => None,
        "s8" | "u8" | "b8" => None,
        _ => with_integer!(t, T, compare_integers::<O, T>(comparison),
            "s16" => i16, "u16" => u16, "b16" => u16, "s32" => i32, "u32" => u32, "b32" => u32,
            "s64" => i64, "u64" => u64, "b64" => u64),
    }
}

fn compare_integers<O: Outcome, T: Scalar + Ord>(comparison: &str) -> Option<Compute> {
    match comparison {
        "eq" => binary(|a: T, b: T| O::of(a == b)),
        "ne" => binary(|a: T, b: T| O::of(a != b)),
        "lt" | "lo" => binary(|a: T, b: T| O::of(a < b)),
        "le" | "ls" => binary(|a: T, b: T| O::of(a <= b)),
        "gt" | "hi" => binary(|a: T, b: T| O::of(a > b)),
        "ge" | "hs" => binary(|a: T, b: T| O::of(a >= b)),
        _ => None,
    }
}

/// Those with a `u` also hold if a source is NaN, the others never do.
fn compare_floats<O: Outcome, T: Scalar + PartialOrd>(comparison: &str) -> Option<Compute> {
    fn ordered<T: PartialOrd>(a: T, b: T) -> bool {
        a.partial_cmp(&b).is_some()
    }
    match comparison {
        "eq" => binary(|a: T, b: T| O::of(a == b)),
        "ne" => binary(|a: T, b: T| O::of(ordered(a, b) && a != b)),
        "lt" => binary(|a: T, b: T| O::of(a < b)),
        "le" => binary(|a: T, b: T| O::of(a <= b)),
        "gt" => binary(|a: T, b: T| O::of(a > b)),
        "ge" => binary(|a: T, b: T| O::of(a >= b)),
        "equ" => binary(|a: T, b: T| O::of(!ordered(a, b) || a == b)),
        "neu" => binary(|a: T, b: T| O::of(a != b)),
        "ltu" => binary(|a: T, b: T| O::of(!ordered(a, b) || a < b)),
        "leu" => binary(|a: T, b: T| O::of(!ordered(a, b) || a <= b)),
        "gtu" => binary(|a: T, b: T| O::of(!ordered(a, b) || a > b)),
        "geu" => binary(|a: T, b: T| O::of(!ordered(a, b) || a >= b)),
        "num" => binary(|a: T, b: T| O::of(ordered(a, b))),
        "nan" => binary(|a: T, b: T| O::of(!ordered(a, b))),
        _ => None,
    }
}
