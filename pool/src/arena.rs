//! jemalloc's arenas whose memory is runs of slabs.

use core::ffi::CStr;
use core::mem;
use core::ptr;
use core::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::thread;

use libc::{c_int, c_uint, c_void, size_t};
use offmem_registration::errno;
use tikv_jemalloc_sys as jemalloc;

use crate::granule::GRANULE;
use crate::slab;
use crate::{SLABS, source};

/// At most; a machine with more cores shares them.
const MOST: usize = 64;

/// How many there may be: two for each core. 0 before [`prepare`].
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// Their numbers, which jemalloc counts from 1 on: its own is 0, and is none of ours.
static ARENAS: [AtomicU32; MOST] = [const { AtomicU32::new(0) }; MOST];
/// How many threads were given one.
static TICKETS: AtomicUsize = AtomicUsize::new(0);

/// Once, before [`choose`].
pub(crate) fn prepare() {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    COUNT.store((2 * cores).min(MOST), Ordering::Relaxed);
    // Its handlers for fork must be there before a block is.
    act(c"epoch");
}

/// An arena for one more thread: in turn, and created by whoever comes to it first.
/// Threads that come together at the start do not wait for each other, since one may be
/// in the parent of a `fork`: each gets one of its own.
pub(crate) fn choose() -> Option<u32> {
    let count = COUNT.load(Ordering::Relaxed);
    let ticket = TICKETS.fetch_add(1, Ordering::Relaxed);
    let place = &ARENAS[ticket % count.max(1)];
    let there = Some(place.load(Ordering::Acquire)).filter(|arena| *arena != 0);
    let old = there.or_else(|| any().filter(|_| ticket >= count));
    old.or_else(|| {
        let new = create()?;
        let _ = place.compare_exchange(0, new, Ordering::AcqRel, Ordering::Relaxed);
        Some(new)
    })
    .or_else(any)
}

/// An arena for a thread that is not bound to one.
pub(crate) fn any() -> Option<u32> {
    ARENAS.iter().map(|place| place.load(Ordering::Acquire)).find(|arena| *arena != 0)
}

/// What this thread allocates comes from the arena from now on, and nothing
/// that it has cached from another.
pub(crate) fn bind(arena: u32) {
    write(c"thread.arena", &c_uint::from(arena));
    act(c"thread.tcache.flush");
}

/// Lets every arena give up the runs that were not used for long enough; or all
/// that it does not use.
pub(crate) fn release(at_once: bool) {
    // 4096 stands for all (MALLCTL_ARENAS_ALL).
    act(if at_once { c"arena.4096.purge" } else { c"arena.4096.decay" });
}

/// What this thread has cached goes back to the arenas.
pub(crate) fn flush() {
    act(c"thread.tcache.flush");
}

/// arena_config_t.
#[repr(C)]
struct Config {
    hooks: *mut jemalloc::extent_hooks_t,
    metadata_use_hooks: bool,
}

fn create() -> Option<u32> {
    // What jemalloc knows of its blocks is not in slabs: nobody should have to
    // fetch pages from a device for it.
    let config = Config { hooks: (&raw const HOOKS).cast_mut(), metadata_use_hooks: false };
    let mut arena: c_uint = 0;
    let mut length = mem::size_of::<c_uint>();
    let name = c"experimental.arenas_create_ext";
    // SAFETY: the option's types, and as long as they say; the hooks stay.
    let error = unsafe {
        jemalloc::mallctl(
            name.as_ptr(),
            (&raw mut arena).cast(),
            &raw mut length,
            (&raw const config).cast_mut().cast(),
            mem::size_of::<Config>(),
        )
    };
    (error == 0).then_some(arena)
}

fn write(name: &CStr, value: &c_uint) -> c_int {
    let value = ptr::from_ref(value).cast_mut().cast();
    let size = mem::size_of::<c_uint>();
    // SAFETY: a name, and a value of the type that it has.
    unsafe { jemalloc::mallctl(name.as_ptr(), ptr::null_mut(), ptr::null_mut(), value, size) }
}

fn act(name: &CStr) -> c_int {
    // SAFETY: a name of something that takes and returns nothing.
    unsafe {
        jemalloc::mallctl(name.as_ptr(), ptr::null_mut(), ptr::null_mut(), ptr::null_mut(), 0)
    }
}

/// Without the ones that are not set: commit and decommit, both purges, destroy.
static HOOKS: jemalloc::extent_hooks_t = jemalloc::extent_hooks_t {
    alloc: Some(alloc),
    dalloc: Some(dalloc),
    destroy: None,
    commit: None,
    decommit: None,
    purge_lazy: None,
    purge_forced: None,
    split: Some(split),
    merge: Some(merge),
};

unsafe extern "C" fn alloc(
    _: *mut jemalloc::extent_hooks_t,
    at: *mut c_void,
    size: size_t,
    align: size_t,
    zero: *mut bool,
    commit: *mut bool,
    _: c_uint,
) -> *mut c_void {
    let address = if at.is_null() {
        source().and_then(|source| SLABS.take(size, align, source))
    } else {
        // The block before it grows.
        SLABS.take_at(at.addr(), size).then_some(at.addr())
    };
    let Some(address) = address else { return ptr::null_mut() };
    let address = ptr::with_exposed_provenance_mut::<c_void>(address);
    // SAFETY: jemalloc's variables; a run of that size, which is nobody else's.
    unsafe {
        *commit = true;
        // Slabs are not zeros, and jemalloc counts on what it asks for.
        if *zero {
            ptr::write_bytes(address.cast::<u8>(), 0, size);
        }
    }
    address
}

unsafe extern "C" fn dalloc(
    _: *mut jemalloc::extent_hooks_t,
    address: *mut c_void,
    size: size_t,
    _: bool,
    _: c_uint,
) -> bool {
    // Of all that free does, this alone leads out of the pool.
    errno::keep(|| SLABS.put(address.addr(), size));
    false
}

unsafe extern "C" fn split(
    _: *mut jemalloc::extent_hooks_t,
    _: *mut c_void,
    _: size_t,
    _: size_t,
    _: size_t,
    _: bool,
    _: c_uint,
) -> bool {
    false
}

/// Under locks of jemalloc's, so without ours.
unsafe extern "C" fn merge(
    _: *mut jemalloc::extent_hooks_t,
    _: *mut c_void,
    _: size_t,
    second: *mut c_void,
    _: size_t,
    _: bool,
    _: c_uint,
) -> bool {
    slab::is_edge(second.addr())
}

const _: () = assert!(GRANULE.is_multiple_of(4096));

#[cfg(test)]
mod tests {
    use core::ffi::CStr;
    use core::mem;
    use core::ptr;

    use tikv_jemalloc_sys as jemalloc;

    fn read<T: Default>(name: &CStr) -> T {
        let mut value = T::default();
        let mut length = mem::size_of::<T>();
        // SAFETY: as long as it says; a wrong type is an error.
        let error = unsafe {
            let value = (&raw mut value).cast();
            jemalloc::mallctl(name.as_ptr(), value, &raw mut length, ptr::null_mut(), 0)
        };
        assert!(error == 0 && length == mem::size_of::<T>(), "{name:?}: {error}");
        value
    }

    #[test]
    fn jemalloc_has_our_options() {
        assert_eq!(read::<u32>(c"opt.narenas"), 1);
        assert!(!read::<bool>(c"opt.retain") && !read::<bool>(c"opt.cache_oblivious"));
        assert_eq!(read::<isize>(c"opt.dirty_decay_ms"), 1000);
        assert_eq!(read::<isize>(c"opt.muzzy_decay_ms"), 0);
        assert_eq!(read::<usize>(c"opt.oversize_threshold"), 4 << 20);
        assert_eq!(read::<usize>(c"arenas.page"), 4096);
    }
}
