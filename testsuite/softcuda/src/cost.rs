//! A model of what transfers cost on real machines: a virtual clock that
//! advances by published figures, whatever the time here.

use serde::Deserialize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Figures of one machine. Bandwidths in GB/s (10⁹), registration in ms per
/// GiB, the cost of a call in µs.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Costs {
    pub(crate) htod_pageable: f64,
    pub(crate) htod_pinned: f64,
    pub(crate) dtoh_pageable: f64,
    pub(crate) dtoh_pinned: f64,
    pub(crate) register_resident: f64,
    pub(crate) register_cold: f64,
    pub(crate) unregister: f64,
    pub(crate) register_call: f64,
    pub(crate) copy_call: f64,
    pub(crate) launch: f64,
}

/// Sources, by figure: kvikio#456 (8 GB/s pageable on an H100), vllm#51081 (108
/// ms/GiB, resident), cudf#23457 (492 ms/GiB, cold), MFC#683 (V100: 4 and 12
/// GB/s), vortex#7815 (GH200: 93 and 97 GiB/s). From memory, in no source
/// read: 55 GB/s pinned on PCIe 5, and the µs of a call. Unregistration is
/// published nowhere; a quarter of registering is an estimate.
const MACHINES: &[(&str, Costs)] = &[
    ("h100-pcie", costs([8.0, 55.0, 8.0, 55.0], 108.0)),
    ("v100-pcie3", costs([4.0, 12.0, 4.0, 12.0], 108.0)),
    ("gh200", costs([99.9, 104.2, 99.9, 104.2], 108.0)),
];

const fn costs(bandwidths: [f64; 4], register: f64) -> Costs {
    let [htod_pageable, htod_pinned, dtoh_pageable, dtoh_pinned] = bandwidths;
    Costs {
        htod_pageable,
        htod_pinned,
        dtoh_pageable,
        dtoh_pinned,
        register_resident: register,
        register_cold: 492.0,
        unregister: register / 4.0,
        register_call: 16.0,
        copy_call: 8.0,
        launch: 5.0,
    }
}

impl Costs {
    /// A machine of the table, or a TOML file with every figure of [`Costs`].
    pub(crate) fn parse(text: &str) -> Result<Costs, String> {
        if let Some((_, costs)) = MACHINES.iter().find(|(name, _)| *name == text) {
            return Ok(costs.clone());
        }
        let names: Vec<_> = MACHINES.iter().map(|(name, _)| *name).collect();
        let content = std::fs::read_to_string(text).map_err(|error| {
            format!("'{text}' is none of {}, nor a file: {error}", names.join(", "))
        })?;
        let costs: Costs =
            toml::from_str(&content).map_err(|error| format!("{text}: {}", error.message()))?;
        if costs.bandwidths().iter().all(|bandwidth| *bandwidth > 0.0) {
            Ok(costs)
        } else {
            Err(format!("{text}: a bandwidth must be above 0"))
        }
    }

    fn bandwidths(&self) -> [f64; 4] {
        [self.htod_pageable, self.htod_pinned, self.dtoh_pageable, self.dtoh_pinned]
    }

    /// How long `expense` takes.
    fn price(&self, expense: Expense) -> Duration {
        let per_gib =
            |bytes: u64, milliseconds: f64| bytes as f64 / 1_073_741_824.0 * milliseconds * 1e6;
        // GB/s is bytes per nanosecond.
        let nanoseconds = match expense {
            Expense::HtoD(bytes, pinned) => {
                let bandwidth = if pinned { self.htod_pinned } else { self.htod_pageable };
                bytes as f64 / bandwidth + self.copy_call * 1e3
            }
            Expense::DtoH(bytes, pinned) => {
                let bandwidth = if pinned { self.dtoh_pinned } else { self.dtoh_pageable };
                bytes as f64 / bandwidth + self.copy_call * 1e3
            }
            Expense::Register { resident, cold } => {
                per_gib(resident, self.register_resident)
                    + per_gib(cold, self.register_cold)
                    + self.register_call * 1e3
            }
            Expense::Unregister(bytes) => {
                per_gib(bytes, self.unregister) + self.register_call * 1e3
            }
            Expense::Launch => self.launch * 1e3,
        };
        Duration::from_nanos(nanoseconds as u64)
    }
}

/// Something that takes time on a real machine.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expense {
    /// Bytes to the device, and whether the host's side was pinned.
    HtoD(u64, bool),
    /// Bytes to the host, and whether the host's side was pinned.
    DtoH(u64, bool),
    /// Bytes that were in memory already, and bytes that were not.
    Register { resident: u64, cold: u64 },
    /// Bytes unpinned.
    Unregister(u64),
    /// A kernel, without its run time.
    Launch,
}

/// Virtual time since the start of the driver. It is one clock: nothing
/// overlaps in it. If it paces, real time is never behind it.
#[derive(Debug, Default)]
pub(crate) struct Clock {
    costs: Option<Costs>,
    /// Real time for each unit of virtual time; 0 lets real time be.
    pace: u32,
    nanoseconds: AtomicU64,
}

impl Clock {
    /// A clock that stands still if there are no costs.
    pub(crate) fn new(costs: Option<Costs>, pace: u32) -> Clock {
        Clock { costs, pace, nanoseconds: AtomicU64::new(0) }
    }

    /// Lets the time pass that `expense` costs, for something that began at
    /// `began` and is done.
    pub(crate) fn spend(&self, began: Instant, expense: Expense) {
        let Some(costs) = &self.costs else { return };
        let price = costs.price(expense);
        self.nanoseconds.fetch_add(price.as_nanos() as u64, Ordering::Relaxed);
        if let Some(end) = self.end(began, price) {
            wait_until(end);
        }
    }

    /// When something of that price ends that began at `began`, in real time.
    fn end(&self, began: Instant, price: Duration) -> Option<Instant> {
        (self.pace > 0).then(|| began + price * self.pace)
    }

    /// Whether there are costs.
    pub(crate) fn runs(&self) -> bool {
        self.costs.is_some()
    }

    /// Virtual seconds, if there are costs.
    pub(crate) fn seconds(&self) -> Option<f64> {
        self.costs.as_ref().map(|_| self.nanoseconds.load(Ordering::Relaxed) as f64 / 1e9)
    }
}

/// Sleeps for most of the time, since a sleep ends late, and spins for the rest.
fn wait_until(end: Instant) {
    const LATE: Duration = Duration::from_micros(200);
    let left = end.saturating_duration_since(Instant::now());
    if left > LATE {
        std::thread::sleep(left - LATE);
    }
    while Instant::now() < end {
        std::hint::spin_loop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;

    fn after(expense: Expense) -> f64 {
        let clock = Clock::new(Some(Costs::parse("h100-pcie").unwrap()), 0);
        clock.spend(Instant::now(), expense);
        clock.seconds().unwrap()
    }

    #[test]
    fn published_figures_come_out() {
        let near = |seconds: f64, expected: f64| (seconds - expected).abs() < 1e-3;
        assert!(near(after(Expense::HtoD(GIB, false)), 0.134));
        assert!(near(after(Expense::HtoD(GIB, true)), 0.0195));
        assert!(near(after(Expense::Register { resident: GIB, cold: 0 }), 0.108));
        assert!(near(after(Expense::Register { resident: 0, cold: GIB }), 0.492));
        assert!(after(Expense::Launch) > 0.0);
        assert!(after(Expense::Unregister(GIB)) > 0.0);
        assert!(after(Expense::DtoH(GIB, true)) < after(Expense::DtoH(GIB, false)));
    }

    #[test]
    fn without_costs_time_stands_still() {
        let clock = Clock::default();
        clock.spend(Instant::now(), Expense::Launch);
        assert_eq!(clock.seconds(), None);
    }

    #[test]
    fn a_pace_makes_time_real() {
        let clock = Clock::new(Some(Costs::parse("h100-pcie").unwrap()), 3);
        let began = Instant::now();
        clock.spend(began, Expense::HtoD(8_000_000, false));
        assert!(began.elapsed() >= Duration::from_micros(3 * 1008));
        // Real work counts: the end is so far from the beginning.
        let price = Duration::from_micros(5);
        assert_eq!(clock.end(began, price), Some(began + 3 * price));
        assert_eq!(Clock::default().end(began, price), None);
    }

    #[test]
    fn a_file_gives_every_figure() {
        let folder = std::env::temp_dir().join(format!("softcuda-cost-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("machine.toml");
        let text = "htod_pageable = 1.0\nhtod_pinned = 2.0\ndtoh_pageable = 3.0\ndtoh_pinned = 4.0\n\
                    register_resident = 5.0\nregister_cold = 6.0\nunregister = 7.0\n\
                    register_call = 8.0\ncopy_call = 9.0\nlaunch = 10.0\n";
        std::fs::write(&path, text).unwrap();
        assert_eq!(Costs::parse(path.to_str().unwrap()).unwrap().launch, 10.0);
        std::fs::write(&path, "launch = 1.0\n").unwrap();
        assert!(Costs::parse(path.to_str().unwrap()).is_err());
        std::fs::remove_dir_all(&folder).unwrap();
        assert!(Costs::parse("h1000").unwrap_err().contains("gh200"));
    }
}
