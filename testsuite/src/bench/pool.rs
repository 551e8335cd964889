//! The pool of managed memory's blocks beside glibc's `malloc`, both called
//! directly in one process. The source is plain memory: what pages cost is the
//! driver's and not this.

use std::hint::black_box;
use std::ptr;
use std::sync::Barrier;
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use offmem_pool::Source;

use crate::Figure;
use crate::measure::alternate;

const ROUNDS: usize = 15;
/// Pairs of malloc and free by each thread.
const PAIRS: usize = 200_000;
const BATCH: usize = 1000;

struct Plain;

impl Source for Plain {
    fn obtain(&self, size: usize) -> Option<(usize, usize)> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping.
        let address = unsafe { libc::mmap(ptr::null_mut(), size, protection, flags, -1, 0) };
        (address != libc::MAP_FAILED).then(|| (address.expose_provenance(), size))
    }

    fn give_back(&self, address: usize, size: usize) -> bool {
        // SAFETY: a whole mapping that nobody uses.
        unsafe { libc::munmap(ptr::with_exposed_provenance_mut(address), size) == 0 }
    }
}

/// One of the two.
trait Heap {
    fn allocate(size: usize) -> *mut u8;
    fn free(block: *mut u8);
}

struct Glibc;

impl Heap for Glibc {
    #[inline]
    fn allocate(size: usize) -> *mut u8 {
        // SAFETY: no condition.
        unsafe { libc::malloc(size) }.cast()
    }

    #[inline]
    fn free(block: *mut u8) {
        // SAFETY: a block of `allocate`.
        unsafe { libc::free(block.cast()) }
    }
}

struct Pool;

impl Heap for Pool {
    #[inline]
    fn allocate(size: usize) -> *mut u8 {
        offmem_pool::allocate(size, offmem_pool::ALIGN)
    }

    #[inline]
    fn free(block: *mut u8) {
        // SAFETY: a block of `allocate`.
        unsafe { offmem_pool::free(block) }
    }
}

/// Sizes in a fixed order that no cache of sizes knows.
fn size(count: usize) -> usize {
    16 + (count.wrapping_mul(0x9e37_79b9) >> 7) % 497
}

fn pair<H: Heap>(size: usize) {
    let block = H::allocate(size);
    // A program allocates in order to use.
    // SAFETY: a live block.
    unsafe { *block = 1 };
    H::free(black_box(block));
}

fn pairs<H: Heap>() {
    (0..PAIRS).for_each(|_| pair::<H>(black_box(64)));
}

fn mixed<H: Heap>() {
    (0..PAIRS).for_each(|count| pair::<H>(size(count)));
}

fn batches<H: Heap>() {
    let mut blocks = [ptr::null_mut(); BATCH];
    for batch in 0..PAIRS / BATCH {
        for (count, block) in blocks.iter_mut().enumerate() {
            *block = H::allocate(size(batch + count));
            // SAFETY: a live block.
            unsafe { **block = 1 };
        }
        blocks.iter().for_each(|block| H::free(*block));
    }
}

/// Nanoseconds of `work`, of the best of many short pieces.
fn alone(work: fn()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_nanos() as f64 / PAIRS as f64
}

/// Nanoseconds from the first of the threads that begins `work` to the last that
/// ends it, for one pair of all.
fn together(threads: usize, work: fn()) -> f64 {
    let barrier = Barrier::new(threads);
    let times = thread::scope(|scope| {
        let threads = (0..threads).map(|_| {
            scope.spawn(|| {
                work();
                barrier.wait();
                let start = Instant::now();
                work();
                (start, Instant::now())
            })
        });
        let threads: Vec<_> = threads.collect();
        let times = threads.into_iter().map(|thread| thread.join().expect("no panics"));
        times.collect::<Vec<_>>()
    });
    let start = times.iter().map(|(start, _)| *start).min().expect("threads");
    let end = times.iter().map(|(_, end)| *end).max().expect("threads");
    (end - start).as_nanos() as f64 / (threads * PAIRS) as f64
}

struct Batch([*mut u8; BATCH]);

// SAFETY: its blocks belong to whoever has it.
unsafe impl Send for Batch {}

/// The same, where each thread frees what another allocates.
fn passed<H: Heap>(pairs: usize) -> f64 {
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..pairs {
            let (sender, receiver) = mpsc::sync_channel::<Batch>(4);
            scope.spawn(move || {
                for batch in 0..PAIRS / BATCH {
                    let blocks = std::array::from_fn(|count| H::allocate(size(batch + count)));
                    // SAFETY: live blocks.
                    blocks.iter().for_each(|block| unsafe { **block = 1 });
                    sender.send(Batch(blocks)).expect("a receiver");
                }
            });
            scope.spawn(move || {
                for batch in receiver {
                    let Batch(blocks) = batch;
                    blocks.iter().for_each(|block| H::free(*block));
                }
            });
        }
    });
    start.elapsed().as_nanos() as f64 / (pairs * PAIRS) as f64
}

/// What it is called, and the same for both.
type Part = (&'static str, fn(), fn());

const PARTS: [Part; 3] = [
    ("blocks of 64 bytes", pairs::<Pool>, pairs::<Glibc>),
    ("blocks of 16 to 512 bytes", mixed::<Pool>, mixed::<Glibc>),
    ("the same, 1000 at a time", batches::<Pool>, batches::<Glibc>),
];

/// Of the speed of one thread; the same for glibc's is what it is compared to. Both share two
/// cores' noise, which is what is left.
const SCALING: f64 = 1.1;

pub(crate) fn figures() -> Vec<Figure> {
    offmem_pool::begin(&Plain);
    let mut figures = Vec::new();
    let mut add = |name: String, ratio, limit| {
        figures.push(Figure { name: name.leak(), ratio, limit, remark: String::new() });
    };
    for (part, ours, glibc) in PARTS {
        let one = alternate(ROUNDS, || alone(ours), || alone(glibc));
        let name = format!("pool, {part}: {:.1} ns to glibc's {:.1}", one.0, one.1);
        add(name, one.0 / one.1, 1.3);
        for threads in [2, 4, 8] {
            let many = alternate(ROUNDS, || together(threads, ours), || together(threads, glibc));
            // Speed-up of glibc's to ours.
            let ratio = (one.1 / many.1) / (one.0 / many.0);
            let name = format!("  speed-up by {threads} threads: {:.1} ns, {:.1}", many.0, many.1);
            add(name, ratio, SCALING);
        }
    }
    for pairs in [1, 4] {
        let (ours, glibc) = alternate(ROUNDS, || passed::<Pool>(pairs), || passed::<Glibc>(pairs));
        let threads = 2 * pairs;
        let name = format!("freed by others, {threads} threads: {ours:.1} ns, {glibc:.1}");
        add(name, ours / glibc, 1.3);
    }
    figures
}
