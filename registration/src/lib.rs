//! Ranges of host memory that take part in offloading, and which of them are
//! registered with the driver.
//!
//! It knows the driver by a small table of functions only, so that everything
//! here is tested without one.
//!
//! A lookup goes from the address to a slot of the `table`, to a `record`, and
//! counts itself in there, in one word of `state`. The `registry` keeps the
//! records, also in order under a lock; `transition` has what needs the driver.
//! `errno`, `futex` and `lock` serve the crates above, too.

mod block;
pub mod errno;
pub mod futex;
pub mod lock;
mod operations;
mod range;
mod record;
mod region;
mod registry;
mod state;
mod sync;
mod table;
mod transition;

#[cfg(test)]
#[cfg_attr(loom, allow(dead_code, reason = "models need less of it"))]
mod driver;
#[cfg(all(loom, test))]
mod models;
#[cfg(all(test, not(loom)))]
mod stress;
#[cfg(all(test, not(loom)))]
mod tests;

pub use operations::{Failure, Operations, Outcome, Unfit};
pub use range::{PAGE, Range};
pub use region::{Lifetime, Region, Use};
pub use registry::{Found, Registry, Statistics};
pub use state::Phase;

/// The least size of a region, in bytes.
pub const GRANULE: usize = 1 << 16;
