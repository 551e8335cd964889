//! Huge pages for memory that was never touched, before it is brought in.
//!
//! Clearing 2 MiB at once is several times faster than 512 page faults, and
//! so is pinning them. Only where the administrator left that to advice
//! (`madvise`, what most distributions ship): with `always` they come anyway.
//! Nothing outside the range becomes resident by them.

use std::fs;
use std::sync::OnceLock;

use offmem_registration::{PAGE, Range};

use crate::heap;
use crate::hook::mapping::{MAPPINGS, WRITABLE};
use crate::origin::{self, Origin};

/// A huge page, in bytes.
const HUGE: usize = 2 << 20;

/// Less than this, in bytes, is not worth a mapping of its own.
pub(super) const MIN: usize = 2 * HUGE;

/// How many places are looked at to find out whether memory was touched.
const SAMPLES: usize = 64;

/// Memory that may get huge pages where it has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Advised(Range);

impl Advised {
    /// The first [`MIN`] bytes that may be huge pages.
    pub(super) fn beginning(self) -> Range {
        let start = self.0.start.next_multiple_of(HUGE);
        Range { start, end: start + MIN }
    }

    /// What has no pages yet gets small ones after all. By default it would
    /// have: nobody else advised the kernel before, or it was for these pages.
    pub(super) fn withdraw(self) {
        madvise(self.0, libc::MADV_NOHUGEPAGE);
    }
}

/// Advises the kernel, where that is allowed, of use, and without consequence
/// for what is not in `range`. Any thread, but not a signal handler.
pub(super) fn advise(range: Range) -> Option<Advised> {
    let pages = range.pages();
    let parts = whole_parts(pages).filter(|parts| parts.size() >= MIN)?;
    if !is_left_to_advice() || is_disabled() || !is_untouched(parts) {
        return None;
    }
    let advised = match origin::of(range, heap::block) {
        Origin::Heap(block) => heap::set_apart(block).then_some(parts)?,
        Origin::Static => parts,
        Origin::Mapping => mapping(pages)?,
        _ => return None,
    };
    madvise(advised, libc::MADV_HUGEPAGE).then_some(Advised(advised))
}

/// The huge pages that are wholly inside.
fn whole_parts(pages: Range) -> Option<Range> {
    let start = pages.start.checked_next_multiple_of(HUGE)?;
    let end = pages.end / HUGE * HUGE;
    (start < end).then_some(Range { start, end })
}

/// One private mapping of the program's, all of it: `mremap` refuses what the
/// kernel holds apart, and half of a mapping would be.
fn mapping(pages: Range) -> Option<Range> {
    let is_one = |found: Option<_>| found == Some((pages, WRITABLE));
    let first = MAPPINGS.with(|mappings| {
        let mut overlapping = mappings.overlapping(pages);
        overlapping.next().map(|interval| (interval.range, interval.tag))
    })?;
    is_one(first).then_some(pages)
}

/// Whether most of it has no pages, by a sample.
fn is_untouched(parts: Range) -> bool {
    let count = parts.size() / HUGE;
    let samples = count.min(SAMPLES);
    let is_absent = |sample: &usize| {
        let page = parts.start + sample * count / samples * HUGE;
        let mut resident = 0u8;
        // SAFETY: valid for the write of one page's byte.
        let known = unsafe { libc::syscall(libc::SYS_mincore, page, PAGE, &raw mut resident) };
        known == 0 && resident & 1 == 0
    };
    (0..samples).filter(is_absent).count() * 2 > samples
}

fn is_left_to_advice() -> bool {
    static SETTING: OnceLock<bool> = OnceLock::new();
    *SETTING.get_or_init(|| {
        let setting = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
        setting.is_ok_and(|setting| setting.contains("[madvise]"))
    })
}

/// By prctl(2), for this process; it may change at any time.
fn is_disabled() -> bool {
    // SAFETY: takes no pointers.
    unsafe { libc::prctl(libc::PR_GET_THP_DISABLE, 0, 0, 0, 0) != 0 }
}

fn madvise(range: Range, advice: libc::c_int) -> bool {
    // By system call: the hook of madvise(2) has no business here.
    // SAFETY: neither advice changes content.
    unsafe { libc::syscall(libc::SYS_madvise, range.start, range.size(), advice) == 0 }
}

#[cfg(test)]
mod tests {
    use super::super::prefault::populate;
    use super::{HUGE, MIN, advise, is_disabled, is_left_to_advice, is_untouched, whole_parts};
    use crate::hook::mapping::{MAPPINGS, WRITABLE};
    use core::ptr;
    use offmem_registration::{PAGE, Range};
    use std::fs;

    fn map(size: usize) -> Range {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping, anywhere.
        let start = unsafe { libc::mmap(ptr::null_mut(), size, protection, flags, -1, 0) };
        Range { start: start as usize, end: start as usize + size }
    }

    /// KiB of huge pages in the mapping that begins at `start`, and whether it was advised.
    fn huge(start: usize) -> (usize, bool) {
        let text = fs::read_to_string("/proc/self/smaps").expect("smaps");
        let mut lines = text.lines().skip_while(|line| !line.starts_with(&format!("{start:x}-")));
        let mut field = |name: &str| {
            let line = lines.find(|line| line.starts_with(name)).expect("the mapping");
            line[name.len()..].trim().trim_end_matches(" kB").to_owned()
        };
        let size = field("AnonHugePages:").parse().expect("a number");
        (size, field("VmFlags:").split(' ').any(|flag| flag == "hg"))
    }

    #[test]
    fn parts_are_inside() {
        let parts = |start, end| whole_parts(Range { start, end }).map(|r| (r.start, r.end));
        assert_eq!(parts(HUGE, 3 * HUGE), Some((HUGE, 3 * HUGE)));
        assert_eq!(parts(HUGE - PAGE, 3 * HUGE - PAGE), Some((HUGE, 2 * HUGE)));
        assert_eq!(parts(HUGE + PAGE, 3 * HUGE - PAGE), None);
        assert_eq!(parts(PAGE, 2 * PAGE), None);
    }

    #[test]
    fn a_sample_tells_what_was_touched() {
        let range = map(8 * HUGE);
        let parts = whole_parts(range).expect("large enough");
        assert!(is_untouched(parts));
        for page in (parts.start..parts.end).step_by(HUGE) {
            // SAFETY: in the mapping.
            unsafe { *ptr::with_exposed_provenance_mut::<u8>(page) = 1 };
        }
        assert!(!is_untouched(parts));
    }

    #[test]
    fn a_whole_mapping_is_advised_and_a_part_is_not() {
        let range = map(8 * HUGE);
        assert_eq!(advise(range), None, "nobody knows it");
        MAPPINGS.add(range, WRITABLE);
        let part = Range { end: range.end - PAGE, ..range };
        assert_eq!(advise(part), None);
        let advised = advise(range);
        assert_eq!(advised.is_some(), is_left_to_advice() && !is_disabled());
        if let Some(advised) = advised {
            assert_eq!(huge(range.start), (0, true));
            populate(advised.beginning());
            assert!(huge(range.start).0 <= MIN >> 10);
            advised.withdraw();
            assert!(!huge(range.start).1);
            // One mapping still, which the kernel may move.
            let flags = libc::MREMAP_MAYMOVE;
            // SAFETY: the mapping is the test's.
            let moved = unsafe {
                libc::mremap(range.start as *mut _, range.size(), 2 * range.size(), flags)
            };
            assert_ne!(moved, libc::MAP_FAILED);
        }
        MAPPINGS.remove(range);
    }
}
