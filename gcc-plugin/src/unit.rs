//! The unit's constructor, which tells the runtime that it exists.

use std::ffi::CString;
use std::sync::atomic::{AtomicBool, Ordering};

use offmem_abi::{CONSTRUCTOR_PRIORITY, ENABLE, Mode, VERSION};

use crate::bridge::{self, Place, Word};

static ANNOUNCED: AtomicBool = AtomicBool::new(false);

/// Whether the unit has been announced.
pub(crate) fn announced() -> bool {
    ANNOUNCED.load(Ordering::Relaxed)
}

/// Announces the unit to the runtime, the first time only.
pub(crate) fn announce(mode: Mode, first_construct: Place) {
    if ANNOUNCED.swap(true, Ordering::Relaxed) {
        return;
    }
    if let Some(lack) = bridge::misfit() {
        bridge::error(first_construct, c"%qs needs programs with %s", &["-foffload-memory", &lack]);
        return;
    }
    if mode == Mode::Pinned && conflicts_with_requires(first_construct) {
        return;
    }
    // The words of `offmem_abi::Unit`, in its order.
    let file = bridge::main_file();
    let unit =
        bridge::constant(&[Word::Number(VERSION), Word::Number(mode as usize), Word::Text(&file)]);
    let enable = CString::new(ENABLE).expect("a name without null bytes");
    bridge::emit_constructor(&enable, unit, CONSTRUCTOR_PRIORITY);
}

/// Reports `requires` clauses that ask for the opposite of pinned memory.
fn conflicts_with_requires(place: Place) -> bool {
    let requires = bridge::requires();
    let clauses = [
        (requires.unified_shared_memory, "unified_shared_memory"),
        (requires.unified_address, "unified_address"),
    ];
    let mut conflict = false;
    for (_, clause) in clauses.into_iter().filter(|(used, _)| *used) {
        conflict = true;
        bridge::error(
            place,
            c"%qs is incompatible with the selected %qs option",
            &[clause, "-foffload-memory"],
        );
    }
    conflict
}
