//! No pin, but a check: the physical frames of a range are noted, and a copy
//! fails if they are not the same any more. Only root sees frame numbers.

use crate::mapping::page_size;
use crate::message::say;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// In `/proc/self/pagemap`: the frame number, and whether there is one.
const FRAME: u64 = (1 << 55) - 1;
const PRESENT: u64 = 1 << 63;

/// A range and the frames it had.
pub(super) struct Frames {
    start: u64,
    size: u64,
    frames: Vec<u64>,
}

impl Frames {
    pub(super) fn note(start: u64, size: u64) -> io::Result<Frames> {
        // Keeps the pages from being swapped out, which would look like a
        // change. Failure makes false alarms possible, no false silence.
        // SAFETY: the kernel checks the range.
        unsafe { libc::mlock(start as *const _, size as usize) };
        let frames = frames(start, size)?;
        if frames.contains(&0) {
            return Err(io::Error::other("frame numbers are for root only"));
        }
        Ok(Frames { start, size, frames })
    }

    fn check(&self, at: u64, size: u64) -> io::Result<()> {
        let now = frames(self.start + at, size).unwrap_or_default();
        let page = page_size();
        let first = ((self.start + at) / page - self.start / page) as usize;
        if self.frames.get(first..first + now.len()) == Some(&now) && !now.is_empty() {
            return Ok(());
        }
        say(format_args!(
            "copy of {size} bytes at {:#x}: the pages were replaced after registration",
            self.start + at
        ));
        Err(io::Error::from_raw_os_error(libc::ESTALE))
    }
}

impl Drop for Frames {
    fn drop(&mut self) {
        // SAFETY: unlocks what `note` locked, if it is still there.
        unsafe { libc::munlock(self.start as *const _, self.size as usize) };
    }
}

impl super::Pages for Frames {
    fn store(&self, at: u64, size: u64, file: &File, offset: u64) -> io::Result<()> {
        self.check(at, size)?;
        crate::transfer::store(self.start + at, size, file, offset)
    }

    fn load(&self, at: u64, size: u64, file: &File, offset: u64) -> io::Result<()> {
        self.check(at, size)?;
        crate::transfer::load(self.start + at, size, file, offset)
    }
}

/// The frame of each page that the range touches, 0 where it is unknown.
fn frames(start: u64, size: u64) -> io::Result<Vec<u64>> {
    let page = page_size();
    let first = start / page;
    let count = (start + size).div_ceil(page) - first;
    let mut bytes = vec![0; count as usize * 8];
    File::open("/proc/self/pagemap")?.read_exact_at(&mut bytes, first * 8)?;
    let entry =
        |bytes: &[u8]| bytes.iter().rev().fold(0, |value, byte| value << 8 | u64::from(*byte));
    let frame = |entry: u64| if entry & PRESENT != 0 { entry & FRAME } else { 0 };
    Ok(bytes.chunks_exact(8).map(|bytes| frame(entry(bytes))).collect())
}
