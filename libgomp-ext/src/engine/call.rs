//! One call into libgomp: its memory is prepared before, and released after.

use core::sync::atomic::Ordering;
use std::time::Instant;

use offmem_policy::Class;
use offmem_registration::{Found, GRANULE, Range, Use};
use smallvec::SmallVec;

use crate::driver::{nanoseconds_since, poison};
use crate::engine::flight::Flight;
use crate::engine::{ANY_REGION, Device, Engine, Place, REGISTRY, Reason, Transfer, When};
use crate::report::{Direction, Tally};
use crate::{api, heap};

/// When the copies of a call are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Time {
    /// Before the call returns, which also runs a region.
    Region,
    /// Before the call returns, which does nothing else.
    Copies,
    /// As [`Time::Copies`], and the call ends mappings: what is copied back
    /// shows after it.
    Ends,
    /// At any time: `nowait`, `async`.
    Later,
}

/// Below this many bytes the time of a call tells nothing about its copies.
const TIMED_MIN: u64 = 1 << 20;

/// A call that is being made.
pub(crate) struct Call {
    engine: &'static Engine,
    device: Device,
    place: Place,
    time: Time,
    /// Whether it maps what it copies.
    maps: bool,
    /// Whether also the bytes of registered memory are counted: for the
    /// report, and for one call in many to see what such copies cost.
    counts: bool,
    /// Whether memory that is registered already needs nothing but to be held.
    plain: bool,
    uses: SmallVec<[Use<'static>; 8]>,
    /// What is copied without being in a region, until [`Call::run`].
    loose: SmallVec<[Transfer; 16]>,
    /// Copies back that are made if the mapping ends with the call.
    ending: SmallVec<[Ending; 4]>,
    tally: Tally,
    /// Ranges that are copied.
    ranges: usize,
    /// Bytes copied `[to the device, from it]`.
    pinned: [u64; 2],
    pageable: [u64; 2],
}

struct Ending {
    range: Range,
    pinned: bool,
}

impl Call {
    /// `maps` says whether it maps what it copies.
    pub(crate) fn new(
        engine: &'static Engine,
        device: Device,
        place: Place,
        time: Time,
        maps: bool,
    ) -> Call {
        let counts = api::counts() || engine.samples();
        Call {
            engine,
            device,
            place,
            time,
            maps,
            counts,
            plain: !counts && time != Time::Later && !poison::is_there(),
            uses: SmallVec::new(),
            loose: SmallVec::new(),
            ending: SmallVec::new(),
            tally: place.tally(),
            ranges: 0,
            pinned: [0; 2],
            pageable: [0; 2],
        }
    }

    /// Memory that the call will copy.
    #[inline]
    pub(crate) fn add(&mut self, transfer: Transfer) {
        self.ranges += 1;
        // What most entries are, once a program is under way.
        if self.plain
            && transfer.range.size() >= GRANULE
            && let Found::Inside(used) = REGISTRY.find(transfer.range)
            && used.is_registered()
        {
            self.uses.push(used);
        } else {
            self.add_with_care(transfer);
        }
    }

    #[inline(never)]
    fn add_with_care(&mut self, transfer: Transfer) {
        if transfer.range.size() >= GRANULE
            && let Some(used) = self.engine.region(transfer.range, || self.reason(transfer.range))
        {
            self.hold(used, transfer);
        } else {
            self.loose.push(transfer);
        }
    }

    fn reason(&self, range: Range) -> Reason {
        let mapped = self.time != Time::Later && (self.maps || self.device.has(range.start));
        if mapped { Reason::Mapped } else { Reason::Copied }
    }

    /// Makes the call; once.
    pub(crate) fn run<R>(&mut self, real: impl FnOnce() -> R) -> R {
        let flight = if self.loose.is_empty() { None } else { self.settle_loose() };
        let timed = self.times().then(Instant::now);
        let result = real();
        let elapsed = timed.map(nanoseconds_since);
        drop(flight);
        self.finish();
        if let Some(nanoseconds) = elapsed {
            self.engine.observe(self.pinned, self.pageable, nanoseconds);
        }
        result
    }

    /// What is copied without being in a region is listed, and looked at once
    /// more: see `flight`.
    fn settle_loose(&mut self) -> Option<Flight> {
        // A block of our own is registered as a whole: nothing can lie across its edge.
        let outside: SmallVec<[Range; 16]> = self
            .loose
            .iter()
            .map(|transfer| transfer.range)
            .filter(|range| !heap::owns(range.start))
            .collect();
        let flight = Flight::begin(&outside, self.time == Time::Later);
        if self.counts || ANY_REGION.load(Ordering::SeqCst) {
            for i in 0..self.loose.len() {
                self.settle(self.loose[i]);
            }
        }
        flight
    }

    /// What is not in a region may still meet one.
    fn settle(&mut self, transfer: Transfer) {
        poison::cure(&self.engine.cuda, transfer.range);
        match REGISTRY.find(transfer.range) {
            Found::Inside(used) => self.hold(used, transfer),
            Found::Across => {
                if let Some(used) = self.engine.join(transfer.range) {
                    self.hold(used, transfer);
                }
            }
            Found::Outside => {
                if self.counts {
                    let [to, from] = self.bytes(transfer);
                    self.pageable[0] += to;
                    self.pageable[1] += from;
                }
            }
        }
    }

    /// Keeps the region from eviction during the call, and decides whether to register it.
    fn hold(&mut self, used: Use<'static>, transfer: Transfer) {
        let pinned = used.is_registered();
        if !pinned || self.counts {
            self.weigh(&used, transfer, pinned);
        }
        if self.time == Time::Later && !cfg!(feature = "sabotage-sticky") {
            used.set_sticky();
        }
        self.uses.push(used);
    }

    fn weigh(&mut self, used: &Use<'static>, transfer: Transfer, mut pinned: bool) {
        let bytes = self.bytes(transfer);
        let class = Class::new(self.place.key, used.range().size() as u64);
        if pinned {
            self.engine.hit(used, bytes, class);
        } else if bytes != [0; 2] {
            pinned = self.engine.consider(used, bytes, class, self.tally);
        }
        let total = if pinned { &mut self.pinned } else { &mut self.pageable };
        total[0] += bytes[0];
        total[1] += bytes[1];
        if self.time == Time::Ends && transfer.from == When::New && bytes[1] > 0 {
            self.ending.push(Ending { range: transfer.range, pinned });
        }
    }

    /// How many bytes will be copied `[to the device, from it]`.
    fn bytes(&self, transfer: Transfer) -> [u64; 2] {
        let depends = |when| matches!(when, When::New | When::Mapped);
        let new = (depends(transfer.to) || depends(transfer.from))
            && !self.device.has(transfer.range.start);
        let size = transfer.range.size() as u64;
        let copies = |when, new| match when {
            When::Always => size,
            When::New if new => size,
            When::Mapped if !new => size,
            _ => 0,
        };
        // A call that ends mappings copies back what is mapped.
        [copies(transfer.to, new), copies(transfer.from, new != (self.time == Time::Ends))]
    }

    /// Whether the duration of the call says what copying costs.
    fn times(&self) -> bool {
        let total = |way: [u64; 2]| way[0] + way[1];
        let (pinned, pageable) = (total(self.pinned), total(self.pageable));
        matches!(self.time, Time::Copies | Time::Ends)
            && (pinned >= TIMED_MIN && pageable == 0 || pageable >= TIMED_MIN && pinned == 0)
    }

    fn finish(&mut self) {
        for ending in core::mem::take(&mut self.ending) {
            if self.device.has(ending.range.start) {
                // Still mapped: nothing was copied.
                let total = if ending.pinned { &mut self.pinned } else { &mut self.pageable };
                total[1] = total[1].saturating_sub(ending.range.size() as u64);
            }
        }
        self.uses.clear();
        if api::counts() {
            self.tally.call(self.ranges);
            for (bytes, pinned) in [(self.pinned, true), (self.pageable, false)] {
                for (direction, bytes) in [Direction::To, Direction::From].into_iter().zip(bytes) {
                    if bytes > 0 {
                        self.tally.copied(direction, bytes, pinned);
                    }
                }
            }
        }
    }
}
