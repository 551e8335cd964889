//! The computer that the driver pretends to have, and what is counted on it.

use crate::copy::Copy;
use crate::cost::{Clock, Expense};
use crate::memory::DeviceMemory;
use crate::option::Options;
use crate::pin::Pinner;
use crate::registration::Registrations;
use crate::side::Sort;
use crate::space::Space;
use crate::statistics::Statistics;
use crate::status::Outcome;
use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Devices, address space, clock and counters.
pub(crate) struct Machine {
    pub(crate) options: Options,
    pub(crate) space: Space,
    pub(crate) clock: Clock,
    pub(crate) statistics: Statistics,
    /// One kernel at a time on each device.
    running: Vec<Mutex<()>>,
    start: Instant,
    owners: AtomicUsize,
}

impl Machine {
    /// A machine as the options want it.
    pub(crate) fn new(options: Options) -> io::Result<Machine> {
        let device = |_| DeviceMemory::new(options.memory).map(Arc::new);
        let devices = (0..options.devices).map(device).collect::<io::Result<_>>()?;
        let pinner = Pinner::new(options.pinning);
        let (rules, managed) = (options.rules.clone(), options.managed_limit);
        let registrations = Registrations::new(rules, pinner, options.pin_limit, managed);
        Ok(Machine {
            space: Space { devices, registrations },
            clock: Clock::new(options.costs.clone(), options.pace),
            statistics: Statistics::default(),
            running: (0..options.devices).map(|_| Mutex::default()).collect(),
            start: Instant::now(),
            owners: AtomicUsize::new(1),
            options,
        })
    }

    /// A number for somebody who will own memory.
    pub(crate) fn owner(&self) -> usize {
        self.owners.fetch_add(1, Ordering::Relaxed)
    }

    /// Milliseconds for events: virtual ones if time is modelled.
    pub(crate) fn milliseconds(&self) -> f64 {
        self.clock.seconds().unwrap_or_else(|| self.start.elapsed().as_secs_f64()) * 1e3
    }

    /// Keeps other kernels from a device.
    pub(crate) fn occupy(&self, device: usize) -> MutexGuard<'_, ()> {
        self.running[device].lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A kernel uses managed memory, which comes to its device.
    pub(crate) fn attract(&self, address: u64, size: u64, device: usize) {
        let began = Instant::now();
        let bytes = self.space.registrations.pool().migrate(address, size, Some(device));
        if bytes > 0 {
            self.statistics.migrated_to_device_bytes.add(bytes);
            self.clock.spend(began, Expense::HtoD(bytes, false));
        }
    }

    /// Before a kernel: what the host has used of managed memory is there.
    pub(crate) fn recall(&self) {
        let began = Instant::now();
        let bytes = self.space.registrations.pool().returned();
        if bytes > 0 {
            self.statistics.migrated_to_host_bytes.add(bytes);
            self.clock.spend(began, Expense::DtoH(bytes, false));
        }
    }

    /// Carries out `cuMemPrefetchAsync`, to a device or to the host.
    pub(crate) fn prefetch(&self, address: u64, size: u64, device: Option<usize>) {
        if !self.clock.runs() {
            return;
        }
        let began = Instant::now();
        let bytes = self.space.registrations.pool().migrate(address, size, device);
        self.clock.spend(
            began,
            match device {
                Some(_) => Expense::HtoD(bytes, true),
                None => Expense::DtoH(bytes, true),
            },
        );
    }

    /// Carries out a copy and counts it.
    pub(crate) fn copy(&self, copy: &Copy) -> Outcome {
        let began = Instant::now();
        copy.run()?;
        let statistics = &self.statistics;
        statistics.managed_copy_bytes.add(copy.managed());
        // A copy is one call, however many rows it has.
        let mut totals = BTreeMap::<_, u64>::new();
        for (from, to, size) in copy.sorts() {
            *totals.entry((from, to)).or_default() += size;
        }
        for ((from, to), size) in totals {
            let (counter, expense) = match (from, to) {
                (Sort::Device, Sort::Device) => (&statistics.dtod_bytes, None),
                (Sort::Pinned, Sort::Device) => {
                    (&statistics.htod_pinned_bytes, Some(Expense::HtoD(size, true)))
                }
                (Sort::Pageable, Sort::Device) => {
                    (&statistics.htod_pageable_bytes, Some(Expense::HtoD(size, false)))
                }
                (Sort::Device, Sort::Pinned) => {
                    (&statistics.dtoh_pinned_bytes, Some(Expense::DtoH(size, true)))
                }
                (Sort::Device, Sort::Pageable) => {
                    (&statistics.dtoh_pageable_bytes, Some(Expense::DtoH(size, false)))
                }
                _ => (&statistics.htoh_bytes, None),
            };
            counter.add(size);
            statistics.copies.add(1);
            expense.into_iter().for_each(|expense| self.clock.spend(began, expense));
        }
        Ok(())
    }
}
