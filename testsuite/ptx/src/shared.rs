//! Shared memory of a CTA, and memory with exact bounds in general
//! (PTX ISA 5.1.5 and 5.1.7).

/// Bytes kept free before each variable, so that an overrun is noticed.
const GAP: u64 = 16;
/// More than any device has.
const LARGEST: u64 = 1 << 24;
/// What memory holds before anything is stored, to make a use of it plain.
const UNINITIALISED: u64 = 0xa5a5_a5a5_a5a5_a5a5;

/// Where the shared variables of a program lie.
#[derive(Default)]
pub(crate) struct Layout {
    /// Offset and size of each variable.
    variables: Vec<(u64, u64)>,
    end: u64,
}

impl Layout {
    /// The offset of a new variable, or `None` if it does not fit.
    pub(crate) fn place(&mut self, size: u64, alignment: u64) -> Option<u64> {
        let offset = (self.end + GAP).next_multiple_of(alignment);
        let end = offset.checked_add(size).filter(|&end| end <= LARGEST)?;
        self.variables.push((offset, size));
        self.end = end;
        Some(offset)
    }

    /// Offset of the memory whose size each launch gives.
    pub(crate) fn dynamic(&self) -> u64 {
        (self.end + GAP).next_multiple_of(GAP)
    }

    /// Bytes of the variables and of `dynamic` ones.
    pub(crate) fn total(&self, dynamic: u32) -> u64 {
        self.variables.iter().map(|(_, size)| size).sum::<u64>() + u64::from(dynamic)
    }

    /// Fresh shared memory with `dynamic` bytes besides the variables.
    pub(crate) fn arena(&self, dynamic: u32) -> Arena {
        let mut arena = Arena::default();
        for &(offset, size) in &self.variables {
            arena.bounds.open(offset, size);
        }
        arena.bounds.open(self.dynamic(), u64::from(dynamic));
        arena.cells.reserve(self.dynamic() + u64::from(dynamic));
        arena
    }
}

/// Memory of which only some bytes exist.
#[derive(Default)]
pub(crate) struct Arena {
    bounds: Bounds,
    cells: Cells,
}

impl Arena {
    /// The `size` bytes at `offset`, aligned to their size, at most 8.
    pub(crate) fn reach(&mut self, offset: u64, size: usize) -> Option<*mut u8> {
        if self.bounds.contain(offset, size) { self.cells.pointer(offset) } else { None }
    }

    /// Forgets what was stored.
    pub(crate) fn clear(&mut self) {
        self.cells.0.fill(UNINITIALISED);
    }
}

/// Which bytes exist: a bit for each.
#[derive(Default)]
pub(crate) struct Bounds(Vec<u8>);

impl Bounds {
    /// Whether the bytes exist; they do not cross a multiple of 8.
    pub(crate) fn contain(&self, offset: u64, size: usize) -> bool {
        let wanted = ((1u32 << size) - 1) << (offset & 7);
        let index = usize::try_from(offset / 8).unwrap_or(usize::MAX);
        self.0.get(index).is_some_and(|&bits| u32::from(bits) & wanted == wanted)
    }

    /// Makes bytes exist.
    pub(crate) fn open(&mut self, offset: u64, size: u64) {
        if size == 0 {
            return;
        }
        let (offset, end) = (offset as usize, (offset + size) as usize);
        let (first, last) = (offset / 8, (end - 1) / 8);
        if self.0.len() <= last {
            self.0.resize(last + 1, 0);
        }
        let from_offset = 0xff << (offset % 8);
        let to_end = 0xff >> (7 - (end - 1) % 8);
        if first == last {
            self.0[first] |= from_offset & to_end;
        } else {
            self.0[first] |= from_offset;
            self.0[first + 1..last].fill(0xff);
            self.0[last] |= to_end;
        }
    }

    /// Ends the existence of all bytes from `offset` on.
    pub(crate) fn truncate(&mut self, offset: u64) {
        let index = (offset / 8) as usize;
        if let Some(bits) = self.0.get_mut(index) {
            *bits &= (1u32 << (offset % 8)).wrapping_sub(1) as u8;
            self.0.truncate(index + 1);
        }
    }
}

/// The bytes themselves.
#[derive(Default)]
pub(crate) struct Cells(Vec<u64>);

impl Cells {
    /// Makes room for `size` bytes.
    pub(crate) fn reserve(&mut self, size: u64) {
        let words = size.div_ceil(8) as usize;
        if self.0.len() < words {
            self.0.resize(words, UNINITIALISED);
        }
    }

    /// The bytes from `offset` to the next multiple of 8.
    pub(crate) fn pointer(&mut self, offset: u64) -> Option<*mut u8> {
        let word = self.0.get_mut(usize::try_from(offset / 8).ok()?)?;
        Some(std::ptr::from_mut(word).cast::<u8>().wrapping_add((offset & 7) as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::Bounds;

    /// Offsets below 40 that exist.
    fn open(bounds: &Bounds) -> Vec<u64> {
        (0..40).filter(|&offset| bounds.contain(offset, 1)).collect()
    }

    #[test]
    fn bytes_exist_from_open_to_truncate() {
        for (offset, size) in [(0, 0), (3, 2), (0, 8), (7, 2), (5, 24), (8, 16), (1, 38)] {
            let mut bounds = Bounds::default();
            bounds.open(offset, size);
            assert_eq!(open(&bounds), (offset..offset + size).collect::<Vec<_>>());
            bounds.truncate(10);
            assert_eq!(open(&bounds), (offset..(offset + size).min(10)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn all_bytes_of_an_access_must_exist() {
        let mut bounds = Bounds::default();
        bounds.open(16, 12);
        assert!(bounds.contain(16, 8) && bounds.contain(24, 4));
        assert!(!bounds.contain(24, 8) && !bounds.contain(8, 8) && !bounds.contain(1 << 60, 1));
    }
}
