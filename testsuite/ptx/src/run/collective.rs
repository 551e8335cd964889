//! What the lanes of a warp do together: `shfl` (PTX ISA 9.7.9.6) and `vote`
//! (PTX ISA 9.7.13.9).

use super::control::{Here, Turn};
use super::register::lanes;
use crate::alu::LANES;
use crate::instruction::{Instruction, Shuffle, ShuffleMode, Vote, VoteMode};

impl Turn<'_> {
    pub(super) fn shuffle(&mut self, here: Here, instruction: &Instruction, shuffle: Shuffle) {
        let Here { active, present, .. } = here;
        let members = self.members(shuffle.members, active);
        if !self.together(here, members) {
            return;
        }
        let [source, distance, limits] = instruction.sources;
        let mut window = self.warp.window();
        let mut results = [0; LANES];
        for lane in lanes(active) {
            let distance = window.lane(distance, lane) as usize;
            let limits = window.lane(limits, lane) as usize;
            let from = partner(shuffle.mode, lane, distance, limits);
            results[lane] = if shuffle.predicate {
                u64::from(from.is_some())
            } else {
                window.lane(source, from.unwrap_or(lane)) & 0xffff_ffff
            };
        }
        window.write_lanes(instruction.destination, &results, active, present);
        self.advance(here);
    }

    pub(super) fn vote(&mut self, here: Here, instruction: &Instruction, vote: Vote) {
        let Here { active, present, .. } = here;
        let members = self.members(vote.members, active);
        if !self.together(here, members) {
            return;
        }
        let mut window = self.warp.window();
        let voters = active & members;
        let holds = window.holds(instruction.sources[0], voters);
        let result = match vote.mode {
            VoteMode::All => u64::from(holds == voters),
            VoteMode::Any => u64::from(holds != 0),
            VoteMode::Uniform => u64::from(holds == 0 || holds == voters),
            VoteMode::Ballot => u64::from(holds),
        };
        window.write_same(instruction.destination, result, active, present);
        self.advance(here);
    }
}

/// The lane that `lane` reads, or `None` if that is outside of its segment.
/// `limits` has the clamp in bits 0 to 4 and the segment mask in bits 8 to 12.
fn partner(mode: ShuffleMode, lane: usize, distance: usize, limits: usize) -> Option<usize> {
    let distance = distance & 31;
    let (clamp, segment) = (limits & 31, limits >> 8 & 31);
    let lowest = lane & segment;
    let last = lowest | clamp & !segment;
    match mode {
        ShuffleMode::Up => lane.checked_sub(distance).filter(|&from| from >= last),
        ShuffleMode::Down => Some(lane + distance).filter(|&from| from <= last),
        ShuffleMode::Butterfly => Some(lane ^ distance).filter(|&from| from <= last),
        ShuffleMode::Index => Some(lowest | distance & !segment).filter(|&from| from <= last),
    }
}
