//! Pins by fixed buffers of io_uring: the kernel takes a long-term pin, the
//! same that a GPU driver takes, and reads and writes the pages themselves.

use io_uring::{IoUring, opcode, types};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Most buffers of one ring that the kernel allows.
const SLOTS: u32 = 1 << 14;

/// Most bytes of one buffer that the kernel allows; fewer in tests, so that
/// they have ranges of several buffers.
const BUFFER: u64 = if cfg!(test) { 1 << 20 } else { 1 << 30 };

/// As many rings as the buffers need; none before the first.
#[derive(Debug, Default)]
pub(crate) struct Rings(Mutex<Vec<Arc<Ring>>>);

struct Ring {
    uring: Mutex<IoUring>,
    free: Mutex<Vec<u32>>,
}

impl std::fmt::Debug for Ring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Ring")
    }
}

impl Rings {
    /// A free slot, in a new ring if need be.
    fn slot(&self) -> io::Result<Slot> {
        let mut rings = lock(&self.0);
        for ring in rings.iter() {
            if let Some(index) = lock(&ring.free).pop() {
                return Ok(Slot { ring: Arc::clone(ring), index });
            }
        }
        let ring = Arc::new(Ring::new()?);
        rings.push(Arc::clone(&ring));
        let index = lock(&ring.free).pop().unwrap_or_default();
        Ok(Slot { ring, index })
    }
}

impl Ring {
    fn new() -> io::Result<Ring> {
        let uring = IoUring::new(4)?;
        uring.submitter().register_buffers_sparse(SLOTS)?;
        Ok(Ring { uring: Mutex::new(uring), free: Mutex::new((0..SLOTS).rev().collect()) })
    }

    fn update(&self, index: u32, start: u64, size: u64) -> io::Result<()> {
        let buffer = libc::iovec { iov_base: start as *mut _, iov_len: size as usize };
        let uring = lock(&self.uring);
        // SAFETY: the kernel holds the pages whatever happens to the mapping.
        unsafe { uring.submitter().register_buffers_update(index, &[buffer], None) }
    }

    /// Carries out one operation and gives the number of bytes it moved.
    fn transfer(&self, entry: &io_uring::squeue::Entry) -> io::Result<u64> {
        let mut uring = lock(&self.uring);
        // SAFETY: the buffer is a registered one, which outlives the
        // operation, because this function waits for it.
        unsafe { uring.submission().push(entry) }.map_err(io::Error::other)?;
        loop {
            match uring.submit_and_wait(1) {
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
            if let Some(done) = uring.completion().next() {
                return u64::try_from(done.result())
                    .map_err(|_| io::Error::from_raw_os_error(-done.result()));
            }
        }
    }
}

/// A place in the buffer table of a ring.
struct Slot {
    ring: Arc<Ring>,
    index: u32,
}

impl Drop for Slot {
    fn drop(&mut self) {
        // An empty buffer takes the place of the old one, which is unpinned.
        // If that should fail, the slot is not used again.
        if self.ring.update(self.index, 0, 0).is_ok() {
            lock(&self.ring.free).push(self.index);
        }
    }
}

/// A range, as one buffer or, if it is very long, as several.
pub(super) struct Buffers {
    start: u64,
    slots: Vec<Slot>,
}

impl Buffers {
    pub(super) fn pin(rings: &Rings, start: u64, size: u64) -> io::Result<Buffers> {
        let mut slots = Vec::new();
        for at in (0..size).step_by(BUFFER as usize) {
            let slot = rings.slot()?;
            slot.ring.update(slot.index, start + at, BUFFER.min(size - at))?;
            slots.push(slot);
        }
        Ok(Buffers { start, slots })
    }

    /// Calls `entry` with slot, address, length and offset of each operation
    /// that a copy needs.
    fn transfer(
        &self,
        at: u64,
        size: u64,
        entry: impl Fn(u16, *mut u8, u32, u64) -> io_uring::squeue::Entry,
    ) -> io::Result<()> {
        let mut done = 0;
        while done < size {
            let from = at + done;
            let slot =
                self.slots.get((from / BUFFER) as usize).ok_or(io::ErrorKind::InvalidInput)?;
            let length = (size - done).min(BUFFER - from % BUFFER);
            let address = (self.start + from) as *mut u8;
            let moved =
                slot.ring.transfer(&entry(slot.index as u16, address, length as u32, done))?;
            if moved == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            done += moved;
        }
        Ok(())
    }
}

impl super::Pages for Buffers {
    fn store(&self, at: u64, size: u64, file: &File, offset: u64) -> io::Result<()> {
        let file = types::Fd(file.as_raw_fd());
        self.transfer(at, size, |slot, address, length, done| {
            opcode::WriteFixed::new(file, address, length, slot).offset(offset + done).build()
        })
    }

    fn load(&self, at: u64, size: u64, file: &File, offset: u64) -> io::Result<()> {
        let file = types::Fd(file.as_raw_fd());
        self.transfer(at, size, |slot, address, length, done| {
            opcode::ReadFixed::new(file, address, length, slot).offset(offset + done).build()
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
