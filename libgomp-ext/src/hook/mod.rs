//! Functions of libc's under their own names, in effect where this library
//! comes first in lookup order.

pub(crate) mod allocation;
mod next;
