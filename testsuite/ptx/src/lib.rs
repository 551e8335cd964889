//! Parses, links and runs the PTX that GCC emits for nvptx offloading.
//!
//! [`Object::parse`] reads one PTX text, [`Program::link`] joins the texts of
//! a program and gives its variables device memory, [`run`] interprets a
//! kernel over a [`Memory`]. Section numbers in this crate are those of the
//! *PTX ISA* manual, version 8.

use std::fmt;

/// One PTX text (what `cuLinkAddData` gets), parsed.
pub struct Object;

impl Object {
    /// Parses `text`; `name` is for messages only. NUL bytes count as space.
    pub fn parse(_name: &str, _text: &str) -> Result<Object, ParseError> {
        Ok(Object)
    }
}

/// Why a text is not PTX as GCC emits it. Displays as `OBJECT:LINE: reason`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Name given to [`Object::parse`].
    pub object: String,
    /// Line of the text, from 1.
    pub line: u32,
    /// What is wrong there.
    pub reason: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.object, self.line, self.reason)
    }
}

impl std::error::Error for ParseError {}

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
/// functions lie in windows of their own from [`WINDOWS`] up, where no device
/// or host address is.
pub trait Memory: Sync {
    /// Host address of the device bytes `[address, address + size)`, equal to
    /// `address` modulo 16, or why the device may not touch them.
    fn translate(&self, address: u64, size: usize, access: Access) -> Result<*mut u8, Refusal>;

    /// The fast path of each `ld` and `st`: null sends the interpreter to
    /// [`Memory::translate`], for the reason or for a pointer after all.
    fn reach(&self, address: u64, size: usize, access: Access) -> *mut u8 {
        self.translate(address, size, access).unwrap_or(std::ptr::null_mut())
    }

    /// Device-side `malloc`: a device address, 0 when exhausted.
    fn malloc(&self, size: u64) -> u64;

    /// Device-side `free`; 0 is allowed. Says why an address is refused.
    fn free(&self, address: u64);

    /// Text of a device-side `printf`, already formatted.
    fn print(&self, text: &[u8]);
}

/// Lowest address that is never a device or host address.
pub const WINDOWS: u64 = 0x5000_0000_0000_0000;

/// Number of a kernel in its [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryId(u32);

/// A linked program.
pub struct Program;

impl Program {
    /// Joins `objects`.
    ///
    /// Each variable of `.global` and `.const` space gets device memory by
    /// one call `place(size, alignment)`; its initial value is written
    /// through `memory`.
    pub fn link(
        _objects: Vec<Object>,
        _place: &mut dyn FnMut(u64, u64) -> Option<u64>,
        _memory: &dyn Memory,
    ) -> Result<Program, LinkError> {
        Ok(Program)
    }

    /// The kernel called `name`.
    pub fn entry(&self, _name: &str) -> Option<EntryId> {
        None
    }

    /// Address and size of the variable called `name`, `.visible` or not.
    pub fn variable(&self, _name: &str) -> Option<(u64, u64)> {
        None
    }

    /// Address and size of each variable that was placed.
    pub fn variables(&self) -> impl Iterator<Item = (u64, u64)> {
        std::iter::empty()
    }

    /// Registers that a thread of the kernel plausibly takes on hardware, at
    /// most 255.
    pub fn registers(&self, _entry: EntryId) -> u32 {
        0
    }

    /// Offset and size of each parameter in [`Launch::parameters`].
    pub fn parameter_sizes(&self, _entry: EntryId) -> Vec<(usize, usize)> {
        Vec::new()
    }
}

/// Why objects do not make a program, e.g. an undefined symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError(String);

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LinkError {}

/// One launch of a kernel (`cuLaunchKernel`).
#[derive(Clone, Debug)]
pub struct Launch {
    /// CTAs along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a CTA along x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory for each CTA.
    pub shared: u32,
    /// The parameters, laid out as [`Program::parameter_sizes`] says.
    pub parameters: Vec<u8>,
    /// Most bytes of `.local` memory that a thread may use.
    pub local_limit: u64,
}

/// How a launch is carried out; never changes what a correct kernel computes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Host threads over which the CTAs spread, at least 1.
    pub threads: usize,
    /// Instructions that a warp runs before the next warp of its CTA.
    pub quantum: u32,
}

/// What a launch took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instructions, each counted once for a warp.
    pub instructions: u64,
    /// Those computed once because all lanes held the same operands.
    pub uniform: u64,
}

/// Why a kernel stopped. Displays as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Function that was running.
    pub function: String,
    /// Line of its PTX text.
    pub line: u32,
    /// Name of that text, as given to [`Object::parse`].
    pub object: String,
    /// File and line of the source, if the text has `.loc`.
    pub source: Option<(String, u32)>,
    /// `%ctaid` of the thread.
    pub cta: [u32; 3],
    /// `%tid` of the thread, the first one of those concerned.
    pub thread: [u32; 3],
    /// What happened, e.g. `store of 4 bytes at 0x10: null pointer`.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Fault {}

/// Runs a kernel to its end.
///
/// # Errors
/// The first [`Fault`] of any thread; what was stored before stays stored.
pub fn run(
    _program: &Program,
    _entry: EntryId,
    _launch: &Launch,
    _memory: &dyn Memory,
    _limits: &Limits,
) -> Result<Counts, Fault> {
    Ok(Counts::default())
}
