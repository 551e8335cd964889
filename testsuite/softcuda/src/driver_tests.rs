//! Handles, contexts of devices, and events.

use super::*;

fn driver(options: Options) -> Driver {
    Driver::new(Options { memory: 1 << 20, ..options }).unwrap()
}

#[test]
fn without_a_context_there_is_none() {
    let driver = driver(Options::default());
    assert_eq!(context::current(), 0);
    assert_eq!(driver.context().map(drop), Err(Status::INVALID_CONTEXT), "libgomp relies on it");
    assert_eq!(driver.device(1), Err(Status::INVALID_DEVICE));
    assert_eq!(driver.device(-1), Err(Status::INVALID_DEVICE));
}

#[test]
fn a_destroyed_context_is_gone() {
    let driver = driver(Options { devices: 2, ..Options::default() });
    let first = driver.create_context(0, 0).unwrap();
    let second = driver.create_context(1, 0).unwrap();
    assert_eq!(driver.context().unwrap().device, 1);
    driver.destroy_context(second).unwrap();
    assert_eq!((context::current(), driver.context().unwrap().device), (first, 0));
    assert_eq!(driver.destroy_context(second), Err(Status::INVALID_CONTEXT));
    driver.destroy_context(first).unwrap();
    assert_eq!(context::current(), 0);
}

#[test]
fn a_primary_context_lives_while_it_is_retained() {
    let driver = driver(Options::default());
    let handle = driver.retain_primary(0);
    assert_eq!(driver.retain_primary(0), handle);
    driver.release_primary(0, false).unwrap();
    assert!(driver.primary_active(0) && driver.contexts.get(handle).is_ok());
    driver.release_primary(0, false).unwrap();
    assert!(!driver.primary_active(0) && driver.contexts.get(handle).is_err());
    assert_eq!(driver.release_primary(0, false), Err(Status::INVALID_CONTEXT));
    assert_eq!(driver.release_primary(0, true), Ok(()));
    assert_ne!(driver.retain_primary(0), handle);
}

#[test]
fn managed_memory_lives_as_long_as_its_primary_context() {
    let driver = driver(Options::default());
    let there = |address| crate::transfer::write(address, b"x").is_ok();
    for reset in [false, true] {
        let handle = driver.retain_primary(0);
        driver.retain_primary(0);
        let managed = driver.contexts.get(handle).unwrap().manage(100, 1).unwrap();
        if !reset {
            driver.release_primary(0, false).unwrap();
            assert!(there(managed), "retained once more");
        }
        driver.release_primary(0, reset).unwrap();
        assert!(!there(managed));
    }
}

#[test]
fn streams_belong_to_their_context() {
    let driver = driver(Options::default());
    let handle = driver.create_context(0, 0).unwrap();
    assert_eq!(driver.stream(0).unwrap().1, DEFAULT);
    assert_eq!(driver.stream(2).unwrap().1, DEFAULT);
    let context = driver.context().unwrap();
    let stream = context.streams.create(true);
    let stream = driver.streams.insert(StreamHandle { context, stream, flags: 0 });
    assert!(driver.stream(stream).is_ok());
    driver.destroy_context(handle).unwrap();
    assert_eq!(driver.stream(stream).map(drop), Err(Status::INVALID_HANDLE));
}

#[test]
fn events_tell_how_far_a_stream_is() {
    let driver = driver(Options { deferred: true, ..Options::default() });
    driver.create_context(0, 0).unwrap();
    let context = driver.context().unwrap();
    let (start, end) = (Event::new(context.clone(), 0), Event::new(context.clone(), 0));
    let untimed = Event::new(context.clone(), 2);
    assert_eq!(start.query(), Ok(()), "never recorded");
    assert_eq!(Event::elapsed(&start, &end), Err(Status::INVALID_HANDLE));
    start.record(DEFAULT).unwrap();
    end.record(DEFAULT).unwrap();
    untimed.record(DEFAULT).unwrap();
    assert_eq!(Event::elapsed(&start, &end), Err(Status::NOT_READY));
    assert_eq!(start.query(), Err(Status::NOT_READY));
    end.synchronize().unwrap();
    assert_eq!((start.query(), untimed.query()), (Ok(()), Err(Status::NOT_READY)));
    assert!(Event::elapsed(&start, &end).unwrap() >= 0.0);
    assert_eq!(Event::elapsed(&start, &untimed), Err(Status::INVALID_HANDLE));
}
