//! Integer arithmetic (PTX ISA 9.7.1) and the scalar video instructions
//! (PTX ISA 9.7.18).

use super::evaluate::{Compute, binary, ternary, unary};
use super::{with_bits, with_integer};

/// A native integer as its instructions see it.
trait Integer: Copy + 'static {
    /// The integer of twice the width.
    type Wide;
    /// The whole product.
    fn widening_product(self, other: Self) -> Self::Wide;
    /// The upper half of the product.
    fn high_product(self, other: Self) -> Self;
    /// The quotient, of all ones where the divisor is 0, as hardware has it;
    /// the PTX ISA leaves that open.
    fn quotient(self, divisor: Self) -> Self;
    /// The remainder, of the dividend where the divisor is 0.
    fn remainder(self, divisor: Self) -> Self;
}

macro_rules! integers {
    ($($type:ident, $wide:ident);*) => {$(
        impl Integer for $type {
            type Wide = $wide;
            fn widening_product(self, other: $type) -> $wide {
                $wide::from(self).wrapping_mul($wide::from(other))
            }
            fn high_product(self, other: $type) -> $type {
                (self.widening_product(other) >> $type::BITS) as $type
            }
            fn quotient(self, divisor: $type) -> $type {
                if divisor == 0 { !0 } else { self.wrapping_div(divisor) }
            }
            fn remainder(self, divisor: $type) -> $type {
                if divisor == 0 { self } else { self.wrapping_rem(divisor) }
            }
        }
    )*};
}
integers!(i16, i32; u16, u32; i32, i64; u32, u64; i64, i128; u64, u128);

pub(super) fn decode(mnemonic: &[&str]) -> Option<Compute> {
    match *mnemonic {
        ["add", t] => with_integer!(t, T, binary(|a: T, b: T| a.wrapping_add(b))),
        ["sub", t] => with_integer!(t, T, binary(|a: T, b: T| a.wrapping_sub(b))),
        ["mul", "lo", t] => with_integer!(t, T, binary(|a: T, b: T| a.wrapping_mul(b))),
        ["mul", "hi", t] => with_integer!(t, T, binary(|a: T, b: T| a.high_product(b))),
        ["mul", "wide", t] => wide(t),
        ["mad", "lo", t] => {
            with_integer!(t, T, ternary(|a: T, b: T, c: T| a.wrapping_mul(b).wrapping_add(c)))
        }
        ["mad", "hi", t] => {
            with_integer!(t, T, ternary(|a: T, b: T, c: T| a.high_product(b).wrapping_add(c)))
        }
        ["mad", "wide", t] => wide_and_add(t),
        ["div", t] => with_integer!(t, T, binary(|a: T, b: T| a.quotient(b))),
        ["rem", t] => with_integer!(t, T, binary(|a: T, b: T| a.remainder(b))),
        ["min", t] => with_integer!(t, T, binary(|a: T, b: T| a.min(b))),
        ["max", t] => with_integer!(t, T, binary(|a: T, b: T| a.max(b))),
        ["abs", t] => signed(t, "abs"),
        ["neg", t] => signed(t, "neg"),
        ["popc", t] => with_bits!(t, T, unary(|a: T| a.count_ones())),
        ["clz", t] => with_bits!(t, T, unary(|a: T| a.leading_zeros())),
        ["brev", t] => with_bits!(t, T, unary(|a: T| a.reverse_bits())),
        ["bfind", t] => bfind(t),
        ["vadd", "u32" | "s32", "u32" | "s32", "u32" | "s32", "add"] => {
            ternary(|a: u32, b: u32, c: u32| a.wrapping_add(b).wrapping_add(c))
        }
        ["vsub", "u32" | "s32", "u32" | "s32", "u32" | "s32", "add"] => {
            ternary(|a: u32, b: u32, c: u32| a.wrapping_sub(b).wrapping_add(c))
        }
        ["vadd", "u32" | "s32", "u32" | "s32", "u32" | "s32"] => {
            binary(|a: u32, b: u32| a.wrapping_add(b))
        }
        ["vsub", "u32" | "s32", "u32" | "s32", "u32" | "s32"] => {
            binary(|a: u32, b: u32| a.wrapping_sub(b))
        }
        _ => None,
    }
}

fn wide(t: &str) -> Option<Compute> {
    with_integer!(t, T, binary(|a: T, b: T| a.widening_product(b)),
        "s16" => i16, "u16" => u16, "s32" => i32, "u32" => u32)
}

fn wide_and_add(t: &str) -> Option<Compute> {
    type Wide<T> = <T as Integer>::Wide;
    with_integer!(t, T,
        ternary(|a: T, b: T, c: Wide<T>| a.widening_product(b).wrapping_add(c)),
        "s16" => i16, "u16" => u16, "s32" => i32, "u32" => u32)
}

fn signed(t: &str, operation: &str) -> Option<Compute> {
    with_integer!(t, T,
        match operation {
            "abs" => unary(|a: T| a.wrapping_abs()),
            _ => unary(|a: T| a.wrapping_neg()),
        },
        "s16" => i16, "s32" => i32, "s64" => i64)
}

/// Position of the highest bit that differs from the sign; all ones if none
/// does.
fn bfind(t: &str) -> Option<Compute> {
    match t {
        "u32" => unary(|a: u32| a.checked_ilog2().unwrap_or(u32::MAX)),
        "u64" => unary(|a: u64| a.checked_ilog2().unwrap_or(u32::MAX)),
        "s32" => unary(|a: i32| ((a ^ a >> 31) as u32).checked_ilog2().unwrap_or(u32::MAX)),
        "s64" => unary(|a: i64| ((a ^ a >> 63) as u64).checked_ilog2().unwrap_or(u32::MAX)),
        _ => None,
    }
}
