//! `mmap` and its kin.
//!
//! What the program maps is recorded, so that it is known which memory comes
//! and goes by these calls alone; and before pages go away or are replaced,
//! the engine is told. A system call that the program makes by itself
//! (`syscall (SYS_munmap, …)`) cannot be seen, nor that a file was truncated.
//! What libc maps inside itself passes by here neither, and is thus unknown.
//!
//! Under `mlockall` a mapped file's pages would stay in memory once touched: a
//! program that reads through a file larger than memory would be killed. So
//! file mappings are unlocked at once; their pages are not the program's data
//! that offloading is about. And locked memory can still be given back.

use core::ffi::{c_int, c_uint, c_void};
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use offmem_registration::{PAGE, Range};

use crate::errno;
use crate::function::Function;
use crate::hook::check::{self, Hook};
use crate::hook::listener::gone;
use crate::hook::process;
use crate::record::Record;

/// Smaller mappings are not recorded, in bytes.
pub(crate) const MIN_SIZE: usize = 64 << 10;

/// What the program has mapped itself; the tag says how: [`WRITABLE`], [`FILE`],
/// [`SEGMENT`].
pub(crate) static MAPPINGS: Record = Record::new();

/// Tag: writable from the beginning.
pub(crate) const WRITABLE: usize = 1;
/// Tag: of a file or shared.
pub(crate) const FILE: usize = 2;
/// Tag: System V shared memory; the rest of the tag is where it was attached.
pub(crate) const SEGMENT: usize = 4;

/// Whether new mappings are born locked.
static BORN_LOCKED: AtomicBool = AtomicBool::new(false);

/// From now on, since they are born locked, mappings of files are unlocked.
pub(crate) fn keep_files_unlocked() {
    BORN_LOCKED.store(true, Ordering::SeqCst);
}

/// Looks up the functions behind ours, which a signal handler should not do.
pub(crate) fn look_up() {
    MMAP.get();
    MUNMAP.get();
    MREMAP.get();
    MADVISE.get();
}

type Mmap =
    unsafe extern "C" fn(*mut c_void, usize, c_int, c_int, c_int, libc::off64_t) -> *mut c_void;
type Mremap = unsafe extern "C" fn(*mut c_void, usize, usize, c_int, ...) -> *mut c_void;
type Madvise = unsafe extern "C" fn(*mut c_void, usize, c_int) -> c_int;

static MMAP: Function<Mmap> = Function::next(c"mmap");
static MUNMAP: Function<unsafe extern "C" fn(*mut c_void, usize) -> c_int> =
    Function::next(c"munmap");
static MREMAP: Function<Mremap> = Function::next(c"mremap");
static MADVISE: Function<Madvise> = Function::next(c"madvise");

/// The pages of a call's arguments; nothing where the kernel will refuse them.
pub(crate) fn pages(address: *mut c_void, size: usize) -> Option<Range> {
    let aligned = (address as usize).is_multiple_of(PAGE);
    Range::new(address as usize, size).filter(|_| aligned).map(Range::pages)
}

/// A new mapping is there. Where the record knows another, that went away
/// unseen: late is better than never.
pub(crate) fn record(range: Range, tag: usize) {
    if range.size() < MIN_SIZE {
        return;
    }
    mark_change();
    if MAPPINGS.add(range, tag) {
        gone(range);
    }
}

static COUNT: AtomicU64 = AtomicU64::new(0);

/// What the program may do with its memory has changed.
pub(crate) fn mark_change() {
    COUNT.fetch_add(1, Ordering::Relaxed);
}

/// How often it has: mappings that were recorded, and their protection.
pub(crate) fn count() -> u64 {
    COUNT.load(Ordering::Relaxed)
}

/// mmap(2).
///
/// # Safety
/// As mmap's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn mmap(
    address: *mut c_void,
    size: usize,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: libc::off64_t,
) -> *mut c_void {
    let known = !process::is_child();
    if known && flags & libc::MAP_FIXED != 0 {
        check::see(Hook::Mmap, address);
        if let Some(replaced) = pages(address, size) {
            if !cfg!(feature = "sabotage-map-fixed") {
                gone(replaced);
            }
            MAPPINGS.remove(replaced);
        }
    }
    // SAFETY: the caller's arguments.
    let mapping = unsafe { MMAP.get()(address, size, protection, flags, file, offset) };
    if mapping == libc::MAP_FAILED || !known {
        return mapping;
    }
    if file >= 0 && flags & (libc::MAP_ANONYMOUS | libc::MAP_LOCKED) == 0 {
        unlock_file(mapping, size);
    }
    if size >= MIN_SIZE {
        let tag = tag(protection, flags, file);
        if let (Some(tag), Some(range)) = (tag, pages(mapping, size)) {
            record(range, tag);
        }
    }
    mapping
}

fn unlock_file(mapping: *mut c_void, size: usize) {
    if BORN_LOCKED.load(Ordering::Relaxed) {
        // SAFETY: the new mapping is ours to unlock.
        errno::keep(|| unsafe { libc::munlock(mapping, size) });
    }
}

/// Nothing for what is not ordinary memory: a device's, whose pages a driver
/// may not be given, and what grows by itself.
fn tag(protection: c_int, flags: c_int, file: c_int) -> Option<usize> {
    if flags & libc::MAP_GROWSDOWN != 0 {
        return None;
    }
    let writable = if protection & libc::PROT_WRITE != 0 { WRITABLE } else { 0 };
    let anonymous = flags & libc::MAP_ANONYMOUS != 0;
    if anonymous && flags & libc::MAP_TYPE == libc::MAP_PRIVATE {
        return Some(writable);
    }
    (anonymous || is_regular(file)).then_some(writable | FILE)
}

fn is_regular(file: c_int) -> bool {
    let mut status = MaybeUninit::<libc::stat>::uninit();
    // SAFETY: `status` is valid for the write, and read where it was written.
    unsafe {
        let known = errno::keep(|| libc::fstat(file, status.as_mut_ptr()) == 0);
        known && status.assume_init().st_mode & libc::S_IFMT == libc::S_IFREG
    }
}

/// The same function where offsets have 64 bits anyway.
///
/// # Safety
/// As mmap's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn mmap64(
    address: *mut c_void,
    size: usize,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: libc::off64_t,
) -> *mut c_void {
    // SAFETY: the caller's.
    unsafe { mmap(address, size, protection, flags, file, offset) }
}

/// munmap(2).
///
/// # Safety
/// As munmap's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn munmap(address: *mut c_void, size: usize) -> c_int {
    if !process::is_child() {
        check::see(Hook::Munmap, address);
        if let Some(range) = pages(address, size) {
            if !cfg!(feature = "sabotage-munmap") {
                gone(range);
            }
            // Before: another thread may get these addresses at once.
            MAPPINGS.remove(range);
        }
    }
    // SAFETY: the caller's.
    unsafe { MUNMAP.get()(address, size) }
}

/// mremap(2). In C it is variadic; on these processors a fifth argument that
/// was not passed is a register's old content, which is not looked at then.
///
/// # Safety
/// As mremap's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn mremap(
    address: *mut c_void,
    size: usize,
    new_size: usize,
    flags: c_int,
    wanted: *mut c_void,
) -> *mut c_void {
    let has_place = flags & (libc::MREMAP_FIXED | libc::MREMAP_DONTUNMAP) != 0;
    let wanted = if has_place { wanted } else { core::ptr::null_mut() };
    let call = || {
        // SAFETY: the caller's arguments.
        unsafe { MREMAP.get()(address, size, new_size, flags, wanted) }
    };
    if process::is_child() {
        return call();
    }
    check::see(Hook::Mremap, address);
    let Some(new) = pages(address, new_size) else {
        return call();
    };
    if flags & libc::MREMAP_FIXED != 0
        && let Some(replaced) = pages(wanted, new_size)
    {
        take(replaced);
    }
    // No size: shared memory gets a second place, and nothing goes.
    let Some(old) = pages(address, size) else {
        let tag = tag_of(new);
        let place = call();
        record_moved(place, new_size, tag);
        return place;
    };
    let grows = new.end > old.end;
    if has_place || grows && flags & libc::MREMAP_MAYMOVE != 0 {
        let tag = tag_of(old);
        take(old);
        let place = call();
        if place == libc::MAP_FAILED || flags & libc::MREMAP_DONTUNMAP != 0 {
            record_moved(address, size, tag);
        }
        record_moved(place, new_size, tag);
        return place;
    }
    // It stays where it is.
    if new.end < old.end {
        take(Range { start: new.end, end: old.end });
    }
    let tag = tag_of(old);
    let place = call();
    if let Some(tag) = tag
        && grows
        && place != libc::MAP_FAILED
    {
        MAPPINGS.add(Range { start: old.end, end: new.end }, tag);
    }
    place
}

fn take(range: Range) {
    if !cfg!(feature = "sabotage-mremap") {
        gone(range);
    }
    MAPPINGS.remove(range);
}

/// What the record knows of a mapping that moves. Where a segment is attached
/// will not be the rest of its tag any longer.
fn tag_of(range: Range) -> Option<usize> {
    let tag = MAPPINGS.with(|mappings| mappings.cover(range)).flatten();
    tag.map(|tag| if tag & SEGMENT == 0 { tag } else { tag & WRITABLE | FILE })
}

fn record_moved(place: *mut c_void, size: usize, tag: Option<usize>) {
    if place != libc::MAP_FAILED
        && let (Some(tag), Some(range)) = (tag, pages(place, size))
    {
        record(range, tag);
    }
}

/// madvise(2).
///
/// # Safety
/// As madvise's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn madvise(address: *mut c_void, size: usize, advice: c_int) -> c_int {
    if !process::is_child() {
        check::see(Hook::Madvise, address);
        if replaces_pages(advice) {
            advised(address, size);
        }
    }
    let call = |advice| {
        // SAFETY: the caller's arguments.
        unsafe { MADVISE.get()(address, size, advice) }
    };
    // The program did not ask for locks, which this would be refused for; the
    // other is not, since Linux 5.18.
    let locked = advice == libc::MADV_DONTNEED && BORN_LOCKED.load(Ordering::Relaxed);
    if locked && call(libc::MADV_DONTNEED_LOCKED) == 0 {
        return 0;
    }
    call(advice)
}

fn replaces_pages(advice: c_int) -> bool {
    /// Linux 6.13: pages go, and touching them is an error.
    const MADV_GUARD_INSTALL: c_int = 102;
    matches!(
        advice,
        libc::MADV_DONTNEED
            | libc::MADV_FREE
            | libc::MADV_REMOVE
            | libc::MADV_DONTNEED_LOCKED
            | MADV_GUARD_INSTALL
    )
}

fn advised(address: *mut c_void, size: usize) {
    if !cfg!(feature = "sabotage-madvise")
        && let Some(range) = pages(address, size)
    {
        gone(range);
    }
}

/// process_madvise(2), perhaps on this process.
///
/// # Safety
/// As process_madvise's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn process_madvise(
    process: c_int,
    ranges: *const libc::iovec,
    count: usize,
    advice: c_int,
    flags: c_uint,
) -> isize {
    if !process::is_child() && replaces_pages(advice) && !ranges.is_null() {
        for i in 0..count {
            // SAFETY: the caller passes `count` ranges.
            let range = unsafe { &*ranges.add(i) };
            advised(range.iov_base, range.iov_len);
        }
    }
    // SAFETY: the caller's arguments; glibc has a function for it since 2.36,
    // which does just that.
    unsafe {
        libc::syscall(libc::SYS_process_madvise, process, ranges, count, advice, flags) as isize
    }
}

/// remap_file_pages(2).
///
/// # Safety
/// As remap_file_pages'.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn remap_file_pages(
    address: *mut c_void,
    size: usize,
    protection: c_int,
    page: usize,
    flags: c_int,
) -> c_int {
    type RemapFilePages = unsafe extern "C" fn(*mut c_void, usize, c_int, usize, c_int) -> c_int;
    static REAL: Function<RemapFilePages> = Function::next(c"remap_file_pages");
    if !process::is_child() {
        // The kernel rounds the address down.
        let start = (address as usize & !(PAGE - 1)) as *mut c_void;
        if let Some(range) = pages(start, size) {
            gone(range);
        }
    }
    // SAFETY: the caller's.
    unsafe { REAL.get()(address, size, protection, page, flags) }
}

#[cfg(test)]
mod tests;
