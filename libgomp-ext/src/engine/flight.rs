//! Copies in flight of memory that is in no region.
//!
//! libgomp dies of a copy that is partly inside a registration. A copy of a
//! region's memory is inside of it, however the region changes; but a range
//! that was in none when its call began could meet the edge of a region that
//! another thread registers meanwhile. So such ranges are listed *before* the
//! call looks for regions, and a new registration looks here *after* its
//! region can be found: whichever comes first, one sees the other.

use std::collections::BTreeSet;

use offmem_registration::Range;
use smallvec::SmallVec;

use crate::lock::Lock;

/// The ranges of one call, listed until it is dropped.
pub(crate) struct Flight {
    number: u64,
}

struct Sky {
    next: u64,
    flying: Vec<(u64, SmallVec<[Range; 4]>)>,
    /// Ranges of calls that go on after they have returned.
    lasting: BTreeSet<(usize, usize)>,
}

/// More distinct ranges than this mean that nothing can be ruled out.
const LASTING_MAX: usize = 4096;

static SKY: Lock<Sky> = Lock::new(Sky { next: 0, flying: Vec::new(), lasting: BTreeSet::new() });

impl Flight {
    /// Lists the ranges; those of a call that returns before its copies are
    /// made stay for ever.
    pub(crate) fn begin(ranges: &[Range], lasting: bool) -> Option<Flight> {
        if ranges.is_empty() {
            return None;
        }
        let mut sky = SKY.lock();
        if lasting {
            for range in ranges {
                if sky.lasting.len() <= LASTING_MAX {
                    sky.lasting.insert((range.start, range.end));
                }
            }
            return None;
        }
        let number = sky.next;
        sky.next += 1;
        sky.flying.push((number, SmallVec::from_slice(ranges)));
        Some(Flight { number })
    }
}

impl Drop for Flight {
    fn drop(&mut self) {
        let mut sky = SKY.lock();
        if let Some(i) = sky.flying.iter().position(|(number, _)| *number == self.number) {
            sky.flying.swap_remove(i);
        }
    }
}

/// Whether a copy in flight may be partly inside of `region`.
pub(crate) fn straddles(region: Range) -> bool {
    if cfg!(feature = "sabotage-flight") {
        return false;
    }
    let across = |range: Range| range.overlaps(region) && !region.contains(range);
    let sky = SKY.lock();
    sky.lasting.len() > LASTING_MAX
        || sky.lasting.iter().any(|&(start, end)| across(Range { start, end }))
        || sky.flying.iter().any(|(_, ranges)| ranges.iter().copied().any(across))
}

/// Before `fork`.
pub(crate) fn acquire() {
    SKY.acquire();
}

/// After `fork`.
///
/// # Safety
/// As [`Lock::release`].
pub(crate) unsafe fn release() {
    // SAFETY: the caller's.
    unsafe { SKY.release() };
}

#[cfg(test)]
mod tests {
    use super::{Flight, straddles};
    use offmem_registration::Range;

    #[test]
    fn a_copy_at_the_edge_is_seen_until_it_ends() {
        let range = |start, end| Range { start, end };
        let flight = Flight::begin(&[range(90, 110), range(500, 510)], false);
        assert!(straddles(range(100, 200)));
        assert!(!straddles(range(80, 200)), "it is inside");
        assert!(!straddles(range(110, 200)), "it is beside");
        drop(flight);
        assert!(!straddles(range(100, 200)));
        assert!(Flight::begin(&[range(1090, 1110)], true).is_none());
        assert!(straddles(range(1100, 1200)), "its copies may come at any time");
    }
}
