//! The free parts of a range of addresses, of which the lowest that fits is
//! taken.

use std::collections::BTreeMap;

/// Length of each free part, by its offset. No two touch.
#[derive(Debug)]
pub(crate) struct Extents(BTreeMap<u64, u64>);

impl Extents {
    /// `size` bytes, all free.
    pub(crate) fn new(size: u64) -> Extents {
        Extents(BTreeMap::from([(0, size)]))
    }

    /// The offset of `size` bytes that were free, a multiple of `align`.
    pub(crate) fn take(&mut self, size: u64, align: u64) -> Option<u64> {
        let fit = |(&start, &free): (&u64, &u64)| {
            let offset = start.checked_next_multiple_of(align)?;
            (offset.checked_add(size)? <= start + free).then_some((start, free, offset))
        };
        let (start, free, offset) = self.0.iter().find_map(fit)?;
        self.0.remove(&start);
        if offset > start {
            self.0.insert(start, offset - start);
        }
        if start + free > offset + size {
            self.0.insert(offset + size, start + free - offset - size);
        }
        Some(offset)
    }

    /// Gives back what was taken.
    pub(crate) fn give_back(&mut self, offset: u64, size: u64) {
        let (mut start, mut free) = (offset, size);
        if let Some((&before, &length)) = self.0.range(..offset).next_back()
            && before + length == offset
        {
            self.0.remove(&before);
            (start, free) = (before, free + length);
        }
        if let Some(length) = self.0.remove(&(offset + size)) {
            free += length;
        }
        self.0.insert(start, free);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_comes_back_is_whole_again() {
        let mut extents = Extents::new(100);
        assert_eq!(extents.take(10, 1), Some(0));
        assert_eq!(extents.take(20, 32), Some(32));
        assert_eq!(extents.take(22, 1), Some(10), "the gap before an aligned part");
        assert_eq!(extents.take(49, 1), None);
        assert_eq!(extents.take(48, 1), Some(52));
        assert_eq!(extents.take(u64::MAX, 64), None);
        for (offset, size) in [(32, 20), (0, 10), (52, 48), (10, 22)] {
            extents.give_back(offset, size);
        }
        assert_eq!(extents.take(100, 64), Some(0));
    }
}
