//! Local memory of a warp's lanes (PTX ISA 5.1.5).
//!
//! A frame has its local variables at the same offsets in all lanes.

use super::register::{Mask, lanes};
use crate::alu::LANES;
use crate::shared::{Bounds, Cells};

/// Lowest offset: small numbers taken for addresses are refused.
const START: u64 = 4096;
/// Of each frame; no variable of GCC's is aligned to more.
const ALIGNMENT: u64 = 128;

/// Local memory of all frames and lanes of a warp.
pub(super) struct Local {
    bounds: Bounds,
    lanes: [Cells; LANES],
    top: u64,
    limit: u64,
}

impl Local {
    /// Memory of which each lane may use `limit` bytes.
    pub(super) fn new(limit: u64) -> Local {
        Local {
            bounds: Bounds::default(),
            lanes: std::array::from_fn(|_| Cells::default()),
            top: START,
            limit,
        }
    }

    /// Where the next frame begins.
    pub(super) fn top(&self) -> u64 {
        self.top
    }

    /// Makes the variables of a frame of `size` bytes exist for some lanes;
    /// false if there is no room.
    pub(super) fn push(&mut self, size: u32, variables: &[(u32, u32)], mask: Mask) -> bool {
        let base = self.top;
        if !self.grow(u64::from(size), mask) {
            return false;
        }
        for &(offset, size) in variables {
            self.bounds.open(base + u64::from(offset), u64::from(size));
        }
        true
    }

    /// `alloca`: the offset of `size` bytes more of the innermost frame.
    pub(super) fn allocate(&mut self, size: u64, alignment: u64, mask: Mask) -> Option<u64> {
        let offset = (self.top + ALIGNMENT).next_multiple_of(alignment);
        let end = offset.checked_add(size)?;
        if !self.grow(end - self.top, mask) {
            return None;
        }
        self.bounds.open(offset, size);
        Some(offset)
    }

    /// Forgets all from `top` on.
    pub(super) fn pop(&mut self, top: u64) {
        let top = top.max(START);
        if top < self.top {
            self.bounds.truncate(top);
            self.top = top;
        }
    }

    fn grow(&mut self, size: u64, mask: Mask) -> bool {
        if size > self.limit || self.top - START > self.limit - size {
            return false;
        }
        self.top = (self.top + size).next_multiple_of(ALIGNMENT);
        if size > 0 {
            for lane in lanes(mask) {
                self.lanes[lane].reserve(self.top);
            }
        }
        true
    }

    /// The `size` bytes of a lane at `offset`, aligned to their size, at most
    /// 8.
    pub(super) fn reach(&mut self, lane: usize, offset: u64, size: usize) -> Option<*mut u8> {
        if self.bounds.contain(offset, size) { self.lanes[lane].pointer(offset) } else { None }
    }
}
