//! Logic, shifts and bit fields (PTX ISA 9.7.8 and 9.7.1), and moves.

use super::evaluate::{Compute, binary, ternary, unary};
use super::half::Half;
use super::{with_bits, with_integer};
use crate::types::Width;

pub(super) fn decode(mnemonic: &[&str]) -> Option<Compute> {
    match *mnemonic {
        ["and", "pred"] => binary(|a: bool, b: bool| a & b),
        ["or", "pred"] => binary(|a: bool, b: bool| a | b),
        ["xor", "pred"] => binary(|a: bool, b: bool| a ^ b),
        ["not", "pred"] => unary(|a: bool| !a),
        ["and", t] => with_bits!(t, T, binary(|a: T, b: T| a & b)),
        ["or", t] => with_bits!(t, T, binary(|a: T, b: T| a | b)),
        ["xor", t] => with_bits!(t, T, binary(|a: T, b: T| a ^ b)),
        ["not", t] => with_bits!(t, T, unary(|a: T| !a)),
        ["cnot", t] => with_bits!(t, T, unary(|a: T| T::from(a == 0))),
        ["shl", t] => {
            with_bits!(t, T, binary(|a: T, count: u32| a.checked_shl(count).unwrap_or(0)))
        }
        // The sign fills what an arithmetic shift of any count leaves free.
        ["shr", t] => with_integer!(t, T,
            binary(|a: T, count: u32| a >> count.min(T::BITS - 1)),
            "s16" => i16, "s32" => i32, "s64" => i64)
        .or_else(|| {
            with_integer!(t, T,
                binary(|a: T, count: u32| a.checked_shr(count).unwrap_or(0)),
                "u16" => u16, "u32" => u32, "u64" => u64, "b16" => u16, "b32" => u32, "b64" => u64)
        }),
        ["shf", "l", "wrap", "b32"] => {
            ternary(|a: u32, b: u32, count: u32| funnel_left(a, b, count & 31))
        }
        ["shf", "l", "clamp", "b32"] => {
            ternary(|a: u32, b: u32, count: u32| funnel_left(a, b, count.min(32)))
        }
        ["shf", "r", "wrap", "b32"] => {
            ternary(|a: u32, b: u32, count: u32| funnel_right(a, b, count & 31))
        }
        ["shf", "r", "clamp", "b32"] => {
            ternary(|a: u32, b: u32, count: u32| funnel_right(a, b, count.min(32)))
        }
        ["prmt", "b32"] => ternary(permute),
        ["bfe", "u32" | "b32"] => ternary(|a: u32, start: u32, length: u32| {
            extract(u64::from(a), 32, start, length, false) as u32
        }),
        ["bfe", "u64" | "b64"] => {
            ternary(|a: u64, start: u32, length: u32| extract(a, 64, start, length, false))
        }
        ["bfe", "s32"] => ternary(|a: i32, start: u32, length: u32| {
            extract(a as u64, 32, start, length, true) as u32
        }),
        ["bfe", "s64"] => {
            ternary(|a: u64, start: u32, length: u32| extract(a, 64, start, length, true))
        }
        ["selp", t] => select(t),
        ["mov", t] => copy(t),
        _ => None,
    }
}

/// The upper half of `b:a << count`.
fn funnel_left(a: u32, b: u32, count: u32) -> u32 {
    ((joined(a, b) << count) >> 32) as u32
}

/// The lower half of `b:a >> count`.
fn funnel_right(a: u32, b: u32, count: u32) -> u32 {
    (joined(a, b) >> count) as u32
}

fn joined(low: u32, high: u32) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

/// `prmt` in its default mode: each nibble of `selector` names one of the
/// eight bytes, or with its top bit set that byte's sign.
fn permute(a: u32, b: u32, selector: u32) -> u32 {
    let bytes = joined(a, b).to_le_bytes();
    let pick = |position: u32| {
        let nibble = selector >> (4 * position) & 0xf;
        let byte = bytes[(nibble & 7) as usize];
        if nibble & 8 == 0 { byte } else { (byte as i8 >> 7) as u8 }
    };
    u32::from_le_bytes([pick(0), pick(1), pick(2), pick(3)])
}

/// `length` bits of `value` from bit `start` on; past its width come zeros
/// or, if `signed`, copies of the field's sign.
fn extract(value: u64, width: u32, start: u32, length: u32, signed: bool) -> u64 {
    let (start, length) = (start & 0xff, length & 0xff);
    let field = value.checked_shr(start).unwrap_or(0);
    let mask = 1u64.checked_shl(length).map_or(u64::MAX, |bit| bit - 1);
    let last = start.saturating_add(length).saturating_sub(1).min(width - 1);
    let sign = signed && length > 0 && value >> last & 1 == 1;
    if !sign {
        return field & mask & (u64::MAX >> (64 - width));
    }
    let inside = length.min(width.saturating_sub(start));
    field & mask | u64::MAX.checked_shl(inside).unwrap_or(0)
}

/// `selp`: the first source where the predicate holds.
fn select(t: &str) -> Option<Compute> {
    match t {
        "f16" => ternary(|a: Half, b: Half, first: bool| if first { a } else { b }),
        "b16" | "u16" | "s16" => ternary(|a: u16, b: u16, first: bool| if first { a } else { b }),
        "b32" | "u32" | "s32" | "f32" => {
            ternary(|a: u32, b: u32, first: bool| if first { a } else { b })
        }
        "b64" | "u64" | "s64" | "f64" => {
            ternary(|a: u64, b: u64, first: bool| if first { a } else { b })
        }
        _ => None,
    }
}

fn copy(t: &str) -> Option<Compute> {
    match t {
        "pred" => unary(|a: bool| a),
        "b16" | "u16" | "s16" | "f16" => unary(|a: u16| a),
        "b32" | "u32" | "s32" | "f32" => unary(|a: u32| a),
        "b64" | "u64" | "s64" | "f64" => unary(|a: u64| a),
        _ => None,
    }
}

/// What joins two sources of width `half`, the first in the low bits.
pub(crate) fn pack(half: Width) -> Option<Compute> {
    match half {
        Width::Two => binary(|a: u16, b: u16| u32::from(b) << 16 | u32::from(a)),
        Width::Four => binary(|a: u32, b: u32| joined(a, b)),
        Width::One | Width::Eight => None,
    }
}

/// What replaces the bits of `a` in mask `c` by those of `b`.
pub(crate) fn insert() -> Option<Compute> {
    ternary(|a: u64, b: u64, mask: u64| a & !mask | b & mask)
}
