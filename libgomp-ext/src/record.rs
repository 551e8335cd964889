//! Intervals that hooks keep: what the program has mapped, and what others
//! have registered.
//!
//! A hook may run in a signal handler that has interrupted one, and then must
//! not wait for it. So the lock knows its owner: what a handler finds under its
//! own thread's lock it leaves a note for, in order, and the interrupted hook
//! attends to the notes before anybody else gets the lock. Blocking signals
//! instead would cost two system calls for each `mmap`.

use core::cell::UnsafeCell;
use core::hint;
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering};

use offmem_registration::Range;

use crate::errno;
use crate::intervals::Intervals;

/// How many notes handlers may leave during one hook. With more, everything is
/// forgotten: memory is unknown then, which is safe.
const NOTES: usize = 64;

/// No interval's tag: the note is to remove.
const REMOVE: usize = usize::MAX;

/// A set of intervals that any thread and any signal handler may change. It
/// takes no lock but its own, allocates nothing and preserves `errno`.
pub(crate) struct Record {
    /// `pthread_self ()`, or 0.
    owner: AtomicUsize,
    noted: AtomicUsize,
    notes: [Note; NOTES],
    intervals: UnsafeCell<Intervals>,
}

// SAFETY: the intervals are reached by the owner of the lock only.
unsafe impl Sync for Record {}

struct Note {
    start: AtomicUsize,
    end: AtomicUsize,
    tag: AtomicUsize,
}

impl Record {
    pub(crate) const fn new() -> Record {
        Record {
            owner: AtomicUsize::new(0),
            noted: AtomicUsize::new(0),
            notes: [const {
                Note {
                    start: AtomicUsize::new(0),
                    end: AtomicUsize::new(0),
                    tag: AtomicUsize::new(0),
                }
            }; NOTES],
            intervals: UnsafeCell::new(Intervals::new()),
        }
    }

    /// Adds `range`; whether something else stood there, if that is known now.
    pub(crate) fn add(&self, range: Range, tag: usize) -> bool {
        self.with(|intervals| intervals.insert(range, tag)).unwrap_or_else(|| {
            self.note(range, tag);
            false
        })
    }

    /// Takes all of `range` out.
    pub(crate) fn remove(&self, range: Range) {
        if self.with(|intervals| intervals.remove(range)).is_none() {
            self.note(range, REMOVE);
        }
    }

    /// What `f` finds; nothing in a handler that has interrupted this thread
    /// in here.
    pub(crate) fn with<R>(&self, f: impl FnOnce(&mut Intervals) -> R) -> Option<R> {
        if !self.acquire() {
            return None;
        }
        // SAFETY: this thread owns the lock, and what it calls does not come here.
        let intervals = unsafe { &mut *self.intervals.get() };
        self.attend(intervals);
        let result = f(intervals);
        self.release();
        Some(result)
    }

    fn acquire(&self) -> bool {
        // SAFETY: has no preconditions.
        let me = unsafe { libc::pthread_self() } as usize;
        for attempt in 0u32.. {
            match self.owner.compare_exchange_weak(0, me, Ordering::Acquire, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(owner) if owner == me => return false,
                Err(_) => wait(attempt),
            }
        }
        false
    }

    fn release(&self) {
        self.owner.store(0, Ordering::Release);
        // A handler may have come between the last look at the notes and the
        // store. Whoever else has the lock by now has seen to its note.
        while self.noted.load(Ordering::Relaxed) != 0 && self.acquire() {
            // SAFETY: this thread owns the lock.
            self.attend(unsafe { &mut *self.intervals.get() });
            self.owner.store(0, Ordering::Release);
        }
    }

    /// In a handler that has interrupted the owner, so that no two write a note
    /// at once and nobody reads it yet.
    fn note(&self, range: Range, tag: usize) {
        let number = self.noted.fetch_add(1, Ordering::Relaxed);
        if let Some(note) = self.notes.get(number) {
            note.start.store(range.start, Ordering::Relaxed);
            note.end.store(range.end, Ordering::Relaxed);
            note.tag.store(tag, Ordering::Relaxed);
        }
    }

    fn attend(&self, intervals: &mut Intervals) {
        let mut noted = self.noted.load(Ordering::Relaxed);
        let mut done = 0;
        while noted != 0 {
            if noted > NOTES {
                intervals.clear();
            } else {
                for note in &self.notes[done..noted] {
                    note.apply(intervals);
                }
            }
            done = noted.min(NOTES);
            // Unless another handler has come meanwhile.
            let reset = self.noted.compare_exchange(noted, 0, Ordering::Relaxed, Ordering::Relaxed);
            noted = reset.err().unwrap_or(0);
        }
    }
}

impl Note {
    fn apply(&self, intervals: &mut Intervals) {
        let start = self.start.load(Ordering::Relaxed);
        let range = Range { start, end: self.end.load(Ordering::Relaxed) };
        match self.tag.load(Ordering::Relaxed) {
            REMOVE => intervals.remove(range),
            tag => intervals.insert(range, tag),
        };
    }
}

/// Another thread has the lock, for less than a microsecond, if it runs. So
/// sleep soon: it may wait for this very processor, with a lower priority.
#[cold]
fn wait(attempt: u32) {
    if attempt < 100 {
        hint::spin_loop();
        return;
    }
    let moment = libc::timespec { tv_sec: 0, tv_nsec: 20_000 };
    // SAFETY: valid for the read.
    errno::keep(|| unsafe { libc::nanosleep(&raw const moment, ptr::null_mut()) });
}

#[cfg(test)]
mod tests {
    use super::{NOTES, Record};
    use offmem_registration::Range;
    use std::thread;

    fn range(start: usize, end: usize) -> Range {
        Range { start, end }
    }

    fn cover(record: &Record, range: Range) -> Option<usize> {
        record.with(|intervals| intervals.cover(range)).expect("nobody is inside")
    }

    #[test]
    fn what_comes_in_between_is_done_afterwards_in_order() {
        let record = Record::new();
        record.with(|intervals| {
            intervals.insert(range(10, 20), 1);
            // As a handler would.
            assert_eq!(record.with(|_| ()), None);
            record.remove(range(10, 15));
            record.add(range(12, 18), 2);
            record.remove(range(17, 18));
            assert_eq!(intervals.cover(range(10, 20)), Some(1));
        });
        assert_eq!(cover(&record, range(10, 12)), None);
        assert_eq!(cover(&record, range(12, 17)), Some(2));
        assert_eq!(cover(&record, range(17, 18)), None);
        assert_eq!(cover(&record, range(18, 20)), Some(1));
    }

    #[test]
    fn too_many_notes_forget_everything() {
        let record = Record::new();
        record.add(range(10, 20), 1);
        record.with(|_| {
            for _ in 0..NOTES {
                record.remove(range(1, 2));
            }
        });
        assert_eq!(cover(&record, range(10, 20)), Some(1));
        record.with(|_| {
            for _ in 0..=NOTES {
                record.remove(range(1, 2));
            }
        });
        assert_eq!(cover(&record, range(10, 20)), None);
        record.add(range(10, 20), 1);
        assert_eq!(cover(&record, range(10, 20)), Some(1));
    }

    #[test]
    fn threads_take_turns() {
        let record = Record::new();
        thread::scope(|scope| {
            for thread in 0..4 {
                let record = &record;
                scope.spawn(move || {
                    let start = thread * 1000;
                    for round in 0..20_000 {
                        let range = range(start + round % 100, start + round % 100 + 50);
                        record.add(range, thread);
                        assert_eq!(cover(record, range), Some(thread));
                        record.remove(range);
                        assert_eq!(cover(record, range), None);
                    }
                });
            }
        });
        assert!(
            record.with(|all| all.overlapping(range(0, usize::MAX)).next().is_none()) == Some(true)
        );
    }
}
