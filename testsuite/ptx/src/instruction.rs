//! Instructions, decoded as far as they can be before linking.

use crate::alu::Evaluate;
use crate::space::Space;
use crate::types::{Type, Width};

/// Number of a register in its function's frame. Constants are registers too,
/// that nothing writes, so that every source is read the same way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Register(pub(crate) u32);

impl Register {
    /// Holds 0 in every frame: source of what has fewer sources.
    pub(crate) const ZERO: Register = Register(0);
    /// Takes results that nobody wants.
    pub(crate) const SINK: Register = Register(1);

    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// `@p` or `@!p` before an instruction (PTX ISA 9.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Guard {
    predicate: u32,
    negated: bool,
}

impl Guard {
    /// No guard.
    pub(crate) const ALWAYS: Guard = Guard { predicate: 0, negated: true };

    pub(crate) fn new(predicate: Register, negated: bool) -> Guard {
        Guard { predicate: predicate.0, negated }
    }

    /// Whether all lanes execute; a predicate is never [`Register::ZERO`].
    pub(crate) fn is_always(self) -> bool {
        self.predicate == 0
    }

    pub(crate) fn predicate(self) -> Register {
        Register(self.predicate)
    }

    pub(crate) fn negated(self) -> bool {
        self.negated
    }
}

/// One instruction.
#[derive(Clone, Copy)]
pub(crate) struct Instruction {
    pub(crate) operation: Operation,
    pub(crate) guard: Guard,
    pub(crate) destination: Register,
    pub(crate) sources: [Register; 3],
}

impl Instruction {
    pub(crate) fn new(operation: Operation) -> Instruction {
        Instruction {
            operation,
            guard: Guard::ALWAYS,
            destination: Register::SINK,
            sources: [Register::ZERO; 3],
        }
    }
}

/// What an instruction does.
#[derive(Clone, Copy)]
pub(crate) enum Operation {
    /// Anything without side effects.
    Compute(&'static Evaluate),
    /// `mov` of a special register.
    Special(Special),
    /// `ld` from `[sources[0] + offset]`.
    Load(Place),
    /// `st` of `sources[1]` to `[sources[0] + offset]`.
    Store(Place),
    /// `atom` or `red` on `[sources[0] + offset]`, with `sources[1..]`.
    Atomic(Atomic, Place),
    /// Address in local space of this offset in the function's frame.
    LocalAddress(u32),
    /// `isspacep`.
    IsSpace(Space),
    /// `alloca` of `sources[0]` bytes, aligned to so many.
    Alloca(u32),
    /// `stacksave`.
    StackSave,
    /// `stackrestore` to `sources[0]`.
    StackRestore,
    /// `bra` to an instruction of the function.
    Branch(u32),
    /// `call`: number of the call in the function.
    Call(u32),
    /// `ret`.
    Return,
    /// `exit`.
    Exit,
    /// `trap` or `brkpt`.
    Trap,
    /// `bar.sync`, `bar.arrive` or `bar.red` on barrier `sources[0]` for
    /// `sources[1]` threads, with predicate `sources[2]`.
    Barrier(Barrier),
    /// `bar.warp.sync` of the lanes in `sources[0]`.
    WarpBarrier,
    /// `shfl` of `sources[0]`; then lane or distance, clamp and segments.
    Shuffle(Shuffle),
    /// `vote` on predicate `sources[0]`.
    Vote(Vote),
    /// `activemask`.
    ActiveMask,
    /// `membar` and `fence`.
    Fence,
    /// `nanosleep`: the other warps have their turn soon.
    Sleep,
}

/// Where and how an instruction touches memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) space: Space,
    pub(crate) width: Width,
    /// Log2 of the alignment, more than the width's for vectors.
    pub(crate) alignment: u8,
    /// Width to which a signed value is extended by its sign.
    pub(crate) signed: Option<Width>,
    pub(crate) offset: i32,
    /// Whether the load is of an aligned word of which the code needs the
    /// first byte only; see `parse::library`.
    pub(crate) word: bool,
}

impl Place {
    /// A scalar at a generic address.
    pub(crate) fn generic(width: Width) -> Place {
        Place {
            space: Space::Generic,
            width,
            alignment: width as u8,
            signed: None,
            offset: 0,
            word: false,
        }
    }

    /// The address that a base register with `base` gives.
    pub(crate) fn address(&self, base: u64) -> u64 {
        base.wrapping_add(self.offset as i64 as u64)
    }

    /// The register that holds the loaded `value`.
    pub(crate) fn extended(&self, value: u64) -> u64 {
        match self.signed {
            Some(width) => self.width.sign_extend(value) & width.mask(),
            None => value,
        }
    }
}

/// `atom` and `red` (PTX ISA 9.7.13.15).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Atomic {
    pub(crate) operation: AtomicOperation,
    pub(crate) type_: Type,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicOperation {
    Exchange,
    CompareAndSwap,
    Add,
    And,
    Or,
    Xor,
    Minimum,
    Maximum,
    Increment,
    Decrement,
}

/// `bar` and `barrier` (PTX ISA 9.7.13.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Barrier {
    Sync,
    Arrive,
    Count,
    And,
    Or,
}

/// `shfl` (PTX ISA 9.7.9.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shuffle {
    pub(crate) mode: ShuffleMode,
    /// Register of the lanes that take part; [`Register::ZERO`] without
    /// `.sync`.
    pub(crate) members: Register,
    /// Whether the destination is the predicate *p* and not *d*.
    pub(crate) predicate: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ShuffleMode {
    Index,
    Up,
    Down,
    Butterfly,
}

/// `vote` (PTX ISA 9.7.13.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Vote {
    pub(crate) mode: VoteMode,
    /// As for [`Shuffle`].
    pub(crate) members: Register,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VoteMode {
    All,
    Any,
    Uniform,
    Ballot,
}

/// Special registers (PTX ISA 10).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Special {
    ThreadX,
    ThreadY,
    ThreadZ,
    ThreadsX,
    ThreadsY,
    ThreadsZ,
    CtaX,
    CtaY,
    CtaZ,
    CtasX,
    CtasY,
    CtasZ,
    Lane,
    Warp,
    Warps,
    Multiprocessor,
    Multiprocessors,
    Grid,
    LaneMaskEqual,
    LaneMaskLess,
    LaneMaskLessEqual,
    LaneMaskGreater,
    LaneMaskGreaterEqual,
    Clock,
    Clock64,
    GlobalTimer,
    WarpSize,
    DynamicShared,
    TotalShared,
}

impl Special {
    /// The special register called `name`.
    pub(crate) fn named(name: &str) -> Option<Special> {
        Some(match name {
            "%tid.x" => Special::ThreadX,
            "%tid.y" => Special::ThreadY,
            "%tid.z" => Special::ThreadZ,
            "%ntid.x" => Special::ThreadsX,
            "%ntid.y" => Special::ThreadsY,
            "%ntid.z" => Special::ThreadsZ,
            "%ctaid.x" => Special::CtaX,
            "%ctaid.y" => Special::CtaY,
            "%ctaid.z" => Special::CtaZ,
            "%nctaid.x" => Special::CtasX,
            "%nctaid.y" => Special::CtasY,
            "%nctaid.z" => Special::CtasZ,
            "%laneid" => Special::Lane,
            "%warpid" => Special::Warp,
            "%nwarpid" => Special::Warps,
            "%smid" => Special::Multiprocessor,
            "%nsmid" => Special::Multiprocessors,
            "%gridid" => Special::Grid,
            "%lanemask_eq" => Special::LaneMaskEqual,
            "%lanemask_lt" => Special::LaneMaskLess,
            "%lanemask_le" => Special::LaneMaskLessEqual,
            "%lanemask_gt" => Special::LaneMaskGreater,
            "%lanemask_ge" => Special::LaneMaskGreaterEqual,
            "%clock" => Special::Clock,
            "%clock64" => Special::Clock64,
            "%globaltimer" => Special::GlobalTimer,
            "WARP_SZ" => Special::WarpSize,
            "%dynamic_smem_size" => Special::DynamicShared,
            "%total_smem_size" => Special::TotalShared,
            _ => return None,
        })
    }
}
