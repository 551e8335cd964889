//! `malloc` and its family. Requests below a threshold, and blocks that are not
//! the heap's, are libc's: a comparison and a jump. Bigger ones are the heap's,
//! where all of the family is ours and the next one libc's; in every other
//! process (another allocator, a sanitizer, a program with its own `malloc`)
//! everything goes on to the next function. Blocks of the unified pool may come
//! back here from anywhere, too.
//!
//! `reallocarray` is libc's, which calls the first `realloc` of the process.
//!
//! These run before any constructor, in the loader, and in every thread.

use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering};

use super::family::{
    ALIGNED_ALLOC, CALLOC, FREE, MALLOC, MEMALIGN, POSIX_MEMALIGN, PVALLOC, REALLOC, USABLE_SIZE,
    VALLOC,
};
use super::{family, language, window};
use crate::environment::{self, Activation};
use crate::heap::{self, Resized};
use crate::{errno, message, unified};

/// Smaller blocks are never the heap's, whatever `OFFMEM_MIN_SIZE` says: libgomp
/// gathers small copies in a buffer of its own. A constant, so that the common
/// case compares with no memory.
const MIN_SIZE: usize = 64 << 10;

/// Without `OFFMEM_MIN_SIZE`.
const DEFAULT_SIZE: usize = 128 << 10;

/// Blocks of at least so many bytes are the heap's: none, until that is decided.
static THRESHOLD: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Whether the heap serves them.
static DECIDED: AtomicUsize = AtomicUsize::new(UNDECIDED);
const UNDECIDED: usize = 0;
const ON: usize = 1;
const OFF: usize = 2;

/// The thread that decides, which may allocate.
static DECIDING: AtomicUsize = AtomicUsize::new(0);

/// Whether big blocks are the heap's in this process.
pub(crate) fn is_on() -> bool {
    DECIDED.load(Ordering::Acquire) == ON
}

/// Why not; nothing where they are. Not for hooks: it may look functions up.
pub(crate) fn why_off() -> Option<&'static str> {
    if DECIDED.load(Ordering::Acquire) == UNDECIDED {
        // Another malloc comes before ours, or stands in its place, as valgrind's does.
        return Some(if family::is_libcs_only() { NONE_CAME } else { NOT_LIBCS });
    }
    heap::why_off()
}

const NOT_LIBCS: &str = "malloc is not libc's in this process";
const NONE_CAME: &str = "the runtime's malloc was asked for no big block";

/// From how many bytes on a block is big: `OFFMEM_MIN_SIZE`.
pub(crate) fn min_size() -> usize {
    let least = environment::min_size().and_then(|bytes| usize::try_from(bytes).ok());
    least.unwrap_or(DEFAULT_SIZE).max(MIN_SIZE)
}

/// malloc(3).
///
/// # Safety
/// As malloc's.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    core::arch::naked_asm!(
        "cmp rdi, {least}",
        "jae 2f",
        "jmp qword ptr [rip + {next}]",
        "2:",
        "mov rsi, qword ptr [rsp]",
        "jmp {big}",
        least = const MIN_SIZE,
        big = sym malloc_big,
        next = sym MALLOC,
    );
}

#[cfg(not(target_arch = "x86_64"))]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    if size >= MIN_SIZE {
        // SAFETY: the caller's.
        return unsafe { malloc_big(size, 0) };
    }
    // SAFETY: the caller's.
    unsafe { MALLOC.get()(size) }
}

/// free(3).
///
/// # Safety
/// As free's.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn free(block: *mut c_void) {
    core::arch::naked_asm!(
        "cmp rdi, qword ptr [rip + {low}]",
        "jae 2f",
        "jmp qword ptr [rip + {next}]",
        "2:",
        "cmp rdi, qword ptr [rip + {high}]",
        "jb {covered}",
        "jmp qword ptr [rip + {next}]",
        low = sym window::LOW,
        high = sym window::HIGH,
        covered = sym free_covered,
        next = sym FREE,
    );
}

#[cfg(not(target_arch = "x86_64"))]
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn free(block: *mut c_void) {
    if window::has(block) {
        // SAFETY: the caller's.
        return unsafe { free_covered(block) };
    }
    // SAFETY: the caller's.
    unsafe { FREE.get()(block) }
}

/// calloc(3).
///
/// # Safety
/// As calloc's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    // What overflows is refused by the next one.
    let bytes = count.checked_mul(size).unwrap_or(0);
    if bytes >= MIN_SIZE {
        // SAFETY: the caller's.
        return unsafe { calloc_big(count, size) };
    }
    // SAFETY: the caller's.
    unsafe { CALLOC.get()(count, size) }
}

/// realloc(3).
///
/// # Safety
/// As realloc's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    if window::has(block) {
        if heap::owns(block as usize) {
            // SAFETY: the caller's.
            return unsafe { realloc_owned(block, size) };
        }
        if unified::owns(block as usize) {
            // SAFETY: the caller's.
            return unsafe { unified::resize(block, size) };
        }
    }
    if size >= MIN_SIZE {
        // SAFETY: the caller's.
        return unsafe { realloc_big(block, size) };
    }
    // SAFETY: the caller's.
    unsafe { REALLOC.get()(block, size) }
}

/// posix_memalign(3).
///
/// # Safety
/// As posix_memalign's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn posix_memalign(
    block: *mut *mut c_void,
    align: usize,
    size: usize,
) -> c_int {
    if size >= MIN_SIZE && align.is_multiple_of(size_of::<usize>()) {
        let found = allocate_aligned(align, size);
        if !found.is_null() {
            // SAFETY: the caller's.
            unsafe { *block = found };
            return 0;
        }
    }
    // SAFETY: the caller's.
    unsafe { POSIX_MEMALIGN.get()(block, align, size) }
}

/// `$name (align, size)`, the next one of which is `$next`.
macro_rules! aligned {
    ($($name:ident is $next:ident;)+) => { $(
        #[doc = concat!(stringify!($name), "(3).")]
        ///
        /// # Safety
        /// As the next one's.
        #[cfg_attr(not(test), unsafe(no_mangle))]
        pub(crate) unsafe extern "C" fn $name(align: usize, size: usize) -> *mut c_void {
            if size >= MIN_SIZE {
                let block = allocate_aligned(align, size);
                if !block.is_null() {
                    return block;
                }
            }
            // SAFETY: the caller's.
            unsafe { $next.get()(align, size) }
        }
    )+ };
}

aligned! {
    aligned_alloc is ALIGNED_ALLOC;
    memalign is MEMALIGN;
}

/// `$name (size)`, a whole number of pages. All of the heap's blocks are.
macro_rules! paged {
    ($($name:ident is $next:ident;)+) => { $(
        #[doc = concat!(stringify!($name), "(3).")]
        ///
        /// # Safety
        /// As the next one's.
        #[cfg_attr(not(test), unsafe(no_mangle))]
        pub(crate) unsafe extern "C" fn $name(size: usize) -> *mut c_void {
            if size >= MIN_SIZE {
                let block = allocate_aligned(1, size);
                if !block.is_null() {
                    return block;
                }
            }
            // SAFETY: the caller's.
            unsafe { $next.get()(size) }
        }
    )+ };
}

paged! {
    valloc is VALLOC;
    pvalloc is PVALLOC;
}

/// malloc_usable_size(3).
///
/// # Safety
/// As malloc_usable_size's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn malloc_usable_size(block: *mut c_void) -> usize {
    if window::has(block) {
        if heap::owns(block as usize) {
            return heap::usable_size(block as usize);
        }
        if unified::owns(block as usize) {
            // SAFETY: the caller's live block, of the pool.
            return unsafe { unified::usable_size(block) };
        }
    }
    // SAFETY: the caller's.
    unsafe { USABLE_SIZE.get()(block) }
}

/// # Safety
/// As malloc's.
#[inline(never)]
unsafe extern "C" fn malloc_big(size: usize, caller: usize) -> *mut c_void {
    let block = language::unified(size, caller);
    if !block.is_null() {
        return block;
    }
    if serves(size) {
        let block = heap::allocate(size, 1);
        if !block.is_null() {
            return block.cast();
        }
    }
    // Which finds a place for it, or says ENOMEM.
    // SAFETY: the caller's.
    unsafe { MALLOC.get()(size) }
}

/// # Safety
/// As calloc's, and the product fits.
#[inline(never)]
unsafe extern "C" fn calloc_big(count: usize, size: usize) -> *mut c_void {
    if serves(count * size) {
        let block = heap::allocate_zeroed(count * size);
        if !block.is_null() {
            return block.cast();
        }
    }
    // SAFETY: the caller's.
    unsafe { CALLOC.get()(count, size) }
}

/// Null where the next function must do: also for what is not an alignment.
#[inline(never)]
fn allocate_aligned(align: usize, size: usize) -> *mut c_void {
    if align.is_power_of_two() && serves(size) {
        heap::allocate(size, align).cast()
    } else {
        ptr::null_mut()
    }
}

/// # Safety
/// As free's.
#[inline(never)]
unsafe extern "C" fn free_covered(block: *mut c_void) {
    if heap::owns(block as usize) {
        free_owned(block);
    } else if unified::owns(block as usize) {
        // SAFETY: the caller's block, of the pool.
        unsafe { unified::free(block) };
    } else {
        // SAFETY: the caller's.
        unsafe { FREE.get()(block) };
    }
}

#[inline(never)]
extern "C" fn free_owned(block: *mut c_void) {
    if !errno::keep(|| heap::free(block as usize)) {
        message::abort(b"libgomp-offmem: free(): invalid pointer\n");
    }
}

/// # Safety
/// As realloc's.
#[inline(never)]
unsafe extern "C" fn realloc_big(block: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: the caller's.
    unsafe {
        let new = take_over(block, size);
        if new.is_null() { REALLOC.get()(block, size) } else { new }
    }
}

/// Makes a block of libc's, or none, a big one; null where it stays as it is.
///
/// # Safety
/// As realloc's.
unsafe fn take_over(block: *mut c_void, size: usize) -> *mut c_void {
    if !serves(size) {
        return ptr::null_mut();
    }
    let new = heap::allocate(size, 1);
    if !new.is_null() && !block.is_null() {
        // SAFETY: the old block holds as much and is the caller's; the new one is as long.
        unsafe {
            let held = USABLE_SIZE.get()(block).min(size);
            ptr::copy_nonoverlapping(block.cast::<u8>(), new, held);
            FREE.get()(block);
        }
    }
    new.cast()
}

/// # Safety
/// As realloc's.
#[inline(never)]
unsafe extern "C" fn realloc_owned(block: *mut c_void, size: usize) -> *mut c_void {
    if size == 0 {
        // As glibc does.
        free_owned(block);
        return ptr::null_mut();
    }
    let error = errno::get();
    let mut held = size;
    if size >= THRESHOLD.load(Ordering::Relaxed) {
        match heap::resize(block as usize, size) {
            Resized::At(new) => {
                errno::set(error);
                return new.cast();
            }
            Resized::Copy(bytes) => held = bytes,
            Resized::Unknown => message::abort(b"libgomp-offmem: realloc(): invalid pointer\n"),
        }
    }
    // SAFETY: a new block of that size; the old one holds as much, and is the caller's.
    unsafe {
        let new = malloc(size);
        if !new.is_null() {
            ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast(), held.min(size));
            free_owned(block);
            errno::set(error);
        }
        new
    }
}

/// Whether the heap is to serve a request of this size.
fn serves(size: usize) -> bool {
    if DECIDED.load(Ordering::Relaxed) == UNDECIDED {
        decide();
    }
    size >= THRESHOLD.load(Ordering::Relaxed)
}

/// Decides once whether big blocks are the heap's, as soon as the environment can be read.
#[cold]
#[inline(never)]
fn decide() {
    let thread = errno::place();
    if !environment::is_ready() || DECIDING.load(Ordering::Relaxed) == thread {
        return;
    }
    DECIDING.store(thread, Ordering::Relaxed);
    let error = errno::get();
    let begun = if environment::activation() == Activation::Off {
        Err(&"OFFMEM=off")
    } else if !family::is_libcs_only() {
        Err(&NOT_LIBCS)
    } else {
        heap::start()
    };
    match begun {
        Ok(()) => {
            window::cover(heap::range());
            THRESHOLD.store(min_size(), Ordering::Relaxed);
            DECIDED.store(ON, Ordering::Release);
        }
        Err(reason) => {
            heap::stay_off(reason);
            DECIDED.store(OFF, Ordering::Relaxed);
        }
    }
    errno::set(error);
    DECIDING.store(0, Ordering::Relaxed);
}
