//! Instructions that only compute: their sources and destination are
//! registers, and each lane is by itself.

mod compare;
mod convert;
mod evaluate;
mod float;
mod half;
mod integer;
mod logic;

pub(crate) use convert::{truncate, widen};
pub(crate) use evaluate::{Compute, Evaluate, LANES, Lanes, Scalar};
pub(crate) use logic::{insert, pack};

/// Expands `$body` with `$T` as the native integer that the type name `$type`
/// means.
macro_rules! with_integer {
    ($type:expr, $T:ident, $body:expr) => {
        with_integer!($type, $T, $body,
            "s16" => i16, "u16" => u16, "s32" => i32, "u32" => u32, "s64" => i64, "u64" => u64)
    };
    ($type:expr, $T:ident, $body:expr, $($name:literal => $native:ty),*) => {
        match $type {
            $($name => { type $T = $native; $body })*
            _ => None,
        }
    };
}

/// The same for untyped bits of 16, 32 or 64.
macro_rules! with_bits {
    ($type:expr, $T:ident, $body:expr) => {
        $crate::alu::with_integer!($type, $T, $body, "b16" => u16, "b32" => u32, "b64" => u64)
    };
}

pub(crate) use {with_bits, with_integer};

/// What the mnemonic cut at its dots computes, or `None` if it is another
/// instruction or none at all.
pub(crate) fn decode(mnemonic: &[&str]) -> Option<Compute> {
    integer::decode(mnemonic)
        .or_else(|| logic::decode(mnemonic))
        .or_else(|| float::decode(mnemonic))
        .or_else(|| compare::decode(mnemonic))
        .or_else(|| convert::decode(mnemonic))
}
