//! Functions of libc's under their own names, in effect where this library
//! comes first in lookup order.

#[cfg_attr(test, allow(dead_code, reason = "unit tests keep libc's malloc"))]
pub(crate) mod allocation;
pub(crate) mod brk;
pub(crate) mod check;
#[cfg_attr(test, allow(dead_code, reason = "of allocation"))]
pub(crate) mod family;
pub(crate) mod foreign;
#[cfg_attr(test, allow(dead_code, reason = "of allocation"))]
pub(crate) mod language;
pub(crate) mod library;
pub(crate) mod listener;
pub(crate) mod mapping;
#[cfg_attr(test, allow(dead_code, reason = "of allocation"))]
mod next;
pub(crate) mod process;
pub(crate) mod protection;
pub(crate) mod segment;
#[cfg_attr(test, allow(dead_code, reason = "of allocation"))]
pub(crate) mod window;
#[cfg(test)]
mod witness;

pub(crate) use listener::{arm, on_gone};
pub(crate) use process::on_child;
