//! `atom` and `red` (PTX ISA 9.7.13.15 and 9.7.13.16).

use super::cell;
use super::fault::Trouble;
use super::reach::{Deed, Reach};
use super::register::{Mask, Window, lanes};
use crate::alu::{self, Evaluate, LANES};
use crate::instruction::{Atomic, AtomicOperation, Instruction, Place};
use crate::types::Type;

/// Each active lane's operation, one after the other.
pub(super) fn atomic(
    window: &mut Window<'_>,
    reach: &mut Reach<'_>,
    instruction: &Instruction,
    atomic: Atomic,
    place: &Place,
    active: Mask,
    present: Mask,
) -> Result<(), Trouble> {
    let [base, operand, replacement] = instruction.sources;
    let mut old = [0; LANES];
    for lane in lanes(active) {
        let address = place.address(window.lane(base, lane));
        let pointer = reach
            .pointer(place, address, lane, Deed::Atomic)
            .map_err(|reason| Trouble::new(1 << lane, reason))?;
        let operand = window.lane(operand, lane);
        let replacement = window.lane(replacement, lane);
        let update = |old| updated(atomic, old, operand, replacement);
        // SAFETY: `pointer` gives what may be written, aligned to the width.
        old[lane] = unsafe { cell::update(pointer, place.width, update) };
    }
    window.write_lanes(instruction.destination, &old, active, present);
    Ok(())
}

/// What takes the place of `old` in memory.
fn updated(atomic: Atomic, old: u64, operand: u64, replacement: u64) -> u64 {
    let operand = operand & atomic.type_.width().mask();
    match atomic.operation {
        AtomicOperation::Exchange => operand,
        AtomicOperation::CompareAndSwap if old == operand => replacement,
        AtomicOperation::CompareAndSwap => old,
        AtomicOperation::Add => sum(atomic.type_, old, operand),
        AtomicOperation::And => old & operand,
        AtomicOperation::Or => old | operand,
        AtomicOperation::Xor => old ^ operand,
        AtomicOperation::Minimum if less(atomic.type_, old, operand) => old,
        AtomicOperation::Maximum if less(atomic.type_, operand, old) => old,
        AtomicOperation::Minimum | AtomicOperation::Maximum => operand,
        AtomicOperation::Increment if old >= operand => 0,
        AtomicOperation::Increment => old + 1,
        AtomicOperation::Decrement if old == 0 || old > operand => operand,
        AtomicOperation::Decrement => old - 1,
    }
}

fn sum(type_: Type, old: u64, operand: u64) -> u64 {
    use alu::Scalar;
    match type_ {
        Type::F16 => half_sum().map_or(0, |evaluate| (evaluate.scalar)(old, operand, 0)),
        Type::F32 => (f32::read(old) + f32::read(operand)).write(),
        Type::F64 => (f64::read(old) + f64::read(operand)).write(),
        _ => old.wrapping_add(operand) & type_.width().mask(),
    }
}

fn half_sum() -> Option<&'static Evaluate> {
    alu::decode(&["add", "f16"]).map(|compute| compute.evaluate)
}

fn less(type_: Type, a: u64, b: u64) -> bool {
    let width = type_.width();
    if type_.is_signed() {
        (width.sign_extend(a) as i64) < width.sign_extend(b) as i64
    } else {
        a < b
    }
}
