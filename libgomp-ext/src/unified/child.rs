//! A child of `fork` cannot use its parent's managed memory: the driver takes
//! that away. It gets a copy at the same addresses.

use core::ptr;
use std::fs;

use offmem_registration::Range;

use super::slab;
use crate::lock::Lock;
use crate::message::say;
use crate::{budget, kernel, sabotage};

/// What is to become a child's slabs: each, and where its copy is.
static COPIES: Lock<Vec<(Range, usize)>> = Lock::new(Vec::new());

/// Before `fork`: nothing in the pool changes from here on but by its blocks' owners.
pub(crate) fn acquire() {
    offmem_pool::acquire();
    if !sabotage::lacks(c"child") {
        copy();
    }
}

/// After `fork`, in the parent and in the child.
///
/// # Safety
/// This thread, or its parent before the `fork`, called [`acquire`].
pub(crate) unsafe fn release() {
    // SAFETY: the caller's.
    unsafe { offmem_pool::release() };
}

/// After [`release`], in the parent only.
pub(crate) fn in_parent() {
    for (slab, copy) in COPIES.lock().drain(..) {
        kernel::unmap(copy, slab.size());
    }
}

/// The child's slabs become what they were.
pub(super) fn restore() {
    for (slab, copy) in COPIES.lock().drain(..) {
        kernel::replace(copy, slab.size(), slab.start);
    }
}

fn copy() {
    let slabs = slab::managed();
    if slabs.is_empty() {
        return;
    }
    let mut used = Vec::new();
    // SAFETY: acquired.
    unsafe {
        offmem_pool::for_each_run_held(|start, size| {
            used.push(Range { start, end: start + size });
        });
    }
    let bytes: usize = used.iter().map(|run| run.size()).sum();
    if bytes as u64 > available() {
        say(format_args!(
            "a child of fork has none of the program's unified memory: there is no room for a copy"
        ));
        return;
    }
    let mut copies = COPIES.lock();
    for slab in slabs {
        let Some(copy) = kernel::zeros(slab.size()) else { continue };
        for run in used.iter().filter(|run| slab.contains(**run)) {
            let from = ptr::with_exposed_provenance::<u8>(run.start);
            let to = ptr::with_exposed_provenance_mut(copy + (run.start - slab.start));
            // SAFETY: memory of a slab, which stays; the copy of the slab is as long.
            unsafe { ptr::copy_nonoverlapping(from, to, run.size()) };
        }
        copies.push((slab, copy));
    }
}

/// Memory that the kernel can give out without taking it from anybody, in bytes.
fn available() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    budget::meminfo(&text, "MemAvailable").unwrap_or(u64::MAX)
}
