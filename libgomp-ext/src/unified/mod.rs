//! Memory that is the same on the host and on the device.

use core::sync::atomic::{AtomicBool, Ordering};

use offmem_registration::Range;

use crate::driver::Cuda;
use crate::engine::Device;

/// Which memory a range of host memory is, for a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sharing {
    /// It is mapped and copied as ever.
    Separate,
    /// It is managed: libgomp finds it present at its own address, by an
    /// association that never ends.
    Managed,
    /// The device reads any host memory: it is to be passed as its host
    /// address, without a mapping.
    Pageable,
}

impl Sharing {
    /// Whether host and device use the same bytes.
    pub(crate) fn is_shared(self) -> bool {
        self != Sharing::Separate
    }
}

static ON: AtomicBool = AtomicBool::new(false);
static PAGEABLE: AtomicBool = AtomicBool::new(false);

/// Whether any memory is the same on host and device: false in every program
/// that is not unified.
#[inline]
pub(crate) fn is_on() -> bool {
    ON.load(Ordering::Relaxed)
}

/// The program is unified.
pub(crate) fn begin() {
    ON.store(true, Ordering::Relaxed);
}

/// The program offloads to this driver's device.
pub(crate) fn meet(cuda: &Cuda) {
    PAGEABLE.store(is_on() && cuda.accesses_pageable_memory(), Ordering::Relaxed);
}

/// Which memory `range` is, for `device`. `Pageable` is never said of memory
/// that libgomp has mapped otherwise: `declare target` variables, the program's
/// own associations. Any thread may ask; libgomp's lock of the device is taken.
pub(crate) fn sharing(range: Range, device: Device) -> Sharing {
    #[cfg(test)]
    if let Some(sharing) = tests::listed(range) {
        return sharing;
    }
    if !device.has(range.start) {
        let pageable = PAGEABLE.load(Ordering::Relaxed);
        return if pageable { Sharing::Pageable } else { Sharing::Separate };
    }
    // The program may have managed memory of its own, and have associated it.
    let at_itself = |address| device.has(address) && device.address(address) == address;
    if at_itself(range.start) && at_itself(range.end - 1) {
        Sharing::Managed
    } else {
        Sharing::Separate
    }
}

/// Whether libgomp finds `range` present at its own address because this
/// library has said so, and not the program.
pub(crate) fn is_owned(range: Range) -> bool {
    #[cfg(test)]
    if let Some(sharing) = tests::listed(range) {
        return sharing == Sharing::Managed;
    }
    let _ = range;
    false
}

/// Keeps managed memory from being given back to the driver while it lives.
#[derive(Debug)]
pub(crate) struct Holding;

/// Holds a managed range.
pub(crate) fn hold(range: Range) -> Holding {
    let _ = range;
    Holding
}

/// Holds a managed range to the end of the process: nobody knows for how long
/// the device uses it.
pub(crate) fn hold_forever(range: Range) {
    let _ = range;
}

#[cfg(test)]
pub(crate) mod tests {
    use std::cell::RefCell;

    use offmem_registration::Range;

    use super::Sharing;

    thread_local! {
        static LIST: RefCell<Vec<(Range, Sharing)>> = const { RefCell::new(Vec::new()) };
    }

    /// In this thread, these ranges are such memory and all others are not.
    pub(crate) fn list(ranges: &[(Range, Sharing)]) {
        LIST.with_borrow_mut(|list| *list = ranges.to_vec());
    }

    pub(super) fn listed(range: Range) -> Option<Sharing> {
        LIST.with_borrow(|list| {
            let found = list.iter().find(|(listed, _)| listed.contains(range));
            Some(found.map_or(Sharing::Separate, |&(_, sharing)| sharing))
        })
    }
}
