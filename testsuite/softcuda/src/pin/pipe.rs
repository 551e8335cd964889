//! Pins by `vmsplice`: a pipe holds references to the pages. It needs no
//! privilege, works for memory that may only be read, and takes a descriptor
//! for each MiB.
//!
//! Reading goes through the held pages. Writing cannot, so it goes through
//! the host's mapping and is undone where the held pages do not show it. The
//! references are not the kernel's long-term pins: after a fork, a write of
//! the host moves the host to new pages, and the pipe keeps the old ones.

use crate::mapping::page_size;
use crate::transfer;
use std::ffi::c_int;
use std::fs::File;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::FileExt;

/// Most pages in one pipe that an ordinary user may ask for.
const PAGES: u64 = 256;

/// A range, as the contents of pipes that nobody reads.
pub(super) struct Pipes {
    start: u64,
    read_only: bool,
    parts: Vec<Part>,
}

struct Part {
    at: u64,
    size: u64,
    pipe: File,
}

impl Pipes {
    pub(super) fn pin(start: u64, size: u64, read_only: bool) -> io::Result<Pipes> {
        let mut parts = Vec::new();
        let mut at = 0;
        while at < size {
            // Parts end at page boundaries, wherever the first one begins.
            let page = page_size();
            let length = (PAGES * page - (start + at) % page).min(size - at);
            parts.push(Part { at, size: length, pipe: Self::hold(start + at, length)? });
            at += length;
        }
        Ok(Pipes { start, read_only, parts })
    }

    fn hold(start: u64, size: u64) -> io::Result<File> {
        let (read, write) = pipe()?;
        let mut done = 0;
        while done < size {
            let bytes =
                libc::iovec { iov_base: (start + done) as *mut _, iov_len: (size - done) as usize };
            // SAFETY: the kernel checks the range; it only reads the pages.
            let spliced = unsafe {
                libc::vmsplice(write.as_raw_fd(), &raw const bytes, 1, libc::SPLICE_F_NONBLOCK)
            };
            done += moved(spliced)?;
        }
        Ok(read)
    }

    fn read(&self, at: u64, size: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(size as usize);
        for part in &self.parts {
            let from = at.max(part.at);
            let to = (at + size).min(part.at + part.size);
            if from < to {
                part.read(from - part.at, to - from, &mut bytes)?;
            }
        }
        Ok(bytes)
    }
}

impl Part {
    /// Appends `size` bytes from `at` of the pipe's contents, which stay.
    fn read(&self, at: u64, size: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
        let (mut copy, write) = pipe()?;
        let wanted = (at + size) as usize;
        // SAFETY: both descriptors are pipes of ours.
        let teed = unsafe {
            libc::tee(self.pipe.as_raw_fd(), write.as_raw_fd(), wanted, libc::SPLICE_F_NONBLOCK)
        };
        if moved(teed)? < wanted as u64 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let mut content = vec![0; wanted];
        copy.read_exact(&mut content)?;
        bytes.extend_from_slice(&content[at as usize..]);
        Ok(())
    }
}

impl super::Pages for Pipes {
    fn store(&self, at: u64, size: u64, file: &File, offset: u64) -> io::Result<()> {
        file.write_all_at(&self.read(at, size)?, offset)
    }

    fn load(&self, at: u64, size: u64, file: &File, offset: u64) -> io::Result<()> {
        if self.read_only {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        let mut new = vec![0; size as usize];
        file.read_exact_at(&mut new, offset)?;
        for part in &self.parts {
            let from = at.max(part.at);
            let to = (at + size).min(part.at + part.size);
            if from < to {
                self.write(from, &new[(from - at) as usize..(to - at) as usize])?;
            }
        }
        Ok(())
    }
}

impl Pipes {
    fn write(&self, at: u64, new: &[u8]) -> io::Result<()> {
        let mut old = vec![0; new.len()];
        if transfer::read(self.start + at, &mut old).is_err() {
            // Nothing is mapped there any more: the bytes are lost.
            return Ok(());
        }
        transfer::write(self.start + at, new)?;
        if self.read(at, new.len() as u64)? != new {
            transfer::write(self.start + at, &old)?;
        }
        Ok(())
    }
}

/// Reading and writing end of a pipe with room for [`PAGES`].
fn pipe() -> io::Result<(File, OwnedFd)> {
    let mut ends: [c_int; 2] = [0; 2];
    // SAFETY: two new descriptors, each owned by one value.
    let (read, write) = unsafe {
        if libc::pipe2(ends.as_mut_ptr(), libc::O_CLOEXEC) != 0 {
            return Err(io::Error::last_os_error());
        }
        (File::from_raw_fd(ends[0]), OwnedFd::from_raw_fd(ends[1]))
    };
    let size = (PAGES * page_size()) as c_int;
    // SAFETY: changes the size of a pipe of ours.
    match unsafe { libc::fcntl(write.as_raw_fd(), libc::F_SETPIPE_SZ, size) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok((read, write)),
    }
}

/// The number of bytes that a call moved.
fn moved(result: isize) -> io::Result<u64> {
    u64::try_from(result).map_err(|_| io::Error::last_os_error())
}
