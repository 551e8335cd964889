//! Runs of free pages, by address and by size.

use std::collections::{BTreeMap, BTreeSet};

/// Runs that never touch: two that would are one, but for those that a slab's
/// edge keeps apart. All in bytes.
#[derive(Debug)]
pub(crate) struct Runs {
    by_address: BTreeMap<usize, usize>,
    by_size: BTreeSet<(usize, usize)>,
}

impl Runs {
    pub(crate) const fn new() -> Runs {
        Runs { by_address: BTreeMap::new(), by_size: BTreeSet::new() }
    }

    /// The smallest run that `size` bytes at a multiple of `align` fit in, the lowest of
    /// these; what is left of it stays.
    pub(crate) fn take(&mut self, size: usize, align: usize) -> Option<usize> {
        let fits = |&(length, start): &(usize, usize)| {
            let address = start.checked_next_multiple_of(align)?;
            (address - start <= length - size).then_some((start, length, address))
        };
        let (start, length, address) = self.by_size.range((size, 0)..).find_map(fits)?;
        self.cut(start, length, address, size);
        Some(address)
    }

    /// Just these bytes, if they are free.
    pub(crate) fn take_at(&mut self, address: usize, size: usize) -> bool {
        let run = self.by_address.range(..=address).next_back();
        let Some((start, length)) = run.map(|(start, length)| (*start, *length)) else {
            return false;
        };
        let is_free = address - start < length && size <= length - (address - start);
        if is_free {
            self.cut(start, length, address, size);
        }
        is_free
    }

    /// Frees bytes. `is_edge` says where runs do not join.
    pub(crate) fn put(&mut self, address: usize, size: usize, is_edge: impl Fn(usize) -> bool) {
        let (mut start, mut end) = (address, address + size);
        if !is_edge(start)
            && let Some((&before, &length)) = self.by_address.range(..start).next_back()
            && before + length == start
        {
            self.remove(before, length);
            start = before;
        }
        if !is_edge(end)
            && let Some(&length) = self.by_address.get(&end)
        {
            self.remove(end, length);
            end += length;
        }
        self.insert(start, end - start);
    }

    /// What is not free from `start` to `end`.
    pub(crate) fn gaps(&self, start: usize, end: usize, mut f: impl FnMut(usize, usize)) {
        let mut used = start;
        for (&run, &length) in self.by_address.range(start..end) {
            if run > used {
                f(used, run - used);
            }
            used = run + length;
        }
        if used < end {
            f(used, end - used);
        }
    }

    fn cut(&mut self, start: usize, length: usize, address: usize, size: usize) {
        self.remove(start, length);
        if address > start {
            self.insert(start, address - start);
        }
        let (end, cut) = (start + length, address + size);
        if end > cut {
            self.insert(cut, end - cut);
        }
    }

    fn insert(&mut self, start: usize, length: usize) {
        self.by_address.insert(start, length);
        self.by_size.insert((length, start));
    }

    fn remove(&mut self, start: usize, length: usize) {
        self.by_address.remove(&start);
        self.by_size.remove(&(length, start));
    }
}

#[cfg(test)]
mod tests {
    use super::Runs;

    const EDGE: usize = 0x40_0000;

    fn is_edge(address: usize) -> bool {
        address == EDGE
    }

    fn gaps(runs: &Runs, start: usize, end: usize) -> Vec<(usize, usize)> {
        let mut gaps = Vec::new();
        runs.gaps(start, end, |start, size| gaps.push((start, size)));
        gaps
    }

    #[test]
    fn the_smallest_that_fits_is_taken() {
        let mut runs = Runs::new();
        runs.put(0x10000, 0x8000, is_edge);
        runs.put(0x30000, 0x4000, is_edge);
        assert_eq!(runs.take(0x3000, 0x1000), Some(0x30000));
        assert_eq!(runs.take(0x3000, 0x1000), Some(0x10000));
        // 0x13000 to 0x18000: aligned, only the end of it will do.
        assert_eq!(runs.take(0x4000, 0x4000), Some(0x14000));
        assert_eq!(runs.take(0x2000, 0x1000), None);
        assert_eq!(gaps(&runs, 0x10000, 0x18000), [(0x10000, 0x3000), (0x14000, 0x4000)]);
        runs.put(0x14000, 0x4000, is_edge);
        assert_eq!(runs.take(0x5000, 0x1000), Some(0x13000));
    }

    #[test]
    fn neighbours_join_but_not_across_an_edge() {
        let mut runs = Runs::new();
        runs.put(EDGE - 0x2000, 0x1000, is_edge);
        runs.put(EDGE, 0x2000, is_edge);
        runs.put(EDGE - 0x1000, 0x1000, is_edge);
        assert_eq!(runs.take(0x4000, 0x1000), None);
        assert_eq!(runs.take(0x2000, 0x1000), Some(EDGE - 0x2000));
        assert_eq!(runs.take(0x2000, 0x1000), Some(EDGE));
        assert_eq!(gaps(&runs, EDGE, EDGE + 0x2000), [(EDGE, 0x2000)]);
    }

    #[test]
    fn a_place_is_taken_if_all_of_it_is_free() {
        let mut runs = Runs::new();
        runs.put(0x10000, 0x3000, is_edge);
        assert!(!runs.take_at(0xf000, 0x1000) && !runs.take_at(0x12000, 0x2000));
        assert!(!runs.take_at(0x13000, 0x1000));
        assert!(runs.take_at(0x11000, 0x1000) && !runs.take_at(0x11000, 0x1000));
        assert!(runs.take_at(0x12000, 0x1000) && runs.take_at(0x10000, 0x1000));
        assert_eq!(runs.take(0x1000, 0x1000), None);
    }
}
