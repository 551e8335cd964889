//! Hits in the registry, beside those in UCX's registration cache: same
//! regions, same random order, same number of threads.

use std::hint::black_box;
use std::path::Path;
use std::process::Command;
use std::sync::Barrier;
use std::thread;
use std::time::Instant;

use offmem_registration::{Found, GRANULE, Lifetime, Range, Registry};
use offmem_testsuite::{Compiler, Language, root, succeed};
use tempfile::TempDir;

use crate::Figure;
use crate::measure::alternate;

const REGIONS: [u64; 3] = [1, 1000, 100_000];
const THREADS: [u64; 4] = [1, 2, 4, 8];
const ROUNDS: usize = 10;
/// Of all threads together.
const HITS: u64 = 400_000;

pub(crate) fn figures() -> Vec<Figure> {
    let folder = TempDir::new().expect("a temporary folder");
    let ucx = compile(folder.path());
    let mut figures = Vec::new();
    fill(1);
    // In short pieces, some of which nothing disturbs.
    let alone = (0..1000).map(|_| nanoseconds(1, 1, 10_000)).fold(f64::INFINITY, f64::min);
    for regions in REGIONS {
        fill(regions);
        for threads in THREADS {
            let hits = HITS / threads;
            let (ours, theirs) = alternate(
                ROUNDS,
                || nanoseconds(regions, threads, hits),
                || {
                    let arguments = [regions, threads, hits].map(|number| number.to_string());
                    let printed = succeed(Command::new(&ucx).args(arguments));
                    printed.trim().parse().expect("nanoseconds")
                },
            );
            let name = format!(
                "hit in {regions} regions, {threads} threads: {ours:.0} ns to UCX's {theirs:.0}"
            );
            figures.push(Figure::new(name.leak(), ours / theirs, 1.0));
        }
    }
    figures.push(Figure::new("hit by one thread in one region, of 30 ns", alone / 30.0, 1.0));
    figures
}

fn compile(folder: &Path) -> impl AsRef<std::ffi::OsStr> {
    let program = folder.join("rcache");
    let mut gcc = Compiler::of(Language::C).command();
    gcc.args(["-O2", "-pthread"]).arg(root().join("testsuite/src/bench/rcache.c"));
    succeed(gcc.arg("-o").arg(&program).args(["-lucs", "-lucm"]));
    program
}

static REGISTRY: Registry = Registry::new();
/// Nothing needs to be there.
const BASE: usize = 1 << 45;

fn fill(regions: u64) {
    for index in 0..regions as usize {
        let range = Range::new(BASE + index * GRANULE, GRANULE).expect("a range");
        REGISTRY.add(range, Lifetime::Kept).expect("a region");
    }
}

/// From the first thread's start to the last one's end: the one that started
/// them may be late itself.
fn nanoseconds(regions: u64, threads: u64, hits: u64) -> f64 {
    let barrier = Barrier::new(threads as usize);
    let work = |seed: u64| {
        barrier.wait();
        let start = Instant::now();
        let mut dice = seed;
        for _ in 0..hits {
            // Knuth's MMIX, as in rcache.c.
            dice = dice
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            hit((((dice >> 32) * regions) >> 32) as usize);
        }
        (start, Instant::now())
    };
    let times: Vec<(Instant, Instant)> = thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = (1..=threads).map(|seed| scope.spawn(move || work(seed))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no failure")).collect()
    });
    let start = times.iter().map(|time| time.0).min().expect("a thread");
    let end = times.iter().map(|time| time.1).max().expect("a thread");
    end.duration_since(start).as_secs_f64() * 1e9 / hits as f64
}

fn hit(index: usize) {
    let start = BASE + index * GRANULE + 4096;
    match REGISTRY.find(Range { start, end: start + 4096 }) {
        Found::Inside(region) => drop(black_box(region)),
        other => panic!("{other:?}"),
    }
}
