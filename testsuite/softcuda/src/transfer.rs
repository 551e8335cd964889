//! Plain host memory from and to files and buffers. The kernel checks the
//! addresses, so that a bad one is an error and not the end of the program.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

/// Copies `size` bytes at the host's `address` to `offset` of `file`.
pub(crate) fn store(address: u64, size: u64, file: &File, offset: u64) -> io::Result<()> {
    repeat(size, |done| {
        let (address, left) = ((address + done) as *const _, (size - done) as usize);
        // SAFETY: the kernel reads the memory, and fails if it is not there.
        unsafe { libc::pwrite(file.as_raw_fd(), address, left, (offset + done) as i64) }
    })
}

/// Copies `size` bytes from `offset` of `file` to the host's `address`.
pub(crate) fn load(address: u64, size: u64, file: &File, offset: u64) -> io::Result<()> {
    repeat(size, |done| {
        let (address, left) = ((address + done) as *mut _, (size - done) as usize);
        // SAFETY: the kernel writes the memory, and fails if it is not there;
        // that the program lets go of the bytes is in the nature of a copy.
        unsafe { libc::pread(file.as_raw_fd(), address, left, (offset + done) as i64) }
    })
}

/// Fills `bytes` from the host's `address`.
pub(crate) fn read(address: u64, bytes: &mut [u8]) -> io::Result<()> {
    let (start, size) = (bytes.as_mut_ptr() as u64, bytes.len() as u64);
    repeat(size, |done| {
        let local = vector(start + done, size - done);
        let remote = vector(address + done, size - done);
        // SAFETY: the kernel checks the remote range; the local one is the
        // slice, to which this function has the only reference.
        unsafe {
            libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0)
        }
    })
}

/// Writes `bytes` to the host's `address`.
pub(crate) fn write(address: u64, bytes: &[u8]) -> io::Result<()> {
    repeat(bytes.len() as u64, |done| {
        let local = vector(bytes.as_ptr() as u64 + done, bytes.len() as u64 - done);
        let remote = vector(address + done, bytes.len() as u64 - done);
        // SAFETY: the kernel checks the remote range and only reads the slice.
        unsafe {
            libc::process_vm_writev(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0)
        }
    })
}

fn vector(address: u64, size: u64) -> libc::iovec {
    libc::iovec { iov_base: address as *mut _, iov_len: size as usize }
}

fn repeat(size: u64, step: impl Fn(u64) -> isize) -> io::Result<()> {
    let mut done = 0;
    while done < size {
        match u64::try_from(step(done)) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(moved) => done += moved,
            Err(_) => {
                let error = io::Error::last_os_error();
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
            }
        }
    }
    Ok(())
}
