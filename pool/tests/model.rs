//! Random allocations by several threads, compared with a model byte by byte.

#![allow(missing_docs, clippy::print_stderr)]

mod common;

use std::collections::BTreeMap;
use std::env;
use std::sync::Mutex;
use std::sync::atomic::Ordering;
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use common::Pages;
use offmem_pool::{self as pool, GRANULE};

static PAGES: Pages = Pages::new();

/// All blocks of all threads: end by start.
static LIVE: Mutex<BTreeMap<usize, usize>> = Mutex::new(BTreeMap::new());

const THREADS: u64 = 4;
const STEPS: usize = 6000;

struct Block {
    address: *mut u8,
    size: usize,
    mark: u8,
}

// SAFETY: its memory belongs to whoever has it.
unsafe impl Send for Block {}

/// Between threads, so that blocks are freed by others.
static PASSED: Mutex<Vec<Block>> = Mutex::new(Vec::new());

impl Block {
    /// Checks what was allocated, notes it, and fills it.
    fn new(address: *mut u8, size: usize, align: usize, mark: u8) -> Block {
        assert!(!address.is_null() && address.addr().is_multiple_of(align.max(1)));
        // SAFETY: a live block.
        let usable = unsafe { pool::usable_size(address) };
        assert!(usable >= size);
        let (start, end) = (address.addr(), address.addr() + usable);
        assert!(pool::owns(start) && pool::owns(end - 1), "outside");
        let (piece, bytes) = PAGES.piece(start).expect("in a slab");
        assert!(end <= piece + bytes, "{start:x} to {end:x} crosses the slab's end");
        assert!(start >= piece.next_multiple_of(GRANULE));
        let mut live = LIVE.lock().expect("no panics");
        let before = live.range(..end).next_back();
        assert!(before.is_none_or(|(_, before)| *before <= start), "two blocks overlap");
        live.insert(start, end);
        drop(live);
        let block = Block { address, size, mark };
        block.fill();
        block
    }

    #[allow(clippy::mut_from_ref, reason = "one slice at a time")]
    fn bytes(&self) -> &mut [u8] {
        // SAFETY: a live block of this size.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.size) }
    }

    /// The ends of it and a byte of each page are enough to see a foreign hand.
    fn places(&self) -> impl Iterator<Item = usize> {
        let edge = self.size.min(64);
        (0..edge).chain((0..self.size).step_by(4096)).chain(self.size - edge..self.size)
    }

    fn fill(&self) {
        self.places().for_each(|place| self.bytes()[place] = self.mark);
    }

    fn check(&self) {
        assert!(self.places().all(|place| self.bytes()[place] == self.mark), "changed");
    }

    /// Takes it out of the books.
    fn forget(&self) {
        self.check();
        assert!(LIVE.lock().expect("no panics").remove(&self.address.addr()).is_some());
    }

    fn free(self) {
        self.forget();
        // SAFETY: a live block that nobody else has.
        unsafe { pool::free(self.address) };
    }

    fn resize(self, size: usize, mark: u8) -> Block {
        self.forget();
        // SAFETY: as above.
        let address = unsafe { pool::resize(self.address, size) };
        assert!(!address.is_null());
        let kept = Block { address, size: self.size.min(size), mark: self.mark };
        let common = kept.size.min(64);
        assert!(kept.bytes()[..common].iter().all(|byte| *byte == self.mark), "contents moved");
        assert!((0..kept.size).step_by(4096).all(|place| kept.bytes()[place] == self.mark));
        Block::new(address, size, 1, mark)
    }
}

fn size(random: &mut fastrand::Rng) -> usize {
    match random.u32(..100) {
        0..70 => random.usize(..600),
        70..90 => random.usize(..20_000),
        90..99 => random.usize(..1 << 20),
        _ => random.usize(..12 << 20),
    }
}

fn step(random: &mut fastrand::Rng, blocks: &mut Vec<Block>) {
    let mark = random.u8(1..);
    match random.u32(..100) {
        0..35 => {
            let (size, align) = (size(random), 1 << random.u32(..=4));
            blocks.push(Block::new(pool::allocate(size, align), size, align, mark));
        }
        35..40 => {
            let (size, align) = (size(random), 1 << random.u32(4..=22));
            blocks.push(Block::new(pool::allocate(size, align), size, align, mark));
        }
        40..50 => {
            let size = size(random);
            let address = pool::allocate_zeroed(size);
            // SAFETY: a block of that size.
            let bytes = unsafe { std::slice::from_raw_parts(address, size) };
            let other = bytes.iter().position(|byte| *byte != 0);
            assert_eq!(other, None, "not zeros: {:?} of {size}", other.map(|place| bytes[place]));
            blocks.push(Block::new(address, size, 16, mark));
        }
        50..60 if !blocks.is_empty() => {
            let block = blocks.swap_remove(random.usize(..blocks.len()));
            blocks.push(block.resize(size(random), mark));
        }
        60..65 if !blocks.is_empty() => {
            let block = blocks.swap_remove(random.usize(..blocks.len()));
            PASSED.lock().expect("no panics").push(block);
        }
        65..70 => {
            let passed = PASSED.lock().expect("no panics").pop();
            passed.into_iter().for_each(Block::free);
        }
        70 => pool::purge(),
        71 => pool::trim(),
        _ if blocks.len() > random.usize(..300) => {
            blocks.swap_remove(random.usize(..blocks.len())).free();
        }
        _ => {}
    }
}

#[test]
fn blocks_are_what_they_should_be() {
    let seed = env::var("SEED").map_or_else(
        |_| SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_nanos() as u64),
        |seed| seed.parse().expect("a number"),
    );
    eprintln!("SEED={seed}");
    pool::begin(&PAGES);
    let threads = (0..THREADS).map(|thread| {
        thread::spawn(move || {
            let mut random = fastrand::Rng::with_seed(seed.wrapping_add(thread));
            let mut blocks = Vec::new();
            for count in 0..STEPS {
                step(&mut random, &mut blocks);
                if count == STEPS / 2 && thread == 0 {
                    PAGES.skew.store(3 * 4096, Ordering::Relaxed);
                }
            }
            blocks.into_iter().for_each(Block::free);
        })
    });
    // Joined, so that their caches are gone, too.
    threads.collect::<Vec<_>>().into_iter().for_each(|thread| thread.join().expect("no panics"));
    PASSED.lock().expect("no panics").drain(..).for_each(Block::free);
    assert!(LIVE.lock().expect("no panics").is_empty());
    assert_eq!(PAGES.most_inside.load(Ordering::Relaxed), 1, "one obtains at a time");
    pool::trim();
    let left = pool::statistics();
    assert!(left.slabs == 1 && left.slabs == PAGES.pieces(), "{left:?}");
    assert!(PAGES.given_back.load(Ordering::Relaxed) > 0);
}
