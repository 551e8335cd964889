//! The rules, one test each.

use super::*;
use crate::option::Pinning;

const PAGE: u64 = 4096;

fn registrations(rules: &str) -> Registrations {
    Registrations::new(Rules::parse(rules).unwrap(), Pinner::new(Pinning::Auto), u64::MAX, u64::MAX)
}

/// Sixteen pages.
fn memory() -> (Mapping, u64) {
    let mapping = Mapping::zeroed(16 * PAGE as usize).unwrap();
    let start = mapping.start() as u64;
    (mapping, start)
}

#[test]
fn an_overlap_is_already_registered() {
    let (_memory, start) = memory();
    let registrations = registrations("");
    assert_eq!(registrations.register(start + PAGE, 2 * PAGE, 0, 0), Ok(2 * PAGE));
    for (from, size) in [(PAGE, 2 * PAGE), (0, 16 * PAGE), (0, PAGE + 1), (3 * PAGE - 1, 1)] {
        let overlap = registrations.register(start + from, size, 0, 0);
        assert_eq!(overlap, Err(Status::ALREADY_REGISTERED), "{from} {size}");
    }
}

#[test]
fn neighbours_register() {
    let (_memory, start) = memory();
    let registrations = registrations("");
    assert_eq!(registrations.register(start, PAGE, 0, 0), Ok(PAGE));
    assert_eq!(registrations.register(start + PAGE, PAGE, 0, 0), Ok(PAGE));
}

#[test]
fn what_is_not_registered_cannot_be_unregistered() {
    let (_memory, start) = memory();
    let registrations = registrations("");
    let status = |address| registrations.unregister(address);
    assert_eq!(status(start), Err(Status::NOT_REGISTERED));
    registrations.register(start, PAGE, 0, 0).unwrap();
    assert_eq!(status(start + PAGE), Err(Status::NOT_REGISTERED));
    assert_eq!(status(start), Ok(PAGE));
    assert_eq!(status(start), Err(Status::NOT_REGISTERED));
    assert_eq!(registrations.register(start, 2 * PAGE, 0, 0), Ok(2 * PAGE), "and again");
}

#[test]
fn an_interior_pointer_does_not_unregister() {
    let (_memory, start) = memory();
    let strict = registrations("");
    strict.register(start, PAGE, 0, 0).unwrap();
    assert_eq!(strict.unregister(start + 8), Err(Status::INVALID_VALUE));
    let lenient = registrations("unregister-interior=accept");
    lenient.register(start, PAGE, 0, 0).unwrap();
    assert_eq!(lenient.unregister(start + 8), Ok(PAGE));
}

#[test]
fn nothing_and_nonsense_are_invalid() {
    let (_memory, start) = memory();
    let registrations = registrations("");
    assert_eq!(registrations.register(start, 0, 0, 0), Err(Status::INVALID_VALUE));
    assert_eq!(registrations.register(0, PAGE, 0, 0), Err(Status::INVALID_VALUE));
    assert_eq!(registrations.register(start, u64::MAX, 0, 0), Err(Status::INVALID_VALUE));
    assert_eq!(registrations.register(start, PAGE, 16, 0), Err(Status::INVALID_VALUE));
    assert_eq!(registrations.register(start, PAGE, IO_MEMORY, 0), Err(Status::NOT_SUPPORTED));
    assert_eq!(registrations.register(PAGE, PAGE, 0, 0), Err(Status::INVALID_VALUE), "unmapped");
}

#[test]
fn unaligned_ranges_register() {
    let (_memory, start) = memory();
    assert_eq!(registrations("").register(start + 3, 10_001, 0, 0), Ok(10_001));
    let strict = registrations("unaligned=1");
    assert_eq!(strict.register(start + 3, PAGE, 0, 0), Err(Status::INVALID_VALUE));
    assert_eq!(strict.register(start, PAGE + 1, 0, 0), Err(Status::INVALID_VALUE));
    assert_eq!(strict.register(start, PAGE, 0, 0), Ok(PAGE));
}

#[test]
fn two_ranges_may_share_a_page() {
    let (_memory, start) = memory();
    let lenient = registrations("");
    assert_eq!(lenient.register(start, 100, 0, 0), Ok(100));
    assert_eq!(lenient.register(start + 200, 100, 0, 0), Ok(100));
    let strict = registrations("same-page=712");
    assert_eq!(strict.register(start, 100, 0, 0), Ok(100));
    assert_eq!(strict.register(start + 200, 100, 0, 0), Err(Status::ALREADY_REGISTERED));
    assert_eq!(strict.register(start + PAGE, 100, 0, 0), Ok(100));
}

#[test]
fn read_only_memory_needs_the_flag() {
    let (_memory, start) = memory();
    // SAFETY: pages of this test.
    let protected = unsafe { libc::mprotect(start as *mut _, PAGE as usize, libc::PROT_READ) };
    assert_eq!(protected, 0);
    let strict = registrations("");
    assert_eq!(strict.register(start, PAGE, 0, 0), Err(Status::INVALID_VALUE));
    assert_eq!(strict.register(start, 2 * PAGE, 0, 0), Err(Status::INVALID_VALUE));
    assert_eq!(strict.register(start, PAGE, READ_ONLY, 0), Ok(PAGE));
    assert!(strict.find(start).unwrap().read_only);
    let lenient = registrations("read-only=accept");
    assert_eq!(lenient.register(start, PAGE, 0, 0), Ok(PAGE));
    let old = registrations("read-only-flag=801");
    assert_eq!(old.register(start, PAGE, READ_ONLY, 0), Err(Status::NOT_SUPPORTED));
}

#[test]
fn the_drivers_own_memory_is_registered_already() {
    let strict = registrations("");
    let managed = strict.manage(PAGE, 1, 0).unwrap();
    let allocated = strict.allocate(PAGE, 0, 0).unwrap();
    assert_eq!(strict.register(managed, 8, 0, 0), Err(Status::ALREADY_REGISTERED));
    assert_eq!(strict.register(allocated, 8, 0, 0), Err(Status::ALREADY_REGISTERED));
    assert_eq!(strict.unregister(allocated), Err(Status::NOT_REGISTERED));
    let other = registrations("register-managed=accept,register-allocated=1");
    let managed = other.manage(PAGE, 1, 0).unwrap();
    let allocated = other.allocate(PAGE, 0, 0).unwrap();
    assert_eq!(other.register(managed, 8, 0, 0), Ok(0));
    assert_eq!(other.unregister(managed), Ok(0));
    assert_eq!(other.register(allocated, 8, 0, 0), Err(Status::INVALID_VALUE));
}

#[test]
fn copies_do_not_straddle() {
    let (_memory, start) = memory();
    let strict = registrations("");
    strict.register(start + PAGE, PAGE, 0, 0).unwrap();
    strict.register(start + 2 * PAGE, PAGE, 0, 0).unwrap();
    let parts = |registrations: &Registrations, from, size| {
        registrations.pieces(start + from, size).map(|pieces| {
            pieces.iter().map(|piece| (piece.size, piece.range.is_some())).collect::<Vec<_>>()
        })
    };
    assert_eq!(parts(&strict, 0, PAGE), Ok(vec![(PAGE, false)]));
    assert_eq!(parts(&strict, PAGE, PAGE), Ok(vec![(PAGE, true)]));
    assert_eq!(parts(&strict, 0, PAGE + 1), Err(Status::INVALID_VALUE));
    assert_eq!(parts(&strict, 3 * PAGE - 1, 2), Err(Status::INVALID_VALUE));
    assert_eq!(parts(&strict, PAGE, 2 * PAGE), Err(Status::INVALID_VALUE), "adjacent");
    let lenient = registrations("straddle=accept,adjacent=accept");
    lenient.register(start + PAGE, PAGE, 0, 0).unwrap();
    lenient.register(start + 2 * PAGE, PAGE, 0, 0).unwrap();
    let all = vec![(PAGE, false), (PAGE, true), (PAGE, true), (PAGE, false)];
    assert_eq!(parts(&lenient, 0, 4 * PAGE), Ok(all));
}

#[test]
fn the_limit_counts_what_is_pinned() {
    let (_memory, start) = memory();
    let registrations =
        Registrations::new(Rules::default(), Pinner::new(Pinning::Auto), 2 * PAGE, u64::MAX);
    registrations.register(start, PAGE, 0, 0).unwrap();
    let allocated = registrations.allocate(PAGE, 0, 0).unwrap();
    assert_eq!(registrations.register(start + PAGE, 1, 0, 0), Err(Status::OUT_OF_MEMORY));
    assert_eq!(registrations.free(allocated, Kind::Managed), Err(Status::INVALID_VALUE));
    registrations.free(allocated, Kind::Allocated).unwrap();
    assert_eq!(registrations.register(start + PAGE, 1, 0, 0), Ok(1));
    assert!(registrations.manage(8 * PAGE, 1, 0).is_ok(), "managed memory is not pinned");
}

#[test]
fn a_context_takes_its_ranges_along() {
    let (_memory, start) = memory();
    let registrations = registrations("");
    registrations.register(start, PAGE, 0, 1).unwrap();
    registrations.register(start + PAGE, PAGE, 0, 2).unwrap();
    registrations.forget(1);
    assert!(registrations.find(start).is_none() && registrations.find(start + PAGE).is_some());
}
