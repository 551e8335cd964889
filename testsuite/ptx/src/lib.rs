//! Parses, links and runs the PTX that GCC emits for nvptx offloading.
//!
//! [`Object::parse`] reads one PTX text, [`Program::link`] joins the texts of
//! a program and gives its variables device memory, [`run`] interprets a
//! kernel over a [`Memory`]. Section numbers in this crate are those of the
//! *PTX ISA* manual, version 8.

mod alu;
mod function;
mod instruction;
mod link;
mod memory;
mod object;
mod parse;
mod program;
mod run;
mod shared;
mod space;
mod types;

pub use link::LinkError;
pub use memory::{Access, Memory, Refusal};
pub use object::{Object, ParseError};
pub use program::{EntryId, Program};
pub use run::{Counts, Fault, Launch, Limits, run, run_within};
pub use space::WINDOWS;
