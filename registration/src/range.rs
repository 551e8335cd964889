use core::fmt;

/// The unit in which memory is pinned, in bytes.
pub const PAGE: usize = 4096;

/// Addresses of this process, at least one: `start` is the first, `end` is
/// behind the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    /// The first address.
    pub start: usize,
    /// Behind the last address.
    pub end: usize,
}

impl Range {
    /// `size` bytes from `start`; nothing where there is none, or where they
    /// would not fit into the address space.
    pub const fn new(start: usize, size: usize) -> Option<Range> {
        match start.checked_add(size) {
            Some(end) if size > 0 => Some(Range { start, end }),
            _ => None,
        }
    }

    /// Bytes.
    pub const fn size(self) -> usize {
        self.end - self.start
    }

    /// Whether all of `other` is inside.
    pub const fn contains(self, other: Range) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Whether the two share an address.
    pub const fn overlaps(self, other: Range) -> bool {
        self.start < other.end && other.start < self.end
    }

    /// The smallest range that holds both.
    pub fn union(self, other: Range) -> Range {
        Range { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// What the two share.
    pub fn intersection(self, other: Range) -> Option<Range> {
        let (start, end) = (self.start.max(other.start), self.end.min(other.end));
        if start < end { Some(Range { start, end }) } else { None }
    }

    /// All pages that the range touches.
    pub const fn pages(self) -> Range {
        let end = match self.end.checked_next_multiple_of(PAGE) {
            Some(end) => end,
            None => usize::MAX - (PAGE - 1),
        };
        Range { start: self.start & !(PAGE - 1), end }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{:#x}, {:#x})", self.start, self.end)
    }
}

#[cfg(test)]
mod tests {
    use super::{PAGE, Range};

    fn range(start: usize, end: usize) -> Range {
        Range { start, end }
    }

    #[test]
    fn a_range_has_bytes_and_ends_in_the_address_space() {
        assert_eq!(Range::new(10, 5), Some(range(10, 15)));
        assert_eq!(Range::new(10, 0), None);
        assert_eq!(Range::new(usize::MAX, 2), None);
    }

    #[test]
    fn neighbours_do_not_overlap() {
        assert!(!range(0, 10).overlaps(range(10, 20)));
        assert!(range(0, 11).overlaps(range(10, 20)));
        assert_eq!(range(0, 10).intersection(range(10, 20)), None);
        assert_eq!(range(0, 15).intersection(range(10, 20)), Some(range(10, 15)));
        assert_eq!(range(0, 10).union(range(15, 20)), range(0, 20));
        assert!(range(0, 20).contains(range(0, 20)));
        assert!(!range(0, 20).contains(range(0, 21)));
    }

    #[test]
    fn pages_are_rounded_outward() {
        assert_eq!(range(1, PAGE + 1).pages(), range(0, 2 * PAGE));
        assert_eq!(range(PAGE, 2 * PAGE).pages(), range(PAGE, 2 * PAGE));
    }
}
