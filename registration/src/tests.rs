use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::thread;
use std::time::Duration;

use crate::driver::Driver;
use crate::{
    Failure, Found, GRANULE, Lifetime, Operations, Outcome, Phase, Range, Region, Registry, Unfit,
    Use,
};

/// As in a program: it is too large for a stack.
macro_rules! registry {
    () => {{
        static REGISTRY: Registry = Registry::new();
        &REGISTRY
    }};
}

/// In granules and quarters of one, from an address inside the table's second leaf.
fn quarters(start: usize, end: usize) -> Range {
    let base = 5 << 32;
    Range { start: base + start * GRANULE / 4, end: base + end * GRANULE / 4 }
}

fn granules(start: usize, end: usize) -> Range {
    quarters(4 * start, 4 * end)
}

fn add(registry: &Registry, range: Range) -> Use<'_> {
    registry.add(range, Lifetime::Kept).expect("a region")
}

fn inside(registry: &Registry, range: Range) -> Option<Range> {
    match registry.find(range) {
        Found::Inside(region) => Some(region.range()),
        Found::Across | Found::Outside => None,
    }
}

fn regions(registry: &Registry) -> Vec<Region> {
    let mut all = Vec::new();
    registry.for_each(|region| all.push(region));
    all
}

#[test]
fn find_tells_inside_from_across_from_outside() {
    let registry = registry!();
    assert!(matches!(registry.find(granules(0, 1)), Found::Outside));
    drop(add(registry, quarters(2, 9)));
    drop(add(registry, quarters(9, 14)));
    for (start, end) in [(2, 9), (2, 3), (8, 9), (5, 6)] {
        assert_eq!(inside(registry, quarters(start, end)), Some(quarters(2, 9)));
    }
    assert_eq!(inside(registry, quarters(9, 10)), Some(quarters(9, 14)));
    assert_eq!(inside(registry, quarters(13, 14)), Some(quarters(9, 14)));
    for (start, end) in [(1, 3), (0, 20), (8, 10), (13, 15), (2, 14), (0, 1 << 20)] {
        assert!(matches!(registry.find(quarters(start, end)), Found::Across), "{start} {end}");
    }
    for (start, end) in [(0, 2), (14, 15), (14, 1 << 20), (1, 2)] {
        assert!(matches!(registry.find(quarters(start, end)), Found::Outside), "{start} {end}");
    }
    let beyond = Range { start: 1 << 50, end: usize::MAX };
    assert!(matches!(registry.find(beyond), Found::Outside));
}

#[test]
fn regions_are_not_small_nor_out_of_reach_nor_across() {
    let registry = registry!();
    let fail = |range| registry.add(range, Lifetime::Kept).err();
    assert_eq!(fail(quarters(0, 3)), Some(Unfit::Small));
    let beyond = Range { start: (1 << 48) - GRANULE, end: (1 << 48) + 1 };
    assert_eq!(fail(beyond), Some(Unfit::Unreachable));
    drop(add(registry, granules(1, 3)));
    assert_eq!(fail(granules(0, 2)), Some(Unfit::Across));
    assert_eq!(fail(granules(2, 4)), Some(Unfit::Across));
    assert_eq!(fail(granules(0, 4)), Some(Unfit::Across));
    assert_eq!(add(registry, granules(2, 3)).range(), granules(1, 3));
    assert_eq!(regions(registry).len(), 1);
}

#[test]
fn a_registration_is_made_once_and_counted() {
    let (registry, driver) = (registry!(), Driver::new());
    let region = add(registry, granules(0, 2));
    assert!(!region.is_registered());
    assert_eq!(registry.register(&region, &driver), Outcome::Registered);
    assert_eq!(registry.register(&region, &driver), Outcome::Registered);
    assert!(region.is_registered() && driver.has(granules(0, 2)));
    assert_eq!(driver.calls(), 1);
    let statistics = registry.statistics();
    assert_eq!((statistics.regions, statistics.registrations), (1, 1));
    assert_eq!((statistics.registered_bytes, statistics.peak_bytes), (2 * GRANULE, 2 * GRANULE));
    drop(region);
    assert_eq!(registry.remove(granules(1, 2), &driver), 1);
    assert!(!driver.has(granules(0, 2)));
    let statistics = registry.statistics();
    assert_eq!((statistics.registered_bytes, statistics.peak_bytes), (0, 2 * GRANULE));
    assert_eq!((statistics.regions, statistics.unregistrations), (0, 1));
}

#[test]
fn no_more_than_a_limit_is_registered() {
    let (registry, driver) = (registry!(), Driver::new());
    let (one, two) = (add(registry, granules(0, 2)), add(registry, granules(4, 6)));
    let register = |region| registry.register_within(3 * GRANULE, region, &driver);
    assert_eq!(register(&one), Outcome::Registered);
    assert_eq!(register(&two), Outcome::Busy);
    assert_eq!((driver.calls(), registry.statistics().registered_bytes), (1, 2 * GRANULE));
    assert_eq!(registry.remove(granules(0, 2), &driver), 1);
    assert_eq!(register(&two), Outcome::Registered);
}

#[test]
fn what_the_driver_refuses_is_remembered() {
    let (registry, driver) = (registry!(), Driver::new());
    let region = add(registry, granules(0, 1));
    driver.refuse(Some(Failure::Refused));
    assert_eq!(registry.register(&region, &driver), Outcome::Refused);
    assert!(region.is_refused() && !region.is_registered());
    assert_eq!(registry.statistics().registered_bytes, 0);
    driver.refuse(Some(Failure::Gone));
    assert_eq!(registry.register(&region, &driver), Outcome::NoDriver);
    driver.refuse(None);
    assert_eq!(registry.register(&region, &driver), Outcome::Registered);
    assert!(!region.is_refused());
    assert_eq!(registry.statistics().failures, 2);
}

#[test]
fn what_others_registered_is_pinned_but_not_ours() {
    let (registry, driver) = (registry!(), Driver::new());
    driver.take(granules(1, 2));
    let region = add(registry, granules(0, 2));
    assert_eq!(registry.register(&region, &driver), Outcome::Adopted);
    assert_eq!(registry.register(&region, &driver), Outcome::Adopted);
    assert!(region.is_registered());
    drop(region);
    let statistics = registry.statistics();
    assert_eq!((statistics.registered_bytes, statistics.adoptions), (0, 1));
    assert_eq!(registry.evict(usize::MAX, &driver), 0);
    // Its block is freed, which they will have given back before.
    registry.settle(granules(0, 2));
    driver.give_back(granules(1, 2));
    let region = add(registry, granules(0, 2));
    assert!(!region.is_registered());
    assert_eq!(registry.register(&region, &driver), Outcome::Registered);
    driver.take(granules(4, 5));
    let other = add(registry, granules(4, 6));
    assert_eq!(registry.register(&other, &driver), Outcome::Adopted);
    drop(other);
    assert_eq!(registry.remove(granules(4, 5), &driver), 1);
    assert_eq!(driver.calls(), 3, "nobody unregistered it");
}

#[test]
fn joined_regions_become_one_with_their_costs() {
    let (registry, driver) = (registry!(), Driver::new());
    let [left, right] = [granules(1, 3), granules(4, 6)].map(|range| add(registry, range));
    left.cost().store(30, Relaxed);
    right.cost().store(12, Relaxed);
    right.set_sticky();
    assert_eq!(registry.register(&left, &driver), Outcome::Registered);
    let whole = registry.join(granules(2, 5), Lifetime::Kept, &driver).expect("a region");
    assert_eq!(whole.range(), granules(1, 6));
    assert_eq!(whole.cost().load(Relaxed), 42);
    assert_eq!(whole.lifetime(), Lifetime::Kept);
    assert!(!whole.is_registered() && !driver.has(granules(0, 9)));
    assert!(left.is_dropped() && right.is_dropped());
    assert_eq!(registry.register(&left, &driver), Outcome::Dropped);
    assert_eq!(registry.register(&whole, &driver), Outcome::Registered);
    let all = regions(registry);
    assert_eq!(all.len(), 1);
    assert!(all[0].sticky && all[0].phase == Phase::Registered);
    // Where it began and ended before, as in the middle.
    for (start, end) in [(1, 2), (2, 4), (5, 6), (1, 6)] {
        assert_eq!(inside(registry, granules(start, end)), Some(granules(1, 6)));
    }
}

#[test]
fn a_join_is_kept_only_if_all_are() {
    let (registry, driver) = (registry!(), Driver::new());
    drop(registry.add(granules(0, 2), Lifetime::Mapping).expect("a region"));
    let whole = registry.join(granules(1, 3), Lifetime::Kept, &driver).expect("a region");
    assert_eq!((whole.range(), whole.lifetime()), (granules(0, 3), Lifetime::Mapping));
    let same = registry.join(granules(1, 3), Lifetime::Kept, &driver).expect("a region");
    assert_eq!(same.range(), granules(0, 3));
    let alone = registry.join(quarters(20, 21), Lifetime::Kept, &driver);
    assert_eq!(alone.err(), Some(Unfit::Small));
    assert_eq!(registry.statistics().regions, 1);
}

#[test]
fn a_join_inside_one_granule_leaves_no_slot_behind() {
    let (registry, driver) = (registry!(), Driver::new());
    drop(add(registry, quarters(2, 7)));
    drop(add(registry, quarters(7, 13)));
    drop(registry.join(quarters(1, 8), Lifetime::Kept, &driver).expect("a region"));
    assert_eq!(registry.remove(quarters(3, 4), &driver), 1);
    for start in 0..16 {
        assert!(matches!(registry.find(quarters(start, start + 1)), Found::Outside));
        assert_eq!(registry.table_at(quarters(start, 16).start), [0, 0]);
    }
}

#[test]
fn removal_takes_what_is_in_use_and_its_use_stays_valid() {
    let (registry, driver) = (registry!(), Driver::new());
    let region = add(registry, granules(0, 2));
    assert_eq!(registry.register(&region, &driver), Outcome::Registered);
    region.set_sticky();
    let generation = registry.generation();
    assert_eq!(registry.remove(granules(5, 7), &driver), 0);
    assert_eq!(registry.generation(), generation);
    assert_eq!(registry.remove(granules(1, 200), &driver), 1);
    assert!(registry.generation() > generation);
    assert!(!driver.has(granules(0, 2)));
    assert!(region.is_dropped() && !region.is_registered());
    assert_eq!(region.range(), granules(0, 2));
    assert_eq!(registry.register(&region, &driver), Outcome::Dropped);
    let other = add(registry, granules(0, 2));
    assert_eq!(registry.spare(), (0, 1));
    drop(region);
    assert_eq!(registry.spare(), (1, 0));
    assert!(!other.is_dropped());
}

#[test]
fn a_part_of_dropped_memory_is_not_registered_under_a_copy() {
    let (registry, driver) = (registry!(), Driver::new());
    let copying = add(registry, granules(0, 4));
    assert_eq!(registry.remove(granules(3, 4), &driver), 1);
    let part = add(registry, granules(1, 2));
    assert_eq!(registry.register(&part, &driver), Outcome::Busy);
    driver.copy(granules(0, 3));
    let whole = registry.join(granules(0, 4), Lifetime::Kept, &driver).expect("a region");
    assert_eq!(registry.register(&whole, &driver), Outcome::Registered);
    drop(whole);
    assert_eq!(registry.remove(granules(0, 1), &driver), 1);
    let part = add(registry, granules(1, 2));
    assert_eq!(registry.register(&part, &driver), Outcome::Busy);
    drop(copying);
    assert_eq!(registry.register(&part, &driver), Outcome::Registered);
}

#[test]
fn only_an_idle_region_is_withdrawn() {
    let registry = registry!();
    let range = granules(0, 4);
    let held = add(registry, range);
    assert!(!registry.withdraw(range), "in use");
    held.set_sticky();
    drop(held);
    assert!(!registry.withdraw(range), "sticky");
    registry.settle(range);
    assert!(!registry.withdraw(granules(0, 3)) && !registry.withdraw(granules(0, 5)));
    assert!(registry.withdraw(range) && !registry.withdraw(range));
    assert!(matches!(registry.find(range), Found::Outside));
    let again = add(registry, range);
    assert!(!again.is_dropped());
}

#[test]
fn eviction_takes_the_least_recently_used_that_are_idle() {
    let (registry, driver) = (registry!(), Driver::new());
    let ranges = [granules(0, 1), granules(1, 3), granules(3, 4), granules(4, 5)];
    for range in ranges {
        let region = add(registry, range);
        region.cost().store(7, Relaxed);
        assert_eq!(registry.register(&region, &driver), Outcome::Registered);
    }
    let held = add(registry, ranges[0]);
    add(registry, ranges[2]).set_sticky();
    // Used after the last change, so it is younger than the last one.
    let tick = add(registry, granules(8, 9));
    assert_eq!(inside(registry, ranges[1]), Some(ranges[1]));
    drop(tick);
    assert_eq!(registry.evict(1, &driver), GRANULE);
    assert!(!driver.has(ranges[3]) && driver.has(ranges[1]));
    let evicted = add(registry, ranges[3]);
    assert!(!evicted.is_registered() && !evicted.is_dropped());
    assert_eq!(evicted.cost().load(Relaxed), 0);
    assert_eq!(registry.evict(usize::MAX, &driver), 2 * GRANULE);
    assert!(driver.has(ranges[0]) && driver.has(ranges[2]));
    registry.settle(granules(0, 9));
    drop(held);
    assert_eq!(registry.evict(usize::MAX, &driver), 2 * GRANULE);
    let statistics = registry.statistics();
    assert_eq!((statistics.registered_bytes, statistics.evictions), (0, 4));
    assert_eq!((statistics.unregistrations, statistics.regions), (4, 5));
}

#[test]
fn a_child_forgets_without_the_driver() {
    let (registry, driver) = (registry!(), Driver::new());
    let region = add(registry, granules(0, 2));
    drop(add(registry, granules(4, 6)));
    assert_eq!(registry.register(&region, &driver), Outcome::Registered);
    registry.forget();
    assert_eq!(driver.calls(), 1);
    let statistics = registry.statistics();
    assert_eq!((statistics.regions, statistics.registered_bytes), (0, 0));
    assert!(region.is_dropped());
    // Also where a slot of then leads to a region of now.
    let now = add(registry, granules(1, 5));
    assert_eq!(inside(registry, granules(1, 5)), Some(granules(1, 5)));
    assert!(matches!(registry.find(granules(0, 1)), Found::Outside));
    assert!(matches!(registry.find(granules(5, 6)), Found::Outside));
    assert_eq!(registry.register(&now, &Driver::new()), Outcome::Busy);
    drop(region);
    assert_eq!(registry.register(&now, &Driver::new()), Outcome::Registered);
}

#[test]
fn a_real_child_can_go_on() {
    let (registry, driver) = (registry!(), Driver::new());
    let region = add(registry, granules(0, 2));
    assert_eq!(registry.register(&region, &driver), Outcome::Registered);
    registry.acquire();
    // SAFETY: the child only uses the registry and leaves by _exit.
    let child = unsafe { libc::fork() };
    // SAFETY: acquired above, before the fork.
    unsafe { registry.release() };
    if child == 0 {
        registry.forget();
        let right = region.is_dropped() && matches!(registry.find(granules(0, 1)), Found::Outside);
        drop(region);
        let again = registry.add(granules(0, 1), Lifetime::Kept).is_ok();
        // SAFETY: ends the child, without the harness's exit handlers.
        unsafe { libc::_exit(if right && again { 7 } else { 1 }) };
    }
    let mut status = 0;
    // SAFETY: waits for our child.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(libc::WEXITSTATUS(status), 7);
    assert!(region.is_registered() && driver.has(granules(0, 2)));
}

/// A driver that takes its time with a registration.
struct Slow {
    driver: Driver,
    begun: AtomicBool,
    may_end: AtomicBool,
}

impl Slow {
    fn new() -> Slow {
        let (begun, may_end) = (AtomicBool::new(false), AtomicBool::new(false));
        Slow { driver: Driver::new(), begun, may_end }
    }

    fn until(what: &AtomicBool) {
        while !what.load(Relaxed) {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Operations for Slow {
    fn register(&self, range: Range) -> Result<(), Failure> {
        self.begun.store(true, Relaxed);
        Slow::until(&self.may_end);
        self.driver.register(range)
    }

    fn unregister(&self, range: Range) -> Result<(), Failure> {
        self.driver.unregister(range)
    }
}

#[test]
fn a_registration_under_way_holds_up_only_who_must_wait() {
    let (registry, slow) = (registry!(), Slow::new());
    let region = add(registry, granules(0, 2));
    let dropped = AtomicUsize::new(0);
    thread::scope(|scope| {
        let registering = scope.spawn(|| registry.register(&region, &slow));
        Slow::until(&slow.begun);
        assert_eq!(registry.register(&region, &slow), Outcome::Busy);
        assert_eq!(inside(registry, granules(0, 1)), Some(granules(0, 2)));
        drop(add(registry, granules(7, 8)));
        assert_eq!(registry.remove(granules(7, 8), &slow), 1);
        scope.spawn(|| dropped.store(registry.remove(granules(1, 2), &slow), Relaxed));
        let joined = scope.spawn(|| registry.join(granules(1, 3), Lifetime::Kept, &slow).is_ok());
        thread::sleep(Duration::from_millis(20));
        assert_eq!(dropped.load(Relaxed), 0);
        assert!(!joined.is_finished());
        slow.may_end.store(true, Relaxed);
        assert_eq!(registering.join().expect("a result"), Outcome::Registered);
        assert!(joined.join().expect("a result"));
    });
    assert_eq!(dropped.load(Relaxed), 1);
    assert!(!slow.driver.has(granules(0, 9)));
}

#[test]
fn a_child_born_during_a_registration_leaves_it_alone() {
    let (registry, slow) = (registry!(), Slow::new());
    let region = add(registry, granules(0, 2));
    thread::scope(|scope| {
        let registering = scope.spawn(|| registry.register(&region, &slow));
        Slow::until(&slow.begun);
        registry.forget();
        slow.may_end.store(true, Relaxed);
        assert_eq!(registering.join().expect("a result"), Outcome::Dropped);
    });
    assert_eq!(registry.statistics().registered_bytes, 0);
}

#[test]
fn a_large_region_is_found_from_end_to_end() {
    let (registry, driver) = (registry!(), Driver::new());
    let (size, base) = (64 << 30, 1 << 40);
    let large = Range { start: base + 100, end: base + size };
    let region = add(registry, large);
    for start in [base + 100, base + size / 2, base + size - 1] {
        assert_eq!(inside(registry, Range { start, end: start + 1 }), Some(large));
    }
    assert_eq!(inside(registry, large), Some(large));
    assert!(matches!(registry.find(Range { start: base, end: base + 101 }), Found::Across));
    drop(region);
    assert_eq!(registry.remove(large, &driver), 1);
    assert!(matches!(registry.find(large), Found::Outside));
}

/// A driver in which a signal comes, of which the handler drops the region
/// that is just there.
struct Interrupted;

static INTERRUPTED: Registry = Registry::new();
static HANDLED: AtomicUsize = AtomicUsize::new(0);

extern "C" fn unmap(_: i32) {
    HANDLED.fetch_add(INTERRUPTED.remove(granules(0, 4), &Interrupted), Relaxed);
}

impl Interrupted {
    fn interrupt(&self) {
        // SAFETY: the signal has a handler.
        unsafe { libc::raise(libc::SIGUSR2) };
    }
}

impl Operations for Interrupted {
    fn register(&self, _: Range) -> Result<(), Failure> {
        self.interrupt();
        Ok(())
    }

    fn unregister(&self, _: Range) -> Result<(), Failure> {
        self.interrupt();
        Ok(())
    }
}

#[test]
fn a_handler_does_not_wait_for_its_own_thread() {
    // SAFETY: a handler of the test's, for a signal that nothing else uses here.
    unsafe { libc::signal(libc::SIGUSR2, unmap as *const () as libc::sighandler_t) };
    let region = add(&INTERRUPTED, granules(0, 4));
    assert_eq!(INTERRUPTED.register(&region, &Interrupted), Outcome::Registered);
    assert_eq!(HANDLED.load(Relaxed), 1, "once it could");
    assert!(region.is_dropped());
    drop(region);
    // The same with the lock held.
    let region = add(&INTERRUPTED, granules(0, 4));
    INTERRUPTED.for_each(|_| Interrupted.interrupt());
    assert_eq!(HANDLED.load(Relaxed), 2);
    assert!(region.is_dropped() && regions(&INTERRUPTED).is_empty());
}
