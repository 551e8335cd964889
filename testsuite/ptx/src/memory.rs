//! What the interpreter needs of a device's memory.

/// What a kernel wants to do to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `ld`.
    Read,
    /// `st`, `atom` and `red`.
    Write,
}

/// Why the device may not touch an address, e.g. `host memory that is not
/// registered` or `3 bytes past the end of an allocation of 40`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal(pub String);

/// Device memory and services, as the interpreter needs them.
///
/// Asked only about global addresses: shared and local memory and the code of
/// functions lie in windows of their own from [`WINDOWS`](crate::WINDOWS) up,
/// where no device or host address is.
pub trait Memory: Sync {
    /// Host address of the device bytes `[address, address + size)`, equal to
    /// `address` modulo 16, or why the device may not touch them.
    ///
    /// The bytes must stay mapped until the launch ends, or be freed only by
    /// [`Memory::free`]; the rest of the last aligned eight must be readable,
    /// whatever it holds.
    ///
    /// # Errors
    /// The reason, to follow the address in a [`Fault`](crate::Fault).
    fn translate(&self, address: u64, size: usize, access: Access) -> Result<*mut u8, Refusal>;

    /// The fast path of each `ld` and `st`, at most 8 bytes: null sends the
    /// interpreter to [`Memory::translate`], for the reason or for a pointer
    /// after all.
    fn reach(&self, address: u64, size: usize, access: Access) -> *mut u8 {
        self.translate(address, size, access).unwrap_or(std::ptr::null_mut())
    }

    /// Device-side `malloc`: a device address, 0 when exhausted.
    fn malloc(&self, size: u64) -> u64;

    /// Device-side `free` of what [`Memory::malloc`] gave, or of 0.
    fn free(&self, address: u64);

    /// Text of a device-side `printf`, already formatted.
    fn print(&self, text: &[u8]);
}
