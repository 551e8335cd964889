//! What the compiler plugin emits and the runtime reads: the records in the
//! program's read-only data and the names of the entry points.
//!
//! Both records are made of pointer-sized words only, so that the plugin can
//! emit them without knowing the target's padding rules.

#![no_std]

#[cfg(test)]
extern crate std;

use core::ffi::c_char;

mod allocator;
mod entry;
mod mode;

pub use allocator::{ALLOCATORS, is_allocator};
pub use entry::{ENTRIES, Entry, PREFIX, entry};
pub use mode::Mode;

/// Version of the records below. It rises when a program compiled by an
/// earlier plugin would be misread.
pub const VERSION: usize = 1;

/// The function that each unit's constructor calls with its [`Unit`].
pub const ENABLE: &str = "offmem_enable";

/// Priority of that constructor: the last one reserved for the
/// implementation, so it runs before every constructor of the program, which
/// may already offload.
pub const CONSTRUCTOR_PRIORITY: i32 = 100;

/// One translation unit that contains OpenMP or OpenACC constructs or, in
/// unified mode, calls of [`ALLOCATORS`].
#[repr(C)]
#[derive(Debug)]
pub struct Unit {
    /// [`VERSION`] of the plugin that emitted the record.
    pub version: usize,
    /// A [`Mode`] by number.
    pub mode: usize,
    /// The main source file as given to the compiler, null-terminated.
    pub file: *const c_char,
}

/// One call into libgomp that maps or copies: the first argument of every
/// redirected call. Null where the call was not compiled with the plugin.
#[repr(C)]
#[derive(Debug)]
pub struct Site {
    /// Source file, null-terminated; empty if unknown.
    pub file: *const c_char,
    /// Source line, from 1; 0 if unknown.
    pub line: usize,
    /// Function of the source, null-terminated.
    pub function: *const c_char,
    /// Number of pointers that follow: one per entry of the map array.
    pub name_count: usize,
    /// The mapped variables, null-terminated; null for one without a name.
    pub names: [*const c_char; 0],
}

// SAFETY: both records are constants of the program; nobody writes to them.
unsafe impl Sync for Unit {}
// SAFETY: as above.
unsafe impl Sync for Site {}
