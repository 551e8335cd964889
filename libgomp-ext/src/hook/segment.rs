//! System V shared memory.

use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use core::ops::ControlFlow;

use offmem_registration::Range;

use crate::errno;
use crate::function::Function;
use crate::hook::check::{self, Hook};
use crate::hook::listener::{gone, is_armed};
use crate::hook::mapping::{self, FILE, MAPPINGS, SEGMENT, WRITABLE};
use crate::hook::process;
use crate::maps;

/// shmat(2).
///
/// # Safety
/// As shmat's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn shmat(
    identifier: c_int,
    address: *const c_void,
    flags: c_int,
) -> *mut c_void {
    type Shmat = unsafe extern "C" fn(c_int, *const c_void, c_int) -> *mut c_void;
    static REAL: Function<Shmat> = Function::next(c"shmat");
    if process::is_child() {
        // SAFETY: the caller's.
        return unsafe { REAL.get()(identifier, address, flags) };
    }
    check::see(Hook::Shmat, address.cast_mut());
    let size = size(identifier);
    if flags & libc::SHM_REMAP != 0
        && let Some(size) = size
    {
        // SHM_RND rounds down, by less than this.
        let start = address as usize & !(offmem_registration::PAGE - 1);
        if let Some(replaced) = Range::new(start, size).map(Range::pages) {
            if !cfg!(feature = "sabotage-map-fixed") {
                gone(replaced);
            }
            MAPPINGS.remove(replaced);
        }
    }
    // SAFETY: the caller's.
    let place = unsafe { REAL.get()(identifier, address, flags) };
    if let Some(size) = size
        && place != libc::MAP_FAILED
        && let Some(range) = mapping::pages(place, size)
    {
        let writable = if flags & libc::SHM_RDONLY == 0 { WRITABLE } else { 0 };
        mapping::record(range, place as usize | SEGMENT | FILE | writable);
    }
    place
}

/// shmdt(2).
///
/// # Safety
/// As shmdt's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn shmdt(address: *const c_void) -> c_int {
    static REAL: Function<unsafe extern "C" fn(*const c_void) -> c_int> = Function::next(c"shmdt");
    if !process::is_child() {
        check::see(Hook::Shmdt, address.cast_mut());
        let recorded = recorded(address as usize);
        // Without listeners it does not matter how large an unknown one is.
        let unknown = || if is_armed() { mapped(address as usize) } else { None };
        if let Some(range) = recorded.or_else(unknown) {
            if !cfg!(feature = "sabotage-shmdt") {
                gone(range);
            }
            MAPPINGS.remove(range);
        }
    }
    // SAFETY: the caller's.
    unsafe { REAL.get()(address) }
}

/// A segment's size in bytes, if it may be asked for.
fn size(identifier: c_int) -> Option<usize> {
    let mut status = MaybeUninit::<libc::shmid_ds>::uninit();
    // SAFETY: `status` is valid for the write, and read where it was written.
    unsafe {
        let shmctl = || libc::shmctl(identifier, libc::IPC_STAT, status.as_mut_ptr());
        let known = errno::keep(shmctl) == 0;
        known.then(|| status.assume_init().shm_segsz)
    }
}

/// The segment that was attached at `address`.
fn recorded(address: usize) -> Option<Range> {
    let place = address | SEGMENT | FILE;
    MAPPINGS.with(|all| all.extent(place).or(all.extent(place | WRITABLE))).flatten()
}

/// The same from the kernel: the mappings of one file from `address` on.
fn mapped(address: usize) -> Option<Range> {
    let mut segment: Option<(Range, u64)> = None;
    maps::each(|mapping| {
        match &mut segment {
            None if mapping.range.start == address && mapping.inode != 0 => {
                segment = Some((mapping.range, mapping.inode));
            }
            None => {}
            Some((range, inode)) if range.end == mapping.range.start && *inode == mapping.inode => {
                range.end = mapping.range.end;
            }
            Some(_) => return ControlFlow::Break(()),
        }
        ControlFlow::Continue(())
    });
    segment.map(|(range, _)| range)
}

#[cfg(test)]
mod tests {
    use super::{mapped, shmat, shmdt};
    use crate::hook::mapping::{MAPPINGS, munmap};
    use crate::hook::witness::Witness;
    use crate::origin::{self, Origin};
    use core::ffi::{c_int, c_void};
    use core::ptr;
    use offmem_registration::{PAGE, Range};
    use std::io;

    const SIZE: usize = 1 << 20;

    fn attach(place: *const c_void, flags: c_int) -> *mut c_void {
        // SAFETY: a new segment, which goes with its last place; at `place` is
        // what the test itself put there.
        unsafe {
            let segment = libc::shmget(libc::IPC_PRIVATE, SIZE, libc::IPC_CREAT | 0o600);
            assert!(segment >= 0, "{}", io::Error::last_os_error());
            let place = shmat(segment, place, flags);
            libc::shmctl(segment, libc::IPC_RMID, ptr::null_mut());
            place
        }
    }

    fn detach(place: *mut c_void) {
        // SAFETY: the test's own segment.
        assert_eq!(unsafe { shmdt(place) }, 0);
    }

    fn range(place: *mut c_void) -> Range {
        Range::new(place as usize, SIZE).expect("a range")
    }

    fn origin(place: *mut c_void) -> Origin {
        origin::of(range(place), |_| None)
    }

    #[test]
    fn each_segment_goes_as_a_whole() {
        let witness = Witness::new();
        let places = [0; 3].map(|_| attach(ptr::null(), 0));
        let [first, second, third] = places;
        assert!(places.iter().all(|place| origin(*place) == Origin::Mapping));
        assert_eq!(witness.told(), []);
        detach(second);
        assert_eq!(witness.told(), [range(second)]);
        assert_eq!([first, second, third].map(origin), {
            [Origin::Mapping, Origin::Unknown, Origin::Mapping]
        });
        // One with a hole is told of from end to end.
        // SAFETY: the test's own segment.
        assert_eq!(unsafe { munmap(first.wrapping_add(PAGE), PAGE) }, 0);
        witness.told();
        detach(first);
        assert_eq!(witness.told(), [range(first)]);
        detach(third);
    }

    #[test]
    fn one_that_was_attached_unseen_is_looked_up() {
        let witness = Witness::new();
        let place = attach(ptr::null(), 0);
        MAPPINGS.remove(range(place));
        assert_eq!(mapped(place as usize), Some(range(place)));
        detach(place);
        assert_eq!(witness.told(), [range(place)]);
        assert_eq!(mapped(place as usize), None);
        // SAFETY: nothing is there.
        assert_eq!(unsafe { shmdt(place) }, -1);
        assert_eq!(io::Error::last_os_error().raw_os_error(), Some(libc::EINVAL));
    }

    #[test]
    fn one_may_take_the_place_of_another_mapping() {
        let witness = Witness::new();
        let place = attach(ptr::null(), 0);
        assert_eq!(attach(place, 0), libc::MAP_FAILED);
        assert_eq!(io::Error::last_os_error().raw_os_error(), Some(libc::EINVAL));
        assert_eq!(witness.told(), []);
        assert_eq!(attach(place, libc::SHM_REMAP), place);
        assert_eq!(witness.told(), [range(place)]);
        assert_eq!(origin(place), Origin::Mapping);
        assert_eq!(attach(place, libc::SHM_REMAP | libc::SHM_RDONLY), place);
        assert_eq!(origin(place), Origin::ReadOnlyMapping);
        detach(place);
        assert_eq!(origin(place), Origin::Unknown);
    }
}
