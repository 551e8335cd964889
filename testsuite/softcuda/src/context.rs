//! Contexts ("Context Management"): the memory, the streams and the errors of
//! one user of a device.

use crate::copy::Copy;
use crate::cost::Expense;
use crate::host::resident;
use crate::machine::Machine;
use crate::memory::Purpose;
use crate::registration::Kind;
use crate::rule::Rule;
use crate::space::Place;
use crate::status::{Outcome, Status};
use crate::stream::{DEFAULT, Streams, Work};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// One context.
pub(crate) struct Context {
    /// Owner of what is allocated here.
    pub(crate) id: usize,
    pub(crate) device: usize,
    pub(crate) flags: u32,
    pub(crate) machine: Arc<Machine>,
    pub(crate) streams: Streams,
    limits: Mutex<BTreeMap<u32, usize>>,
}

/// `CUlimit`: stack, printf buffer, heap, and two of dynamic parallelism.
const LIMITS: [(u32, usize); 5] = [(0, 1024), (1, 1 << 20), (2, 8 << 20), (3, 2), (4, 2048)];

impl Context {
    /// `cuCtxCreate`.
    pub(crate) fn new(machine: Arc<Machine>, device: usize, flags: u32) -> Context {
        Context {
            id: machine.owner(),
            device,
            flags,
            streams: Streams::new(machine.options.deferred),
            machine,
            limits: Mutex::new(BTreeMap::from(LIMITS)),
        }
    }

    /// `cuCtxDestroy`: all that was allocated here goes. Counters of what is
    /// live do not change, so that a leak shows.
    pub(crate) fn destroy(&self) {
        // What went wrong no longer interests anybody.
        let _ = self.streams.synchronize_all();
        self.open_managed();
        self.machine.space.devices[self.device].free_all(self.id);
        self.machine.space.registrations.forget(self.id);
    }

    /// `cuCtxSynchronize`.
    pub(crate) fn synchronize(&self) -> Outcome {
        let outcome = self.streams.synchronize_all();
        self.settle();
        outcome
    }

    /// `cuStreamSynchronize`.
    pub(crate) fn synchronize_stream(&self, stream: usize) -> Outcome {
        let outcome = self.streams.synchronize(stream);
        self.settle();
        outcome
    }

    /// `cuMemAlloc`.
    pub(crate) fn allocate(&self, size: u64) -> Outcome<u64> {
        self.streams.fault()?;
        if size == 0 {
            return Err(Status::INVALID_VALUE);
        }
        let memory = &self.machine.space.devices[self.device];
        let address =
            memory.allocate(size, 1, Purpose::Program, self.id).ok_or(Status::OUT_OF_MEMORY)?;
        self.machine.statistics.allocations.add(1);
        self.machine.statistics.live_device_bytes.add(size);
        Ok(address)
    }

    /// `cuMemFree`, after all work; nothing to do for 0.
    pub(crate) fn free(&self, address: u64) -> Outcome {
        self.synchronize()?;
        let space = &self.machine.space;
        match space.device(address) {
            Some(device) => {
                let allocation = space.devices[device].free(address, Purpose::Program)?;
                self.machine.statistics.frees.add(1);
                self.machine.statistics.live_device_bytes.subtract(allocation.size);
                Ok(())
            }
            None if address == 0 => Ok(()),
            None => {
                let size = space.registrations.free(address, Kind::Managed)?;
                let statistics = &self.machine.statistics;
                statistics.managed_frees.add(1);
                statistics.live_managed.subtract(1);
                statistics.live_managed_bytes.subtract(size);
                Ok(())
            }
        }
    }

    /// `cuMemAllocManaged`.
    pub(crate) fn manage(&self, size: u64, flags: u32) -> Outcome<u64> {
        if !self.machine.options.managed {
            return Err(Status::NOT_SUPPORTED);
        }
        self.streams.fault()?;
        let address = self.machine.space.registrations.manage(size, flags, self.id)?;
        let statistics = &self.machine.statistics;
        statistics.managed_allocations.add(1);
        statistics.live_managed.add(1);
        statistics.live_managed_bytes.add(size);
        Ok(address)
    }

    /// `cuMemPrefetchAsync` of a range that [`Self::check_managed`] accepts.
    pub(crate) fn prefetch(
        &self,
        address: u64,
        size: u64,
        device: Option<usize>,
        stream: usize,
    ) -> Outcome {
        let machine = Arc::clone(&self.machine);
        let work = move || {
            machine.prefetch(address, size, device);
            Ok(())
        };
        self.streams.push(stream, Work::Task(Box::new(work)))?;
        let statistics = &self.machine.statistics;
        statistics.prefetches.add(1);
        match device {
            Some(_) => statistics.prefetched_to_device_bytes.add(size),
            None => statistics.prefetched_to_host_bytes.add(size),
        }
        Ok(())
    }

    /// Whether a range is one that advice and prefetching are for.
    pub(crate) fn check_managed(&self, address: u64, size: u64) -> Outcome {
        let range = self.machine.space.registrations.find(address);
        let range = range.filter(|range| range.kind() == Kind::Managed);
        let managed = range.is_some_and(|range| size <= range.end() - address);
        match size > 0 && (managed || self.machine.options.reads_pageable()) {
            true => Ok(()),
            false => Err(Status::INVALID_VALUE),
        }
    }

    /// `cuMemHostAlloc`.
    pub(crate) fn allocate_host(&self, size: u64, flags: u32) -> Outcome<u64> {
        self.streams.fault()?;
        let began = Instant::now();
        let address = self.machine.space.registrations.allocate(size, flags, self.id)?;
        self.machine.statistics.host_allocations.add(1);
        self.machine.clock.spend(began, Expense::Register { resident: 0, cold: size });
        Ok(address)
    }

    /// `cuMemFreeHost`.
    pub(crate) fn free_host(&self, address: u64) -> Outcome {
        self.synchronize()?;
        if address == 0 {
            return Ok(());
        }
        self.machine.space.registrations.free(address, Kind::Allocated).map(drop)
    }

    /// `cuMemHostRegister`.
    pub(crate) fn register(&self, start: u64, size: u64, flags: u32) -> Outcome {
        if !self.machine.options.host_register {
            return Err(Status::NOT_SUPPORTED);
        }
        self.streams.fault()?;
        let began = Instant::now();
        let modelled = self.machine.clock.seconds().is_some();
        let resident = if modelled { resident(start, size) } else { size };
        let pinned = self.machine.space.registrations.register(start, size, flags, self.id)?;
        self.machine.clock.spend(began, Expense::Register { resident, cold: size - resident });
        let statistics = &self.machine.statistics;
        statistics.registrations.add(1);
        statistics.live_registered.add(1);
        statistics.live_registered_bytes.add(pinned);
        statistics.registered_bytes.add(pinned);
        Ok(())
    }

    /// `cuMemHostUnregister`, after all work.
    pub(crate) fn unregister(&self, address: u64) -> Outcome {
        if self.streams.busy() {
            self.machine.space.registrations.rules().check(Rule::UnregisterBusy)?;
        }
        self.synchronize()?;
        let began = Instant::now();
        let pinned = self.machine.space.registrations.unregister(address)?;
        self.machine.clock.spend(began, Expense::Unregister(pinned));
        let statistics = &self.machine.statistics;
        statistics.unregistrations.add(1);
        statistics.live_registered.subtract(1);
        statistics.live_registered_bytes.subtract(pinned);
        Ok(())
    }

    /// A copy that is done when this returns.
    pub(crate) fn copy(&self, to: (u64, Place), from: (u64, Place), size: u64) -> Outcome {
        self.transfer(Copy::plan(&self.machine.space, to, from, size)?, None)
    }

    /// A copy in a stream. Pageable sources are read now; a copy that ends in
    /// pageable memory is done when this returns.
    pub(crate) fn copy_later(
        &self,
        to: (u64, Place),
        from: (u64, Place),
        size: u64,
        stream: usize,
    ) -> Outcome {
        self.transfer(Copy::plan(&self.machine.space, to, from, size)?, Some(stream))
    }

    /// Carries out a planned copy, in a stream or, if there is none, now.
    pub(crate) fn transfer(&self, mut copy: Copy, stream: Option<usize>) -> Outcome {
        self.streams.fault()?;
        let wait = stream.is_none() || copy.must_wait();
        if !wait && self.machine.options.deferred {
            copy.snapshot()?;
        }
        let machine = Arc::clone(&self.machine);
        let stream = stream.unwrap_or(DEFAULT);
        self.streams.push(stream, Work::Task(Box::new(move || machine.copy(&copy))))?;
        if wait { self.synchronize_stream(stream) } else { Ok(()) }
    }

    /// `cuCtxGetLimit`.
    pub(crate) fn limit(&self, limit: u32) -> Outcome<usize> {
        let limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        limits.get(&limit).copied().ok_or(Status::INVALID_VALUE)
    }

    /// `cuCtxSetLimit`: remembered, but nothing is limited.
    pub(crate) fn set_limit(&self, limit: u32, value: usize) -> Outcome {
        let mut limits = self.limits.lock().unwrap_or_else(PoisonError::into_inner);
        *limits.get_mut(&limit).ok_or(Status::INVALID_VALUE)? = value;
        Ok(())
    }

    /// Before a kernel: without concurrent access the program may not touch
    /// managed memory until it has synchronised.
    pub(crate) fn close_managed(&self) {
        if !self.machine.options.concurrent_managed {
            self.machine.space.registrations.open_managed(false);
        }
    }

    /// After synchronising.
    pub(crate) fn settle(&self) {
        if !self.machine.options.concurrent_managed && !self.streams.busy() {
            self.open_managed();
        }
    }

    fn open_managed(&self) {
        if !self.machine.options.concurrent_managed {
            self.machine.space.registrations.open_managed(true);
        }
    }
}

/// Most contexts on the stack of one thread.
const DEPTH: usize = 32;

thread_local! {
    // Without a destructor: libgomp calls the driver from atexit handlers,
    // after those of thread-local values have run.
    static STACK: Cell<(usize, [usize; DEPTH])> = const { Cell::new((0, [0; DEPTH])) };
}

/// The handle of this thread's context; 0 if it has none.
pub(crate) fn current() -> usize {
    let (depth, stack) = STACK.get();
    depth.checked_sub(1).map_or(0, |top| stack[top])
}

/// `cuCtxPushCurrent`.
pub(crate) fn push(handle: usize) -> Outcome {
    let (depth, mut stack) = STACK.get();
    *stack.get_mut(depth).ok_or(Status::INVALID_VALUE)? = handle;
    STACK.set((depth + 1, stack));
    Ok(())
}

/// `cuCtxPopCurrent`.
pub(crate) fn pop() -> Outcome<usize> {
    let (depth, stack) = STACK.get();
    let top = depth.checked_sub(1).ok_or(Status::INVALID_CONTEXT)?;
    STACK.set((top, stack));
    Ok(stack[top])
}

/// `cuCtxSetCurrent`: replaces the top; 0 takes it away.
pub(crate) fn set_current(handle: usize) -> Outcome {
    // An empty stack has no top to take away.
    let _ = pop();
    if handle == 0 { Ok(()) } else { push(handle) }
}

#[cfg(test)]
#[path = "context_tests.rs"]
mod tests;
