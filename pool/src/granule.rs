//! Which addresses are the pool's: one bit for each granule.
//!
//! Slabs consist of whole granules, so an address needs no more than a load and
//! a shift, and no lock. The bits of all addresses that a process can have are
//! 16 MiB of zeros, of which only the pages of granules that were asked for exist;
//! a line of the cache has those of a gigabyte.

use core::sync::atomic::{AtomicU64, Ordering};

/// Bytes; slabs begin and end at multiples of it.
pub const GRANULE: usize = 2 << 20;

/// Addresses have 48 bits on x86-64 and AArch64 unless a program asks for more.
const WORDS: usize = (1 << 48) / GRANULE / 64;

type Bits = [AtomicU64; WORDS];

static OWNED: Bits = [const { AtomicU64::new(0) }; WORDS];
static FIRST: Bits = [const { AtomicU64::new(0) }; WORDS];

/// Whether the address is in a slab. Any address, from any thread, at any time.
#[inline]
#[must_use]
pub fn owns(address: usize) -> bool {
    is_set(&OWNED, address)
}

/// The same of what an allocator gave, a block or null: no such address has more than 48 bits.
#[inline]
pub(crate) fn has_block(address: usize) -> bool {
    let granule = address / GRANULE;
    OWNED[granule / 64 % WORDS].load(Ordering::Acquire) >> (granule % 64) & 1 != 0
}

/// Whether a slab begins at the address.
pub(crate) fn is_first(address: usize) -> bool {
    address.is_multiple_of(GRANULE) && is_set(&FIRST, address)
}

/// The whole granules of memory; nothing if there is none, or at addresses that
/// have no bit.
pub(crate) fn within(address: usize, size: usize) -> Option<(usize, usize)> {
    let start = address.checked_next_multiple_of(GRANULE)?;
    let end = address.checked_add(size)? / GRANULE * GRANULE;
    (start < end && end <= WORDS * 64 * GRANULE).then_some((start, end))
}

/// What [`within`] found is a slab's from now on. One thread at a time.
pub(crate) fn add(start: usize, end: usize) {
    FIRST[start / GRANULE / 64].fetch_or(1 << (start / GRANULE % 64), Ordering::Release);
    each(start, end, |word, bit| word.fetch_or(bit, Ordering::Release));
}

/// It is no slab any more.
pub(crate) fn remove(start: usize, end: usize) {
    each(start, end, |word, bit| word.fetch_and(!bit, Ordering::Release));
    FIRST[start / GRANULE / 64].fetch_and(!(1 << (start / GRANULE % 64)), Ordering::Release);
}

fn each(start: usize, end: usize, set: impl Fn(&AtomicU64, u64) -> u64) {
    for granule in start / GRANULE..end / GRANULE {
        set(&OWNED[granule / 64], 1 << (granule % 64));
    }
}

#[inline]
fn is_set(bits: &Bits, address: usize) -> bool {
    let granule = address / GRANULE;
    let Some(word) = bits.get(granule / 64) else { return false };
    word.load(Ordering::Acquire) >> (granule % 64) & 1 != 0
}

#[cfg(test)]
mod tests {
    use super::{GRANULE, WORDS, add, is_first, owns, remove, within};

    #[test]
    fn a_slab_is_its_granules() {
        // Where no mapping of this process is.
        let start = 0x1000 * GRANULE;
        assert!(!owns(start));
        add(start, start + 70 * GRANULE);
        add(start + 70 * GRANULE, start + 71 * GRANULE);
        assert!(owns(start) && owns(start + 71 * GRANULE - 1));
        assert!(!owns(start - 1) && !owns(start + 71 * GRANULE) && !owns(usize::MAX) && !owns(0));
        assert!(is_first(start) && is_first(start + 70 * GRANULE));
        assert!(!is_first(start + GRANULE) && !is_first(start + 1));
        remove(start, start + 70 * GRANULE);
        assert!(!owns(start) && !owns(start + 69 * GRANULE) && owns(start + 70 * GRANULE));
        assert!(!is_first(start) && is_first(start + 70 * GRANULE));
        remove(start + 70 * GRANULE, start + 71 * GRANULE);
        assert!(!owns(start + 70 * GRANULE));
    }

    #[test]
    fn only_whole_granules_are_used() {
        assert_eq!(within(1, 2 * GRANULE), Some((GRANULE, 2 * GRANULE)));
        assert_eq!(within(GRANULE, 2 * GRANULE), Some((GRANULE, 3 * GRANULE)));
        assert_eq!(within(1, GRANULE), None);
        assert_eq!(within(WORDS * 64 * GRANULE, GRANULE), None);
        assert_eq!(within(usize::MAX - GRANULE, GRANULE), None);
    }
}
