//! Which instruction a mnemonic means and how its operands are written.

use crate::alu::{self, Compute};
use crate::instruction::{Atomic, AtomicOperation, Barrier, ShuffleMode, VoteMode};
use crate::space::Space;
use crate::types::{Type, Width};

/// What a mnemonic means, down to its types (PTX ISA 9).
#[derive(Clone, Copy)]
pub(super) enum Form {
    /// `d, a[, b[, c]]`. A destination wider than the type gets the sign.
    Compute {
        compute: Compute,
        result: Type,
    },
    /// `mov d, a`, where either may be a list.
    Move {
        compute: Compute,
        type_: Type,
        components: u32,
    },
    LoadParameter {
        type_: Type,
    },
    StoreParameter {
        type_: Type,
    },
    Load {
        space: Space,
        type_: Type,
        components: u32,
    },
    Store {
        space: Space,
        type_: Type,
        components: u32,
    },
    Atomic {
        atomic: Atomic,
        space: Space,
        returns: bool,
    },
    /// `cvta` adds the window of a space, `cvta.to` takes it off.
    ConvertAddress {
        space: Space,
        to: bool,
    },
    IsSpace(Space),
    Alloca,
    StackSave,
    StackRestore,
    Branch,
    Call,
    Return,
    Exit,
    Trap,
    Barrier(Barrier),
    WarpBarrier,
    Shuffle {
        mode: ShuffleMode,
        sync: bool,
    },
    Vote {
        mode: VoteMode,
        sync: bool,
    },
    ActiveMask,
    Fence,
    Nanosleep,
}

/// Most parts of a mnemonic.
const PARTS: usize = 12;

/// The form that `mnemonic` means.
pub(super) fn form(mnemonic: &str) -> Option<Form> {
    let mut parts = [""; PARTS];
    let mut count = 0;
    for part in mnemonic.split('.') {
        *parts.get_mut(count)? = part;
        count += 1;
    }
    let parts = &parts[..count];
    memory(parts).or_else(|| control(parts)).or_else(|| computing(parts))
}

fn computing(parts: &[&str]) -> Option<Form> {
    match *parts {
        ["mov", "v2", t] => moving(t, 2),
        ["mov", "v4", t] => moving(t, 4),
        ["mov", t] => moving(t, 1),
        ["cvt", .., to, _] => {
            Some(Form::Compute { compute: alu::decode(parts)?, result: Type::named(to)? })
        }
        // Only conversions widen; any result type will do for the rest.
        _ => Some(Form::Compute { compute: alu::decode(parts)?, result: Type::B64 }),
    }
}

fn moving(t: &str, components: u32) -> Option<Form> {
    Some(Form::Move { compute: alu::decode(&["mov", t])?, type_: Type::named(t)?, components })
}

fn memory(parts: &[&str]) -> Option<Form> {
    match *parts {
        ["ld", "param", t] => Some(Form::LoadParameter { type_: Type::named(t)? }),
        ["st", "param", t] => Some(Form::StoreParameter { type_: Type::named(t)? }),
        ["ld" | "ldu", ref rest @ ..] => {
            let (space, components, type_) = access(rest)?;
            Some(Form::Load { space, type_, components })
        }
        ["st", ref rest @ ..] => {
            let (space, components, type_) = access(rest)?;
            Some(Form::Store { space, type_, components })
        }
        ["atom", ref rest @ ..] => atomic(rest, true),
        ["red", ref rest @ ..] => atomic(rest, false),
        ["cvta", "to", space, "u64"] => {
            Some(Form::ConvertAddress { space: Space::named(space)?, to: true })
        }
        ["cvta", space, "u64"] => {
            Some(Form::ConvertAddress { space: Space::named(space)?, to: false })
        }
        ["isspacep", space] => Some(Form::IsSpace(Space::named(space)?)),
        ["alloca", "u64"] => Some(Form::Alloca),
        ["stacksave", "u64"] => Some(Form::StackSave),
        ["stackrestore", "u64"] => Some(Form::StackRestore),
        ["membar", "cta" | "gl" | "sys"] => Some(Form::Fence),
        ["fence", ref rest @ ..] if rest.iter().all(|part| is_order(part) || is_scope(part)) => {
            Some(Form::Fence)
        }
        _ => None,
    }
}

/// Takes the first part of `parts` if `accept` does.
fn take<'a, T>(parts: &mut &[&'a str], accept: impl Fn(&'a str) -> Option<T>) -> Option<T> {
    let (first, rest) = parts.split_first()?;
    let accepted = accept(first)?;
    *parts = rest;
    Some(accepted)
}

fn is_order(part: &str) -> bool {
    let known = ["weak", "relaxed", "acquire", "release", "acq_rel", "sc", "volatile", "mmio"];
    known.contains(&part)
}

fn is_scope(part: &str) -> bool {
    ["cta", "cluster", "gpu", "sys"].contains(&part)
}

/// `[.order][.scope][.space][.cache][.vector].type` of `ld` and `st`.
fn access(mut rest: &[&str]) -> Option<(Space, u32, Type)> {
    let rest = &mut rest;
    take(rest, |part| is_order(part).then_some(()));
    take(rest, |part| is_scope(part).then_some(()));
    let space = take(rest, Space::named).unwrap_or(Space::Generic);
    take(rest, |part| {
        ["ca", "cg", "cs", "cv", "lu", "wb", "wt", "nc"].contains(&part).then_some(())
    });
    let components = take(rest, |part| match part {
        "v2" => Some(2),
        "v4" => Some(4),
        _ => None,
    });
    let type_ = take(rest, Type::named).filter(|&type_| type_ != Type::Pred)?;
    rest.is_empty().then_some((space, components.unwrap_or(1), type_))
}

/// `[.order][.scope][.space].operation[.noftz].type` of `atom` and `red`.
fn atomic(mut rest: &[&str], returns: bool) -> Option<Form> {
    let rest = &mut rest;
    take(rest, |part| is_order(part).then_some(()));
    take(rest, |part| is_scope(part).then_some(()));
    let space = take(rest, Space::named).unwrap_or(Space::Generic);
    let operation = take(rest, |part| {
        Some(match part {
            "exch" => AtomicOperation::Exchange,
            "cas" => AtomicOperation::CompareAndSwap,
            "add" => AtomicOperation::Add,
            "and" => AtomicOperation::And,
            "or" => AtomicOperation::Or,
            "xor" => AtomicOperation::Xor,
            "min" => AtomicOperation::Minimum,
            "max" => AtomicOperation::Maximum,
            "inc" => AtomicOperation::Increment,
            "dec" => AtomicOperation::Decrement,
            _ => return None,
        })
    })?;
    take(rest, |part| (part == "noftz").then_some(()));
    let type_ = take(rest, Type::named)?;
    let allowed = match operation {
        AtomicOperation::Exchange => matches!(type_, Type::B32 | Type::B64),
        AtomicOperation::CompareAndSwap => matches!(type_, Type::B16 | Type::B32 | Type::B64),
        AtomicOperation::And | AtomicOperation::Or | AtomicOperation::Xor => {
            matches!(type_, Type::B32 | Type::B64)
        }
        AtomicOperation::Add => matches!(
            type_,
            Type::U32 | Type::S32 | Type::U64 | Type::S64 | Type::F16 | Type::F32 | Type::F64
        ),
        AtomicOperation::Minimum | AtomicOperation::Maximum => {
            matches!(type_, Type::U32 | Type::S32 | Type::U64 | Type::S64)
        }
        AtomicOperation::Increment | AtomicOperation::Decrement => type_ == Type::U32,
    };
    let atomic = Atomic { operation, type_ };
    (allowed && rest.is_empty()).then_some(Form::Atomic { atomic, space, returns })
}

fn control(parts: &[&str]) -> Option<Form> {
    match *parts {
        ["bra"] | ["bra", "uni"] => Some(Form::Branch),
        ["call"] | ["call", "uni"] => Some(Form::Call),
        ["ret"] | ["ret", "uni"] => Some(Form::Return),
        ["exit"] => Some(Form::Exit),
        ["trap"] | ["brkpt"] => Some(Form::Trap),
        ["bar", "warp", "sync"] => Some(Form::WarpBarrier),
        ["bar" | "barrier", ref rest @ ..] => barrier(rest).map(Form::Barrier),
        ["shfl", "sync", mode, "b32"] => {
            Some(Form::Shuffle { mode: shuffle_mode(mode)?, sync: true })
        }
        ["shfl", mode, "b32"] => Some(Form::Shuffle { mode: shuffle_mode(mode)?, sync: false }),
        ["vote", "sync", mode, t] => Some(Form::Vote { mode: vote_mode(mode, t)?, sync: true }),
        ["vote", mode, t] => Some(Form::Vote { mode: vote_mode(mode, t)?, sync: false }),
        ["activemask", "b32"] => Some(Form::ActiveMask),
        ["nanosleep", "u32"] => Some(Form::Nanosleep),
        _ => None,
    }
}

fn barrier(rest: &[&str]) -> Option<Barrier> {
    match *rest {
        ["cta" | "aligned", ref rest @ ..] => barrier(rest),
        ["sync"] | ["sync", "aligned"] => Some(Barrier::Sync),
        ["arrive"] | ["arrive", "aligned"] => Some(Barrier::Arrive),
        ["red", "popc", "u32"] => Some(Barrier::Count),
        ["red", "and", "pred"] => Some(Barrier::And),
        ["red", "or", "pred"] => Some(Barrier::Or),
        _ => None,
    }
}

fn shuffle_mode(mode: &str) -> Option<ShuffleMode> {
    Some(match mode {
        "idx" => ShuffleMode::Index,
        "up" => ShuffleMode::Up,
        "down" => ShuffleMode::Down,
        "bfly" => ShuffleMode::Butterfly,
        _ => return None,
    })
}

fn vote_mode(mode: &str, t: &str) -> Option<VoteMode> {
    Some(match (mode, t) {
        ("all", "pred") => VoteMode::All,
        ("any", "pred") => VoteMode::Any,
        ("uni", "pred") => VoteMode::Uniform,
        ("ballot", "b32") => VoteMode::Ballot,
        _ => return None,
    })
}

/// Log2 of the alignment that an access of `components` of `width` needs.
pub(super) fn alignment(width: Width, components: u32) -> u8 {
    (width as u32 + components.ilog2()) as u8
}
