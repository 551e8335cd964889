//! Ranges that lately could get no region, so that asking where their memory
//! comes from, which takes microseconds, is not repeated at each call.

use core::sync::atomic::{AtomicU64, Ordering};

use offmem_registration::Range;

use crate::hook::mapping;

const SLOTS: usize = 256;

/// What each slot holds is a range's fingerprint; 0 is none.
static RANGES: [AtomicU64; SLOTS] = [const { AtomicU64::new(0) }; SLOTS];

/// Of a range while the program makes no new mapping: what is unknown now may
/// be one then. Two ranges are alike once in 2^56 times, and then one of them
/// stays pageable.
fn fingerprint(range: Range) -> u64 {
    let mut hash = 0u64;
    for word in [range.start as u64, range.end as u64, mapping::count()] {
        hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash ^= hash >> 32;
    }
    hash | 1
}

/// Whether the range was [`add`]ed, and nothing has changed since.
pub(super) fn has(range: Range) -> bool {
    let fingerprint = fingerprint(range);
    slot(fingerprint).load(Ordering::Relaxed) == fingerprint
}

/// The range can get no region, whatever it is wanted for.
pub(super) fn add(range: Range) {
    let fingerprint = fingerprint(range);
    slot(fingerprint).store(fingerprint, Ordering::Relaxed);
}

fn slot(fingerprint: u64) -> &'static AtomicU64 {
    &RANGES[(fingerprint >> 56) as usize % SLOTS]
}

#[cfg(test)]
mod tests {
    use super::{add, has};
    use offmem_registration::Range;

    #[test]
    fn a_range_is_remembered_as_it_is() {
        let range = Range { start: 0x1234_0000, end: 0x1238_0000 };
        assert!(!has(range));
        add(range);
        assert!(has(range));
        assert!(!has(Range { end: range.end + 1, ..range }));
    }
}
