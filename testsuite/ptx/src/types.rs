//! Fundamental types (PTX ISA 5.2.1).

/// A fundamental type, as the last part of most mnemonics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Type {
    Pred,
    B8,
    B16,
    B32,
    B64,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    F32,
    F64,
}

impl Type {
    /// The type called `name`, without its dot.
    pub(crate) fn named(name: &str) -> Option<Type> {
        Some(match name {
            "pred" => Type::Pred,
            "b8" => Type::B8,
            "b16" => Type::B16,
            "b32" => Type::B32,
            "b64" => Type::B64,
            "u8" => Type::U8,
            "u16" => Type::U16,
            "u32" => Type::U32,
            "u64" => Type::U64,
            "s8" => Type::S8,
            "s16" => Type::S16,
            "s32" => Type::S32,
            "s64" => Type::S64,
            "f16" => Type::F16,
            "f32" => Type::F32,
            "f64" => Type::F64,
            _ => return None,
        })
    }

    /// Width in memory and in registers.
    pub(crate) fn width(self) -> Width {
        match self {
            Type::Pred | Type::B8 | Type::U8 | Type::S8 => Width::One,
            Type::B16 | Type::U16 | Type::S16 | Type::F16 => Width::Two,
            Type::B32 | Type::U32 | Type::S32 | Type::F32 => Width::Four,
            Type::B64 | Type::U64 | Type::S64 | Type::F64 => Width::Eight,
        }
    }

    pub(crate) fn is_signed(self) -> bool {
        matches!(self, Type::S8 | Type::S16 | Type::S32 | Type::S64)
    }
}

/// Bytes of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Width {
    One,
    Two,
    Four,
    Eight,
}

impl Width {
    pub(crate) fn bytes(self) -> usize {
        1 << self as u32
    }

    pub(crate) fn bits(self) -> u32 {
        8 << self as u32
    }

    /// All bits of a scalar of this width.
    pub(crate) fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// `value`, of which only this width counts, with its sign in all higher
    /// bits.
    pub(crate) fn sign_extend(self, value: u64) -> u64 {
        let shift = 64 - self.bits();
        ((value << shift) as i64 >> shift) as u64
    }
}
