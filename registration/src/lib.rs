//! Ranges of host memory that take part in offloading, and which of them are
//! registered with the driver.
//!
//! It knows the driver by a small table of functions only, so that everything
//! here is tested without one.

mod range;

pub use range::{PAGE, Range};
