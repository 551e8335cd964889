//! Slabs: large pieces of memory from a source, and the runs of pages in them.

use core::mem;
use core::sync::atomic::{AtomicU32, Ordering};
use std::collections::BTreeMap;

use offmem_registration::futex;
use offmem_registration::lock::{Guard, Lock};

use crate::Statistics;
use crate::granule::{self, GRANULE};
use crate::runs::Runs;

/// Where slabs come from.
pub trait Source: Sync {
    /// At least `size` bytes that may be read and written, as address and size; any alignment
    /// that a page has. Nothing where there is no more now.
    ///
    /// It may take milliseconds and allocate from the program's allocator, but not
    /// from the pool, which has nothing for it. No lock is held, and never are two threads in here.
    fn obtain(&self, size: usize) -> Option<(usize, usize)>;

    /// Takes back what [`Source::obtain`] returned, which nobody uses. False: not now, it is still
    /// in use by a device; it stays the pool's, is used again, and asked for again.
    ///
    /// As for calls of `obtain`, but in several threads at a time and beside one of these.
    fn give_back(&self, address: usize, size: usize) -> bool;
}

/// Of the first slab, and of none after it.
const FIRST: usize = GRANULE;
const LEAST: usize = 64 << 20;
const MOST: usize = 1 << 30;

/// What a source gave: address and bytes.
type Piece = (usize, usize);

#[derive(Debug)]
struct Slab {
    piece: Piece,
    end: usize,
    free: usize,
    /// Nothing of it was in use at the last [`Slabs::give_back`].
    was_idle: bool,
}

#[derive(Debug)]
struct State {
    /// By the first address that is used.
    slabs: BTreeMap<usize, Slab>,
    runs: Runs,
    /// What was too badly aligned to use, and was not taken back.
    useless: Vec<Piece>,
    /// Of all pieces.
    bytes: usize,
    used: usize,
    limit: usize,
    /// What to ask for beyond what is needed.
    padding: usize,
    /// The thread that is, or 0.
    obtainer: usize,
    is_child: bool,
}

/// All slabs. Every function may be called by any thread.
#[derive(Debug)]
pub(crate) struct Slabs {
    state: Lock<State>,
    /// Changes when a thread has obtained.
    turn: AtomicU32,
}

impl Slabs {
    pub(crate) const fn new() -> Slabs {
        let state = State {
            slabs: BTreeMap::new(),
            runs: Runs::new(),
            useless: Vec::new(),
            bytes: 0,
            used: 0,
            limit: usize::MAX,
            padding: 0,
            obtainer: 0,
            is_child: false,
        };
        Slabs { state: Lock::new(state), turn: AtomicU32::new(0) }
    }

    /// `size` bytes at a multiple of `align` (a power of two); both of at least a page. Obtains a
    /// slab where none has room; of several threads that need one, one does.
    pub(crate) fn take(&self, size: usize, align: usize, source: &dyn Source) -> Option<usize> {
        loop {
            let mut state = self.state.lock();
            if let Some(address) = state.take(size, align) {
                return Some(address);
            }
            if state.is_child {
                return None;
            }
            let turn = self.turn.load(Ordering::Relaxed);
            if state.obtainer == this_thread() {
                return None;
            }
            if state.obtainer != 0 {
                drop(state);
                futex::wait(&self.turn, turn);
                continue;
            }
            state.obtainer = this_thread();
            drop(state);
            // Whoever frees makes room that nobody waits for: look again at the end.
            let mut state = self.grow(size, align, source);
            let address = state.take(size, align);
            state.obtainer = 0;
            self.turn.fetch_add(1, Ordering::Relaxed);
            drop(state);
            futex::wake(&self.turn);
            return address;
        }
    }

    /// Whether this thread is in a call of the source's.
    pub(crate) fn is_obtaining(&self) -> bool {
        self.state.lock().obtainer == this_thread()
    }

    /// Just these bytes, if they are free and belong to the slab of what is before them.
    pub(crate) fn take_at(&self, address: usize, size: usize) -> bool {
        let mut state = self.state.lock();
        let taken = !is_edge(address) && state.runs.take_at(address, size);
        if taken {
            state.count(address, size);
        }
        taken
    }

    /// Frees a run, or part of one, or several of one slab.
    pub(crate) fn put(&self, address: usize, size: usize) {
        let mut state = self.state.lock();
        state.runs.put(address, size, is_edge);
        state.used = state.used.wrapping_sub(size);
        if let Some((_, slab)) = state.slabs.range_mut(..=address).next_back() {
            slab.free = slab.free.wrapping_add(size);
        }
    }

    /// Gives slabs of which nothing is used to the source: at once, or those that were like that at
    /// the last call, too. The last one of all stays unless `spare` is false.
    pub(crate) fn give_back(&self, at_once: bool, spare: bool, source: &dyn Source) {
        let mut refused = Vec::new();
        let mut state = self.state.lock();
        while !state.is_child {
            let idle = state.slabs.iter().filter(|(start, slab)| {
                slab.is_idle(**start) && (at_once || slab.was_idle) && !refused.contains(*start)
            });
            let largest = idle.max_by_key(|(_, slab)| slab.piece.1);
            let Some((&start, _)) = largest else { break };
            if spare && state.slabs.len() == 1 {
                break;
            }
            let Some(slab) = state.slabs.remove(&start) else { break };
            state.runs.take_at(start, slab.end - start);
            // Before: the addresses may be somebody else's the moment that they are gone.
            granule::remove(start, slab.end);
            drop(state);
            let gone = source.give_back(slab.piece.0, slab.piece.1);
            state = self.state.lock();
            if gone || cfg!(feature = "sabotage-give-back") {
                state.bytes -= slab.piece.1;
            } else {
                refused.push(start);
                state.insert(start, slab);
            }
        }
        for (start, slab) in &mut state.slabs {
            slab.was_idle = slab.is_idle(*start);
        }
        let useless = mem::take(&mut state.useless);
        drop(state);
        for piece in useless {
            self.return_useless(piece, source);
        }
    }

    /// Bytes that the source is asked for at most, in all; what there is stays.
    pub(crate) fn set_limit(&self, bytes: usize) {
        self.state.lock().limit = bytes;
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let state = self.state.lock();
        Statistics { slabs: state.slabs.len(), bytes: state.bytes, used: state.used }
    }

    /// Tells `f` the address and size of every part that is used.
    pub(crate) fn for_each_run(&self, f: &mut dyn FnMut(usize, usize)) {
        self.state.lock().for_each_run(f);
    }

    /// The same between [`Slabs::acquire`] and [`Slabs::release`].
    ///
    /// # Safety
    /// As [`Lock::held`].
    pub(crate) unsafe fn for_each_run_held(&self, f: &mut dyn FnMut(usize, usize)) {
        // SAFETY: the caller's.
        unsafe { self.state.held() }.for_each_run(f);
    }

    pub(crate) fn acquire(&self) {
        self.state.acquire();
    }

    /// # Safety
    /// As [`Lock::release`].
    pub(crate) unsafe fn release(&self) {
        // SAFETY: the caller's.
        unsafe { self.state.release() };
    }

    /// From here on no source is called: this is a child of `fork`.
    pub(crate) fn in_child(&self) {
        let mut state = self.state.lock();
        state.is_child = true;
        // The thread that did is in the parent.
        state.obtainer = 0;
    }

    /// Obtains a slab that the run fits in, if there is one to be had. For the one thread that
    /// obtains.
    fn grow(&self, size: usize, align: usize, source: &dyn Source) -> Guard<'_, State> {
        let needed = size
            .checked_add(align.saturating_sub(GRANULE))
            .and_then(|bytes| bytes.checked_next_multiple_of(GRANULE))
            .filter(|bytes| *bytes <= isize::MAX as usize);
        let Some(needed) = needed else { return self.state.lock() };
        let (mut wanted, room) = self.state.lock().plan(needed);
        if room < needed {
            self.give_back(true, false, source);
            wanted = needed;
        }
        loop {
            let state = self.state.lock();
            let total = wanted.saturating_add(state.padding);
            if total > state.room() {
                return state;
            }
            drop(state);
            let piece = source.obtain(total);
            let mut state = self.state.lock();
            match piece {
                None if wanted > needed => wanted = needed,
                None => return state,
                Some(piece) => {
                    state.bytes += piece.1;
                    match granule::within(piece.0, piece.1) {
                        Some((start, end)) if end - start >= needed => {
                            let free = end - start;
                            state.insert(start, Slab { piece, end, free, was_idle: false });
                            return state;
                        }
                        _ => {
                            let is_hopeless = mem::replace(&mut state.padding, GRANULE) > 0;
                            drop(state);
                            self.return_useless(piece, source);
                            if is_hopeless {
                                return self.state.lock();
                            }
                        }
                    }
                }
            }
        }
    }

    fn return_useless(&self, piece: Piece, source: &dyn Source) {
        let gone = source.give_back(piece.0, piece.1);
        let mut state = self.state.lock();
        if gone {
            state.bytes -= piece.1;
        } else {
            state.useless.push(piece);
        }
    }
}

impl State {
    fn take(&mut self, size: usize, align: usize) -> Option<usize> {
        let address = self.runs.take(size, align)?;
        self.count(address, size);
        Some(address)
    }

    fn count(&mut self, address: usize, size: usize) {
        self.used += size;
        if let Some((_, slab)) = self.slabs.range_mut(..=address).next_back() {
            slab.free = slab.free.wrapping_sub(size);
            slab.was_idle = false;
        }
    }

    /// A slab of which nothing is used.
    fn insert(&mut self, start: usize, slab: Slab) {
        granule::add(start, slab.end);
        self.runs.put(start, slab.end - start, is_edge);
        self.slabs.insert(start, slab);
    }

    /// Bytes of the next slab, and what the limit has room for.
    fn plan(&self, needed: usize) -> (usize, usize) {
        let wanted =
            if self.slabs.is_empty() { FIRST } else { (self.bytes / 8).clamp(LEAST, MOST) };
        let wanted = wanted.next_multiple_of(GRANULE).max(needed);
        let room = self.room().saturating_sub(self.padding);
        (if wanted > room { needed } else { wanted }, room)
    }

    fn room(&self) -> usize {
        self.limit.saturating_sub(self.bytes)
    }

    fn for_each_run(&self, f: &mut dyn FnMut(usize, usize)) {
        for (start, slab) in &self.slabs {
            self.runs.gaps(*start, slab.end, &mut *f);
        }
    }
}

impl Slab {
    fn is_idle(&self, start: usize) -> bool {
        self.free == self.end - start
    }
}

fn this_thread() -> usize {
    // SAFETY: no condition.
    unsafe { libc::pthread_self() as usize }
}

/// Where runs do not join, and blocks neither.
pub(crate) fn is_edge(address: usize) -> bool {
    !cfg!(feature = "sabotage-merge") && granule::is_first(address)
}
