//! Parses and links a text, and runs its kernels for a while.
//!
//!     cargo +nightly fuzz run run corpus ../tests/corpus
//!
//! The kernels see one block of memory, with exact bounds, so that the
//! address sanitiser finds whatever the interpreter would let through.

#![no_main]

use std::cell::Cell;
use std::sync::atomic::AtomicU64;

use libfuzzer_sys::fuzz_target;
use softcuda_ptx::{Access, Launch, Limits, Memory, Object, Program, Refusal, run_within};

const SIZE: usize = 1 << 16;
const INSTRUCTIONS: u64 = 5_000;

/// One block of memory, of which variables take the first bytes.
struct Block(Vec<AtomicU64>);

impl Block {
    fn address(&self) -> u64 {
        self.0.as_ptr() as u64
    }
}

impl Memory for Block {
    fn translate(&self, address: u64, size: usize, _access: Access) -> Result<*mut u8, Refusal> {
        let end = address.checked_add(size as u64);
        let inside = end.is_some_and(|end| end <= self.address() + SIZE as u64);
        if address >= self.address() && inside {
            return Ok(address as *mut u8);
        }
        Err(Refusal("outside".to_owned()))
    }

    fn malloc(&self, size: u64) -> u64 {
        if size <= 64 { self.address() } else { 0 }
    }

    fn free(&self, _address: u64) {}

    fn print(&self, _text: &[u8]) {}
}

fuzz_target!(|text: &str| {
    let Ok(object) = Object::parse("fuzz", text) else {
        return;
    };
    let memory = Block((0..SIZE / 8).map(|_| AtomicU64::new(0)).collect());
    let next = Cell::new(memory.address());
    let mut place = |size: u64, alignment: u64| {
        let address = next.get().next_multiple_of(alignment);
        let end = address.checked_add(size).filter(|end| *end <= memory.address() + SIZE as u64)?;
        next.set(end);
        Some(address)
    };
    let Ok(program) = Program::link(vec![object], &mut place, &memory) else {
        return;
    };
    let launch = Launch {
        grid: [2, 1, 1],
        block: [32, 2, 1],
        shared: 64,
        parameters: [memory.address(), memory.address() + 4096, 64].map(u64::to_le_bytes).concat(),
        local_limit: 1 << 14,
    };
    let limits = Limits { threads: 1, quantum: 50 };
    for rest in text.split(".entry").skip(1) {
        let name = rest.trim_start().split(|c: char| c.is_whitespace() || c == '(').next();
        if let Some(entry) = name.and_then(|name| program.entry(name)) {
            let _ = run_within(&program, entry, &launch, &memory, &limits, INSTRUCTIONS);
        }
    }
});
