//! Runtime beside libgomp for `-foffload-memory=pinned|unified`.
//!
//! The program's units say what they want (`unit`), a strategy is chosen and
//! begun (`strategy`), and each call into libgomp that maps or copies comes
//! through here (`entry`, `variadic`) on its way to the real one (`function`).
//! What cannot be done is said in one line (`message`) and done without.

mod allocator;
mod driver;
mod entry;
mod environment;
mod function;
mod hook;
mod intervals;
mod lock;
mod maps;
mod memlock;
mod message;
mod objects;
mod origin;
mod record;
mod strategy;
mod unit;
mod variadic;
