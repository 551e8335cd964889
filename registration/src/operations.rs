use core::fmt;

use crate::Range;

/// The driver, as far as it is needed here. Both functions may take seconds,
/// may be called by several threads at once, and are called without locks.
pub trait Operations: Sync {
    /// Registers a range.
    ///
    /// # Errors
    /// Why it is not registered now, in no part.
    fn register(&self, range: Range) -> Result<(), Failure>;

    /// Undoes what [`register`](Operations::register) did for exactly this range.
    ///
    /// # Errors
    /// Why it could not; the range counts as unregistered all the same.
    fn unregister(&self, range: Range) -> Result<(), Failure>;
}

/// Why the driver did not do it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// It will not have this range.
    Refused,
    /// Somebody else has registered some of it.
    Foreign,
    /// There is no driver, or not any more.
    Gone,
}

/// What became of a wish to register a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Outcome {
    /// It is registered, now or since before.
    Registered,
    /// Somebody else has registered it.
    Adopted,
    /// Another thread is at it, memory around it is still in use, or there is
    /// no room; a copy need not wait for that.
    Busy,
    /// The driver would not; [`Use::is_refused`](crate::Use::is_refused) from now on.
    Refused,
    /// There is no driver, or not any more.
    NoDriver,
    /// The region was dropped.
    Dropped,
}

impl Outcome {
    /// Whether copies may go straight to the memory.
    pub const fn is_pinned(self) -> bool {
        matches!(self, Outcome::Registered | Outcome::Adopted)
    }
}

/// Why a range cannot be a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unfit {
    /// Smaller than a [`GRANULE`](crate::GRANULE).
    Small,
    /// Beyond the lower half of a 48-bit address space.
    Unreachable,
    /// It overlaps a region that does not hold it; see [`join`](crate::Registry::join).
    Across,
    /// No memory, or four million regions.
    Full,
}

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unfit::Small => "smaller than a granule",
            Unfit::Unreachable => "beyond 48 bits",
            Unfit::Across => "across the edge of a region",
            Unfit::Full => "no room for another region",
        })
    }
}

impl core::error::Error for Unfit {}
