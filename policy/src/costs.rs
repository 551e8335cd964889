//! What copying, registering and unregistering cost on this machine.

use crate::rate::{Caution, Rate, scale};

/// Which way a copy goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From host memory to the device.
    ToDevice,
    /// From the device to host memory.
    ToHost,
}

impl Direction {
    pub(crate) fn other(self) -> Direction {
        match self {
            Direction::ToDevice => Direction::ToHost,
            Direction::ToHost => Direction::ToDevice,
        }
    }
}

/// A call of the driver, in nanoseconds (libfabric and UCX count 16 µs for one
/// that registers).
const CALL: u64 = 16_000;

/// Priors, in nanoseconds for each MiB. An H100 on PCIe 5: 8 GB/s from pageable
/// memory with one thread (rapidsai/kvikio#456), 55 GB/s from page-locked
/// memory, 108 ms/GiB to register resident memory (vllm-project/vllm#51081).
/// No figure for unregistering is published: a quarter of that.
const PAGEABLE: u64 = 131_072;
const LOCKED: u64 = 19_065;
const REGISTER: u64 = 105_469;
const UNREGISTER: u64 = REGISTER / 4;

/// Estimates that begin with published figures and follow what is observed.
/// Until enough is observed they err towards not registering.
#[derive(Debug)]
pub struct Costs {
    pageable: [Rate; 2],
    locked: [Rate; 2],
    register: Rate,
    unregister: Rate,
    discrete: bool,
}

impl Default for Costs {
    fn default() -> Costs {
        Costs::new()
    }
}

impl Costs {
    /// The published figures.
    pub const fn new() -> Costs {
        Costs {
            pageable: [const { Rate::new(PAGEABLE, Caution::Low) }; 2],
            locked: [const { Rate::new(LOCKED, Caution::High) }; 2],
            register: Rate::new(REGISTER, Caution::High),
            unregister: Rate::new(UNREGISTER, Caution::High),
            discrete: false,
        }
    }

    /// The same, for a device that they are of: behind PCIe, without access to
    /// pageable memory. Else a process's first copy decides nothing.
    pub const fn discrete() -> Costs {
        Costs { discrete: true, ..Costs::new() }
    }

    /// A copy of `bytes` from or to memory that was or was not `registered`
    /// took so many nanoseconds.
    pub fn observe_copy(&self, direction: Direction, registered: bool, bytes: u64, ns: u64) {
        let rates = if registered { &self.locked } else { &self.pageable };
        rates[direction as usize].observe(bytes, ns);
    }

    /// Registering `bytes` of resident memory took so many nanoseconds.
    pub fn observe_register(&self, bytes: u64, ns: u64) {
        self.register.observe(bytes, ns.saturating_sub(CALL));
    }

    /// Unregistering `bytes` took so many nanoseconds.
    pub fn observe_unregister(&self, bytes: u64, ns: u64) {
        self.unregister.observe(bytes, ns.saturating_sub(CALL));
    }

    /// What copying `bytes` costs, in nanoseconds.
    pub fn copy(&self, direction: Direction, registered: bool, bytes: u64) -> u64 {
        let rate = if registered { self.locked(direction) } else { self.pageable(direction) };
        scale(rate, bytes)
    }

    /// What a copy of `bytes` costs less, in nanoseconds, if their memory is
    /// registered: nothing where registered memory is no faster.
    pub fn saving(&self, direction: Direction, bytes: u64) -> u64 {
        scale(self.pageable(direction).saturating_sub(self.locked(direction)), bytes)
    }

    /// What registering `bytes` commits to, in nanoseconds: unregistering
    /// included, which comes for each sooner or later.
    pub fn commitment(&self, bytes: u64) -> u64 {
        let calls = self.register.of(bytes).saturating_add(self.unregister.of(bytes));
        calls.saturating_add(2 * CALL)
    }

    /// Whether there is more than hearsay about this machine: a discrete device,
    /// or a copy from or to pageable memory that was observed.
    pub(crate) fn is_known(&self) -> bool {
        self.discrete || self.pageable.iter().any(Rate::is_sampled)
    }

    fn pageable(&self, direction: Direction) -> u64 {
        let [one, other] = pair(&self.pageable, direction);
        if one.is_sampled() { one.per_mib() } else { one.per_mib().min(other.per_mib()) }
    }

    fn locked(&self, direction: Direction) -> u64 {
        let [one, other] = pair(&self.locked, direction);
        if one.is_sampled() { one.per_mib() } else { one.per_mib().max(other.per_mib()) }
    }
}

/// This direction's, and the other one's: the better guess where there is no
/// sample.
fn pair(rates: &[Rate; 2], direction: Direction) -> [&Rate; 2] {
    match direction {
        Direction::ToDevice => [&rates[0], &rates[1]],
        Direction::ToHost => [&rates[1], &rates[0]],
    }
}

#[cfg(test)]
mod tests {
    use super::Costs;
    use super::Direction::{ToDevice, ToHost};

    const GIB: u64 = 1 << 30;

    #[test]
    fn priors_are_the_published_figures() {
        let costs = Costs::new();
        let milliseconds = |ns: u64| ns as f64 / 1e6;
        assert!((milliseconds(costs.copy(ToDevice, false, GIB)) - 134.2).abs() < 0.1);
        assert!((milliseconds(costs.copy(ToHost, true, GIB)) - 19.5).abs() < 0.1);
        assert!((milliseconds(costs.commitment(GIB)) - 135.0).abs() < 0.1);
    }

    #[test]
    fn nothing_is_saved_where_registered_memory_is_no_faster() {
        let costs = Costs::new();
        assert!(costs.saving(ToHost, GIB) > 0);
        costs.observe_copy(ToDevice, false, GIB, 10_000_000);
        assert_eq!(costs.saving(ToDevice, GIB), 0);
        assert_eq!(costs.saving(ToHost, GIB), 0, "the other direction is the best guess");
    }

    #[test]
    fn directions_are_apart_once_sampled() {
        let costs = Costs::new();
        for _ in 0..3 {
            costs.observe_copy(ToDevice, false, GIB, 10_000_000);
            costs.observe_copy(ToHost, false, GIB, 200_000_000);
        }
        assert_eq!(costs.saving(ToDevice, GIB), 0);
        assert!(costs.saving(ToHost, GIB) > 180_000_000);
    }

    #[test]
    fn slow_registration_is_believed_at_once() {
        let costs = Costs::new();
        costs.observe_register(GIB, 1_100_000_000);
        assert!(costs.commitment(GIB) > 1_100_000_000);
        let before = costs.commitment(GIB);
        costs.observe_unregister(GIB, 500_000_000);
        assert!(costs.commitment(GIB) > before + 400_000_000);
    }
}
