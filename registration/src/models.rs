//! Two threads in every order that matters, by loom. Each model ends with the
//! driver's own checks: no registration twice, none undone twice.
//!
//! With a bound on preemptions loom does not treat both threads alike, so each
//! pair runs with either one as the main thread.

use core::sync::atomic::Ordering::Relaxed;

use loom::thread;

use crate::driver::Driver;
use crate::sync::AtomicU32;
use crate::{Found, GRANULE, Lifetime, Outcome, Range, Registry, Use};

fn granules(start: usize, end: usize) -> Range {
    Range { start: start * GRANULE, end: end * GRANULE }
}

/// A registry, a driver, and which of two threads is the main one.
type Model = (&'static Registry, &'static Driver, bool);

fn model(check: impl Fn(Model) + Sync + Send + Copy + 'static) {
    for order in [false, true] {
        loom::model(move || {
            // Leaked: loom's objects may not outlive an execution, nor its threads them.
            let registry = Box::leak(Box::new(Registry::new()));
            check((registry, Box::leak(Box::new(Driver::new())), order));
        });
    }
}

fn both<L: 'static, R: 'static>(
    order: bool,
    left: impl FnOnce() -> L + 'static,
    right: impl FnOnce() -> R + 'static,
) -> (L, R) {
    if order {
        let right = thread::spawn(right);
        let left = left();
        (left, right.join().expect("no failure"))
    } else {
        let left = thread::spawn(left);
        let right = right();
        (left.join().expect("no failure"), right)
    }
}

fn add(registry: &'static Registry, range: Range) -> Use<'static> {
    registry.add(range, Lifetime::Kept).expect("a region")
}

#[test]
fn a_recycled_record_is_not_mistaken() {
    model(|(registry, driver, order)| {
        drop(add(registry, granules(0, 2)));
        let find = move || match registry.find(granules(0, 1)) {
            Found::Inside(region) => assert_eq!(region.range(), granules(0, 2)),
            Found::Across => panic!("it was never across"),
            Found::Outside => {}
        };
        let recycle = move || {
            assert_eq!(registry.remove(granules(0, 1), driver), 1);
            assert_eq!(add(registry, granules(3, 5)).range(), granules(3, 5));
        };
        both(order, find, recycle);
        assert!(matches!(registry.find(granules(0, 1)), Found::Outside));
        assert!(matches!(registry.find(granules(3, 4)), Found::Inside(_)));
        assert_eq!(registry.spare().1, 0);
    });
}

#[test]
fn nothing_stays_registered_after_a_removal() {
    model(|(registry, driver, order)| {
        let region = add(registry, granules(0, 2));
        let register = move || registry.register(&region, driver);
        let remove = move || {
            assert_eq!(registry.remove(granules(1, 2), driver), 1);
            assert!(!driver.has(granules(0, 2)));
        };
        let (outcome, ()) = both(order, register, remove);
        assert!(matches!(outcome, Outcome::Registered | Outcome::Dropped), "{outcome:?}");
        assert!(!driver.has(granules(0, 2)));
        assert_eq!(registry.statistics().registered_bytes, 0);
        assert_eq!(registry.spare(), (1, 0));
    });
}

#[test]
fn one_of_two_registers() {
    model(|(registry, driver, order)| {
        let work = move || {
            let region = add(registry, granules(0, 2));
            let outcome = registry.register(&region, driver);
            assert!(outcome == Outcome::Busy || region.is_registered());
            outcome
        };
        let outcomes = both(order, work, work);
        assert!(outcomes.0.is_pinned() || outcomes.1.is_pinned(), "{outcomes:?}");
        let statistics = registry.statistics();
        assert_eq!((statistics.regions, statistics.registrations), (1, 1));
    });
}

#[test]
fn what_is_in_use_is_not_evicted() {
    model(|(registry, driver, order)| {
        let region = add(registry, granules(0, 2));
        assert_eq!(registry.register(&region, driver), Outcome::Registered);
        drop(region);
        let find = move || {
            let Found::Inside(region) = registry.find(granules(0, 1)) else {
                panic!("it stays a region");
            };
            if region.is_registered() {
                driver.copy(granules(0, 1));
                assert!(region.is_registered() && driver.has(granules(0, 2)));
            }
        };
        let ((), freed) = both(order, find, move || registry.evict(1, driver));
        assert!(freed == 0 || !driver.has(granules(0, 2)));
        assert_eq!(registry.statistics().registered_bytes, 2 * GRANULE - freed);
    });
}

#[test]
fn a_record_is_freed_once() {
    model(|(registry, driver, order)| {
        let region = add(registry, granules(0, 2));
        let remove = move || registry.remove(granules(0, 2), driver);
        let ((), dropped) = both(order, move || drop(region), remove);
        assert_eq!((dropped, registry.spare()), (1, (1, 0)));
    });
}

#[test]
fn a_joined_range_is_found_throughout() {
    model(|(registry, driver, order)| {
        drop(add(registry, granules(1, 3)));
        let find = move || match registry.find(granules(1, 2)) {
            Found::Inside(region) => assert!(region.range().contains(granules(1, 3))),
            other => panic!("{other:?}"),
        };
        let join = move || {
            let whole = registry.join(granules(0, 2), Lifetime::Kept, driver).expect("a region");
            assert_eq!(whole.range(), granules(0, 3));
        };
        both(order, find, join);
    });
}

#[test]
fn a_copy_never_meets_an_edge_that_a_removal_made() {
    model(|(registry, driver, order)| {
        let copying = add(registry, granules(0, 3));
        let copied: &'static AtomicU32 = Box::leak(Box::new(AtomicU32::new(0)));
        let copy = move || {
            driver.copy(granules(0, 2));
            copied.store(1, Relaxed);
            drop(copying);
        };
        let cut = move || {
            registry.remove(granules(2, 3), driver);
            let part = add(registry, granules(1, 2));
            let outcome = registry.register(&part, driver);
            assert!(outcome == Outcome::Busy || copied.load(Relaxed) == 1, "{outcome:?}");
        };
        both(order, copy, cut);
    });
}
