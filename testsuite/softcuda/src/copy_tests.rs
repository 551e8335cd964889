//! Every pair of places, and what each one must not do.

use super::*;
use crate::mapping::Mapping;
use crate::memory::{DeviceMemory, Purpose};
use crate::option::Pinning;
use crate::pin::Pinner;
use crate::registration::{Kind, Registrations};
use crate::rule::Rules;
use std::sync::Arc;

const SIZE: u64 = 3 * CHUNK + 17;

fn space(rules: &str) -> Space {
    let rules = Rules::parse(rules).unwrap();
    Space {
        devices: vec![Arc::new(DeviceMemory::new(64 << 20).unwrap())],
        registrations: Registrations::new(rules, Pinner::new(Pinning::Auto), u64::MAX, u64::MAX),
    }
}

fn host() -> (Mapping, u64) {
    let mapping = Mapping::zeroed(SIZE as usize + 8192).unwrap();
    let start = mapping.start() as u64 + 64;
    (mapping, start)
}

fn copy(space: &Space, to: u64, from: u64, size: u64) -> Outcome {
    Copy::plan(space, (to, Place::Any), (from, Place::Any), size)?.run()
}

fn pattern(seed: u8) -> Vec<u8> {
    (0..SIZE).map(|index| (index % 251) as u8 ^ seed).collect()
}

#[test]
fn every_pair_of_places_copies() {
    let space = space("");
    let (_plain, plain) = host();
    let (_registered, registered) = host();
    let (_source, source) = host();
    let (_result, result) = host();
    space.registrations.register(registered, SIZE, 0, 0).unwrap();
    let device = space.devices[0].allocate(SIZE, 1, Purpose::Program, 0).unwrap();
    let managed = space.registrations.manage(SIZE, 1, 0).unwrap();
    let allocated = space.registrations.allocate(SIZE, 0, 0).unwrap();
    let places = [plain, registered, device, managed, allocated];
    let mut seed = 0;
    for from in places {
        for to in places.into_iter().filter(|to| *to != from) {
            seed += 1;
            transfer::write(source, &pattern(seed)).unwrap();
            copy(&space, from, source, SIZE).unwrap();
            copy(&space, to, from, SIZE).unwrap();
            copy(&space, result, to, SIZE).unwrap();
            let mut bytes = vec![0; SIZE as usize];
            transfer::read(result, &mut bytes).unwrap();
            assert!(bytes == pattern(seed), "{from:#x} to {to:#x}");
        }
    }
}

#[test]
fn copies_within_a_device_may_overlap() {
    let space = space("");
    let (_plain, plain) = host();
    for shift in [1, CHUNK - 1, CHUNK + 1] {
        let device = space.devices[0].allocate(SIZE + shift, 1, Purpose::Program, 0).unwrap();
        for (to, from) in [(device, device + shift), (device + shift, device)] {
            transfer::write(plain, &pattern(9)).unwrap();
            copy(&space, from, plain, SIZE).unwrap();
            copy(&space, to, from, SIZE).unwrap();
            copy(&space, plain, to, SIZE).unwrap();
            let mut bytes = vec![0; SIZE as usize];
            transfer::read(plain, &mut bytes).unwrap();
            assert!(bytes == pattern(9));
        }
    }
}

#[test]
fn a_place_must_be_what_the_call_says() {
    let space = space("");
    let (_plain, plain) = host();
    let device = space.devices[0].allocate(100, 1, Purpose::Program, 0).unwrap();
    let plan = |to, from, size| Copy::plan(&space, to, from, size).map(drop);
    assert_eq!(plan((device, Place::Device), (plain, Place::Host), 100), Ok(()));
    assert_eq!(plan((device, Place::Device), (plain, Place::Host), 0), Ok(()));
    let invalid = Err(Status::INVALID_VALUE);
    assert_eq!(plan((device, Place::Device), (plain, Place::Host), 101), invalid, "bounds");
    assert_eq!(plan((plain, Place::Device), (plain, Place::Host), 8), invalid);
    assert_eq!(plan((device, Place::Device), (device, Place::Host), 8), invalid);
    assert_eq!(plan((device, Place::Host), (device, Place::Device), 8), invalid);
}

#[test]
fn bad_host_memory_is_an_error() {
    let space = space("");
    let device = space.devices[0].allocate(100, 1, Purpose::Program, 0).unwrap();
    assert_eq!(copy(&space, device, 4096, 100), Err(Status::INVALID_VALUE));
    assert_eq!(copy(&space, 4096, device, 100), Err(Status::INVALID_VALUE));
}

/// Unmaps the host's range, maps new pages there and fills them.
fn replace(mapping: &Mapping, byte: u8) {
    let (start, size) = (mapping.start(), mapping.size());
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
    // SAFETY: memory of the test, which nobody else uses.
    unsafe {
        assert_eq!(libc::munmap(start.cast(), size), 0);
        let new = libc::mmap(start.cast(), size, 3, flags, -1, 0);
        assert_eq!(new, start.cast());
        std::ptr::write_bytes(start, byte, size);
    }
}

/// Copies to the device after the pages were replaced: what does it see?
fn seen_after_replacement(register: bool) -> u8 {
    let space = space("");
    let (mapping, plain) = host();
    let device = space.devices[0].allocate(SIZE, 1, Purpose::Program, 0).unwrap();
    transfer::write(plain, &vec![b'A'; SIZE as usize]).unwrap();
    if register {
        space.registrations.register(plain, SIZE, 0, 0).unwrap();
    }
    copy(&space, device, plain, SIZE).unwrap();
    replace(&mapping, b'B');
    copy(&space, device, plain, SIZE).unwrap();
    let mut byte = [0];
    let offset = space.devices[0].offset(device + SIZE - 1, 1).unwrap();
    space.devices[0].file().read_exact_at(&mut byte, offset).unwrap();
    byte[0]
}

#[test]
fn a_stale_registration_gives_the_old_bytes() {
    assert_eq!(seen_after_replacement(true), b'A');
}

#[test]
fn without_registration_the_new_bytes_are_seen() {
    assert_eq!(seen_after_replacement(false), b'B');
}

#[test]
fn what_arrives_in_stale_pages_is_lost() {
    let space = space("");
    let (mapping, plain) = host();
    let device = space.devices[0].allocate(8, 1, Purpose::Program, 0).unwrap();
    transfer::write(plain, b"AAAAAAAA").unwrap();
    space.registrations.register(plain, 8, 0, 0).unwrap();
    copy(&space, device, plain, 8).unwrap();
    replace(&mapping, b'B');
    copy(&space, plain, device, 8).unwrap();
    let mut bytes = [0; 8];
    transfer::read(plain, &mut bytes).unwrap();
    assert_eq!(&bytes, b"BBBBBBBB");
    space.registrations.unregister(plain).unwrap();
    copy(&space, plain, device, 8).unwrap();
    transfer::read(plain, &mut bytes).unwrap();
    assert_eq!(&bytes, b"AAAAAAAA");
}

#[test]
fn parts_on_both_sides_meet() {
    let space = space("straddle=accept,adjacent=accept");
    let (_from, from) = host();
    let (_to, to) = host();
    space.registrations.register(from + 1000, 5000, 0, 0).unwrap();
    space.registrations.register(to + 3000, 1000, 0, 0).unwrap();
    space.registrations.register(to + 4000, 100_000, 0, 0).unwrap();
    transfer::write(from, &pattern(3)).unwrap();
    let plan = Copy::plan(&space, (to, Place::Any), (from, Place::Any), SIZE).unwrap();
    assert_eq!(plan.sorts().count(), 6);
    plan.run().unwrap();
    let mut bytes = vec![0; SIZE as usize];
    transfer::read(to, &mut bytes).unwrap();
    assert!(bytes == pattern(3));
}

#[test]
fn nothing_is_copied_into_read_only_memory() {
    let space = space("");
    let (_plain, plain) = host();
    let device = space.devices[0].allocate(100, 1, Purpose::Program, 0).unwrap();
    space.registrations.register(plain, 100, 8, 0).unwrap();
    assert_eq!(copy(&space, device, plain, 100), Ok(()));
    assert_eq!(copy(&space, plain, device, 100), Err(Status::INVALID_VALUE));
}

#[test]
fn a_snapshot_is_of_its_time() {
    let space = space("");
    let (_plain, plain) = host();
    let (_result, result) = host();
    transfer::write(plain, b"old").unwrap();
    let mut plan = Copy::plan(&space, (result, Place::Any), (plain, Place::Any), 3).unwrap();
    plan.snapshot().unwrap();
    transfer::write(plain, b"new").unwrap();
    plan.run().unwrap();
    let mut bytes = [0; 3];
    transfer::read(result, &mut bytes).unwrap();
    assert_eq!(&bytes, b"old");
    assert!(plan.must_wait());
    space.registrations.free(plain, Kind::Allocated).unwrap_err();
}
