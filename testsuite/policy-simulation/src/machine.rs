use offmem_policy::Direction;

const GIB: f64 = (1u64 << 30) as f64;
const REGISTER_CALL: f64 = 16_000.0;
const COPY_CALL: f64 = 8_000.0;

/// What transfers cost on a machine.
#[derive(Debug)]
pub struct Machine {
    /// Its name, as for `SOFTCUDA_COSTS`.
    pub name: &'static str,
    /// Whether the device is behind PCIe.
    pub discrete: bool,
    /// GB/s from and to pageable memory.
    pageable: f64,
    /// GB/s from and to registered memory.
    locked: f64,
}

/// softcuda's cost model, whose `cost.rs` has the sources.
pub const MACHINES: &[Machine] = &[
    Machine { name: "h100-pcie", discrete: true, pageable: 8.0, locked: 55.0 },
    Machine { name: "v100-pcie3", discrete: true, pageable: 4.0, locked: 12.0 },
    Machine { name: "gh200", discrete: false, pageable: 99.9, locked: 104.2 },
];

impl Machine {
    /// A copy, in nanoseconds. Both ways cost the same on these machines.
    pub fn copy(&self, _: Direction, registered: bool, bytes: u64) -> f64 {
        bytes as f64 / if registered { self.locked } else { self.pageable } + COPY_CALL
    }

    /// Registering resident memory, in nanoseconds: 108 ms/GiB.
    pub fn register(&self, bytes: u64) -> f64 {
        bytes as f64 / GIB * 108e6 + REGISTER_CALL
    }

    /// Unregistering, in nanoseconds: a quarter of that.
    pub fn unregister(&self, bytes: u64) -> f64 {
        bytes as f64 / GIB * 27e6 + REGISTER_CALL
    }
}
