//! What a program sees of a context.

use super::*;
use crate::cost::Costs;
use crate::mapping::Mapping;
use crate::option::Options;
use crate::rule::Rules;
use crate::transfer;

fn context(options: Options) -> Context {
    let machine = Machine::new(Options { memory: 64 << 20, ..options }).unwrap();
    Context::new(Arc::new(machine), 0, 0)
}

fn deferred() -> Context {
    context(Options { deferred: true, ..Options::default() })
}

/// Two pages of host memory.
fn host() -> (Mapping, u64) {
    let mapping = Mapping::zeroed(8192).unwrap();
    let start = mapping.start() as u64;
    (mapping, start)
}

fn bytes(address: u64) -> [u8; 3] {
    let mut bytes = [0; 3];
    transfer::read(address, &mut bytes).unwrap();
    bytes
}

/// What is in device memory, whatever is queued.
fn device_bytes(context: &Context, address: u64) -> [u8; 3] {
    use std::os::unix::fs::FileExt;
    let memory = &context.machine.space.devices[0];
    let mut bytes = [0; 3];
    memory.file().read_exact_at(&mut bytes, memory.offset(address, 3).unwrap()).unwrap();
    bytes
}

fn to_device(context: &Context, device: u64, host: u64, stream: usize) {
    context.copy_later((device, Place::Device), (host, Place::Host), 3, stream).unwrap();
}

fn to_host(context: &Context, host: u64, device: u64, stream: usize) {
    context.copy_later((host, Place::Host), (device, Place::Device), 3, stream).unwrap();
}

#[test]
fn pageable_memory_is_read_at_the_call() {
    let (context, (_memory, plain)) = (deferred(), host());
    let device = context.allocate(3).unwrap();
    transfer::write(plain, b"old").unwrap();
    to_device(&context, device, plain, DEFAULT);
    transfer::write(plain, b"new").unwrap();
    assert_eq!(device_bytes(&context, device), [0; 3], "nothing has arrived");
    context.synchronize().unwrap();
    assert_eq!(device_bytes(&context, device), *b"old");
}

#[test]
fn pinned_memory_is_read_late() {
    let (context, (_memory, pinned)) = (deferred(), host());
    context.register(pinned, 8192, 0).unwrap();
    let device = context.allocate(3).unwrap();
    transfer::write(pinned, b"old").unwrap();
    to_device(&context, device, pinned, DEFAULT);
    transfer::write(pinned, b"new").unwrap();
    context.synchronize().unwrap();
    assert_eq!(device_bytes(&context, device), *b"new", "the program did not wait");
}

#[test]
fn pinned_memory_is_written_late_and_pageable_memory_is_not() {
    let (context, (_memory, pinned), (_plain, plain)) = (deferred(), host(), host());
    context.register(pinned, 8192, 0).unwrap();
    let device = context.allocate(3).unwrap();
    transfer::write(plain, b"abc").unwrap();
    context.copy((device, Place::Device), (plain, Place::Host), 3).unwrap();
    transfer::write(plain, b"---").unwrap();
    to_host(&context, plain, device, DEFAULT);
    assert_eq!(bytes(plain), *b"abc");
    to_host(&context, pinned, device, DEFAULT);
    assert_eq!(bytes(pinned), [0; 3]);
    context.synchronize().unwrap();
    assert_eq!(bytes(pinned), *b"abc");
}

#[test]
fn another_stream_has_to_be_waited_for() {
    let (context, (_memory, pinned)) = (deferred(), host());
    context.register(pinned, 8192, 0).unwrap();
    let device = context.allocate(3).unwrap();
    let (first, second) = (context.streams.create(false), context.streams.create(false));
    transfer::write(pinned, b"abc").unwrap();
    to_device(&context, device, pinned, first);
    to_host(&context, pinned + 4096, device, second);
    context.synchronize_stream(second).unwrap();
    assert_eq!(bytes(pinned + 4096), [0; 3], "read before it was written");
    context.synchronize().unwrap();
    assert_eq!(device_bytes(&context, device), *b"abc");
}

#[test]
fn freeing_and_unregistering_do_the_work_first() {
    let (context, (_memory, pinned)) = (deferred(), host());
    context.register(pinned, 8192, 0).unwrap();
    let (device, other) = (context.allocate(3).unwrap(), context.allocate(3).unwrap());
    transfer::write(pinned, b"abc").unwrap();
    to_device(&context, device, pinned, DEFAULT);
    context.free(other).unwrap();
    assert_eq!(device_bytes(&context, device), *b"abc");
    transfer::write(pinned, b"xyz").unwrap();
    to_device(&context, device, pinned, DEFAULT);
    context.unregister(pinned).unwrap();
    assert_eq!(device_bytes(&context, device), *b"xyz");
}

#[test]
fn a_busy_range_may_be_kept() {
    let rules = Rules::parse("unregister-busy=1").unwrap();
    let context = context(Options { deferred: true, rules, ..Options::default() });
    let (_memory, pinned) = host();
    context.register(pinned, 8192, 0).unwrap();
    let device = context.allocate(3).unwrap();
    to_device(&context, device, pinned, DEFAULT);
    assert_eq!(context.unregister(pinned), Err(Status::INVALID_VALUE));
    context.synchronize().unwrap();
    assert_eq!(context.unregister(pinned), Ok(()));
}

#[test]
fn sorts_of_memory_are_counted_apart() {
    let (context, (_memory, pinned), (_plain, plain)) =
        (context(Options::default()), host(), host());
    context.register(pinned, 8192, 0).unwrap();
    let device = context.allocate(8192).unwrap();
    let copy = |to, from, size| context.copy((to, Place::Any), (from, Place::Any), size).unwrap();
    copy(device, pinned, 1000);
    copy(device, plain, 200);
    copy(pinned, device, 30);
    copy(plain, device, 4);
    copy(device, device + 4096, 5);
    copy(plain, pinned, 6);
    let counted = &context.machine.statistics;
    assert_eq!(counted.htod_pinned_bytes.get(), 1000);
    assert_eq!(counted.htod_pageable_bytes.get(), 200);
    assert_eq!(counted.dtoh_pinned_bytes.get(), 30);
    assert_eq!(counted.dtoh_pageable_bytes.get(), 4);
    assert_eq!(counted.dtod_bytes.get(), 5);
    assert_eq!(counted.htoh_bytes.get(), 6);
    assert_eq!((counted.registrations.get(), counted.live_registered.get()), (1, 1));
    assert_eq!(counted.live_device_bytes.get(), 8192);
    context.unregister(pinned).unwrap();
    context.free(device).unwrap();
    assert_eq!((counted.live_registered.get(), counted.live_device_bytes.get()), (0, 0));
}

#[test]
fn freeing_null_succeeds() {
    let context = context(Options::default());
    assert_eq!(context.free(0), Ok(()), "libgomp does it");
    assert_eq!(context.free_host(0), Ok(()));
    assert_eq!(context.free(4096), Err(Status::INVALID_VALUE));
    assert_eq!(context.allocate(0), Err(Status::INVALID_VALUE));
    assert_eq!(context.allocate(1 << 40), Err(Status::OUT_OF_MEMORY));
}

#[test]
fn a_fault_stays_until_the_context_ends() {
    let context = context(Options::default());
    let kernel = Work::Kernel(Box::new(|| Err(Status::ILLEGAL_ADDRESS)));
    let device = context.allocate(3).unwrap();
    let (_memory, plain) = host();
    assert_eq!(context.streams.push(DEFAULT, kernel), Ok(()));
    let fault = Err(Status::ILLEGAL_ADDRESS);
    assert_eq!(context.synchronize(), fault);
    assert_eq!(context.allocate(3).map(drop), fault);
    assert_eq!(context.free(device), fault);
    assert_eq!(context.register(plain, 8, 0), fault);
    assert_eq!(context.copy((device, Place::Device), (plain, Place::Host), 3), fault);
    context.destroy();
    let next = Context::new(Arc::clone(&context.machine), 0, 0);
    assert!(next.allocate(3).is_ok());
}

#[test]
fn a_context_ends_with_its_memory_but_a_leak_shows() {
    let context = context(Options::default());
    let (_memory, plain) = host();
    context.allocate(1000).unwrap();
    context.register(plain, 8192, 0).unwrap();
    context.destroy();
    assert_eq!(context.machine.space.devices[0].used(), 0);
    assert!(context.machine.space.registrations.find(plain).is_none());
    assert_eq!(context.machine.statistics.live_device_bytes.get(), 1000);
    assert_eq!(context.machine.statistics.live_registered.get(), 1);
}

#[test]
fn time_is_modelled() {
    let costs = Some(Costs::parse("h100-pcie").unwrap());
    let context = context(Options { costs, ..Options::default() });
    let device = context.allocate(16 << 20).unwrap();
    let mapping = Mapping::zeroed(16 << 20).unwrap();
    let start = mapping.start() as u64;
    let spent = |work: &dyn Fn()| {
        let before = context.machine.clock.seconds().unwrap();
        work();
        context.machine.clock.seconds().unwrap() - before
    };
    let copy = || context.copy((device, Place::Device), (start, Place::Host), 16 << 20).unwrap();
    let cold = spent(&|| context.register(start, 16 << 20, 0).unwrap());
    let pinned = spent(&copy);
    let unregister = spent(&|| context.unregister(start).unwrap());
    let pageable = spent(&copy);
    let resident = spent(&|| context.register(start, 16 << 20, 0).unwrap());
    assert!((pageable - 16.777e6 / 8e9 - 8e-6).abs() < 1e-5, "{pageable}");
    assert!((pinned - 16.777e6 / 55e9 - 8e-6).abs() < 1e-5, "{pinned}");
    assert!((cold - 0.492 / 64.0 - 16e-6).abs() < 1e-5, "{cold}");
    assert!((resident - 0.108 / 64.0 - 16e-6).abs() < 1e-5, "{resident}");
    assert!(unregister > 0.0);
}

#[test]
fn what_was_brought_in_is_resident() {
    let costs = Some(Costs::parse("h100-pcie").unwrap());
    let context = context(Options { costs, ..Options::default() });
    let mapping = Mapping::zeroed(16 << 20).unwrap();
    let start = mapping.start() as u64;
    let price = || {
        let before = context.machine.clock.seconds().unwrap();
        context.register(start, 16 << 20, 0).unwrap();
        context.machine.clock.seconds().unwrap() - before
    };
    // SAFETY: brings in the first half of a mapping of the test.
    let result = unsafe { libc::madvise(start as *mut _, 8 << 20, libc::MADV_POPULATE_WRITE) };
    assert_eq!(result, 0);
    let half = price();
    assert!((half - (0.108 + 0.492) / 128.0 - 16e-6).abs() < 1e-5, "{half}");
}

#[test]
fn a_pace_is_kept_by_every_priced_call() {
    let costs = Some(Costs::parse("h100-pcie").unwrap());
    let context = context(Options { costs, pace: 10, ..Options::default() });
    let device = context.allocate(1 << 20).unwrap();
    let mapping = Mapping::zeroed(1 << 20).unwrap();
    let start = mapping.start() as u64;
    let paced = |work: &dyn Fn()| {
        let (virtually, really) = (context.machine.clock.seconds().unwrap(), Instant::now());
        work();
        let virtually = context.machine.clock.seconds().unwrap() - virtually;
        assert!(virtually > 0.0);
        // Virtual seconds are rounded to nanoseconds.
        assert!(really.elapsed().as_secs_f64() + 1e-7 > 10.0 * virtually);
    };
    let copy = || context.copy((device, Place::Device), (start, Place::Host), 1 << 20).unwrap();
    let back = || context.copy((start, Place::Host), (device, Place::Device), 1 << 20).unwrap();
    paced(&copy);
    paced(&|| context.register(start, 1 << 20, 0).unwrap());
    paced(&copy);
    paced(&back);
    paced(&|| context.unregister(start).unwrap());
    paced(&|| assert!(context.allocate_host(1 << 20, 0).unwrap() > 0));
}

/// Whether this process may write to an address.
fn writable(address: u64) -> bool {
    transfer::write(address, b"x").is_ok()
}

#[test]
fn managed_memory_is_closed_while_a_kernel_is_at_work() {
    let context = context(Options { concurrent_managed: false, ..Options::default() });
    let managed = context.manage(100, 1).unwrap();
    assert!(writable(managed));
    context.close_managed();
    context.streams.push(DEFAULT, Work::Kernel(Box::new(|| Ok(())))).unwrap();
    assert!(!writable(managed));
    context.synchronize().unwrap();
    assert!(writable(managed));
}

#[test]
fn managed_memory_stays_open_with_concurrent_access() {
    let context = context(Options::default());
    let managed = context.manage(100, 1).unwrap();
    context.close_managed();
    assert!(writable(managed));
    assert_eq!(context.free(managed), Ok(()));
    assert_eq!(context.manage(0, 1).map(drop), Err(Status::INVALID_VALUE));
    assert_eq!(context.manage(1, 0).map(drop), Err(Status::INVALID_VALUE));
}

#[test]
fn each_thread_has_its_own_stack() {
    assert_eq!((current(), pop()), (0, Err(Status::INVALID_CONTEXT)));
    push(16).unwrap();
    push(32).unwrap();
    assert_eq!(std::thread::spawn(current).join().unwrap(), 0);
    assert_eq!((pop(), current()), (Ok(32), 16));
    set_current(48).unwrap();
    assert_eq!(current(), 48);
    set_current(0).unwrap();
    assert_eq!(current(), 0);
}

#[test]
fn a_thread_cannot_push_without_end() {
    let pushed = (1..100).take_while(|handle| push(*handle).is_ok()).count();
    assert_eq!(pushed, DEPTH);
    assert_eq!(current(), DEPTH);
}

#[test]
fn limits_are_remembered() {
    let context = context(Options::default());
    context.set_limit(2, 1 << 30).unwrap();
    assert_eq!(context.limit(2), Ok(1 << 30));
    assert_eq!(context.set_limit(99, 1), Err(Status::INVALID_VALUE));
}

#[test]
fn managed_memory_ends_with_its_context() {
    let context = context(Options::default());
    let other = Context::new(Arc::clone(&context.machine), 0, 0);
    let (managed, others) = (context.manage(100, 1).unwrap(), other.manage(100, 1).unwrap());
    context.destroy();
    assert!(!writable(managed) && writable(others));
    assert_eq!(other.free(managed), Err(Status::INVALID_VALUE));
    let counted = &context.machine.statistics;
    assert_eq!((counted.live_managed.get(), counted.live_managed_bytes.get()), (2, 200));
    assert_eq!(context.free(others), Ok(()), "whose it is does not matter");
    assert_eq!((counted.managed_frees.get(), counted.live_managed_bytes.get()), (1, 100));
}

#[test]
fn copies_of_managed_memory_are_counted() {
    let context = context(Options::default());
    let (_memory, plain) = host();
    let managed = context.manage(8192, 1).unwrap();
    let copy = |to, from, size| context.copy((to, Place::Any), (from, Place::Any), size);
    let counted = &context.machine.statistics;
    copy(managed, plain, 1000).unwrap();
    copy(plain, managed, 200).unwrap();
    assert_eq!(counted.managed_copy_bytes.get(), 1200);
    transfer::write(managed, b"abc").unwrap();
    // libgomp refuses it before it comes to the driver.
    assert_eq!(copy(managed, managed, 8192), Ok(()));
    assert_eq!((bytes(managed), counted.managed_copy_bytes.get()), (*b"abc", 1200 + 8192));
    copy(plain, plain + 4096, 50).unwrap();
    assert_eq!(counted.managed_copy_bytes.get(), 1200 + 8192);
}

#[test]
fn a_device_may_have_no_managed_memory() {
    let none = context(Options { managed: false, ..Options::default() });
    assert_eq!(none.manage(100, 1), Err(Status::NOT_SUPPORTED));
    let little = context(Options { managed_limit: 100, ..Options::default() });
    assert_eq!(little.manage(101, 1), Err(Status::OUT_OF_MEMORY));
    assert!(little.manage(100, 1).is_ok());
}

#[test]
fn a_copy_across_two_managed_allocations_fails() {
    let context = context(Options::default());
    let (first, second) =
        (context.manage(2 << 20, 1).unwrap(), context.manage(2 << 20, 1).unwrap());
    assert_eq!(second, first + (2 << 20), "they touch");
    let device = context.allocate(16).unwrap();
    let copy = |from| context.copy((device, Place::Device), (from, Place::Any), 16);
    assert_eq!(copy(second - 8), Err(Status::INVALID_VALUE));
    assert_eq!(copy(second - 16), Ok(()));
}

#[test]
fn managed_memory_takes_time_to_move() {
    let costs = Some(Costs::parse("h100-pcie").unwrap());
    let context = context(Options { costs, ..Options::default() });
    let (size, machine) = (16 << 20, &context.machine);
    let managed = context.manage(size, 1).unwrap();
    transfer::write(managed, &vec![1; size as usize]).unwrap();
    let spent = |work: &dyn Fn()| {
        let before = machine.clock.seconds().unwrap();
        work();
        machine.clock.seconds().unwrap() - before
    };
    let use_it = || {
        machine.recall();
        (0..size / 4096).for_each(|page| machine.attract(managed + page * 4096, 4, 0));
    };
    let counted = &machine.statistics;
    let faults = spent(&use_it);
    assert_eq!(counted.migrated_to_device_bytes.get(), size as i64);
    assert_eq!(spent(&use_it), 0.0, "it is there");
    let back = spent(&|| context.prefetch(managed, size, None, DEFAULT).unwrap());
    let there = spent(&|| context.prefetch(managed, size, Some(0), DEFAULT).unwrap());
    assert_eq!(spent(&use_it), 0.0);
    // 256 blocks of 64 KiB at 8 GB/s and 8 µs each; one copy at 55 GB/s.
    assert!((faults - 16.777e6 / 8e9 - 256.0 * 8e-6).abs() < 1e-5, "{faults}");
    assert!((there - 16.777e6 / 55e9 - 8e-6).abs() < 1e-5, "{there}");
    assert!((back - there).abs() < 1e-8, "{back}");
    assert_eq!(counted.migrated_to_host_bytes.get(), 0);
    assert_eq!(counted.prefetched_to_host_bytes.get(), size as i64);
    assert_eq!(
        (counted.prefetches.get(), counted.prefetched_to_device_bytes.get()),
        (2, size as i64)
    );
    transfer::write(managed, b"x").unwrap();
    assert!(spent(&use_it) > 0.0, "the host has it");
    assert!(counted.migrated_to_host_bytes.get() > 0);
}
