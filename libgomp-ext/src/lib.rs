//! Runtime beside libgomp for `-foffload-memory=pinned|unified`.
//!
//! The program's units say what they want (`unit`), a strategy is chosen and
//! begun (`strategy`), and each call into libgomp that maps or copies comes
//! through here (`entry`) on its way to the real one (`function`).
//! What cannot be done is said in one line (`message`) and done without; what
//! was done is told at exit to those who ask (`report`), and the program itself
//! may ask (`api`).

// Exported functions are called from outside only, and unit tests do not export them.
#![cfg_attr(test, allow(dead_code, reason = "exports are not exported there"))]

mod allocator;
mod api;
mod budget;
mod driver;
mod engine;
mod entry;
mod environment;
mod function;
mod heap;
mod hook;
mod intervals;
mod kernel;
mod maps;
mod memlock;
mod message;
mod objects;
mod origin;
mod record;
mod report;
mod sabotage;
mod strategy;
mod unified;
mod unit;

use offmem_registration::{errno, lock};
