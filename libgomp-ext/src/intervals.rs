//! A set of intervals of addresses, each with a tag.
//!
//! In pages of its own and not a tree of the standard library: it is changed in
//! signal handlers too, which may have interrupted the allocator. It is a sorted
//! list of short sorted lists, so that also with very many intervals little has
//! to be moved.

use core::ptr;

use offmem_registration::Range;

use crate::errno;

/// Half full, they hold the 65530 mappings that Linux lets a process have.
const CHUNKS: usize = 8192;
const CHUNK: usize = 16;

/// Part of a process's addresses, and what is known of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Interval {
    pub(crate) range: Range,
    /// The user's; it stays with both parts of an interval that is split.
    pub(crate) tag: usize,
}

/// Intervals that do not overlap, in order; neighbours stay apart. What there is
/// no room for is not taken: what is not in the set is not known.
pub(crate) struct Intervals {
    pool: *mut Pool,
    /// How many chunks are in use, of at most `limit`.
    used: usize,
    limit: usize,
}

struct Pool {
    /// The chunks in use in order, and then the free ones.
    order: [u16; CHUNKS],
    chunks: [Chunk; CHUNKS],
}

struct Chunk {
    length: usize,
    intervals: [Interval; CHUNK],
}

/// Where an interval stands: which chunk in order, and where in it.
type Place = (usize, usize);

// SAFETY: it owns the pages that it points to.
unsafe impl Send for Intervals {}

impl Intervals {
    pub(crate) const fn new() -> Intervals {
        Intervals { pool: ptr::null_mut(), used: 0, limit: CHUNKS }
    }

    /// Adds `range`, also where something else stood; whether something did.
    pub(crate) fn insert(&mut self, range: Range, tag: usize) -> bool {
        let overlapped = self.remove(range);
        let place = self.first_behind(range.start);
        self.put(place, Interval { range, tag });
        overlapped
    }

    /// Takes all of `range` out; whether any of it was there.
    pub(crate) fn remove(&mut self, range: Range) -> bool {
        let mut overlapped = false;
        loop {
            let (chunk, at) = self.first_behind(range.start);
            if chunk == self.used {
                return overlapped;
            }
            let found = &mut self.chunk(chunk).intervals[at].range;
            let Range { start, end } = *found;
            if start >= range.end {
                return overlapped;
            }
            overlapped = true;
            match (start < range.start, range.end < end) {
                (false, false) => self.take((chunk, at)),
                (false, true) => found.start = range.end,
                (true, false) => found.end = range.start,
                (true, true) => {
                    found.end = range.start;
                    let tag = self.chunk(chunk).intervals[at].tag;
                    let rest = Range { start: range.end, end };
                    self.put((chunk, at + 1), Interval { range: rest, tag });
                    return true;
                }
            }
        }
    }

    /// The intervals that share an address with `range`, in order.
    pub(crate) fn overlapping(&self, range: Range) -> impl Iterator<Item = Interval> {
        let (chunk, at) = self.first_behind(range.start);
        self.from(chunk).skip(at).take_while(move |interval| interval.range.start < range.end)
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
        let tagged = self.from(0).filter(|interval| interval.tag == tag);
        tagged.map(|interval| interval.range).reduce(Range::union)
    }

    pub(crate) fn clear(&mut self) {
        self.used = 0;
    }

    /// All intervals from a chunk on.
    fn from(&self, chunk: usize) -> impl Iterator<Item = Interval> {
        (chunk..self.used).flat_map(|chunk| self.get(chunk).as_slice().iter().copied())
    }

    /// Where the first interval stands that ends behind `address`; if there is
    /// none, the chunk is the first that is not in use.
    fn first_behind(&self, address: usize) -> Place {
        let (mut low, mut high) = (0, self.used);
        while low < high {
            let middle = (low + high) / 2;
            let ends_before = |last: &Interval| last.range.end <= address;
            if self.get(middle).as_slice().last().is_some_and(ends_before) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        if low == self.used {
            return (low, 0);
        }
        (low, self.get(low).as_slice().partition_point(|it| it.range.end <= address))
    }

    fn put(&mut self, (mut chunk, mut at): Place, interval: Interval) {
        if self.used == 0 {
            if !self.has_pool() {
                return;
            }
            (chunk, at) = (0, 0);
            self.use_chunk(0);
        } else if chunk == self.used {
            chunk -= 1;
            at = self.get(chunk).length;
        }
        if self.get(chunk).length == CHUNK {
            if self.used == self.limit {
                return;
            }
            self.split(chunk);
            if at > CHUNK / 2 {
                (chunk, at) = (chunk + 1, at - CHUNK / 2);
            }
        }
        let Chunk { length, intervals } = self.chunk(chunk);
        intervals.copy_within(at..*length, at + 1);
        intervals[at] = interval;
        *length += 1;
    }

    fn take(&mut self, (chunk, at): Place) {
        let Chunk { length, intervals } = self.chunk(chunk);
        intervals.copy_within(at + 1..*length, at);
        *length -= 1;
        if *length == 0 {
            let used = self.used;
            self.pool().order[chunk..used].rotate_left(1);
            self.used -= 1;
        }
    }

    /// Moves half of a full chunk to a new one behind it.
    fn split(&mut self, chunk: usize) {
        let mut half = [Interval { range: Range { start: 0, end: 0 }, tag: 0 }; CHUNK / 2];
        let full = self.chunk(chunk);
        half.copy_from_slice(&full.intervals[CHUNK / 2..]);
        full.length = CHUNK / 2;
        self.use_chunk(chunk + 1);
        let new = self.chunk(chunk + 1);
        new.intervals[..CHUNK / 2].copy_from_slice(&half);
        new.length = CHUNK / 2;
    }

    /// A free chunk becomes the one at `place` in order.
    fn use_chunk(&mut self, place: usize) {
        let used = self.used;
        self.pool().order[place..=used].rotate_right(1);
        self.used += 1;
        self.chunk(place).length = 0;
    }

    /// Only for chunks in use, or with [`Intervals::has_pool`].
    fn get(&self, place: usize) -> &Chunk {
        // SAFETY: there is a pool where there are chunks.
        let pool = unsafe { &*self.pool };
        &pool.chunks[usize::from(pool.order[place])]
    }

    fn chunk(&mut self, place: usize) -> &mut Chunk {
        let pool = self.pool();
        &mut pool.chunks[usize::from(pool.order[place])]
    }

    fn pool(&mut self) -> &mut Pool {
        // SAFETY: as in `get`; zeros are a valid pool.
        unsafe { &mut *self.pool }
    }

    /// Address space for all; pages come as they are used.
    fn has_pool(&mut self) -> bool {
        if self.pool.is_null() {
            let protection = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            let size = size_of::<Pool>();
            // SAFETY: a new mapping, anywhere.
            let pages = errno::keep(|| unsafe {
                libc::syscall(libc::SYS_mmap, 0usize, size, protection, flags, -1, 0usize)
            });
            if pages == -1 {
                return false;
            }
            self.pool = pages as *mut Pool;
            for (number, place) in (0..).zip(&mut self.pool().order) {
                *place = number;
            }
        }
        true
    }
}

impl Chunk {
    fn as_slice(&self) -> &[Interval] {
        &self.intervals[..self.length]
    }
}

impl Drop for Intervals {
    fn drop(&mut self) {
        if !self.pool.is_null() {
            // SAFETY: the pages are this set's alone.
            unsafe { libc::syscall(libc::SYS_munmap, self.pool, size_of::<Pool>()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, Interval, Intervals};
    use offmem_registration::Range;
    use std::time::{SystemTime, UNIX_EPOCH};

    fn range(start: usize, end: usize) -> Range {
        Range { start, end }
    }

    fn all(intervals: &Intervals) -> Vec<(usize, usize, usize)> {
        let every = intervals.from(0);
        every.map(|Interval { range, tag }| (range.start, range.end, tag)).collect()
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
        let mut intervals = Intervals { limit: 1, ..Intervals::new() };
        for start in 0..=CHUNK {
            intervals.insert(range(10 * start, 10 * start + 10), 1);
        }
        let end = 10 * CHUNK;
        assert_eq!(intervals.cover(range(0, end)), Some(1));
        assert_eq!(intervals.cover(range(end, end + 1)), None);
        intervals.remove(range(12, 14));
        assert_eq!(intervals.cover(range(10, 12)), Some(1));
        assert_eq!(intervals.cover(range(14, 15)), None);
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
        const ADDRESSES: usize = 1000;
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
        let seed = now.as_nanos() as u64 | 1;
        let mut state = seed;
        let mut intervals = Intervals::new();
        let mut model = vec![0; ADDRESSES];
        for step in 0..20_000 {
            let start = random(&mut state) % (ADDRESSES - 1);
            let end = start
                + 1
                + random(&mut state)
                    % (ADDRESSES - start - 1).min(if step / 4000 % 2 == 0 { 4 } else { 100 });
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
            let mut expected = vec![0; ADDRESSES];
            let mut reached = 0;
            for Interval { range, tag } in intervals.from(0) {
                assert!(reached <= range.start && range.start < range.end, "seed {seed}");
                expected[range.start..range.end].fill(tag);
                reached = range.end;
            }
            assert_eq!(model, expected, "seed {seed}, step {step}");
        }
    }
}
