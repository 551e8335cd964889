//! Addresses among which are those of blocks that are not libc's: what `free`
//! compares with before it looks closer.

use core::ffi::c_void;
use core::sync::atomic::{AtomicUsize, Ordering};

use offmem_registration::Range;

/// They begin at the first and end before the second. The one only falls and the
/// other only rises, so a block that is ours is between them whichever of the two
/// another thread sees changed first.
pub(super) static LOW: AtomicUsize = AtomicUsize::new(usize::MAX);
pub(super) static HIGH: AtomicUsize = AtomicUsize::new(0);

/// Adds a range, before a block there is given out.
pub(crate) fn cover(range: Range) {
    LOW.fetch_min(range.start, Ordering::SeqCst);
    HIGH.fetch_max(range.end, Ordering::SeqCst);
}

/// Whether a block may be one of ours.
#[inline(always)]
pub(super) fn has(block: *mut c_void) -> bool {
    let address = block as usize;
    address >= LOW.load(Ordering::Relaxed) && address < HIGH.load(Ordering::Relaxed)
}
