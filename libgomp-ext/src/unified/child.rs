//! A child of `fork` cannot use its parent's managed memory: the driver takes
//! that away. It gets a copy at the same addresses.

use std::fs;

use offmem_registration::Range;

use super::slab::{self, Slab};
use crate::kernel;
use crate::lock::Lock;
use crate::message::say;

/// What is to become a child's slabs: each, and where its copy is.
static COPIES: Lock<Vec<(Range, usize)>> = Lock::new(Vec::new());

/// To be called before the pool begins, whose locks are then taken before
/// [`before`] runs: handlers run in the reverse order of their registration.
pub(super) fn prepare() {
    // SAFETY: the handlers are functions of this library, which takes them
    // along when it goes.
    unsafe { libc::pthread_atfork(Some(before), Some(parent), Some(child)) };
}

unsafe extern "C" fn before() {
    if cfg!(feature = "sabotage-child") {
        return;
    }
    let slabs: Vec<Range> = slab::with_all(|slabs| {
        let managed = slabs.iter().filter(|slab: &&Slab| slab.is_managed);
        managed.map(|slab| slab.range).collect()
    });
    if slabs.is_empty() {
        return;
    }
    let mut used = Vec::new();
    offmem_pool::for_each_run(|start, size| used.push(Range { start, end: start + size }));
    let copied: usize = used.iter().map(|run| run.size()).sum();
    if copied as u64 > available() {
        say(format_args!(
            "a child of fork does without the program's unified memory: there is no room for a copy"
        ));
        return;
    }
    let mut copies = COPIES.lock();
    for slab in slabs {
        let Some(copy) = kernel::zeros(slab.size()) else { continue };
        for run in used.iter().filter(|run| slab.contains(**run)) {
            let to = copy + (run.start - slab.start);
            // SAFETY: the pool's memory, of a slab that stays; the copy is as long.
            unsafe {
                core::ptr::copy_nonoverlapping(
                    core::ptr::with_exposed_provenance::<u8>(run.start),
                    core::ptr::with_exposed_provenance_mut(to),
                    run.size(),
                );
            }
        }
        copies.push((slab, copy));
    }
}

unsafe extern "C" fn parent() {
    for (slab, copy) in COPIES.lock().drain(..) {
        kernel::unmap(copy, slab.size());
    }
}

unsafe extern "C" fn child() {
    for (slab, copy) in COPIES.lock().drain(..) {
        kernel::replace(copy, slab.size(), slab.start);
    }
    offmem_pool::in_child();
}

/// Memory that the kernel can give out without taking it from anybody.
fn available() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    crate::budget::meminfo(&text, "MemAvailable").unwrap_or(u64::MAX)
}
