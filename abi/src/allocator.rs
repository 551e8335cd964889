/// The functions of libc and libstdc++ that unified mode redirects to
/// `offmem_NAME`, with the same arguments, by assembler name and in its order:
/// what allocates, and what takes such memory back. The operators are those
/// of [replacement.functions] in C++23, with `size_t` as on 64-bit targets.
pub const ALLOCATORS: [&str; 31] = [
    "_ZdaPv",
    "_ZdaPvRKSt9nothrow_t",
    "_ZdaPvSt11align_val_t",
    "_ZdaPvSt11align_val_tRKSt9nothrow_t",
    "_ZdaPvm",
    "_ZdaPvmSt11align_val_t",
    "_ZdlPv",
    "_ZdlPvRKSt9nothrow_t",
    "_ZdlPvSt11align_val_t",
    "_ZdlPvSt11align_val_tRKSt9nothrow_t",
    "_ZdlPvm",
    "_ZdlPvmSt11align_val_t",
    "_Znam",
    "_ZnamRKSt9nothrow_t",
    "_ZnamSt11align_val_t",
    "_ZnamSt11align_val_tRKSt9nothrow_t",
    "_Znwm",
    "_ZnwmRKSt9nothrow_t",
    "_ZnwmSt11align_val_t",
    "_ZnwmSt11align_val_tRKSt9nothrow_t",
    "aligned_alloc",
    "calloc",
    "free",
    "malloc",
    "memalign",
    "posix_memalign",
    "realloc",
    "reallocarray",
    "strdup",
    "strndup",
    "valloc",
];

/// Whether unified mode redirects the function `name`.
pub fn is_allocator(name: &str) -> bool {
    ALLOCATORS.binary_search(&name).is_ok()
}

#[cfg(test)]
mod tests {
    use super::{ALLOCATORS, is_allocator};

    #[test]
    fn names_stand_in_the_order_that_the_search_needs() {
        assert!(ALLOCATORS.is_sorted());
        for name in ALLOCATORS {
            assert!(is_allocator(name), "{name}");
        }
    }

    #[test]
    fn every_new_has_its_deletes() {
        for array in ["w", "a"] {
            let delete = if array == "w" { "l" } else { "a" };
            for rest in ["", "RKSt9nothrow_t", "St11align_val_t", "St11align_val_tRKSt9nothrow_t"] {
                assert!(is_allocator(&std::format!("_Zn{array}m{rest}")));
                assert!(is_allocator(&std::format!("_Zd{delete}Pv{rest}")));
            }
            for rest in ["", "St11align_val_t"] {
                assert!(is_allocator(&std::format!("_Zd{delete}Pvm{rest}")));
            }
        }
    }

    #[test]
    fn other_functions_are_not() {
        // Placement new, a class's own, other allocators, other names.
        for name in [
            "_ZnwmPv",
            "_ZN4PoolnwEm",
            "_Znwj",
            "omp_target_alloc",
            "omp_alloc",
            "je_malloc",
            "mallo",
            "malloc_usable_size",
            "free_",
            "",
        ] {
            assert!(!is_allocator(name), "{name}");
        }
    }
}
