//! Whether to register a region now.

use core::sync::atomic::Ordering;
use std::time::Instant;

use offmem_policy::{Class, Decision, Demand, Direction};
use offmem_registration::{Failure, Operations, Outcome, Phase, Range, Use};

use super::{Engine, REGISTRY, flight, prefault, unfit};
use crate::driver::nanoseconds_since;
use crate::environment::Policy;
use crate::heap;
use crate::message::fall_short;
use crate::report::Tally;

/// Refusals in a row after which no more registration is tried.
const REFUSALS_MAX: u32 = 8;

/// Beyond this a single registration fails in some drivers and kernels, and
/// two beside each other do not serve one copy.
const REGION_MAX: u64 = 64 << 30;

impl Engine {
    /// Before copies of so many bytes `[to the device, from it]` of an
    /// unregistered region: whether they will go straight to its memory.
    pub(super) fn consider(
        &self,
        used: &Use<'static>,
        copied: [u64; 2],
        class: Class,
        tally: Tally,
    ) -> bool {
        if self.stopped.load(Ordering::Relaxed) || used.is_refused() {
            return false;
        }
        let demands = demands(used, copied, class);
        let demand = if self.policy == Policy::Adaptive {
            let registers = |demand: &&Demand| {
                self.rental.copy(&self.costs, used.cost(), demand) == Decision::Register
            };
            match demands.iter().find(registers) {
                Some(demand) => *demand,
                None => return false,
            }
        } else {
            demands[0]
        };
        let pinned = self.registers(used, &demand, tally);
        if self.policy == Policy::Adaptive {
            if pinned {
                self.rental.registered(&self.costs, used.cost(), &demand);
            } else {
                self.rental.refused(&self.costs, used.cost(), &demand);
            }
        }
        pinned
    }

    pub(super) fn registers(&self, used: &Use<'static>, demand: &Demand, tally: Tally) -> bool {
        let range = used.range();
        if demand.region > self.limit.min(REGION_MAX) {
            return false;
        }
        // Asked after the region can be found: see `flight`.
        if !heap::owns(range.start) && flight::straddles(range) {
            return false;
        }
        let registered = REGISTRY.statistics().registered_bytes as u64;
        let wanting = (registered + demand.region).saturating_sub(self.limit);
        if wanting > 0 && self.make_room(wanting, used, demand) < wanting {
            return false;
        }
        let start = Instant::now();
        prefault::bring_in(range);
        // Other threads may have come between.
        let limit = usize::try_from(self.limit).unwrap_or(usize::MAX);
        let outcome = REGISTRY.register_within(limit, used, self);
        match outcome {
            Outcome::Registered => {
                self.refusals.store(0, Ordering::Relaxed);
                tally.registered(demand.region, nanoseconds_since(start));
            }
            Outcome::Refused => {
                tally.failed();
                self.refused();
                if !heap::owns(range.start) {
                    // Where the region ends with its mapping, the next one is no better.
                    unfit::add(range);
                }
            }
            Outcome::NoDriver => self.lost(),
            Outcome::Adopted | Outcome::Busy | Outcome::Dropped => {}
        }
        outcome.is_pinned()
    }

    /// Evicts regions, as the policy allows; the bytes.
    fn make_room(&self, wanting: u64, used: &Use<'static>, demand: &Demand) -> u64 {
        let wanting = usize::try_from(wanting).unwrap_or(usize::MAX);
        let evicted = REGISTRY.evict_where(wanting, self, |victim| {
            self.policy != Policy::Adaptive
                || self.rental.yields(&self.costs, victim, used.cost(), demand.region)
        });
        evicted as u64
    }

    /// The context is gone, and registrations with it.
    fn lost(&self) {
        self.cuda.leave();
        REGISTRY.forget();
    }

    fn refused(&self) {
        if self.refusals.fetch_add(1, Ordering::Relaxed) + 1 == REFUSALS_MAX {
            self.stopped.store(true, Ordering::Relaxed);
            fall_short(format_args!(
                "no more memory is pinned: the CUDA driver refused {REFUSALS_MAX} times in a row"
            ));
        }
    }

    /// Before copies of a registered region: what it is worth shows in its use.
    pub(super) fn hit(&self, used: &Use<'static>, copied: [u64; 2], class: Class) {
        for demand in demands(used, copied, class).iter().filter(|demand| demand.copied > 0) {
            self.rental.hit(&self.costs, used.cost(), demand);
        }
    }

    /// A call that copied so many bytes, all registered or all not, and did
    /// nothing else took so long.
    pub(super) fn observe(&self, pinned: [u64; 2], pageable: [u64; 2], nanoseconds: u64) {
        for (registered, bytes) in [(true, pinned), (false, pageable)] {
            // The time of both ways together says nothing about one.
            match bytes {
                [to, 0] if to > 0 => {
                    self.costs.observe_copy(Direction::ToDevice, registered, to, nanoseconds);
                }
                [0, from] if from > 0 => {
                    self.costs.observe_copy(Direction::ToHost, registered, from, nanoseconds);
                }
                _ => {}
            }
        }
    }
}

/// The driver's functions, from whose durations the policy learns.
impl Operations for Engine {
    fn register(&self, range: Range) -> Result<(), Failure> {
        let start = Instant::now();
        let result = self.cuda.register(range);
        if result.is_ok() {
            self.costs.observe_register(range.size() as u64, nanoseconds_since(start));
        }
        result
    }

    fn unregister(&self, range: Range) -> Result<(), Failure> {
        let start = Instant::now();
        let result = self.cuda.unregister(range);
        if result.is_ok() {
            self.costs.observe_unregister(range.size() as u64, nanoseconds_since(start));
        }
        result
    }
}

/// A demand for each way.
fn demands(used: &Use<'static>, copied: [u64; 2], class: Class) -> [Demand; 2] {
    let region = used.range().size() as u64;
    let [to, from] = copied;
    // What is copied back comes after what is copied to.
    [(Direction::ToDevice, to, from), (Direction::ToHost, from, 0)]
        .map(|(direction, copied, coming)| Demand { region, copied, direction, coming, class })
}

/// The regions that overlap `range` end: the policy learns what they were worth.
pub(super) fn conclude(engine: &Engine, range: Range) {
    if engine.policy == Policy::Adaptive {
        REGISTRY.for_overlapping(range, |region, account| {
            let bytes = region.range.size() as u64;
            let registered = region.phase >= Phase::Registered;
            engine.rental.end(&engine.costs, account, bytes, registered);
        });
    }
}
