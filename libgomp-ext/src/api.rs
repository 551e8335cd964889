//! The functions of `offmem.h`, which says what they promise.

use core::ffi::{c_int, c_void};
use core::mem;
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use offmem_registration::Range;

use crate::errno;
use crate::report::{self, Figures, TOTAL};

/// What stands behind them. Any thread may call each at any time; errors are
/// `errno` values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Engine {
    /// Whether all of the range is page-locked for the device.
    pub(crate) is_pinned: fn(Range) -> bool,
    /// Page-locks it: `EFAULT`, `ENOTSUP`, `ENOMEM` or `EBUSY`.
    pub(crate) pin: fn(Range) -> Result<(), c_int>,
    /// Takes that back: `EINVAL`, `ENOTSUP` or `EBUSY`.
    pub(crate) unpin: fn(Range) -> Result<(), c_int>,
    /// The numbers up to now.
    pub(crate) figures: fn() -> Figures,
}

/// Null where nothing is registered with a driver in this process.
static ENGINE: AtomicPtr<Engine> = AtomicPtr::new(ptr::null_mut());

/// From now on `engine` answers the program.
pub(crate) fn serve(engine: &'static Engine) {
    ENGINE.store(ptr::from_ref(engine).cast_mut(), Ordering::Release);
}

/// Whether the program ever asked for numbers.
static COUNTED: AtomicBool = AtomicBool::new(false);

/// Whether copied bytes are to be counted.
#[inline]
pub(crate) fn counts() -> bool {
    COUNTED.load(Ordering::Relaxed) || report::wanted()
}

fn engine() -> Option<&'static Engine> {
    // SAFETY: null or what `serve` was given.
    unsafe { ENGINE.load(Ordering::Acquire).as_ref() }
}

/// `struct offmem_stats`, field by field.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
#[cfg_attr(test, derive(serde::Serialize))]
pub(crate) struct Stats {
    registered_bytes: u64,
    peak_registered_bytes: u64,
    limit_bytes: u64,
    registrations: u64,
    unregistrations: u64,
    evictions: u64,
    failures: u64,
    adoptions: u64,
    bytes_to_device_pinned: u64,
    bytes_to_device_pageable: u64,
    bytes_from_device_pinned: u64,
    bytes_from_device_pageable: u64,
    register_ns: u64,
    unregister_ns: u64,
}

impl Stats {
    fn now() -> Stats {
        let figures = engine().map(|engine| (engine.figures)()).unwrap_or_default();
        let bytes = TOTAL.read();
        Stats {
            registered_bytes: figures.registered_bytes,
            peak_registered_bytes: figures.peak_registered_bytes,
            limit_bytes: figures.limit_bytes,
            registrations: figures.registrations,
            unregistrations: figures.unregistrations,
            evictions: figures.evictions,
            failures: figures.failures,
            adoptions: figures.adoptions,
            bytes_to_device_pinned: bytes.bytes_to_device_pinned,
            bytes_to_device_pageable: bytes.bytes_to_device_pageable,
            bytes_from_device_pinned: bytes.bytes_from_device_pinned,
            bytes_from_device_pageable: bytes.bytes_from_device_pageable,
            register_ns: figures.register_ns,
            unregister_ns: figures.unregister_ns,
        }
    }
}

/// `offmem.h`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn offmem_is_pinned(address: *const c_void, size: usize) -> c_int {
    let pinned = |range| engine().is_some_and(|engine| (engine.is_pinned)(range));
    errno::keep(|| c_int::from(range(address, size).is_some_and(pinned)))
}

/// `offmem.h`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn offmem_pin(address: *mut c_void, size: usize) -> c_int {
    answer(address, size, |engine| engine.pin)
}

/// `offmem.h`.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn offmem_unpin(address: *mut c_void, size: usize) -> c_int {
    answer(address, size, |engine| engine.unpin)
}

/// `offmem.h`.
///
/// # Safety
/// `stats` is null or has `size` bytes to write to.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn offmem_get_stats(stats: *mut Stats, size: usize) -> c_int {
    if stats.is_null() || size < mem::size_of::<u64>() {
        return libc::EINVAL;
    }
    COUNTED.store(true, Ordering::Relaxed);
    let now = errno::keep(Stats::now);
    // Whole fields only.
    let known = size.min(mem::size_of::<Stats>()) & !(mem::size_of::<u64>() - 1);
    // SAFETY: `size` bytes are the caller's, and `known` of them ours to read.
    unsafe {
        ptr::write_bytes(stats.cast::<u8>(), 0, size);
        ptr::copy_nonoverlapping((&raw const now).cast::<u8>(), stats.cast::<u8>(), known);
    }
    0
}

/// The range of a program's argument.
fn range(address: *const c_void, size: usize) -> Option<Range> {
    if address.is_null() { None } else { Range::new(address.addr(), size) }
}

fn answer(
    address: *const c_void,
    size: usize,
    function: impl FnOnce(&Engine) -> fn(Range) -> Result<(), c_int>,
) -> c_int {
    let Some(range) = range(address, size) else { return libc::EINVAL };
    let Some(engine) = engine() else { return libc::ENOTSUP };
    errno::keep(|| function(engine)(range)).err().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use core::mem;
    use core::ptr;

    use super::{Engine, Figures, Stats};
    use super::{offmem_get_stats, offmem_is_pinned, offmem_pin, offmem_unpin, serve};
    use crate::errno;

    /// Page-locks nothing: what it answers shows what it was asked.
    static ENGINE: Engine = Engine {
        is_pinned: |range| range.size() == 4096,
        pin: |range| if range.start == 4096 { Ok(()) } else { Err(libc::ENOMEM) },
        unpin: |_| {
            errno::set(libc::EIO);
            Err(libc::EBUSY)
        },
        figures: || Figures { registered_bytes: 7, unregister_ns: 9, ..Figures::default() },
    };

    fn at(address: usize) -> *mut core::ffi::c_void {
        ptr::without_provenance_mut(address)
    }

    #[test]
    fn questions_go_to_the_engine_and_bad_ones_do_not() {
        assert_eq!(offmem_is_pinned(at(4096), 4096), 0);
        assert_eq!(offmem_pin(at(4096), 1), libc::ENOTSUP);
        assert_eq!(offmem_pin(at(0), 1), libc::EINVAL, "even without an engine");
        serve(&ENGINE);
        assert_eq!(offmem_is_pinned(at(4096), 4096), 1);
        assert_eq!(offmem_is_pinned(at(4096), 1), 0);
        assert_eq!(offmem_pin(at(4096), 1), 0);
        assert_eq!(offmem_pin(at(8192), 1), libc::ENOMEM);
        for (address, size) in [(0, 4096), (4096, 0), (usize::MAX, 4096)] {
            assert_eq!(offmem_is_pinned(at(address), size), 0);
            assert_eq!(offmem_pin(at(address), size), libc::EINVAL);
            assert_eq!(offmem_unpin(at(address), size), libc::EINVAL);
        }
        errno::set(libc::EDOM);
        assert_eq!(offmem_unpin(at(4096), 1), libc::EBUSY);
        assert_eq!(errno::get(), libc::EDOM);
    }

    #[test]
    fn stats_fit_into_what_the_caller_has() {
        const FIELD: usize = mem::size_of::<u64>();
        for (size, written) in
            [(FIELD, 1), (2 * FIELD + 3, 2), (mem::size_of::<Stats>() + FIELD, 15)]
        {
            let mut buffer = [u64::MAX; 20];
            // SAFETY: the buffer is larger.
            assert_eq!(unsafe { offmem_get_stats(buffer.as_mut_ptr().cast(), size) }, 0);
            let behind = size.div_ceil(FIELD);
            assert!(buffer[1..written].iter().all(|field| *field < u64::MAX));
            assert!(buffer[behind..].iter().all(|field| *field == u64::MAX));
        }
        // SAFETY: refused before anything is written.
        unsafe {
            assert_eq!(offmem_get_stats(ptr::null_mut(), 112), libc::EINVAL);
            assert_eq!(offmem_get_stats(&mut Stats::default(), FIELD - 1), libc::EINVAL);
        }
    }

    #[test]
    fn c_and_fortran_have_the_same_fields_in_the_same_order() {
        let json = serde_json::to_string(&Stats::default()).expect("numbers");
        let ours: Vec<_> = json.split('"').skip(1).step_by(2).collect();
        assert_eq!(ours.len() * 8, mem::size_of::<Stats>());
        let header = include_str!("../include/offmem.h");
        let module = include_str!("../include/offmem.f90");
        let fields = |text: &'static str, start: &str| -> Vec<&str> {
            let lines = text.lines().map(str::trim).filter_map(|line| line.strip_prefix(start));
            lines.map(|field| field.split(';').next().unwrap_or_default()).collect()
        };
        assert_eq!(fields(header, "uint64_t "), ours);
        assert_eq!(fields(module, "integer(c_int64_t) :: "), ours);
    }
}
