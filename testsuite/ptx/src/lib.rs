//! Parses, links and runs the PTX that GCC emits for nvptx offloading.
//!
//! [`Object::parse`] reads one PTX text, [`Program::link`] joins the texts of
//! a program and gives its variables device memory, [`run()`] interprets a
//! kernel over a [`Memory`]. Section numbers in this crate are those of the
//! *PTX ISA* manual, version 8.
//!
//! # Code map
//!
//! | module | what it knows |
//! |---|---|
//! | `types`, `space`, `instruction`, `function` | a program's data |
//! | `alu` | instructions that only compute, by mnemonic |
//! | `parse` | directives, declarations, operands; nothing of execution |
//! | `link`, `program` | names and addresses |
//! | `run` | launches, CTAs, warps, lanes |
//!
//! # What always holds
//!
//! - A text parses only if every instruction of it can be executed; there is
//!   no opcode that is found to be missing by running it.
//! - Constants, addresses and special values are registers too: the
//!   interpreter reads every source in the same way.
//! - A register of a warp holds one value, or a value for each lane, and the
//!   former again as soon as all lanes agree.
//! - Lanes that are together stay in lockstep; those that went apart meet
//!   again at the lowest instruction that is ahead of both.
//! - No kernel reaches host memory but through [`Memory`], and no text makes
//!   the crate panic.

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
