//! What needs the driver: registering, joining, removing, evicting.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::operations::{Failure, Operations, Outcome, Unfit};
use crate::record::Record;
use crate::region::{Lifetime, Use};
use crate::registry::Inner;
use crate::state::{Phase, State};
use crate::sync::{self, AtomicU64, Blocked, Guard};
use crate::{Range, Registry};

impl Registry {
    /// Registers a region, unless it is already. It asks the driver again even
    /// where it refused before.
    pub fn register(&self, region: &Use<'_>, operations: &dyn Operations) -> Outcome {
        self.register_within(usize::MAX, region, operations)
    }

    /// As [`register`](Registry::register), if no more than `limit` bytes are
    /// registered then, whatever other threads do; else [`Outcome::Busy`].
    pub fn register_within(
        &self,
        limit: usize,
        region: &Use<'_>,
        operations: &dyn Operations,
    ) -> Outcome {
        let _signals = Blocked::all();
        let (record, range) = (region.record(), region.range());
        let mut inner = self.lock();
        match record.phase() {
            Phase::Unregistered if self.cuts_ghost(&inner, range) => {
                if !cfg!(feature = "sabotage-ghost") {
                    return Outcome::Busy;
                }
            }
            Phase::Unregistered => {}
            Phase::Registered => return Outcome::Registered,
            Phase::Adopted => return Outcome::Adopted,
            Phase::Registering | Phase::Evicting => return Outcome::Busy,
            Phase::Free | Phase::Gone | Phase::Dropping => return Outcome::Dropped,
        }
        let bytes = range.size();
        let statistics = &mut inner.statistics;
        if statistics.registered_bytes.saturating_add(bytes) > limit {
            return Outcome::Busy;
        }
        record.enter(Phase::Registering);
        statistics.registered_bytes += bytes;
        statistics.peak_bytes = statistics.peak_bytes.max(statistics.registered_bytes);
        drop(inner);

        let result = operations.register(range);

        let mut inner = self.lock();
        if record.phase() != Phase::Registering {
            // This is the child of a fork that happened meanwhile.
            return Outcome::Dropped;
        }
        let statistics = &mut inner.statistics;
        let (phase, outcome) = match result {
            Ok(()) => (Phase::Registered, Outcome::Registered),
            Err(Failure::Foreign) => (Phase::Adopted, Outcome::Adopted),
            Err(Failure::Refused) => (Phase::Unregistered, Outcome::Refused),
            Err(Failure::Gone) => (Phase::Unregistered, Outcome::NoDriver),
        };
        match outcome {
            Outcome::Registered => statistics.registrations += 1,
            Outcome::Adopted => statistics.adoptions += 1,
            _ => statistics.failures += 1,
        }
        if outcome != Outcome::Registered {
            statistics.registered_bytes -= bytes;
        }
        if outcome == Outcome::Refused {
            record.state.fetch_or(State::REFUSED, Release);
        } else {
            record.state.fetch_and(!State::REFUSED, Release);
        }
        record.enter(phase);
        record.used.store(self.advance(), Relaxed);
        self.done(record);
        outcome
    }

    /// A region for a range that lies across the edges of others: these are
    /// unregistered, and an unregistered one that holds them and `range` takes
    /// their place, with all that copies cost in them. It is kept if all are,
    /// and sticky if one is. Waits for other threads that are at the driver
    /// with one of them.
    ///
    /// # Errors
    /// Why there can be none; they are unregistered then, but stand.
    pub fn join(
        &self,
        range: Range,
        lifetime: Lifetime,
        operations: &dyn Operations,
    ) -> Result<Use<'_>, Unfit> {
        let _signals = Blocked::all();
        loop {
            let mut inner = self.lock();
            // One that holds all of it overlaps alone.
            if let Some(part) = self.first(&inner, range)
                && part.hold(range)
            {
                return Ok(Use::new(self, part));
            }
            let with_the_driver =
                |part: &&Record| part.phase().is_busy() || part.phase() == Phase::Registered;
            let obstacle = self.overlapping(&inner, range).find(with_the_driver);
            match obstacle {
                None => return self.unite(&mut inner, range, lifetime),
                Some(part) if part.phase() == Phase::Registered => {
                    drop(self.unregister(inner, part, Phase::Evicting, operations));
                }
                Some(part) => Self::wait(inner, part),
            }
        }
    }

    /// Puts one region in the place of all that overlap `range`, none of which
    /// is with the driver by us.
    fn unite(&self, inner: &mut Inner, range: Range, lifetime: Lifetime) -> Result<Use<'_>, Unfit> {
        let (mut union, mut lifetime) = (range, lifetime);
        let (mut cost, mut flags) = (0u64, 0);
        for part in self.overlapping(inner, range) {
            union = union.union(part.range());
            cost = cost.saturating_add(part.cost.load(Relaxed));
            flags |= part.state().0 & State::STICKY;
            if part.kept.load(Relaxed) == 0 {
                lifetime = Lifetime::Mapping;
            }
        }
        // The union is entered before its parts go, so that a lookup never
        // finds nothing.
        let parts: Vec<&Record> = self.overlapping(inner, range).collect();
        let whole = self.link(inner, union, lifetime, cost, flags)?;
        for part in parts {
            self.unlink(inner, part);
        }
        Ok(whole)
    }

    /// For hooks, before the memory of `range` goes: drops the regions that
    /// overlap it, also those in use. Waits for other threads that are at the
    /// driver with one of them. When it returns, we have nothing of what was
    /// there registered any more. Returns how many regions it dropped.
    pub fn remove(&self, range: Range, operations: &dyn Operations) -> usize {
        if self.is_clear(range) {
            return 0;
        }
        let _signals = Blocked::all();
        let mut dropped = 0;
        let mut inner = self.lock();
        loop {
            let Some(record) = self.first(&inner, range) else { return dropped };
            let phase = record.phase();
            if phase == Phase::Registered {
                let region;
                (inner, region) = self.unregister(inner, record, Phase::Dropping, operations);
                drop(inner);
                drop(region);
                dropped += 1;
            } else if phase.is_busy() && !cfg!(feature = "sabotage-wait") {
                Self::wait(inner, record);
            } else {
                self.unlink(&mut inner, record);
                dropped += 1;
                continue;
            }
            inner = self.lock();
        }
    }

    /// Drops the region of exactly this range, if it is unregistered and nobody
    /// uses it or [may](Use::set_sticky); false where it stays.
    pub fn withdraw(&self, range: Range) -> bool {
        let mut inner = self.lock();
        let Some(record) = self.first(&inner, range).filter(|record| record.range() == range)
        else {
            return false;
        };
        let now = record.state();
        let is_idle = now.users() == 0 && !now.has(State::STICKY);
        if now.phase() != Phase::Unregistered || !(is_idle || cfg!(feature = "sabotage-withdraw")) {
            return false;
        }
        // Unless somebody came to use it.
        let taken = now.0.wrapping_add(State::step(Phase::Unregistered, Phase::Dropping));
        if record.state.compare_exchange(now.0, taken, Acquire, Relaxed).is_err() {
            return false;
        }
        self.unlink(&mut inner, record);
        true
    }

    /// Unregisters regions, those first that were used least recently, until
    /// `bytes` are free or only such are left that are in use or sticky. They
    /// stay, as candidates without cost. Returns the bytes. "Recently" counts
    /// what changed in the registry, not seconds.
    pub fn evict(&self, bytes: usize, operations: &dyn Operations) -> usize {
        self.evict_where(bytes, operations, |_| true)
    }

    /// As [`evict`](Registry::evict), of the regions whose [`Use::cost`] allows it.
    pub fn evict_where(
        &self,
        bytes: usize,
        operations: &dyn Operations,
        allows: impl Fn(&AtomicU64) -> bool,
    ) -> usize {
        let _signals = Blocked::all();
        let inner = self.lock();
        let mut idle: Vec<(u64, u32, State)> = inner
            .ids()
            .map(|id| (id, self.record(id)))
            .filter(|(_, record)| Self::is_idle(record.state()) && allows(&record.cost))
            .map(|(id, record)| (record.used.load(Relaxed), id, record.state()))
            .collect();
        drop(inner);
        idle.sort_unstable_by_key(|&(used, ..)| used);
        let mut freed = 0;
        for (_, id, state) in idle {
            if freed >= bytes {
                break;
            }
            let record = self.record(id);
            let mut inner = self.lock();
            let now = record.state();
            if now.version() != state.version() || !Self::is_idle(now) || !Self::seize(record, now)
            {
                continue;
            }
            inner.statistics.evictions += 1;
            record.cost.store(0, Relaxed);
            let (inner, region) = self.undo(inner, record, operations);
            drop(inner);
            freed += region.range().size();
        }
        freed
    }

    fn is_idle(state: State) -> bool {
        state.phase() == Phase::Registered
            && !state.has(State::STICKY)
            && (state.users() == 0 || cfg!(feature = "sabotage-busy"))
    }

    /// Begins to evict, with one user, unless somebody came to use it.
    fn seize(record: &Record, idle: State) -> bool {
        let step = State::step(Phase::Registered, Phase::Evicting);
        let taken = idle.0.wrapping_add(step) + State::USER;
        record.state.compare_exchange(idle.0, taken, Acquire, Relaxed).is_ok()
    }

    /// Undoes a registration: as `Dropping`, after which the region is gone, or
    /// as `Evicting`, after which it is a candidate. What it returns is to be
    /// dropped in this order.
    fn unregister<'r>(
        &'r self,
        inner: Guard<'r, Inner>,
        record: &'r Record,
        how: Phase,
        operations: &dyn Operations,
    ) -> (Guard<'r, Inner>, Use<'r>) {
        record.state.fetch_add(State::USER, Acquire);
        record.enter(how);
        self.undo(inner, record, operations)
    }

    /// Goes to the driver with a record that is held and busy.
    fn undo<'r>(
        &'r self,
        inner: Guard<'r, Inner>,
        record: &'r Record,
        operations: &dyn Operations,
    ) -> (Guard<'r, Inner>, Use<'r>) {
        self.stale();
        self.advance();
        drop(inner);
        let region = Use::new(self, record);

        let result = operations.unregister(region.range());

        let mut inner = self.lock();
        // Else this is the child of a fork that happened meanwhile.
        if record.phase().is_busy() {
            let statistics = &mut inner.statistics;
            statistics.registered_bytes -= region.range().size();
            statistics.unregistrations += 1;
            statistics.failures += u64::from(result.is_err());
            if record.phase() == Phase::Dropping {
                self.unlink(&mut inner, record);
            } else {
                record.enter(Phase::Unregistered);
            }
            self.done(record);
        }
        (inner, region)
    }

    /// This thread is done at the driver with a region.
    fn done(&self, record: &Record) {
        record.turn.fetch_add(1, Release);
        sync::wake(&record.turn);
    }

    /// Waits until another thread is done at the driver with a region.
    fn wait(inner: Guard<'_, Inner>, record: &Record) {
        let seen = record.turn.load(Relaxed);
        drop(inner);
        sync::wait(&record.turn, seen);
    }
}
