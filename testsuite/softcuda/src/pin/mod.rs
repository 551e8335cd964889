//! Memory that the kernel really holds in place.
//!
//! A [`Pin`] keeps the pages that a range had when it was taken. When the
//! program unmaps the range and maps something else there, copies through the
//! pin still use the old pages, as the DMA engine of a GPU does. Bytes go from
//! and to files, because that is what the kernel can do with pinned pages;
//! device memory is one.

mod frames;
mod pipe;
mod ring;

use crate::message::say_once;
use crate::option::Pinning;
use std::fs::File;
use std::io;
use std::sync::{Arc, Once};

/// The pages of one range.
pub(crate) trait Pages: Send + Sync {
    /// Copies `size` bytes from `at` of the range to `offset` of `file`.
    fn store(&self, at: u64, size: u64, file: &File, offset: u64) -> io::Result<()>;

    /// Copies `size` bytes from `offset` of `file` to `at` of the range.
    fn load(&self, at: u64, size: u64, file: &File, offset: u64) -> io::Result<()>;
}

/// A range that stays pinned until this is dropped.
pub(crate) type Pin = Box<dyn Pages>;

/// A way to pin.
type Way = fn(&Pinner, u64, u64, bool) -> io::Result<Pin>;

/// Name, option, way; the best comes first.
const WAYS: [(&str, Pinning, Way); 3] = [
    ("io_uring", Pinning::Ring, |pinner, start, size, read_only| {
        // Fixed buffers are pinned for writing.
        if read_only {
            return Err(io::ErrorKind::Unsupported.into());
        }
        Ok(Box::new(ring::Buffers::pin(&pinner.rings, start, size)?))
    }),
    ("pipes", Pinning::Pipe, |_, start, size, read_only| {
        Ok(Box::new(pipe::Pipes::pin(start, size, read_only)?))
    }),
    ("a check of physical frames", Pinning::Frames, |_, start, size, _| {
        Ok(Box::new(frames::Frames::note(start, size)?))
    }),
];

/// Pins ranges in the way that an option asks for.
#[derive(Debug)]
pub(crate) struct Pinner {
    pinning: Pinning,
    rings: Arc<ring::Rings>,
    fallback: Once,
    refusal: Once,
}

impl Pinner {
    /// Nothing is opened before the first pin.
    pub(crate) fn new(pinning: Pinning) -> Pinner {
        Pinner { pinning, rings: Arc::default(), fallback: Once::new(), refusal: Once::new() }
    }

    /// Pins `[start, start + size)`, all of which is mapped; `read_only` if
    /// the host may not write there. A way that fails is named once.
    pub(crate) fn pin(&self, start: u64, size: u64, read_only: bool) -> io::Result<Pin> {
        let mut failed: Option<(&str, io::Error)> = None;
        for (name, pinning, way) in WAYS {
            if self.pinning != Pinning::Auto && self.pinning != pinning {
                continue;
            }
            match way(self, start, size, read_only) {
                Ok(pin) => {
                    if let Some((first, error)) = failed
                        && !read_only
                    {
                        say_once(
                            &self.fallback,
                            format_args!("{first} cannot pin {size} bytes ({error}): using {name}"),
                        );
                    }
                    return Ok(pin);
                }
                Err(error) if error.raw_os_error() == Some(libc::EFAULT) => return Err(error),
                Err(error) => failed = failed.or(Some((name, error))),
            }
        }
        let (name, error) = failed.unwrap_or(("nothing", io::ErrorKind::Unsupported.into()));
        say_once(&self.refusal, format_args!("cannot pin {size} bytes: {name}: {error}"));
        Err(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::{Mapping, memory_file};
    use std::os::unix::fs::FileExt;
    use std::sync::{PoisonError, RwLock};

    /// A fork beside them disturbs the tests of pipes, which are no pins.
    static FORK: RwLock<()> = RwLock::new(());

    const SIZE: usize = 3 << 20;

    fn fill(address: u64, size: usize, byte: u8) {
        // SAFETY: the tests pass mappings of that size.
        unsafe { std::ptr::write_bytes(address as *mut u8, byte, size) };
    }

    /// Unmaps a range and maps new pages in its place.
    fn replace(address: u64, size: usize) {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
        // SAFETY: the tests pass mappings of their own.
        unsafe {
            assert_eq!(libc::munmap(address as *mut _, size), 0);
            let new = libc::mmap(address as *mut _, size, protection, flags, -1, 0);
            assert_eq!(new as u64, address);
        }
    }

    fn stored(pin: &Pin, at: u64, size: usize) -> io::Result<Vec<u8>> {
        let file = memory_file(SIZE as u64)?;
        pin.store(at, size as u64, &file, 5)?;
        let mut bytes = vec![0; size];
        file.read_exact_at(&mut bytes, 5)?;
        Ok(bytes)
    }

    /// The pages of a pin outlive the mapping they were in.
    fn keeps_old_pages(pinning: Pinning) {
        let _alone = FORK.read().unwrap_or_else(PoisonError::into_inner);
        let mapping = Mapping::zeroed(SIZE).unwrap();
        let start = mapping.start() as u64 + 100;
        let size = SIZE - 200;
        fill(start, size, b'A');
        let pin = Pinner::new(pinning).pin(start, size as u64, false).unwrap();
        assert!(stored(&pin, 0, size).unwrap().iter().all(|byte| *byte == b'A'));
        fill(start + 2_000_000, 10, b'C');
        assert_eq!(stored(&pin, 1_999_998, 4).unwrap(), b"AACC", "writes of the host are seen");

        replace(mapping.start() as u64, SIZE);
        fill(start, size, b'B');
        assert_eq!(stored(&pin, 1_999_998, 4).unwrap(), b"AACC");

        let file = memory_file(8).unwrap();
        file.write_all_at(b"DDDD", 0).unwrap();
        pin.load(1_500_000, 4, &file, 0).unwrap();
        assert_eq!(stored(&pin, 1_499_999, 2).unwrap()[0], b'A');
        // SAFETY: within the mapping.
        let host = unsafe { ((start + 1_500_000) as *const [u8; 4]).read() };
        assert_eq!(host, *b"BBBB", "what the device writes does not arrive");
    }

    #[test]
    fn fixed_buffers_keep_old_pages() {
        keeps_old_pages(Pinning::Ring);
    }

    #[test]
    fn pipes_keep_old_pages() {
        keeps_old_pages(Pinning::Pipe);
    }

    /// Both directions as long as nothing is unmapped.
    fn copies_both_ways(pinning: Pinning) {
        let _alone = FORK.read().unwrap_or_else(PoisonError::into_inner);
        let mapping = Mapping::zeroed(SIZE).unwrap();
        let start = mapping.start() as u64 + 8;
        fill(start, SIZE - 8, b'A');
        let Ok(pin) = Pinner::new(pinning).pin(start, SIZE as u64 - 8, false) else {
            assert_eq!(pinning, Pinning::Frames, "frames are hidden from ordinary users");
            return;
        };
        let file = memory_file(SIZE as u64).unwrap();
        file.write_all_at(&vec![b'X'; 2 << 20], 0).unwrap();
        pin.load(4096, 2 << 20, &file, 0).unwrap();
        // SAFETY: within the mapping.
        unsafe {
            assert_eq!(((start + 4095) as *const [u8; 2]).read(), *b"AX");
            assert_eq!(((start + 4095 + (2 << 20)) as *const [u8; 2]).read(), *b"XA");
        }
        assert_eq!(stored(&pin, 4094, 4).unwrap(), b"AAXX");
    }

    #[test]
    fn every_way_copies_both_ways() {
        for pinning in [Pinning::Auto, Pinning::Ring, Pinning::Pipe, Pinning::Frames] {
            copies_both_ways(pinning);
        }
    }

    #[test]
    fn frames_notice_new_pages() {
        let mapping = Mapping::zeroed(SIZE).unwrap();
        let start = mapping.start() as u64;
        fill(start, SIZE, b'A');
        let Ok(pin) = Pinner::new(Pinning::Frames).pin(start, SIZE as u64, false) else { return };
        // What was mapped there is kept, so that its frames are not reused.
        let keep = Pinner::new(Pinning::Ring).pin(start, SIZE as u64, false).unwrap();
        replace(start, SIZE);
        fill(start, SIZE, b'B');
        assert!(stored(&pin, 0, 4).is_err());
        drop(keep);
    }

    #[test]
    fn read_only_memory_is_pinned_by_pipes() {
        let mapping = Mapping::zeroed(SIZE).unwrap();
        let start = mapping.start() as u64;
        fill(start, SIZE, b'A');
        // SAFETY: pages of the test.
        assert_eq!(unsafe { libc::mprotect(start as *mut _, SIZE, libc::PROT_READ) }, 0);
        let error = Pinner::new(Pinning::Ring).pin(start, SIZE as u64, false).err().unwrap();
        assert_eq!(error.raw_os_error(), Some(libc::EFAULT));
        let pin = Pinner::new(Pinning::Auto).pin(start, SIZE as u64, true).unwrap();
        replace(start, SIZE);
        fill(start, SIZE, b'B');
        assert_eq!(stored(&pin, 10, 2).unwrap(), b"AA");
    }

    #[test]
    fn a_fork_leaves_the_parent_its_pages() {
        let _alone = FORK.write().unwrap_or_else(PoisonError::into_inner);
        let mapping = Mapping::zeroed(SIZE).unwrap();
        let start = mapping.start() as u64;
        fill(start, SIZE, b'A');
        let pin = Pinner::new(Pinning::Ring).pin(start, SIZE as u64, false).unwrap();
        // SAFETY: the child only waits to be killed.
        let child = unsafe {
            match libc::fork() {
                0 => loop {
                    libc::pause();
                },
                child => child,
            }
        };
        fill(start, SIZE, b'B');
        let seen = stored(&pin, 0, 4);
        // SAFETY: the child above.
        unsafe {
            libc::kill(child, libc::SIGKILL);
            libc::waitpid(child, std::ptr::null_mut(), 0);
        }
        assert_eq!(seen.unwrap(), b"BBBB");
    }

    #[test]
    fn unmapped_memory_is_not_pinned() {
        for pinning in [Pinning::Ring, Pinning::Pipe] {
            let error = Pinner::new(pinning).pin(4096, 4096, false).err().unwrap();
            assert_eq!(error.raw_os_error(), Some(libc::EFAULT), "{pinning:?}");
        }
    }

    #[test]
    fn thousands_of_ranges_stay_apart() {
        let mapping = Mapping::zeroed(SIZE).unwrap();
        let pinner = Pinner::new(Pinning::Ring);
        let mut pins: Vec<_> = (0..20_000u64)
            .map(|index| pinner.pin(mapping.start() as u64 + index * 128, 128, false).unwrap())
            .collect();
        fill(mapping.start() as u64 + 19_999 * 128, 1, b'Z');
        assert_eq!(stored(&pins[19_999], 0, 2).unwrap(), b"Z\0");
        pins.drain(..10_000);
        pins.push(pinner.pin(mapping.start() as u64, 128, false).unwrap());
        assert_eq!(stored(&pins[9_999], 0, 2).unwrap(), b"Z\0");
    }
}
