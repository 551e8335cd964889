//! Barriers of a CTA (PTX ISA 9.7.13.1).

use super::control::{Here, Turn};
use super::fault::Trouble;
use super::register::Mask;
use super::warp::{State, Warp, first_lane};
use crate::alu::LANES;
use crate::instruction::{Barrier, Instruction, Register};

/// Barriers that a CTA has.
const COUNT: usize = 16;
const WARP_THREADS: u32 = LANES as u32;

/// Turns that are short for a warp that leaves a barrier. On hardware, warps
/// do so abreast, and GCC's code relies on it: a routine's prologue writes to
/// the buffer that other warps have read since the barrier before the call.
const SHORT_TURNS: u32 = 8;

/// A warp at a barrier.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arrival {
    pub(super) barrier: usize,
    kind: Barrier,
    /// Where and for which lanes the result of `bar.red` goes.
    destination: Register,
    active: Mask,
}

/// A barrier on which warps have arrived.
#[derive(Clone, Copy, Default)]
struct Gathering {
    /// Threads that arrived, the whole warp for each arrival.
    arrived: u32,
    /// Threads that are waited for; 0 for all of the CTA.
    expected: u32,
    /// Threads that took part in a `bar.red`, and for which it holds.
    voted: u32,
    holds: u32,
}

/// The barriers of a CTA.
#[derive(Default)]
pub(super) struct Barriers([Gathering; COUNT]);

impl Turn<'_> {
    /// The warp arrives at a barrier and, except for `bar.arrive`, waits.
    pub(super) fn barrier(
        &mut self,
        here: Here,
        instruction: &Instruction,
        kind: Barrier,
    ) -> Result<(), Trouble> {
        let Here { active, .. } = here;
        if !self.together(here, Mask::MAX) {
            return Ok(());
        }
        let [barrier, threads, predicate] = instruction.sources;
        let window = self.warp.window();
        let lane = first_lane(active);
        let (barrier, threads) = (window.lane(barrier, lane), window.lane(threads, lane) as u32);
        let holds = window.holds(predicate, active).count_ones();
        let Some(gathering) = self.barriers.0.get_mut(barrier as usize) else {
            return Err(Trouble::new(active, format!("no barrier {barrier}")));
        };
        if threads % WARP_THREADS != 0 {
            let reason = format!("barrier for {threads} threads, not whole warps");
            return Err(Trouble::new(active, reason));
        }
        gathering.arrived += WARP_THREADS;
        gathering.expected = threads;
        gathering.voted += active.count_ones();
        gathering.holds += holds;
        if kind != Barrier::Arrive {
            let destination = instruction.destination;
            let barrier = barrier as usize;
            self.warp.state = State::Waiting(Arrival { barrier, kind, destination, active });
        } else {
            // Others may be free now; the CTA sees to it between turns.
            self.left = 0;
        }
        self.advance(here);
        Ok(())
    }
}

impl Barriers {
    /// Lets go the warps of all barriers at which enough have arrived.
    pub(super) fn release(&mut self, warps: &mut [Warp]) {
        let alive = warps.iter().filter(|warp| !matches!(warp.state, State::Done)).count() as u32;
        for (number, gathering) in self.0.iter_mut().enumerate() {
            let expected = match gathering.expected {
                0 => alive * WARP_THREADS,
                expected => expected,
            };
            if gathering.arrived == 0 || gathering.arrived < expected {
                continue;
            }
            for warp in warps.iter_mut() {
                match warp.state {
                    State::Waiting(arrival) if arrival.barrier == number => {
                        warp.state = State::Running;
                        warp.short_turns = SHORT_TURNS;
                        gathering.deliver(warp, arrival);
                    }
                    _ => {}
                }
            }
            *gathering = Gathering::default();
        }
    }

    /// Threads that arrived and that are waited for, the latter 0 for all.
    pub(super) fn progress(&self, barrier: usize) -> (u32, u32) {
        self.0.get(barrier).map_or((0, 0), |gathering| (gathering.arrived, gathering.expected))
    }
}

impl Gathering {
    /// Gives a warp the result of its `bar.red`.
    fn deliver(&self, warp: &mut Warp, arrival: Arrival) {
        let result = match arrival.kind {
            Barrier::Sync | Barrier::Arrive => return,
            Barrier::Count => self.holds,
            Barrier::And => u32::from(self.holds == self.voted),
            Barrier::Or => u32::from(self.holds > 0),
        };
        let present = warp.frames.last().map_or(0, |frame| frame.mask);
        let mut window = warp.window();
        window.write_same(arrival.destination, u64::from(result), arrival.active, present);
    }
}
