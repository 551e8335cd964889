//! Memory of this process that the driver itself maps.

use std::ffi::{c_int, c_void};
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd};
use std::ptr::{self, NonNull};

/// A mapping that ends when it is dropped.
#[derive(Debug)]
pub(crate) struct Mapping {
    start: NonNull<u8>,
    size: usize,
}

// SAFETY: the mapping is plain memory, bound to no thread.
unsafe impl Send for Mapping {}
// SAFETY: as above; who shares its bytes answers for how.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Address space that nobody may touch.
    pub(crate) fn reserved(size: usize) -> io::Result<Mapping> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        Self::map(size, libc::PROT_NONE, flags, -1, 0)
    }

    /// Zeros, of which only those touched take memory.
    pub(crate) fn zeroed(size: usize) -> io::Result<Mapping> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        Self::map(size, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
    }

    /// `size` bytes of `file` from `offset` on, shared with it.
    pub(crate) fn shared(file: &File, offset: u64, size: usize) -> io::Result<Mapping> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        Self::map(size, protection, libc::MAP_SHARED, file.as_raw_fd(), offset)
    }

    fn map(
        size: usize,
        protection: c_int,
        flags: c_int,
        file: c_int,
        offset: u64,
    ) -> io::Result<Mapping> {
        let flags = flags | libc::MAP_NORESERVE;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let start =
            unsafe { libc::mmap(ptr::null_mut(), size, protection, flags, file, offset as i64) };
        match NonNull::new(start.cast::<u8>()) {
            Some(address) if start != libc::MAP_FAILED => Ok(Mapping { start: address, size }),
            _ => Err(io::Error::last_os_error()),
        }
    }

    /// Where it begins.
    pub(crate) fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// How many bytes it has.
    pub(crate) fn size(&self) -> usize {
        self.size
    }

    /// Lets the host touch `size` bytes from `at` on, which are those of `file`
    /// from `offset` on then. A child of `fork` finds nothing there, unless
    /// it is to inherit them.
    pub(crate) fn show(
        &self,
        at: u64,
        size: u64,
        file: &File,
        offset: u64,
        inherited: bool,
    ) -> io::Result<()> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
        let start = self.replace(at, size, protection, flags, file.as_raw_fd(), offset)?;
        // SAFETY: changes pages of this mapping only.
        if !inherited && unsafe { libc::madvise(start, size as usize, libc::MADV_DONTFORK) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(())
    }

    /// Makes bytes that were shown address space again.
    pub(crate) fn hide(&self, at: u64, size: u64) -> io::Result<()> {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        self.replace(at, size, libc::PROT_NONE, flags, -1, 0).map(drop)
    }

    fn replace(
        &self,
        at: u64,
        size: u64,
        protection: c_int,
        flags: c_int,
        file: c_int,
        offset: u64,
    ) -> io::Result<*mut c_void> {
        let start = self.part(at, size)?;
        let flags = flags | libc::MAP_FIXED;
        // SAFETY: replaces pages of this mapping only.
        match unsafe { libc::mmap(start, size as usize, protection, flags, file, offset as i64) } {
            libc::MAP_FAILED => Err(io::Error::last_os_error()),
            start => Ok(start),
        }
    }

    /// Allows (or forbids) the host to touch `size` bytes from `at` on.
    pub(crate) fn protect(&self, at: u64, size: u64, accessible: bool) -> io::Result<()> {
        let start = self.part(at, size)?;
        let protection =
            if accessible { libc::PROT_READ | libc::PROT_WRITE } else { libc::PROT_NONE };
        // SAFETY: changes pages of this mapping only.
        match unsafe { libc::mprotect(start, size as usize, protection) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn part(&self, at: u64, size: u64) -> io::Result<*mut c_void> {
        match at.checked_add(size) {
            Some(end) if end <= self.size as u64 => {
                Ok(self.start().wrapping_add(at as usize).cast())
            }
            _ => Err(io::ErrorKind::InvalidInput.into()),
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own.
        unsafe { libc::munmap(self.start().cast(), self.size) };
    }
}

/// A file without a name, in memory, of `size` zeros.
pub(crate) fn memory_file(size: u64) -> io::Result<File> {
    // SAFETY: a new descriptor, owned by the file made of it.
    let file = unsafe {
        match libc::memfd_create(c"softcuda".as_ptr(), libc::MFD_CLOEXEC) {
            -1 => return Err(io::Error::last_os_error()),
            descriptor => File::from_raw_fd(descriptor),
        }
    };
    file.set_len(size)?;
    Ok(file)
}

/// Gives bytes of a file in memory back to the system. They read as zeros
/// then; a failure leaves them, which does no harm where nobody reads them.
pub(crate) fn give_back(file: &File, offset: u64, size: u64) {
    let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
    // SAFETY: changes the file only.
    unsafe { libc::fallocate(file.as_raw_fd(), mode, offset as i64, size as i64) };
}

/// The size of a page.
pub(crate) fn page_size() -> u64 {
    // SAFETY: asks for a constant.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}
