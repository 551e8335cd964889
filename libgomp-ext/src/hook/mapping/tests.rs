use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::thread;

use offmem_registration::{PAGE, Range};

use super::{MIN_SIZE, madvise, mmap, mremap, munmap, process_madvise, remap_file_pages};
use crate::errno;
use crate::hook::witness::Witness;
use crate::origin::{self, Origin};

const READ: c_int = libc::PROT_READ;
const WRITE: c_int = libc::PROT_READ | libc::PROT_WRITE;
const PRIVATE: c_int = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;

fn map_at(place: *mut c_void, size: usize, protection: c_int, flags: c_int) -> *mut c_void {
    // SAFETY: at `place` is what the test itself put there.
    unsafe { mmap(place, size, protection, flags, -1, 0) }
}

fn map(size: usize) -> *mut c_void {
    let place = map_at(ptr::null_mut(), size, WRITE, PRIVATE);
    assert_ne!(place, libc::MAP_FAILED);
    place
}

fn unmap(place: *mut c_void, size: usize) {
    // SAFETY: the test's own mapping.
    assert_eq!(unsafe { munmap(place, size) }, 0);
}

/// A mapping that goes unseen: with a system call.
fn unmap_unseen(place: *mut c_void, size: usize) {
    // SAFETY: the test's own mapping.
    assert_eq!(unsafe { libc::syscall(libc::SYS_munmap, place, size) }, 0);
}

fn range(place: *mut c_void, size: usize) -> Range {
    Range::new(place as usize, size).expect("a range")
}

fn origin(place: *mut c_void, size: usize) -> Origin {
    origin::of(range(place, size), |_| None)
}

#[test]
fn munmap_tells_before_and_forgets() {
    let witness = Witness::new();
    let place = map(1 << 20);
    assert_eq!(origin(place, 1 << 20), Origin::Mapping);
    assert_eq!(witness.told(), []);
    // A hole, whose size is no multiple of a page.
    errno::set(7);
    unmap(place.wrapping_add(PAGE), PAGE + 1);
    assert_eq!(errno::get(), 7);
    assert_eq!(witness.told(), [range(place.wrapping_add(PAGE), 2 * PAGE)]);
    assert_eq!(origin(place, 1 << 20), Origin::Unknown);
    assert_eq!(origin(place.wrapping_add(3 * PAGE), 1 << 19), Origin::Mapping);
    unmap(place, 1 << 20);
    assert_eq!(origin(place.wrapping_add(3 * PAGE), 1 << 19), Origin::Unknown);
}

#[test]
fn what_the_kernel_refuses_is_refused() {
    let witness = Witness::new();
    let place = map(MIN_SIZE);
    // SAFETY: nothing is unmapped.
    assert_eq!(unsafe { munmap(place.wrapping_add(1), MIN_SIZE) }, -1);
    assert_eq!(errno::get(), libc::EINVAL);
    // SAFETY: as above.
    assert_eq!(unsafe { munmap(place, 0) }, -1);
    assert_eq!(errno::get(), libc::EINVAL);
    assert_eq!(map_at(ptr::null_mut(), 0, WRITE, PRIVATE), libc::MAP_FAILED);
    assert_eq!(errno::get(), libc::EINVAL);
    assert_eq!(map_at(ptr::null_mut(), usize::MAX, WRITE, PRIVATE), libc::MAP_FAILED);
    assert_eq!(errno::get(), libc::ENOMEM);
    assert_eq!(witness.told(), []);
    assert_eq!(origin(place, MIN_SIZE), Origin::Mapping);
    unmap(place, MIN_SIZE);
}

#[test]
fn a_fixed_mapping_replaces_and_another_does_not() {
    let witness = Witness::new();
    let place = map(1 << 20);
    let middle = place.wrapping_add(4 * PAGE);
    assert_eq!(map_at(middle, PAGE, READ, PRIVATE | libc::MAP_FIXED), middle);
    assert_eq!(witness.told(), [range(middle, PAGE)]);
    assert_eq!(origin(place, 1 << 20), Origin::Unknown);
    let flags = PRIVATE | libc::MAP_FIXED_NOREPLACE;
    assert_eq!(map_at(middle, PAGE, READ, flags), libc::MAP_FAILED);
    assert_eq!(errno::get(), libc::EEXIST);
    assert_eq!(witness.told(), []);
    // Alike ones count as one.
    assert_eq!(map_at(place, 1 << 19, WRITE, PRIVATE | libc::MAP_FIXED), place);
    assert_eq!(origin(place, 1 << 20), Origin::Mapping);
    unmap(place, 1 << 20);
}

#[test]
fn only_memory_of_the_program_is_recorded() {
    let _witness = Witness::new();
    let small = map(MIN_SIZE - PAGE);
    assert_eq!(origin(small, PAGE), Origin::Unknown);
    unmap(small, MIN_SIZE - PAGE);

    // libc's own function, as libc calls it.
    // SAFETY: new mappings, of files that are open.
    let unseen = unsafe { libc::mmap(ptr::null_mut(), 1 << 20, WRITE, PRIVATE, -1, 0) };
    assert_eq!(origin(unseen, 1 << 20), Origin::Unknown);
    unmap(unseen, 1 << 20);

    for (name, expected) in [("/proc/self/exe", Origin::Mapping), ("/dev/zero", Origin::Unknown)] {
        let file = File::open(name).expect(name);
        // SAFETY: as above.
        let place = unsafe {
            mmap(ptr::null_mut(), MIN_SIZE, WRITE, libc::MAP_PRIVATE, file.as_raw_fd(), 0)
        };
        assert_eq!(origin(place, MIN_SIZE), expected, "{name}");
        unmap(place, MIN_SIZE);
    }
}

#[test]
fn a_mapping_that_went_unseen_is_found_out() {
    let witness = Witness::new();
    let place = map(1 << 20);
    unmap_unseen(place, 1 << 20);
    let again = map_at(place, 1 << 20, WRITE, PRIVATE | libc::MAP_FIXED_NOREPLACE);
    assert_eq!(again, place);
    assert_eq!(witness.told(), [range(place, 1 << 20)]);
    unmap(place, 1 << 20);
}

#[test]
fn mremap_that_may_move_tells_of_the_old_place() {
    let witness = Witness::new();
    let place = map(1 << 20);
    // SAFETY: the test's own mapping.
    let moved = unsafe {
        place.cast::<u64>().write(77);
        mremap(place, 1 << 20, 1 << 24, libc::MREMAP_MAYMOVE, ptr::null_mut())
    };
    assert_eq!(witness.told(), [range(place, 1 << 20)]);
    // SAFETY: as above.
    assert_eq!(unsafe { moved.cast::<u64>().read() }, 77);
    assert_eq!(origin(moved, 1 << 24), Origin::Mapping);
    // SAFETY: as above; there are not so many addresses.
    let failed = unsafe { mremap(moved, 1 << 24, 1 << 46, libc::MREMAP_MAYMOVE, ptr::null_mut()) };
    assert_eq!((failed, errno::get()), (libc::MAP_FAILED, libc::ENOMEM));
    assert_eq!(origin(moved, 1 << 24), Origin::Mapping);
    unmap(moved, 1 << 24);
}

#[test]
fn mremap_in_place_tells_of_what_goes() {
    let witness = Witness::new();
    let place = map(1 << 20);
    // SAFETY: the test's own mapping.
    let shrunk = unsafe { mremap(place, 1 << 20, 1 << 19, libc::MREMAP_MAYMOVE, ptr::null_mut()) };
    assert_eq!(shrunk, place);
    assert_eq!(witness.told(), [range(place.wrapping_add(1 << 19), 1 << 19)]);
    assert_eq!(origin(place, 1 << 19), Origin::Mapping);
    assert_eq!(origin(place, (1 << 19) + 1), Origin::Unknown);
    // SAFETY: as above; there are not so many addresses.
    let failed = unsafe { mremap(place, 1 << 19, 1 << 46, 0, ptr::null_mut()) };
    assert_eq!((failed, errno::get()), (libc::MAP_FAILED, libc::ENOMEM));
    assert_eq!(origin(place, 1 << 19), Origin::Mapping);
    // SAFETY: as above; another thread may have got what is behind it.
    let grown = unsafe { mremap(place, 1 << 19, 1 << 20, 0, ptr::null_mut()) };
    let size = if grown == place { 1 << 20 } else { 1 << 19 };
    assert_eq!(origin(place, size), Origin::Mapping);
    assert_eq!(witness.told(), []);
    unmap(place, size);
}

#[test]
fn mremap_to_a_place_tells_of_both() {
    let witness = Witness::new();
    let (place, other) = (map(1 << 20), map(1 << 20));
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
    // SAFETY: the test's own mappings.
    assert_eq!(unsafe { mremap(place, 1 << 20, 1 << 20, flags, other) }, other);
    assert_eq!(witness.told(), [range(other, 1 << 20), range(place, 1 << 20)]);
    assert_eq!(origin(place, 1 << 20), Origin::Unknown);
    assert_eq!(origin(other, 1 << 20), Origin::Mapping);
    // The old place stays, with no pages.
    let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_DONTUNMAP;
    // SAFETY: as above.
    let moved = unsafe { mremap(other, 1 << 20, 1 << 20, flags, ptr::null_mut()) };
    assert!(moved != libc::MAP_FAILED && moved != other);
    assert_eq!(witness.told(), [range(other, 1 << 20)]);
    assert_eq!(origin(other, 1 << 20), Origin::Mapping);
    assert_eq!(origin(moved, 1 << 20), Origin::Mapping);
    unmap(other, 1 << 20);
    unmap(moved, 1 << 20);
}

#[test]
fn mremap_without_a_size_gives_shared_memory_a_second_place() {
    let witness = Witness::new();
    let shared = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
    let place = map_at(ptr::null_mut(), 1 << 20, WRITE, shared);
    // SAFETY: the test's own mapping.
    let second = unsafe { mremap(place, 0, 1 << 20, libc::MREMAP_MAYMOVE, ptr::null_mut()) };
    assert!(second != libc::MAP_FAILED && second != place);
    assert_eq!(witness.told(), []);
    assert_eq!(origin(place, 1 << 20), Origin::Mapping);
    assert_eq!(origin(second, 1 << 20), Origin::Mapping);
    unmap(place, 1 << 20);
    unmap(second, 1 << 20);
}

#[test]
fn advice_that_replaces_pages_is_told() {
    let witness = Witness::new();
    let place = map(1 << 20);
    for advice in [libc::MADV_DONTNEED, libc::MADV_FREE, libc::MADV_WILLNEED, libc::MADV_COLD] {
        errno::set(7);
        // SAFETY: the test's own mapping.
        assert_eq!(unsafe { madvise(place, MIN_SIZE, advice) }, 0);
        assert_eq!(errno::get(), 7);
        let expected: &[Range] = match advice {
            libc::MADV_DONTNEED | libc::MADV_FREE => &[range(place, MIN_SIZE)],
            _ => &[],
        };
        assert_eq!(witness.told(), expected);
    }
    assert_eq!(origin(place, 1 << 20), Origin::Mapping);
    // SAFETY: nothing changes.
    assert_eq!(unsafe { madvise(place, PAGE, -1) }, -1);
    assert_eq!(errno::get(), libc::EINVAL);

    let ranges = [libc::iovec { iov_base: place, iov_len: PAGE }];
    // SAFETY: the test's own mapping; no process is -1.
    let result = unsafe { process_madvise(-1, ranges.as_ptr(), 1, libc::MADV_DONTNEED, 0) };
    assert_eq!((result, errno::get()), (-1, libc::EBADF));
    assert_eq!(witness.told(), [range(place, PAGE)]);
    // SAFETY: private memory, so nothing changes.
    assert_eq!(unsafe { remap_file_pages(place, PAGE, 0, 0, 0) }, -1);
    assert_eq!(witness.told(), [range(place, PAGE)]);
    unmap(place, 1 << 20);
}

static HANDLED: AtomicUsize = AtomicUsize::new(0);

extern "C" fn map_and_unmap(_: c_int) {
    for _ in 0..3 {
        let place = map(1 << 20);
        unmap(place, 1 << 20);
    }
    HANDLED.fetch_add(1, Ordering::Relaxed);
}

/// Signals for the thread that started it, each 30 microseconds.
struct Timer(libc::timer_t);

impl Timer {
    fn start() -> Timer {
        let moment = libc::timespec { tv_sec: 0, tv_nsec: 30_000 };
        let time = libc::itimerspec { it_interval: moment, it_value: moment };
        let mut timer = ptr::null_mut();
        // SAFETY: valid arguments, and a handler for a signal of this test alone.
        unsafe {
            libc::signal(libc::SIGUSR1, map_and_unmap as *const () as libc::sighandler_t);
            let mut event = core::mem::zeroed::<libc::sigevent>();
            event.sigev_notify = libc::SIGEV_THREAD_ID;
            event.sigev_signo = libc::SIGUSR1;
            event.sigev_notify_thread_id = libc::gettid();
            let made = libc::timer_create(libc::CLOCK_MONOTONIC, &raw mut event, &raw mut timer);
            assert_eq!(made, 0);
            assert_eq!(libc::timer_settime(timer, 0, &raw const time, ptr::null_mut()), 0);
        }
        Timer(timer)
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        // SAFETY: its own timer.
        unsafe { libc::timer_delete(self.0) };
    }
}

/// The handler's own calls come while the interrupted one is anywhere inside.
#[test]
fn a_signal_handler_may_map_and_unmap() {
    let _witness = Witness::new();
    let stop = AtomicBool::new(false);
    let timer = Timer::start();
    thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                unmap(map(MIN_SIZE), MIN_SIZE);
                thread::yield_now();
            }
        });
        while HANDLED.load(Ordering::Relaxed) < 3_000 {
            let place = map(1 << 20);
            unmap(place, 1 << 20);
        }
        stop.store(true, Ordering::Relaxed);
    });
    drop(timer);
    let place = map(1 << 20);
    assert_eq!(origin(place, 1 << 20), Origin::Mapping);
    unmap(place, 1 << 20);
    assert_eq!(origin(place, 1 << 20), Origin::Unknown);
}
