//! A set of intervals of addresses, each with a tag.
//!
//! A sorted array in pages of its own and not a tree of the standard library:
//! it is changed in signal handlers too, which may have interrupted the
//! allocator.

use core::ptr;
use core::slice;

use offmem_registration::Range;

/// Linux lets a process have 65530 mappings unless it is told otherwise.
const CAPACITY: usize = 1 << 16;

/// Part of a process's addresses, and what is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) range: Range,
    /// The user's; it stays with both parts of an interval that is split.
    pub(crate) tag: usize,
}

/// Intervals that do not overlap, in order; neighbours stay apart. It holds
/// 65,536 and takes no more: what is not in it is not known.
pub(crate) struct Intervals {
    start: *mut Interval,
    length: usize,
    capacity: usize,
}

// SAFETY: it owns the pages that it points to.
unsafe impl Send for Intervals {}

impl Intervals {
    pub(crate) const fn new() -> Intervals {
        Intervals { start: ptr::null_mut(), length: 0, capacity: CAPACITY }
    }

    /// Adds `range`, also where something else stood; whether something did.
    pub(crate) fn insert(&mut self, range: Range, tag: usize) -> bool {
        let overlapped = self.remove(range);
        let at = self.first_behind(range.start);
        self.put(at, Interval { range, tag });
        overlapped
    }

    /// Takes all of `range` out; whether any of it was there.
    pub(crate) fn remove(&mut self, range: Range) -> bool {
        let first = self.first_behind(range.start);
        let rest = &self.as_slice()[first..];
        let count = rest.iter().take_while(|interval| interval.range.start < range.end).count();
        if count == 0 {
            return false;
        }
        let (head, tail) = (rest[0], rest[count - 1]);
        self.take(first, count);
        if range.end < tail.range.end {
            let range = Range { start: range.end, end: tail.range.end };
            self.put(first, Interval { range, tag: tail.tag });
        }
        if head.range.start < range.start {
            let range = Range { start: head.range.start, end: range.start };
            self.put(first, Interval { range, tag: head.tag });
        }
        true
    }

    /// The intervals that share an address with `range`, in order.
    pub(crate) fn overlapping(&self, range: Range) -> impl Iterator<Item = Interval> {
        let first = self.first_behind(range.start);
        let rest = self.as_slice()[first..].iter().copied();
        rest.take_while(move |interval| interval.range.start < range.end)
    }

    /// The tag that all of `range` has, which may be several neighbours.
    pub(crate) fn cover(&self, range: Range) -> Option<usize> {
        let mut tag = None;
        let mut reached = range.start;
        for interval in self.overlapping(range) {
            if interval.range.start > reached || tag.is_some_and(|tag| tag != interval.tag) {
                return None;
            }
            tag = Some(interval.tag);
            reached = interval.range.end;
        }
        tag.filter(|_| reached >= range.end)
    }

    /// From the first to the last address that has `tag`.
    pub(crate) fn extent(&self, tag: usize) -> Option<Range> {
        let tagged = self.as_slice().iter().filter(|interval| interval.tag == tag);
        tagged.map(|interval| interval.range).reduce(Range::union)
    }

    pub(crate) fn clear(&mut self) {
        self.length = 0;
    }

    fn as_slice(&self) -> &[Interval] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: there are `length` of them, all written.
        unsafe { slice::from_raw_parts(self.start, self.length) }
    }

    /// Where the first interval stands that ends behind `address`.
    fn first_behind(&self, address: usize) -> usize {
        self.as_slice().partition_point(|interval| interval.range.end <= address)
    }

    fn put(&mut self, at: usize, interval: Interval) {
        if self.length == self.capacity || !self.has_pages() {
            return;
        }
        // SAFETY: there is room for one more, and `at` is not behind the last.
        unsafe {
            let place = self.start.add(at);
            ptr::copy(place, place.add(1), self.length - at);
            place.write(interval);
        }
        self.length += 1;
    }

    fn take(&mut self, at: usize, count: usize) {
        // SAFETY: `count` intervals from `at` are there.
        unsafe {
            let place = self.start.add(at);
            ptr::copy(place.add(count), place, self.length - at - count);
        }
        self.length -= count;
    }

    /// Address space for all; pages come as they are used.
    fn has_pages(&mut self) -> bool {
        if self.start.is_null() {
            let size = self.capacity * size_of::<Interval>();
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            // SAFETY: a new mapping, anywhere.
            let pages = unsafe {
                libc::syscall(libc::SYS_mmap, 0usize, size, protection, flags, -1, 0usize)
            };
            if pages == -1 {
                return false;
            }
            self.start = pages as *mut Interval;
        }
        true
    }
}

impl Drop for Intervals {
    fn drop(&mut self) {
        if !self.start.is_null() {
            let size = self.capacity * size_of::<Interval>();
            // SAFETY: the pages are this set's alone.
            unsafe { libc::syscall(libc::SYS_munmap, self.start, size) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Interval, Intervals};
    use offmem_registration::Range;
    use std::time::{SystemTime, UNIX_EPOCH};

    fn range(start: usize, end: usize) -> Range {
        Range { start, end }
    }

    fn all(intervals: &Intervals) -> Vec<(usize, usize, usize)> {
        let every = intervals.as_slice().iter();
        every.map(|Interval { range, tag }| (range.start, range.end, *tag)).collect()
    }

    #[test]
    fn a_hole_splits_an_interval_and_both_parts_keep_the_tag() {
        let mut intervals = Intervals::new();
        assert!(!intervals.insert(range(10, 20), 7));
        assert!(intervals.remove(range(13, 15)));
        assert!(!intervals.remove(range(13, 15)));
        assert_eq!(all(&intervals), [(10, 13, 7), (15, 20, 7)]);
        assert_eq!(intervals.extent(7), Some(range(10, 20)));
        assert_eq!(intervals.extent(8), None);
    }

    #[test]
    fn what_is_inserted_replaces_what_was_there() {
        let mut intervals = Intervals::new();
        intervals.insert(range(10, 20), 1);
        intervals.insert(range(20, 30), 2);
        assert!(intervals.insert(range(15, 25), 3));
        assert_eq!(all(&intervals), [(10, 15, 1), (15, 25, 3), (25, 30, 2)]);
    }

    #[test]
    fn neighbours_cover_a_range_where_they_are_alike() {
        let mut intervals = Intervals::new();
        intervals.insert(range(10, 20), 1);
        intervals.insert(range(20, 30), 1);
        intervals.insert(range(30, 40), 2);
        intervals.insert(range(50, 60), 2);
        assert_eq!(intervals.cover(range(15, 25)), Some(1));
        assert_eq!(intervals.cover(range(10, 30)), Some(1));
        assert_eq!(intervals.cover(range(25, 35)), None);
        assert_eq!(intervals.cover(range(35, 55)), None);
        assert_eq!(intervals.cover(range(5, 15)), None);
        assert_eq!(intervals.cover(range(55, 61)), None);
    }

    #[test]
    fn a_full_set_forgets_and_never_lies() {
        let mut intervals = Intervals { capacity: 4, ..Intervals::new() };
        for start in [10, 20, 30, 40, 50] {
            intervals.insert(range(start, start + 10), 1);
        }
        assert_eq!(intervals.cover(range(10, 50)), Some(1));
        assert_eq!(intervals.cover(range(50, 51)), None);
        intervals.remove(range(12, 14));
        assert_eq!(intervals.cover(range(12, 13)), None);
        assert_eq!(intervals.cover(range(14, 20)), Some(1));
    }

    /// xorshift64*
    fn random(state: &mut u64) -> usize {
        *state ^= *state >> 12;
        *state ^= *state << 25;
        *state ^= *state >> 27;
        (state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize
    }

    /// The same operations on an array of addresses.
    #[test]
    fn it_agrees_with_a_model() {
        const ADDRESSES: usize = 200;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
        let seed = now.as_nanos() as u64 | 1;
        let mut state = seed;
        let mut intervals = Intervals::new();
        let mut model = [0; ADDRESSES];
        for step in 0..20_000 {
            let start = random(&mut state) % (ADDRESSES - 1);
            let end = start + 1 + random(&mut state) % (ADDRESSES - start - 1).min(40);
            let (range, tag) = (range(start, end), 1 + random(&mut state) % 3);
            let there = model[start..end].iter().any(|tag| *tag != 0);
            match random(&mut state) % 3 {
                0 => {
                    assert_eq!(intervals.insert(range, tag), there, "seed {seed}, step {step}");
                    model[start..end].fill(tag);
                }
                1 => {
                    assert_eq!(intervals.remove(range), there, "seed {seed}, step {step}");
                    model[start..end].fill(0);
                }
                _ => {
                    let tag = Some(model[start])
                        .filter(|tag| *tag != 0 && model[start..end].iter().all(|it| it == tag));
                    assert_eq!(intervals.cover(range), tag, "seed {seed}, step {step}");
                }
            }
            let mut expected = [0; ADDRESSES];
            let mut reached = 0;
            for Interval { range, tag } in intervals.as_slice() {
                assert!(reached <= range.start && range.start < range.end, "seed {seed}");
                expected[range.start..range.end].fill(*tag);
                reached = range.end;
            }
            assert_eq!(model, expected, "seed {seed}, step {step}");
        }
    }
}
