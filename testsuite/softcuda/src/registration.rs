//! Host memory that the driver knows: registered, allocated or managed ranges
//! and the rules about them ("Memory Management: cuMemHostRegister").

use crate::handle::unique;
use crate::host::{Mappings, Protection};
use crate::managed::{ATTACH, Managed, Pool};
use crate::mapping::{Mapping, page_size};
use crate::pin::{Pin, Pinner};
use crate::rule::{Rule, Rules};
use crate::status::{Outcome, Status};
use std::collections::BTreeMap;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// `CU_MEMHOSTREGISTER_IOMEMORY`.
const IO_MEMORY: u32 = 4;
/// `CU_MEMHOSTREGISTER_READ_ONLY`.
const READ_ONLY: u32 = 8;

/// What holds the bytes of a range.
pub(crate) enum Hold {
    /// The program's own memory, registered.
    Registered(Pin),
    /// From `cuMemHostAlloc`.
    Allocated(Mapping),
    /// From `cuMemAllocManaged`.
    Managed(Managed),
}

/// [`Hold`] without the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Registered,
    Allocated,
    Managed,
}

/// A range of host memory that devices may use.
pub(crate) struct Range {
    pub(crate) start: u64,
    pub(crate) size: u64,
    /// Of the call that made it.
    pub(crate) flags: u32,
    pub(crate) read_only: bool,
    pub(crate) owner: usize,
    /// That no other range ever has.
    pub(crate) number: u64,
    pub(crate) hold: Hold,
}

impl Range {
    /// What kind of memory it is.
    pub(crate) fn kind(&self) -> Kind {
        match self.hold {
            Hold::Registered(_) => Kind::Registered,
            Hold::Allocated(_) => Kind::Allocated,
            Hold::Managed(_) => Kind::Managed,
        }
    }

    /// The first address behind it.
    pub(crate) fn end(&self) -> u64 {
        self.start + self.size
    }
}

/// A part of a range of host memory: inside one known range or outside all.
pub(crate) struct Piece {
    pub(crate) start: u64,
    pub(crate) size: u64,
    pub(crate) range: Option<Arc<Range>>,
}

/// All known ranges, by start. No two overlap.
pub(crate) struct Registrations {
    rules: Rules,
    pinner: Pinner,
    limit: u64,
    pool: Pool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    ranges: BTreeMap<u64, Arc<Range>>,
    /// Those that are not managed, for kernels, until there is a change.
    list: Option<Arc<[Arc<Range>]>>,
    pinned: u64,
}

impl State {
    fn find(&self, address: u64) -> Option<&Arc<Range>> {
        let (_, range) = self.ranges.range(..=address).next_back()?;
        (address < range.end()).then_some(range)
    }

    /// The first range that has an address in `[start, end)`.
    fn overlap(&self, start: u64, end: u64) -> Option<&Arc<Range>> {
        let (_, range) = self.ranges.range(..end).next_back()?;
        (range.end() > start).then_some(range)
    }

    fn insert(&mut self, range: Range) {
        if range.kind() != Kind::Managed {
            self.pinned += range.size;
            self.list = None;
        }
        self.ranges.insert(range.start, Arc::new(range));
    }

    fn remove(&mut self, start: u64) -> Option<Arc<Range>> {
        let range = self.ranges.remove(&start)?;
        if range.kind() != Kind::Managed {
            self.pinned -= range.size;
            self.list = None;
        }
        Some(range)
    }
}

impl Registrations {
    /// No ranges yet. At most `limit` bytes may be pinned at a time, and at
    /// most `managed` bytes be managed.
    pub(crate) fn new(rules: Rules, pinner: Pinner, limit: u64, managed: u64) -> Registrations {
        let pool = Pool::new(managed, rules.check(Rule::ManagedFork).is_ok());
        Registrations { rules, pinner, limit, pool, state: Mutex::default() }
    }

    /// Managed memory, as kernels see it.
    pub(crate) fn pool(&self) -> &Pool {
        &self.pool
    }

    /// The rules in force.
    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// `cuMemHostRegister`: the number of bytes that were pinned, 0 if the
    /// rules accept memory that is the driver's own.
    pub(crate) fn register(&self, start: u64, size: u64, flags: u32, owner: usize) -> Outcome<u64> {
        let end = start.checked_add(size).ok_or(Status::INVALID_VALUE)?;
        if start == 0 || size == 0 || flags > 15 {
            return Err(Status::INVALID_VALUE);
        }
        if flags & IO_MEMORY != 0 {
            return Err(Status::NOT_SUPPORTED);
        }
        if flags & READ_ONLY != 0 {
            self.rules.check(Rule::ReadOnlyFlag)?;
        }
        let page = page_size();
        if !start.is_multiple_of(page) || !end.is_multiple_of(page) {
            self.rules.check(Rule::Unaligned)?;
        }
        // Held while pinning, as a driver's lock is.
        let mut state = self.state();
        if let Some(range) = state.overlap(start, end) {
            return self.register_again(range.kind()).map(|()| 0);
        }
        if state.overlap(start / page * page, end.next_multiple_of(page)).is_some() {
            self.rules.check(Rule::SamePage)?;
        }
        self.admit(&state, size)?;
        let (pin, read_only) = self.pin(start, size, flags)?;
        let hold = Hold::Registered(pin);
        let range = Range { start, size, flags, read_only, owner, number: unique(), hold };
        state.insert(range);
        Ok(size)
    }

    /// Whether registering what the driver knows already is accepted.
    fn register_again(&self, kind: Kind) -> Outcome {
        match kind {
            Kind::Registered => Err(Status::ALREADY_REGISTERED),
            Kind::Allocated => self.rules.check(Rule::RegisterAllocated),
            Kind::Managed => self.rules.check(Rule::RegisterManaged),
        }
    }

    fn pin(&self, start: u64, size: u64, flags: u32) -> Outcome<(Pin, bool)> {
        let read_only = flags & READ_ONLY != 0;
        match self.pinner.pin(start, size, false) {
            Ok(pin) => return Ok((pin, read_only)),
            Err(error) if error.raw_os_error() == Some(libc::EFAULT) => {}
            Err(error) => return Err(refusal(&error)),
        }
        match Mappings::now().unwrap_or_default().protection(start, size) {
            Protection::ReadOnly if !read_only => self.rules.check(Rule::ReadOnly)?,
            Protection::ReadOnly => {}
            Protection::Unmapped | Protection::Writable => return Err(Status::INVALID_VALUE),
        }
        self.pinner.pin(start, size, true).map(|pin| (pin, true)).map_err(|error| refusal(&error))
    }

    fn admit(&self, state: &State, size: u64) -> Outcome {
        match state.pinned.checked_add(size) {
            Some(total) if total <= self.limit => Ok(()),
            _ => Err(Status::OUT_OF_MEMORY),
        }
    }

    /// `cuMemHostUnregister`: the number of bytes as [`Self::register`] gave
    /// it. The pages stay pinned as long as queued work holds the range.
    pub(crate) fn unregister(&self, address: u64) -> Outcome<u64> {
        let mut state = self.state();
        let range = state.find(address).ok_or(Status::NOT_REGISTERED)?;
        if range.kind() != Kind::Registered {
            let again = self.register_again(range.kind());
            return again.map(|()| 0).map_err(|_| Status::NOT_REGISTERED);
        }
        if range.start != address {
            self.rules.check(Rule::UnregisterInterior)?;
        }
        let start = range.start;
        state.remove(start).map(|range| range.size).ok_or(Status::NOT_REGISTERED)
    }

    /// `cuMemHostAlloc`: pages that belong to the driver.
    pub(crate) fn allocate(&self, size: u64, flags: u32, owner: usize) -> Outcome<u64> {
        if size == 0 || flags > 7 {
            return Err(Status::INVALID_VALUE);
        }
        let mut state = self.state();
        self.admit(&state, size)?;
        let whole = size.checked_next_multiple_of(page_size()).ok_or(Status::OUT_OF_MEMORY)?;
        let mapping = Mapping::zeroed(whole as usize).map_err(|_| Status::OUT_OF_MEMORY)?;
        let start = mapping.start() as u64;
        let hold = Hold::Allocated(mapping);
        let range = Range { start, size, flags, read_only: false, owner, number: unique(), hold };
        state.insert(range);
        Ok(start)
    }

    /// `cuMemAllocManaged`.
    pub(crate) fn manage(&self, size: u64, flags: u32, owner: usize) -> Outcome<u64> {
        if size == 0 || !ATTACH.contains(&flags) {
            return Err(Status::INVALID_VALUE);
        }
        let managed = self.pool.allocate(size).map_err(|_| Status::OUT_OF_MEMORY)?;
        let start = managed.address();
        let hold = Hold::Managed(managed);
        let range = Range { start, size, flags, read_only: false, owner, number: unique(), hold };
        self.state().insert(range);
        Ok(start)
    }

    /// `cuMemFreeHost` and `cuMemFree` of managed memory: the number of bytes.
    pub(crate) fn free(&self, start: u64, kind: Kind) -> Outcome<u64> {
        let mut state = self.state();
        let range = state.ranges.get(&start).ok_or(Status::INVALID_VALUE)?;
        if range.kind() != kind {
            return Err(Status::INVALID_VALUE);
        }
        state.remove(start).map(|range| range.size).ok_or(Status::INVALID_VALUE)
    }

    /// Forgets everything that belongs to `owner`.
    pub(crate) fn forget(&self, owner: usize) {
        let mut state = self.state();
        let owned: Vec<u64> = state
            .ranges
            .values()
            .filter(|range| range.owner == owner)
            .map(|range| range.start)
            .collect();
        for start in owned {
            state.remove(start);
        }
    }

    /// The range that `address` lies in.
    pub(crate) fn find(&self, address: u64) -> Option<Arc<Range>> {
        self.state().find(address).cloned()
    }

    /// Every range that is not managed, by start.
    pub(crate) fn host(&self) -> Arc<[Arc<Range>]> {
        let state = &mut *self.state();
        let host = || {
            let ranges = state.ranges.values();
            ranges.filter(|range| range.kind() != Kind::Managed).cloned().collect()
        };
        Arc::clone(state.list.get_or_insert_with(host))
    }

    /// Lets the program into all managed memory, or out of it.
    pub(crate) fn open_managed(&self, open: bool) {
        for range in self.state().ranges.values() {
            if let Hold::Managed(managed) = &range.hold {
                managed.open(open);
            }
        }
    }

    /// Divides `[start, start + size)` at the edges of ranges, if the rules
    /// let one copy have several parts.
    pub(crate) fn pieces(&self, start: u64, size: u64) -> Outcome<Vec<Piece>> {
        let end = start.checked_add(size).ok_or(Status::INVALID_VALUE)?;
        let state = self.state();
        let mut pieces = Vec::new();
        let mut at = start;
        while at < end {
            let range = state.find(at).cloned();
            let next = || state.ranges.range(at..).next().map_or(end, |(start, _)| *start);
            let to = range.as_ref().map_or_else(next, |range| range.end()).min(end);
            pieces.push(Piece { start: at, size: to - at, range });
            at = to;
        }
        if pieces.len() > 1 {
            let all = pieces.iter().all(|piece| piece.range.is_some());
            self.rules.check(if all { Rule::Adjacent } else { Rule::Straddle })?;
        }
        Ok(pieces)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn refusal(error: &io::Error) -> Status {
    match error.raw_os_error() {
        Some(libc::ENOMEM | libc::EMFILE | libc::ENFILE) => Status::OUT_OF_MEMORY,
        Some(libc::EFAULT) => Status::INVALID_VALUE,
        _ => Status::OPERATING_SYSTEM,
    }
}

#[cfg(test)]
#[path = "registration_tests.rs"]
mod tests;
