//! What the two libraries export and need: neither more nor less.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use offmem_abi::{ENABLE, ENTRIES, PREFIX};
use offmem_testsuite::{Stage, succeed};

fn exported(library: &Path) -> BTreeSet<String> {
    let symbols = succeed(Command::new("nm").args(["-D", "--defined-only"]).arg(library));
    symbols.lines().filter_map(|line| line.split_whitespace().nth(2)).map(str::to_owned).collect()
}

fn dynamic(library: &Path, tag: &str) -> Vec<String> {
    let section = succeed(Command::new("readelf").args(["-d", "-W"]).arg(library));
    let lines = section.lines().filter(|line| line.contains(tag));
    lines.filter_map(|line| Some(line.split_once('[')?.1.trim_end_matches(']').into())).collect()
}

#[test]
fn the_runtime_exports_its_entry_points_and_hooks_only() {
    let mut expected: BTreeSet<String> =
        ENTRIES.iter().map(|entry| format!("{PREFIX}{}", entry.name)).collect();
    expected.extend([ENABLE, "GOMP_enable_pinned_mode"].map(str::to_owned));
    let mappings = ["mmap", "mmap64", "munmap", "mremap", "madvise", "process_madvise"];
    expected.extend(mappings.map(str::to_owned));
    expected.extend(["remap_file_pages", "shmat", "shmdt", "brk", "sbrk"].map(str::to_owned));
    expected.extend(["dlclose", "cudaHostRegister", "cudaHostUnregister"].map(str::to_owned));
    let driver = ["cuMemHostRegister", "cuMemHostRegister_v2", "cuMemHostUnregister"];
    expected.extend(driver.map(str::to_owned));
    assert_eq!(exported(&Stage::get().runtime()), expected);
}

#[test]
fn the_plugin_exports_gccs_interface_only() {
    let expected = ["plugin_init", "plugin_is_GPL_compatible"].map(str::to_owned);
    assert_eq!(exported(&Stage::get().plugin()), expected.into());
}

#[test]
fn the_runtime_has_a_soname_and_no_libgomp_of_its_own() {
    let runtime = Stage::get().runtime();
    assert_eq!(dynamic(&runtime, "SONAME"), ["libgomp-offmem.so.1"]);
    for library in dynamic(&runtime, "NEEDED") {
        assert!(!library.starts_with("libgomp") && !library.starts_with("libcuda"), "{library}");
    }
}

#[test]
fn the_plugin_needs_no_second_cxx_library() {
    // GCC has its own inside; another one's state would be apart from it.
    let needed = dynamic(&Stage::get().plugin(), "NEEDED");
    assert!(!needed.iter().any(|library| library.starts_with("libstdc++")), "{needed:?}");
}
