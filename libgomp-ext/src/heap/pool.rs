//! Free extents of one kind: by size, for a fit in constant time, and by age.

use super::extent::{Extent, NONE, State, Table};

/// Classes of sizes: eight for each power of two.
const CLASSES: usize = 192;

/// How many extents of the request's own class are tried, of which some may be too small.
const TRIES: usize = 8;

/// Extents in one state.
pub(super) struct Pool {
    state: State,
    /// Which classes have any.
    occupied: [u64; CLASSES / 64],
    first: [u32; CLASSES],
    oldest: u32,
    newest: u32,
    /// All of them together.
    pub(super) granules: usize,
}

/// The class of extents of `length` granules.
fn class(length: u32) -> usize {
    if length < 8 {
        return length as usize;
    }
    let power = length.ilog2();
    ((power - 2) * 8 + (length >> (power - 3) & 7)) as usize
}

impl Pool {
    pub(super) const fn new(state: State) -> Pool {
        Pool {
            state,
            occupied: [0; CLASSES / 64],
            first: [NONE; CLASSES],
            oldest: NONE,
            newest: NONE,
            granules: 0,
        }
    }

    /// Takes an extent in, as the youngest.
    pub(super) fn insert(&mut self, table: &mut Table, first: u32, length: u32, time: u32) {
        let class = class(length);
        let (next, older) = (self.first[class], self.newest);
        let extent = table.lay(first, length, self.state);
        (extent.previous, extent.next) = (NONE, next);
        (extent.older, extent.newer) = (older, NONE);
        extent.time = time;
        if next != NONE {
            table.at(next).previous = first;
        }
        if older == NONE {
            self.oldest = first;
        } else {
            table.at(older).newer = first;
        }
        self.newest = first;
        self.first[class] = first;
        self.occupied[class / 64] |= 1 << (class % 64);
        self.granules += length as usize;
    }

    /// Takes an extent out; it is `Transit` then. Returns its length.
    pub(super) fn remove(&mut self, table: &mut Table, first: u32) -> u32 {
        let extent = table.at(first);
        extent.state = State::Transit;
        let Extent { length, previous, next, older, newer, .. } = *extent;
        let class = class(length);
        if next != NONE {
            table.at(next).previous = previous;
        }
        if previous != NONE {
            table.at(previous).next = next;
        } else {
            self.first[class] = next;
            if next == NONE {
                self.occupied[class / 64] &= !(1 << (class % 64));
            }
        }
        if older != NONE {
            table.at(older).newer = newer;
        } else {
            self.oldest = newer;
        }
        if newer != NONE {
            table.at(newer).older = older;
        } else {
            self.newest = older;
        }
        self.granules -= length as usize;
        length
    }

    /// An extent of at least `length` granules.
    pub(super) fn fit(&self, table: &mut Table, length: u32) -> Option<u32> {
        let own = class(length);
        self.search(table, own, |_, extent| extent.length >= length)
            .or_else(|| self.occupied_from(own + 1).map(|class| self.first[class]))
    }

    /// An extent of `length` to `most` granules that `suits`.
    pub(super) fn snug(
        &self,
        table: &mut Table,
        length: u32,
        most: u32,
        suits: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        let fits =
            |first, extent: &Extent| (length..=most).contains(&extent.length) && suits(first);
        (class(length)..=class(most)).find_map(|class| self.search(table, class, fits))
    }

    /// The one that was freed first, and when.
    pub(super) fn oldest(&self, table: &mut Table) -> Option<(u32, u32)> {
        (self.oldest != NONE).then(|| (self.oldest, table.at(self.oldest).time))
    }

    fn search(
        &self,
        table: &mut Table,
        class: usize,
        fits: impl Fn(u32, &Extent) -> bool,
    ) -> Option<u32> {
        let mut first = self.first[class];
        for _ in 0..TRIES {
            if first == NONE {
                return None;
            }
            let extent = table.at(first);
            if fits(first, extent) {
                return Some(first);
            }
            first = extent.next;
        }
        None
    }

    /// The first class from `class` that has any.
    fn occupied_from(&self, class: usize) -> Option<usize> {
        let mut word = class / 64;
        let mut bits = self.occupied[word] & (u64::MAX << (class % 64));
        while bits == 0 {
            word += 1;
            bits = *self.occupied.get(word)?;
        }
        Some(word * 64 + bits.trailing_zeros() as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::{CLASSES, class};

    #[test]
    fn classes_follow_sizes_without_gaps() {
        let mut last = class(1);
        for length in 2..100_000 {
            let class = class(length);
            assert!(class == last || class == last + 1, "{length}: {last}, {class}");
            last = class;
        }
        // The longest range, 1 TiB, and the class after it that a search looks into.
        assert!(class(1 << 24) + 1 < CLASSES);
    }
}
