//! Blocks of another size: where they are, if there is room; else by moving their pages, not
//! what is in them.

use offmem_registration::{PAGE, Range};

use super::super::extent::{GRANULE, State};
use super::{Arena, granules};

/// A huge page, in bytes.
const HUGE: usize = 2 << 20;

/// What `realloc` comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Resize {
    /// The block is as long now.
    Done,
    /// Its pages, this range, go to this new block; then [`Arena::moved`].
    Move(Range, usize),
    /// A new block, a copy of so many bytes, and an end of the old one.
    Copy(usize),
}

impl Arena {
    /// What a live block of another size is to be made of; `bytes` is not 0.
    pub(in super::super) fn resize(&mut self, first: u32, bytes: usize, now: u32) -> Resize {
        let size = self.block(first).size();
        if self.is_kept(first) && !cfg!(feature = "sabotage-realloc") {
            // The registration covers the block as it is.
            let stays = (size / 2 + 1..=size).contains(&bytes);
            return if stays { Resize::Done } else { Resize::Copy(size.min(bytes)) };
        }
        let Some(need) = granules(bytes) else {
            return Resize::Copy(size.min(bytes));
        };
        let length = self.table.at(first).length;
        if bytes < size && need < length {
            self.cut(first, need, now);
        } else if need > length && !self.stretch(first, length, need) {
            return self.plan_move(first, length, need, bytes);
        }
        self.index.set_pages(first, bytes.div_ceil(PAGE) as u32);
        Resize::Done
    }

    /// Frees all of a live block behind `length`.
    fn cut(&mut self, first: u32, length: u32, now: u32) {
        let extent = self.table.at(first);
        let (rest, apart) = (extent.length - length, extent.apart);
        self.table.lay(first, length, State::Live);
        self.table.lay(first + length, rest, State::Transit);
        self.release(first + length, rest, State::Dirty, now, apart);
        self.live -= rest as usize * GRANULE;
    }

    /// Grows a live block where it is. It gets more than it needs, if that costs no resident
    /// page: a block that grows will grow again.
    fn stretch(&mut self, first: u32, length: u32, need: u32) -> bool {
        let behind = first + length;
        let state = if behind < self.top { self.table.at(behind).state } else { State::Nothing };
        let free = match state {
            State::Nothing => 0,
            State::Clean | State::Dirty => self.table.at(behind).length,
            _ => return false,
        };
        let ample = if state == State::Dirty { need } else { need.saturating_add(need / 4) };
        let mut end = behind + free;
        if end - first < need {
            let open = end == self.top && state != State::Dirty;
            let grown = open && [ample, need].iter().any(|n| self.extend(first.saturating_add(*n)));
            if !grown {
                return false;
            }
            end = self.top;
        }
        let stop = end.min(first.saturating_add(ample));
        let time = self.table.at(behind).time;
        let mut apart = self.table.at(first).apart;
        if state != State::Nothing {
            let pool = if state == State::Clean { &mut self.clean } else { &mut self.dirty };
            pool.remove(&mut self.table, behind);
            apart |= self.table.at(behind).apart;
        }
        self.table.lay(first, stop - first, State::Live).apart = apart;
        if stop < end {
            self.table.lay(stop, end - stop, State::Transit);
            self.release(stop, end - stop, state, time, apart);
        }
        self.live += (stop - behind) as usize * GRANULE;
        self.peak = self.peak.max(self.live);
        true
    }

    /// A new place for a block that cannot grow where it is, with as much again to grow into.
    fn plan_move(&mut self, first: u32, length: u32, need: u32, bytes: usize) -> Resize {
        // Whole page tables can be moved between places that are alike in a huge page.
        let align = if bytes >= HUGE { HUGE } else { GRANULE };
        let target = [need.saturating_mul(2), need]
            .iter()
            .find_map(|ample| Some((*ample, self.place(*ample, align, false)?.0)));
        let Some((ample, target)) = target else {
            return Resize::Copy(self.block(first).size());
        };
        self.start(target, ample, bytes.div_ceil(PAGE));
        Resize::Move(self.range(first, length), self.address(target))
    }

    /// The pages of the block at `first` are in the one at `target` now; `clean` says whether
    /// what they left may be used again.
    pub(in super::super) fn moved(&mut self, first: u32, target: u32, clean: bool) {
        let length = self.stop(first);
        self.table.at(target).apart = true;
        self.settle(first, length, clean);
    }
}
