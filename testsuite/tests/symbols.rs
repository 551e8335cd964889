//! What the two libraries export and need: neither more nor less.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use offmem_abi::{ALLOCATORS, ENABLE, ENTRIES, PREFIX};
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

/// What the runtime exports beside the entry points of redirected calls.
const EXPORTS: [&[&str]; 9] = [
    // For the units.
    &[ENABLE, "GOMP_enable_pinned_mode"],
    // offmem.h
    &["offmem_is_pinned", "offmem_pin", "offmem_unpin", "offmem_get_stats"],
    // libgomp's constructs and routines under their own names.
    &[
        "GOMP_target",
        "GOMP_target_data",
        "GOMP_target_update",
        "omp_target_disassociate_ptr",
        "acc_shutdown",
        "acc_unmap_data",
    ],
    &[
        "acc_copyin",
        "acc_copyin_async",
        "acc_present_or_copyin",
        "acc_pcopyin",
        "acc_copyout",
        "acc_copyout_async",
        "acc_copyout_finalize",
        "acc_copyout_finalize_async",
        "acc_delete",
        "acc_delete_async",
        "acc_delete_finalize",
        "acc_delete_finalize_async",
        "acc_update_device",
        "acc_update_device_async",
        "acc_update_self",
        "acc_update_self_async",
        "acc_memcpy_to_device",
        "acc_memcpy_to_device_async",
        "acc_memcpy_from_device",
        "acc_memcpy_from_device_async",
    ],
    // What is there where memory is shared.
    &[
        "omp_target_associate_ptr",
        "omp_target_is_present",
        "omp_target_is_accessible",
        "omp_get_mapped_ptr",
        "acc_create",
        "acc_create_async",
        "acc_present_or_create",
        "acc_pcreate",
        "acc_deviceptr",
        "acc_hostptr",
        "acc_is_present",
        "acc_map_data",
        "acc_attach",
        "acc_attach_async",
        "acc_detach",
        "acc_detach_async",
        "acc_detach_finalize",
        "acc_detach_finalize_async",
    ],
    // libc's allocation.
    &[
        "malloc",
        "calloc",
        "realloc",
        "free",
        "posix_memalign",
        "aligned_alloc",
        "memalign",
        "valloc",
        "pvalloc",
        "malloc_usable_size",
    ],
    // Its mappings, and its libraries.
    &[
        "mmap",
        "mmap64",
        "munmap",
        "mremap",
        "madvise",
        "mprotect",
        "pkey_mprotect",
        "process_madvise",
        "remap_file_pages",
        "shmat",
        "shmdt",
        "brk",
        "sbrk",
        "dlclose",
    ],
    // Other libraries' registrations.
    &["cuMemHostRegister", "cuMemHostRegister_v2", "cuMemHostUnregister"],
    &["cudaHostRegister", "cudaHostUnregister"],
];

#[test]
fn the_runtime_exports_its_entry_points_and_hooks_only() {
    let names = ENTRIES.iter().map(|entry| entry.name);
    let mut expected: BTreeSet<String> =
        names.flat_map(|name| [name.to_owned(), format!("{PREFIX}{name}")]).collect();
    expected.extend(ALLOCATORS.map(|name| format!("{PREFIX}{name}")));
    expected.extend(EXPORTS.concat().into_iter().map(str::to_owned));
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
