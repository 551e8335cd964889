//! Two threads in every order that matters, by loom. Each model ends with the
//! driver's own checks: no registration twice, none undone twice.

use core::sync::atomic::Ordering::Relaxed;

use loom::thread;

use crate::driver::Driver;
use crate::sync::AtomicU32;
use crate::{Found, GRANULE, Lifetime, Outcome, Range, Registry, Use};

fn granules(start: usize, end: usize) -> Range {
    Range { start: start * GRANULE, end: end * GRANULE }
}

/// A registry and a driver that live as long as a model's threads.
fn model(check: impl Fn(&'static Registry, &'static Driver) + Sync + Send + 'static) {
    loom::model(move || {
        // Leaked: loom's objects may not outlive an execution, nor its threads them.
        check(Box::leak(Box::new(Registry::new())), Box::leak(Box::new(Driver::new())));
    });
}

fn add(registry: &'static Registry, range: Range) -> Use<'static> {
    registry.add(range, Lifetime::Kept).expect("a region")
}

fn spawn<T: 'static>(work: impl FnOnce() -> T + 'static) -> thread::JoinHandle<T> {
    thread::spawn(work)
}

fn end<T>(thread: thread::JoinHandle<T>) -> T {
    thread.join().expect("no failure")
}

#[test]
fn a_recycled_record_is_not_mistaken() {
    model(|registry, driver| {
        drop(add(registry, granules(0, 2)));
        let finder = spawn(move || match registry.find(granules(0, 1)) {
            Found::Inside(region) => assert_eq!(region.range(), granules(0, 2)),
            Found::Across => panic!("it was never across"),
            Found::Outside => {}
        });
        assert_eq!(registry.remove(granules(0, 1), driver), 1);
        assert_eq!(add(registry, granules(3, 5)).range(), granules(3, 5));
        end(finder);
        assert!(matches!(registry.find(granules(0, 1)), Found::Outside));
        assert!(matches!(registry.find(granules(3, 4)), Found::Inside(_)));
        assert_eq!(registry.spare().1, 0);
    });
}

#[test]
fn nothing_stays_registered_after_a_removal() {
    model(|registry, driver| {
        let region = add(registry, granules(0, 2));
        let registering = spawn(move || registry.register(&region, driver));
        assert_eq!(registry.remove(granules(1, 2), driver), 1);
        assert!(!driver.has(granules(0, 2)));
        let outcome = end(registering);
        assert!(matches!(outcome, Outcome::Registered | Outcome::Dropped), "{outcome:?}");
        assert!(!driver.has(granules(0, 2)));
        assert_eq!(registry.statistics().registered_bytes, 0);
        assert_eq!(registry.spare(), (1, 0));
    });
}

#[test]
fn one_of_two_registers() {
    model(|registry, driver| {
        let work = move || {
            let region = add(registry, granules(0, 2));
            let outcome = registry.register(&region, driver);
            assert!(outcome == Outcome::Busy || region.is_registered());
            outcome
        };
        let other = spawn(work);
        let outcomes = [work(), end(other)];
        assert!(outcomes.contains(&Outcome::Registered), "{outcomes:?}");
        let statistics = registry.statistics();
        assert_eq!((statistics.regions, statistics.registrations), (1, 1));
    });
}

#[test]
fn what_is_in_use_is_not_evicted() {
    model(|registry, driver| {
        let region = add(registry, granules(0, 2));
        assert_eq!(registry.register(&region, driver), Outcome::Registered);
        drop(region);
        let evictor = spawn(move || registry.evict(1, driver));
        let Found::Inside(region) = registry.find(granules(0, 1)) else {
            panic!("it stays a region");
        };
        if region.is_registered() {
            driver.copy(granules(0, 1));
            assert!(region.is_registered() && driver.has(granules(0, 2)));
        }
        drop(region);
        let freed = end(evictor);
        assert!(freed == 0 || !driver.has(granules(0, 2)));
        assert_eq!(registry.statistics().registered_bytes, 2 * GRANULE - freed);
    });
}

#[test]
fn a_record_is_freed_once() {
    model(|registry, driver| {
        let region = add(registry, granules(0, 2));
        let user = spawn(move || drop(region));
        assert_eq!(registry.remove(granules(0, 2), driver), 1);
        end(user);
        assert_eq!(registry.spare(), (1, 0));
    });
}

#[test]
fn a_joined_range_is_found_throughout() {
    model(|registry, driver| {
        drop(add(registry, granules(1, 3)));
        let finder = spawn(move || match registry.find(granules(1, 2)) {
            Found::Inside(region) => assert!(region.range().contains(granules(1, 3))),
            other => panic!("{other:?}"),
        });
        let whole = registry.join(granules(0, 2), Lifetime::Kept, driver).expect("a region");
        assert_eq!(whole.range(), granules(0, 3));
        end(finder);
    });
}

#[test]
fn a_copy_never_meets_an_edge_that_a_removal_made() {
    model(|registry, driver| {
        let copying = add(registry, granules(0, 3));
        let copied = Box::leak(Box::new(AtomicU32::new(0)));
        let copied: &'static AtomicU32 = copied;
        let copier = spawn(move || {
            driver.copy(granules(0, 2));
            copied.store(1, Relaxed);
            drop(copying);
        });
        registry.remove(granules(2, 3), driver);
        let part = add(registry, granules(1, 2));
        let outcome = registry.register(&part, driver);
        assert!(outcome == Outcome::Busy || copied.load(Relaxed) == 1, "{outcome:?}");
        end(copier);
    });
}
