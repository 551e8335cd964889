//! What the driver did, for tests to compare with what they expect.

use serde_json::{Map, Value};
use std::fmt::Write;
use std::sync::atomic::{AtomicI64, Ordering};

/// Where the statistics go when the program ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Report {
    /// Nowhere.
    #[default]
    Off,
    /// To standard error, as text.
    Text,
    /// To a file, as JSON; see [`file_name`].
    Json(String),
}

/// The file that a pattern means for this process, as in core(5): `%e` is the
/// program's name, `%p` its process ID.
pub(crate) fn file_name(pattern: &str) -> String {
    let program = std::env::current_exe().unwrap_or_default();
    let name = program.file_name().unwrap_or_default().to_string_lossy();
    pattern.replace("%p", &std::process::id().to_string()).replace("%e", &name)
}

macro_rules! counters {
    ($($(#[$about:meta])* $name:ident)*) => {
        /// One number for each thing counted.
        #[derive(Debug, Default)]
        pub(crate) struct Statistics {
            $($(#[$about])* pub(crate) $name: Counter,)*
        }

        impl Statistics {
            fn values(&self) -> impl Iterator<Item = (&'static str, i64)> {
                [$((stringify!($name), self.$name.get())),*].into_iter()
            }
        }
    };
}

counters! {
    /// Bytes copied to a device from pinned memory.
    htod_pinned_bytes
    /// Bytes copied to a device from other host memory.
    htod_pageable_bytes
    /// Bytes copied from a device into pinned memory.
    dtoh_pinned_bytes
    /// Bytes copied from a device into other host memory.
    dtoh_pageable_bytes
    /// Bytes copied within and between devices.
    dtod_bytes
    /// Bytes copied from host memory to host memory.
    htoh_bytes
    /// Copies of any kind.
    copies
    /// Successful `cuMemHostRegister`.
    registrations
    /// Successful `cuMemHostUnregister`.
    unregistrations
    /// Registrations that the program has not ended.
    live_registered
    /// The bytes of these.
    live_registered_bytes
    /// Bytes of all registrations.
    registered_bytes
    /// Successful `cuMemAlloc`.
    allocations
    /// Successful `cuMemFree` of such memory.
    frees
    /// Bytes that the program has allocated and not freed. What the driver
    /// itself places (variables of modules) does not count.
    live_device_bytes
    /// Successful `cuMemHostAlloc` and `cuMemAllocHost`.
    host_allocations
    /// Successful `cuMemAllocManaged`.
    managed_allocations
    /// Successful `cuMemFree` of such memory.
    managed_frees
    /// Managed allocations that the program has not freed.
    live_managed
    /// The bytes of these.
    live_managed_bytes
    /// Bytes copied from or to managed memory, which counts as the device's
    /// above.
    managed_copy_bytes
    /// Successful `cuMemAdvise`.
    advices
    /// Successful `cuMemPrefetchAsync`.
    prefetches
    /// Bytes that these asked for on a device, wherever they were.
    prefetched_to_device_bytes
    /// Bytes that these asked for on the host, wherever they were.
    prefetched_to_host_bytes
    /// With `SOFTCUDA_COSTS`: bytes of managed memory that kernels met on the
    /// host or on another device.
    migrated_to_device_bytes
    /// With `SOFTCUDA_COSTS`: bytes of managed memory that the host met on a
    /// device, as seen at a launch.
    migrated_to_host_bytes
    /// Kernels run.
    kernels
    /// Instructions run, counted once for a warp.
    instructions
}

/// A number that several threads change.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicI64);

impl Counter {
    /// Adds.
    pub(crate) fn add(&self, count: u64) {
        self.0.fetch_add(count as i64, Ordering::Relaxed);
    }

    /// Subtracts.
    pub(crate) fn subtract(&self, count: u64) {
        self.0.fetch_sub(count as i64, Ordering::Relaxed);
    }

    /// The number now.
    pub(crate) fn get(&self) -> i64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Statistics {
    /// All counters, and `virtual_seconds`, null if time is not modelled.
    pub(crate) fn json(&self, virtual_seconds: Option<f64>) -> String {
        let mut object: Map<String, Value> =
            self.values().map(|(name, value)| (name.to_owned(), value.into())).collect();
        object.insert("virtual_seconds".to_owned(), virtual_seconds.into());
        let mut text = Value::Object(object).to_string();
        text.push('\n');
        text
    }

    /// The same for people, one line for each counter that is not 0.
    pub(crate) fn text(&self, virtual_seconds: Option<f64>) -> String {
        let mut text = String::from("softcuda: statistics\n");
        for (name, value) in self.values().filter(|(_, value)| *value != 0) {
            let _ = writeln!(text, "  {name:<22} {value}");
        }
        if let Some(seconds) = virtual_seconds {
            let _ = writeln!(
                text,
                "  {:<22} {seconds:.6} (a model, not a measurement)",
                "virtual_seconds"
            );
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_has_every_counter() {
        let statistics = Statistics::default();
        statistics.htod_pinned_bytes.add(5);
        statistics.live_registered.add(1);
        statistics.live_registered.subtract(1);
        let value: Value = serde_json::from_str(&statistics.json(Some(0.5))).unwrap();
        assert_eq!(value["htod_pinned_bytes"], 5);
        assert_eq!(value["live_registered"], 0);
        assert_eq!(value["virtual_seconds"], 0.5);
        for name in ["htod_pageable_bytes", "dtoh_pinned_bytes", "kernels", "instructions"] {
            assert_eq!(value[name], 0, "{name}");
        }
        assert!(statistics.json(None).contains(r#""virtual_seconds":null"#));
    }

    #[test]
    fn file_names_may_tell_processes_apart() {
        let name = file_name("/tmp/%e.%p.json");
        assert!(name.ends_with(&format!(".{}.json", std::process::id())), "{name}");
        assert!(name.starts_with("/tmp/cuda-"), "{name}");
    }

    #[test]
    fn text_says_that_time_is_a_model() {
        let statistics = Statistics::default();
        statistics.kernels.add(3);
        let text = statistics.text(Some(1.0));
        assert!(text.contains("kernels") && text.contains("a model"));
        assert!(!text.contains("copies"), "zeros are left out");
    }
}
