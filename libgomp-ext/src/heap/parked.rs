//! The blocks that were freed last, for the next request of their size: neither
//! takes the lock. For the arena they are live.

use core::sync::atomic::{AtomicU64, Ordering};

use offmem_registration::PAGE;

use super::extent::{GRANULE, Index};

/// Larger ones are worth the lock, and too much to stay resident unused.
const BYTES_MAX: usize = 4 << 20;

/// 0, or a block's [`word`].
static SLOTS: [AtomicU64; 8] = [const { AtomicU64::new(0) }; 8];

/// A block's first granule, from 1, and how many there are: who takes a word
/// out of its slot has found the block as it was.
fn word(first: u32, pages: usize) -> u64 {
    let granules = (pages * PAGE).div_ceil(GRANULE) as u64;
    granules << 32 | u64::from(first + 1)
}

fn first_of(word: u64) -> u32 {
    word as u32 - 1
}

/// What became of a wish to park a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parking {
    /// It is there.
    Done,
    /// It is there, and this one had to go: it must be freed.
    Instead(u32),
    /// It cannot be.
    Unfit,
    /// It is there already: it was freed twice.
    Twice,
}

/// Parks the live block at `first`, which its owner has freed.
pub(super) fn park(index: &Index, first: u32) -> Parking {
    let pages = index.pages(first) as usize;
    if index.is_kept(first) || pages * PAGE > BYTES_MAX {
        return Parking::Unfit;
    }
    let mut empty = None;
    for slot in &SLOTS {
        match slot.load(Ordering::Relaxed) {
            0 => empty = empty.or(Some(slot)),
            other if first_of(other) == first => return Parking::Twice,
            _ => {}
        }
    }
    let word = word(first, pages);
    if let Some(slot) = empty
        && slot.compare_exchange(0, word, Ordering::Release, Ordering::Relaxed).is_ok()
    {
        return Parking::Done;
    }
    // Any: blocks of so many sizes do not come back soon.
    match SLOTS[first as usize % SLOTS.len()].swap(word, Ordering::AcqRel) {
        0 => Parking::Done,
        other => Parking::Instead(first_of(other)),
    }
}

/// A parked block for `bytes`, as a live one, with any content.
pub(super) fn take(index: &Index, bytes: usize) -> Option<u32> {
    if bytes > BYTES_MAX {
        return None;
    }
    let pages = bytes.div_ceil(PAGE);
    let length = word(0, pages) >> 32;
    for slot in &SLOTS {
        let word = slot.load(Ordering::Relaxed);
        if word >> 32 == length
            && slot.compare_exchange(word, 0, Ordering::Acquire, Ordering::Relaxed).is_ok()
        {
            let first = first_of(word);
            index.set_pages(first, pages as u32);
            return Some(first);
        }
    }
    None
}
