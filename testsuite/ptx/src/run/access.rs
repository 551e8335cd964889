//! `ld` and `st` (PTX ISA 9.7.9.8 and 9.7.9.12).

use super::cell;
use super::fault::Trouble;
use super::reach::{Deed, Reach, is_local};
use super::register::{Mask, Window, lanes};
use super::warp::first_lane;
use crate::alu::LANES;
use crate::instruction::{Instruction, Place};

/// A lane's value of a load.
#[inline(always)]
fn read(reach: &mut Reach<'_>, place: &Place, address: u64, lane: usize) -> Result<u64, Trouble> {
    let pointer = reach
        .pointer(place, address, lane, Deed::Load)
        .map_err(|reason| Trouble::new(1 << lane, reason))?;
    // SAFETY: `pointer` gives what may be read, aligned to the width.
    Ok(place.extended(unsafe { cell::load(pointer, place.width) }))
}

#[inline(always)]
pub(super) fn load(
    window: &mut Window<'_>,
    reach: &mut Reach<'_>,
    instruction: &Instruction,
    place: &Place,
    active: Mask,
    present: Mask,
) -> Result<(), Trouble> {
    if let Some(base) = window.uniform(instruction.sources[0]) {
        let address = place.address(base);
        if !is_local(place, address) {
            let value = read(reach, place, address, first_lane(active))?;
            window.write_same(instruction.destination, value, active, present);
            return Ok(());
        }
    }
    load_lanes(window, reach, instruction, place, active, present)
}

#[inline(never)]
fn load_lanes(
    window: &mut Window<'_>,
    reach: &mut Reach<'_>,
    instruction: &Instruction,
    place: &Place,
    active: Mask,
    present: Mask,
) -> Result<(), Trouble> {
    let mut values = [0; LANES];
    for lane in lanes(active) {
        let address = place.address(window.lane(instruction.sources[0], lane));
        values[lane] = read(reach, place, address, lane)?;
    }
    window.write_lanes(instruction.destination, &values, active, present);
    Ok(())
}

/// Stores a lane's value.
#[inline(always)]
fn write(
    reach: &mut Reach<'_>,
    place: &Place,
    address: u64,
    lane: usize,
    value: u64,
) -> Result<(), Trouble> {
    let pointer = reach
        .pointer(place, address, lane, Deed::Store)
        .map_err(|reason| Trouble::new(1 << lane, reason))?;
    // SAFETY: `pointer` gives what may be written, aligned to the width.
    unsafe { cell::store(pointer, place.width, value) };
    Ok(())
}

/// Stores; of lanes that store to the same address the last one wins.
#[inline(always)]
pub(super) fn store(
    window: &mut Window<'_>,
    reach: &mut Reach<'_>,
    instruction: &Instruction,
    place: &Place,
    active: Mask,
) -> Result<(), Trouble> {
    let [base, source, _] = instruction.sources;
    if let (Some(base), Some(value)) = (window.uniform(base), window.uniform(source)) {
        let address = place.address(base);
        if !is_local(place, address) {
            return write(reach, place, address, first_lane(active), value);
        }
    }
    store_lanes(window, reach, instruction, place, active)
}

#[inline(never)]
fn store_lanes(
    window: &mut Window<'_>,
    reach: &mut Reach<'_>,
    instruction: &Instruction,
    place: &Place,
    active: Mask,
) -> Result<(), Trouble> {
    let [base, source, _] = instruction.sources;
    for lane in lanes(active) {
        let address = place.address(window.lane(base, lane));
        write(reach, place, address, lane, window.lane(source, lane))?;
    }
    Ok(())
}
