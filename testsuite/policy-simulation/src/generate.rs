//! Traces from seeds: each has one habit of programs, or one that is hostile to
//! some policy.

use fastrand::Rng;

use crate::Trace;

const MIB: u64 = 1 << 20;
const BLOCK: u64 = 64 * MIB;

/// The name by which the limit for single use is looked up.
pub(crate) const SINGLE_USE: &str = "single use of many blocks";

/// All generated traces.
pub fn generated() -> Vec<Trace> {
    vec![
        uses(SINGLE_USE, 1),
        uses("2 uses of each block", 2),
        uses("3 uses of each block", 3),
        uses("4 uses of each block", 4),
        uses("10 uses of each block", 10),
        one_block(),
        sliding_window(),
        cyclic(),
        random_above_budget(),
        scan_beside_hot(),
        heavy_tail(),
        phases(),
        alternating(),
        small_parts(),
        allocation_loop(),
        map_tofrom(),
        sites(),
        false_promises(),
    ]
}

/// A trace of anything, without a limit to what may be registered: up to 30
/// blocks of 64 KiB to 4 GiB, of up to three sites, whose copies are small or
/// whole, few or many, and mixed with those of others.
pub fn arbitrary(seed: u64) -> Trace {
    let mut random = Rng::with_seed(seed);
    let mut trace = Trace::new(&format!("seed {seed}"));
    let sites = random.usize(1..=3);
    let mut pending = Vec::new();
    for block in 0..random.usize(1..=30) {
        let size = (64 << 10) << random.u32(..=16);
        let part = size >> if random.bool() { 0 } else { random.u32(..10) };
        let uses = 1 + (random.usize(..64) >> random.u32(..=6)) * (size / part) as usize;
        trace.allocate(block, size, random.usize(..sites));
        pending.push((block, part, uses));
    }
    while !pending.is_empty() {
        let chosen = random.usize(..pending.len());
        let (block, part, uses) = &mut pending[chosen];
        // Some are used at a stretch.
        for _ in 0..random.usize(1..=*uses) {
            match random.u32(..4) {
                0 => trace.copy_out(*block, *part),
                _ => trace.copy_in(*block, *part),
            }
            *uses -= 1;
        }
        if *uses == 0 {
            if random.bool() {
                trace.free(*block);
            }
            pending.swap_remove(chosen);
        }
    }
    trace
}

/// Each block is used so often and freed.
fn uses(name: &str, count: usize) -> Trace {
    let mut trace = Trace::new(name);
    for block in 0..200 {
        trace.allocate(block, BLOCK, 1);
        (0..count).for_each(|_| trace.copy_in(block, BLOCK));
        trace.free(block);
    }
    trace
}

fn one_block() -> Trace {
    let mut trace = Trace::new("one big block, 1000 times");
    trace.allocate(0, 1024 * MIB, 1);
    (0..1000).for_each(|_| trace.copy_in(0, 1024 * MIB));
    trace
}

/// Eight blocks are in use at a time; the oldest goes.
fn sliding_window() -> Trace {
    let mut trace = Trace::new("sliding window");
    for step in 0..100 {
        trace.allocate(step, BLOCK, 1);
        for block in (step + 1).saturating_sub(8)..=step {
            trace.copy_in(block, BLOCK);
        }
        if step >= 7 {
            trace.free(step - 7);
        }
    }
    trace
}

/// Twice what may be registered, in turn: where the least recently used goes,
/// nothing is ever there when it is needed.
fn cyclic() -> Trace {
    let mut trace = Trace::new("cyclic, twice the budget");
    trace.budget = 16 * BLOCK;
    (0..32).for_each(|block| trace.allocate(block, BLOCK, 1));
    for _ in 0..50 {
        (0..32).for_each(|block| trace.copy_in(block, BLOCK));
    }
    trace
}

fn random_above_budget() -> Trace {
    let mut random = Rng::with_seed(11);
    let mut trace = Trace::new("random order, twice the budget");
    trace.budget = 16 * BLOCK;
    (0..32).for_each(|block| trace.allocate(block, BLOCK, 1));
    (0..1600).for_each(|_| trace.copy_in(random.usize(..32), BLOCK));
    trace
}

/// Blocks that are used once go by a working set that just fits.
fn scan_beside_hot() -> Trace {
    let mut trace = Trace::new("a scan beside a working set");
    trace.budget = 8 * BLOCK;
    (0..8).for_each(|block| trace.allocate(block, BLOCK, 1));
    for round in 0..60 {
        (0..8).for_each(|block| trace.copy_in(block, BLOCK));
        let scanned = 8 + round;
        trace.allocate(scanned, BLOCK, 2);
        trace.copy_in(scanned, BLOCK);
        trace.free(scanned);
    }
    trace
}

/// Sizes and numbers of uses from Pareto distributions, interleaved.
fn heavy_tail() -> Trace {
    let mut random = Rng::with_seed(5);
    let mut pareto = |least: f64, most: f64| (least / random.f64().max(1e-9)).min(most);
    let mut trace = Trace::new("sizes and uses with heavy tails");
    let mut pending = Vec::new();
    for block in 0..300 {
        let size = (pareto(1.0, 2048.0) * MIB as f64) as u64;
        trace.allocate(block, size, 1 + block % 5);
        pending.push((block, size, pareto(1.0, 300.0) as usize));
    }
    while !pending.is_empty() {
        pending.retain_mut(|(block, size, uses)| {
            trace.copy_in(*block, *size);
            *uses -= 1;
            if *uses == 0 {
                trace.free(*block);
            }
            *uses > 0
        });
    }
    trace
}

/// One working set after another, each as large as the budget, and none freed.
fn phases() -> Trace {
    let mut trace = Trace::new("phases, each as large as the budget");
    trace.budget = 16 * BLOCK;
    for phase in 0..4 {
        (0..16).for_each(|block| trace.allocate(16 * phase + block, BLOCK, 1));
        for _ in 0..25 {
            (0..16).for_each(|block| trace.copy_in(16 * phase + block, BLOCK));
        }
    }
    trace
}

/// In and out, as `map(tofrom:)` of a region in a loop.
fn alternating() -> Trace {
    let mut trace = Trace::new("alternating directions");
    for block in 0..10 {
        trace.allocate(block, BLOCK, 1);
        for _ in 0..20 {
            trace.copy_in(block, BLOCK);
            trace.copy_out(block, BLOCK);
        }
    }
    trace
}

/// `target update` of parts.
fn small_parts() -> Trace {
    let mut trace = Trace::new("small parts of a big block");
    trace.allocate(0, 1024 * MIB, 1);
    trace.copy_in(0, 1024 * MIB);
    for _ in 0..3000 {
        trace.copy_out(0, MIB);
        trace.copy_in(0, MIB);
    }
    trace
}

/// Memory that goes back to the system each time.
fn allocation_loop() -> Trace {
    let mut trace = Trace::new("allocate, map tofrom, free, in a loop");
    for _ in 0..300 {
        trace.allocate(0, BLOCK, 1);
        trace.copy_in(0, BLOCK);
        trace.copy_out(0, BLOCK);
        trace.free(0);
    }
    trace
}

/// What a program does with each of a few arrays of its own, and with `coming`
/// known to the runtime.
fn map_tofrom() -> Trace {
    let mut trace = Trace::new("map(tofrom:) of each array, once");
    for block in 0..12 {
        trace.allocate(block, BLOCK << (block % 4), block);
        trace.copy_in_and_out(block, BLOCK << (block % 4));
    }
    trace
}

/// Blocks of three places: used once, often, and now and then.
fn sites() -> Trace {
    let mut random = Rng::with_seed(3);
    let mut trace = Trace::new("three sites with habits of their own");
    for block in 0..300 {
        let (site, uses) = match block % 3 {
            0 => (1, 1),
            1 => (2, 12),
            _ => (3, 1 + random.usize(..4)),
        };
        trace.allocate(block, BLOCK, site);
        (0..uses).for_each(|_| trace.copy_in(block, BLOCK));
        trace.free(block);
    }
    trace
}

/// Blocks that are used until registering has just paid, and ones like them that
/// are hardly used, in turn, so that whoever goes by the last few is always wrong.
fn false_promises() -> Trace {
    let mut trace = Trace::new("blocks that break a promise");
    let mut block = 0;
    let mut life = |trace: &mut Trace, parts: usize, bytes: u64| {
        trace.allocate(block, 1024 * MIB, 1);
        (0..parts).for_each(|_| trace.copy_in(block, bytes));
        trace.free(block);
        block += 1;
    };
    let (kept, broken) = ((80, 16 * MIB), (1, MIB));
    let turns = (0..100).flat_map(|_| [kept, broken]);
    for (parts, bytes) in [kept; 3].into_iter().chain([broken; 3]).chain(turns) {
        life(&mut trace, parts, bytes);
    }
    trace
}
