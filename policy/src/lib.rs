//! When registering a block of host memory pays, and how much of it may be
//! registered. Arithmetic only: no driver, no clock, no allocation.
//!
//! The caller, before each copy that will really be made:
//!
//! * of a registered region, [`Rental::hit`];
//! * of another, [`Rental::copy`]; if it says [`Decision::Register`], then
//!   either [`Rental::registered`] or [`Rental::refused`];
//!
//! and after it [`Costs::observe_copy`]. Room is a [`Budget`]'s; where there is
//! none, [`Rental::yields`] says which region may be unregistered for another.
//! [`Rental::end`] ends a region's account.
//!
//! Everything may be called by any thread at any time, hooks included.

mod account;
mod budget;
mod class;
mod costs;
mod rate;
mod rental;

pub use budget::Budget;
pub use class::Class;
pub use costs::{Costs, Direction};
pub use rental::{Decision, Demand, Rental};
