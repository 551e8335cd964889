//! All that the registry can do, by several threads at once, on the same memory.

use std::sync::atomic::Ordering::Relaxed;
use std::thread;
use std::time::{Duration, Instant};

use crate::driver::Driver;
use crate::{Found, GRANULE, Lifetime, Outcome, Range, Registry, Use};

const THREADS: u64 = 4;
const TIME: Duration = Duration::from_millis(1500);
/// Of all that happens here, in quarters of a granule.
const SPACE: u64 = 100;

/// Steele, Lea and Flood's SplitMix.
struct Dice(u64);

impl Dice {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(mixed ^ mixed >> 31) * u128::from(end)) >> 64) as u64
    }

    fn range(&mut self) -> Range {
        let start = self.below(SPACE) as usize;
        let size = self.below(SPACE / 5) as usize + 1;
        let quarter = GRANULE / 4;
        Range { start: (1 << 32) + start * quarter, end: (1 << 32) + (start + size) * quarter }
    }
}

/// As an entry point does before a copy.
fn prepare<'r>(
    registry: &'r Registry,
    range: Range,
    lifetime: Lifetime,
    driver: &Driver,
) -> Option<Use<'r>> {
    match registry.find(range) {
        Found::Inside(region) => Some(region),
        Found::Across => registry.join(range, lifetime, driver).ok(),
        Found::Outside => {
            let added = registry.add(range, lifetime);
            added.or_else(|_| registry.join(range, lifetime, driver)).ok()
        }
    }
}

fn play(registry: &Registry, driver: &Driver, seed: u64) -> u64 {
    let mut dice = Dice(seed);
    let start = Instant::now();
    let mut copies = 0;
    while start.elapsed() < TIME {
        let range = dice.range();
        match dice.below(16) {
            0 | 1 => {
                registry.remove(range, driver);
            }
            2 => {
                registry.evict(range.size(), driver);
            }
            3 => registry.settle(range),
            4 => {
                assert!(registry.statistics().regions <= SPACE as usize / 4 + 5);
            }
            _ => {
                let lifetime = [Lifetime::Kept, Lifetime::Mapping][dice.below(2) as usize];
                let Some(region) = prepare(registry, range, lifetime, driver) else { continue };
                assert!(region.range().contains(range), "{range} in {region:?}");
                driver.copy(range);
                if dice.below(3) == 0 {
                    let outcome = registry.register(&region, driver);
                    assert_ne!(outcome, Outcome::Adopted);
                }
                if dice.below(8) == 0 {
                    region.set_sticky();
                }
                region.cost().fetch_add(1, Relaxed);
                driver.copy(range);
                copies += 1;
            }
        }
    }
    copies
}

#[test]
fn threads_never_make_a_copy_fail_nor_leave_anything_behind() {
    static REGISTRY: Registry = Registry::new();
    let driver = Driver::new();
    let copies: u64 = thread::scope(|scope| {
        let driver = &driver;
        let threads: Vec<_> =
            (1..=THREADS).map(|seed| scope.spawn(move || play(&REGISTRY, driver, seed))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no failure")).sum()
    });
    assert!(copies > 1000, "{copies} copies are too few to say anything");
    assert_eq!(REGISTRY.statistics().registered_bytes, driver.bytes());
    let all = Range { start: 1 << 32, end: 2 << 32 };
    REGISTRY.remove(all, &driver);
    let statistics = REGISTRY.statistics();
    assert_eq!((statistics.regions, statistics.registered_bytes, driver.bytes()), (0, 0, 0));
    assert_eq!(statistics.registrations, statistics.unregistrations);
    assert!(statistics.evictions > 0 && statistics.failures == 0);
    let (_, ghosts) = REGISTRY.spare();
    assert_eq!(ghosts, 0);
    for granule in 0..=SPACE as usize {
        assert_eq!(REGISTRY.table_at(all.start + granule * GRANULE), [0, 0]);
    }
}
