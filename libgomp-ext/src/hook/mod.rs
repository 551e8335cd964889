//! Functions of libc's under their own names, in effect where this library
//! comes first in lookup order.

#[cfg_attr(test, allow(dead_code, reason = "unit tests keep libc's malloc"))]
pub(crate) mod allocation;
#[cfg_attr(test, allow(dead_code, reason = "of allocation"))]
mod next;
