//! Where memory comes from, which decides what may become of it.

use core::mem::MaybeUninit;
use core::ops::ControlFlow;
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering};

use offmem_registration::{PAGE, Range};

use crate::hook::mapping::{MAPPINGS, WRITABLE};
use crate::hook::{foreign, library};
use crate::maps::{self, Access};
use crate::objects;

/// What all of a range is part of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// This block of our own heap.
    Heap(Range),
    /// What the program mapped itself: one mapping, or neighbours that were
    /// made alike (private anonymous, or of files and shared; writable).
    Mapping,
    /// Writable data of one loaded object.
    Static,
    /// The same, where it can be read but not written now.
    ReadOnlyMapping,
    ReadOnlyStatic,
    /// Such memory of which a part can be written and another not, or which
    /// cannot even be read.
    Mixed,
    /// The main thread's stack, or this thread's.
    Stack,
    /// Other allocators', libc's own, devices', or of several origins.
    Unknown,
}

/// The origin of `range`; `heap` knows the block of our own heap that holds all
/// of a range. It takes some microseconds where it is not a block or a writable
/// mapping, so ask once for each region. Any thread, but not a signal handler.
pub(crate) fn of(range: Range, heap: impl FnOnce(Range) -> Option<Range>) -> Origin {
    if let Some(block) = heap(range) {
        return Origin::Heap(block);
    }
    let tag = MAPPINGS.with(|mappings| mappings.cover(range)).flatten();
    if let Some(tag) = tag {
        // What was reserved without access may be writable by now.
        let access = if tag & WRITABLE != 0 { Access::Write } else { maps::access(range) };
        return access.choose(Origin::Mapping, Origin::ReadOnlyMapping);
    }
    if let Some(origin) = in_object(range) {
        return origin;
    }
    let stack = main_stack().is_some_and(|stack| stack.contains(range)) || own_stack(range);
    if stack { Origin::Stack } else { Origin::Unknown }
}

/// Whether a library of the program's has registered some of `range`'s pages
/// with the driver itself, through functions that this one stands before. One
/// load where none ever has.
pub(crate) fn is_foreign(range: Range) -> bool {
    foreign::is_registered(range)
}

impl Access {
    fn choose(self, writable: Origin, read_only: Origin) -> Origin {
        match self {
            Access::Write => writable,
            Access::Read => read_only,
            Access::Mixed => Origin::Mixed,
        }
    }
}

fn in_object(range: Range) -> Option<Origin> {
    let mut found = None;
    objects::each(&mut |segment| {
        if !segment.range.contains(range) {
            return ControlFlow::Continue(());
        }
        found = Some((segment, library::may_keep(segment.object)));
        ControlFlow::Break(())
    });
    let (segment, may_keep) = found?;
    let is_constant =
        !segment.writable || segment.relocated.is_some_and(|part| part.overlaps(range));
    let access = if is_constant { maps::access(range) } else { Access::Write };
    Some(match access.choose(Origin::Static, Origin::ReadOnlyStatic) {
        Origin::Mixed => Origin::Mixed,
        origin if may_keep => origin,
        _ => Origin::Unknown,
    })
}

/// The main thread's stack, as far as it may grow; found once.
fn main_stack() -> Option<Range> {
    static START: AtomicUsize = AtomicUsize::new(0);
    static END: AtomicUsize = AtomicUsize::new(0);
    if END.load(Ordering::Acquire) == 0 {
        let stack = find_main_stack()?;
        START.store(stack.start, Ordering::Relaxed);
        END.store(stack.end, Ordering::Release);
    }
    Some(Range { start: START.load(Ordering::Relaxed), end: END.load(Ordering::Relaxed) })
}

fn find_main_stack() -> Option<Range> {
    let mut before = 0;
    let mut stack = None;
    maps::each(|mapping| {
        if mapping.is_stack {
            stack = Some(mapping.range);
            return ControlFlow::Break(());
        }
        before = mapping.range.end;
        ControlFlow::Continue(())
    });
    let stack: Range = stack?;
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is valid for the write.
    unsafe { libc::getrlimit(libc::RLIMIT_STACK, &raw mut limit) };
    let size = usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX);
    // It never grows as far as to what lies below.
    let start = stack.end.saturating_sub(size).max(before + PAGE).min(stack.start);
    Some(Range { start, end: stack.end })
}

/// Whether all of `range` is in this thread's stack. The main thread's is above.
fn own_stack(range: Range) -> bool {
    // SAFETY: have no preconditions.
    if unsafe { libc::gettid() == libc::getpid() } {
        return false;
    }
    let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
    let mut start = ptr::null_mut();
    let mut size = 0;
    // SAFETY: the attributes are read and destroyed where they were made.
    unsafe {
        if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
            return false;
        }
        libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut start, &raw mut size);
        libc::pthread_attr_destroy(attributes.as_mut_ptr());
    }
    Range::new(start as usize, size).is_some_and(|stack| stack.contains(range))
}

#[cfg(test)]
mod tests {
    use super::{Origin, main_stack, of};
    use offmem_registration::Range;
    use std::sync::OnceLock;
    use std::thread;

    fn here(place: *const u8) -> Range {
        Range { start: place as usize, end: place as usize + 1 }
    }

    #[test]
    fn a_block_is_the_heaps_to_know() {
        let range = Range { start: 0x1000, end: 0x2000 };
        let block = Range { start: 0, end: 0x8000 };
        assert_eq!(of(range, |_| Some(block)), Origin::Heap(block));
        assert_eq!(of(range, |_| None), Origin::Unknown);
    }

    #[test]
    fn stacks() {
        static PLACE: OnceLock<Range> = OnceLock::new();
        let local = 1u8;
        PLACE.get_or_init(|| here(&raw const local));
        assert_eq!(of(here(&raw const local), |_| None), Origin::Stack);
        // Another thread does not know it; nor does anybody know private blocks.
        let other = thread::spawn(|| PLACE.get().map(|place| of(*place, |_| None)));
        assert_eq!(other.join().expect("ended"), Some(Origin::Unknown));
        assert_eq!(of(here(vec![1u8].as_ptr()), |_| None), Origin::Unknown);
    }

    #[test]
    fn the_main_threads_stack_has_the_environment() {
        unsafe extern "C" {
            static environ: *const *const u8;
        }
        // SAFETY: libc's variable; the kernel put the first string there.
        let place = here(unsafe { *environ });
        let stack = main_stack().expect("a stack");
        assert!(stack.contains(place) && stack.size() >= 1 << 20, "{stack}");
        assert_eq!(of(place, |_| None), Origin::Stack);
    }
}
