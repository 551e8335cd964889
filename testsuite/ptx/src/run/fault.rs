//! Why a kernel stops.

use std::fmt;

use super::register::Mask;

/// Why a kernel stopped. Displays as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Function that was running.
    pub function: String,
    /// Line of its PTX text.
    pub line: u32,
    /// Name of that text, as given to [`Object::parse`](crate::Object::parse).
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

impl Fault {
    /// Whether the kernel stopped itself: `trap`, which is what `abort` does.
    pub fn is_trap(&self) -> bool {
        self.reason == TRAP
    }
}

/// The reason of a `trap` (PTX ISA 9.7.19.3).
pub(super) const TRAP: &str = "trap";

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, in {} at {}:{}", self.reason, self.function, self.object, self.line)?;
        if let Some((file, line)) = &self.source {
            write!(f, " ({file}:{line})")?;
        }
        let [x, y, z] = self.cta;
        write!(f, ", CTA ({x}, {y}, {z})")?;
        let [x, y, z] = self.thread;
        write!(f, ", thread ({x}, {y}, {z})")
    }
}

impl std::error::Error for Fault {}

/// What makes a fault, before it is known where.
#[derive(Debug)]
pub(super) struct Trouble {
    /// The lanes concerned.
    pub(super) lanes: Mask,
    pub(super) reason: String,
}

impl Trouble {
    pub(super) fn new(lanes: Mask, reason: impl Into<String>) -> Trouble {
        Trouble { lanes, reason: reason.into() }
    }
}
