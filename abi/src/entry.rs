/// What stands before libgomp's name in the name of our entry point.
pub const PREFIX: &str = "offmem_";

/// A function of libgomp's that maps or copies, and that the plugin redirects
/// to `offmem_NAME (site, …)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// libgomp's name.
    pub name: &'static str,
    /// Position of the map array among libgomp's arguments, from 0.
    pub hostaddrs: Option<u32>,
}

const fn maps(name: &'static str, hostaddrs: u32) -> Entry {
    Entry { name, hostaddrs: Some(hostaddrs) }
}

const fn bare(name: &'static str) -> Entry {
    Entry { name, hostaddrs: None }
}

/// Every entry point: libgomp's `libgomp_g.h`, `omp.h` and, for OpenACC,
/// what GCC emits (`GOACC_enter_exit_data` up to 11, the other two from 12).
pub const ENTRIES: [Entry; 17] = [
    maps("GOMP_target_ext", 3),
    maps("GOMP_target_data_ext", 2),
    maps("GOMP_target_update_ext", 2),
    maps("GOMP_target_enter_exit_data", 2),
    bare("GOMP_target_end_data"),
    maps("GOACC_parallel_keyed", 3),
    maps("GOACC_data_start", 2),
    bare("GOACC_data_end"),
    maps("GOACC_update", 2),
    maps("GOACC_enter_exit_data", 2),
    maps("GOACC_enter_data", 2),
    maps("GOACC_exit_data", 2),
    maps("GOACC_declare", 2),
    bare("omp_target_memcpy"),
    bare("omp_target_memcpy_rect"),
    bare("omp_target_memcpy_async"),
    bare("omp_target_memcpy_rect_async"),
];

/// The entry point that stands for libgomp's function `name`.
pub fn entry(name: &str) -> Option<&'static Entry> {
    // Nearly every call of a program fails here, at its first letter.
    if !(name.starts_with("GO") || name.starts_with("omp_")) {
        return None;
    }
    ENTRIES.iter().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::{ENTRIES, entry};

    #[test]
    fn each_entry_is_found_by_its_name() {
        for expected in &ENTRIES {
            assert_eq!(entry(expected.name), Some(expected));
        }
    }

    #[test]
    fn other_functions_are_not() {
        for name in ["malloc", "GOMP_parallel", "omp_get_num_devices", "GOMP_target_ext2", ""] {
            assert_eq!(entry(name), None, "{name}");
        }
    }
}
