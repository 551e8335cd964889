//! The interpreter: CTAs on host threads, warps of a CTA in turns, lanes of a
//! warp in lockstep.

mod access;
mod atomic;
mod barrier;
mod builtin;
mod call;
mod cell;
mod collective;
mod control;
mod cta;
mod divergence;
mod fault;
mod launch;
mod local;
mod printf;
mod reach;
mod register;
mod special;
mod straight;
mod warp;

pub use fault::Fault;
pub use launch::{Counts, Launch, Limits, run, run_within};
