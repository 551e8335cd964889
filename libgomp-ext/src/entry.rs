//! `offmem_NAME (site, …)`, what the plugin makes of each call of libgomp's
//! `NAME (…)` that maps or copies. Variadic ones stand in `variadic`.

use core::ffi::{c_int, c_uint, c_ushort, c_void};

use offmem_abi::Site;

use crate::function::Function;

/// A target region's outlined function.
type Region = Option<unsafe extern "C" fn(*mut c_void)>;

/// Exports `offmem_$name`, with libgomp's arguments behind the site.
macro_rules! entry {
    ($($export:ident is $name:literal ($($argument:ident: $type:ty),*) $(-> $result:ty)?;)+) => { $(
        #[doc = concat!("`", stringify!($export), " (site, …)`; see libgomp's function of that name.")]
        ///
        /// # Safety
        /// As libgomp's.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments, reason = "libgomp's")]
        #[allow(non_snake_case, reason = "libgomp's name")]
        pub(crate) unsafe extern "C" fn $export(_site: *const Site, $($argument: $type),*) $(-> $result)? {
            static REAL: Function<unsafe extern "C" fn($($type),*) $(-> $result)?> =
                Function::of_libgomp($name);
            // SAFETY: libgomp's prototype, with the caller's arguments.
            unsafe { REAL.get()($($argument),*) }
        }
    )+ };
}

// libgomp_g.h
entry! {
    offmem_GOMP_target_ext is c"GOMP_target_ext" (
        device: c_int, region: Region, mapnum: usize, hostaddrs: *mut *mut c_void,
        sizes: *mut usize, kinds: *mut c_ushort, flags: c_uint, depend: *mut *mut c_void,
        arguments: *mut *mut c_void
    );
    offmem_GOMP_target_data_ext is c"GOMP_target_data_ext" (
        device: c_int, mapnum: usize, hostaddrs: *mut *mut c_void, sizes: *mut usize,
        kinds: *mut c_ushort
    );
    offmem_GOMP_target_end_data is c"GOMP_target_end_data" ();
    offmem_GOMP_target_update_ext is c"GOMP_target_update_ext" (
        device: c_int, mapnum: usize, hostaddrs: *mut *mut c_void, sizes: *mut usize,
        kinds: *mut c_ushort, flags: c_uint, depend: *mut *mut c_void
    );
    offmem_GOMP_target_enter_exit_data is c"GOMP_target_enter_exit_data" (
        device: c_int, mapnum: usize, hostaddrs: *mut *mut c_void, sizes: *mut usize,
        kinds: *mut c_ushort, flags: c_uint, depend: *mut *mut c_void
    );
    offmem_GOACC_data_start is c"GOACC_data_start" (
        flags: c_int, mapnum: usize, hostaddrs: *mut *mut c_void, sizes: *mut usize,
        kinds: *mut c_ushort
    );
    offmem_GOACC_data_end is c"GOACC_data_end" ();
    offmem_GOACC_declare is c"GOACC_declare" (
        flags: c_int, mapnum: usize, hostaddrs: *mut *mut c_void, sizes: *mut usize,
        kinds: *mut c_ushort
    );
}

// omp.h
entry! {
    offmem_omp_target_memcpy is c"omp_target_memcpy" (
        dst: *mut c_void, src: *const c_void, length: usize, dst_offset: usize,
        src_offset: usize, dst_device: c_int, src_device: c_int
    ) -> c_int;
    offmem_omp_target_memcpy_async is c"omp_target_memcpy_async" (
        dst: *mut c_void, src: *const c_void, length: usize, dst_offset: usize,
        src_offset: usize, dst_device: c_int, src_device: c_int, depobj_count: c_int,
        depobj_list: *mut c_void
    ) -> c_int;
    offmem_omp_target_memcpy_rect is c"omp_target_memcpy_rect" (
        dst: *mut c_void, src: *const c_void, element_size: usize, num_dims: c_int,
        volume: *const usize, dst_offsets: *const usize, src_offsets: *const usize,
        dst_dimensions: *const usize, src_dimensions: *const usize, dst_device: c_int,
        src_device: c_int
    ) -> c_int;
    offmem_omp_target_memcpy_rect_async is c"omp_target_memcpy_rect_async" (
        dst: *mut c_void, src: *const c_void, element_size: usize, num_dims: c_int,
        volume: *const usize, dst_offsets: *const usize, src_offsets: *const usize,
        dst_dimensions: *const usize, src_dimensions: *const usize, dst_device: c_int,
        src_device: c_int, depobj_count: c_int, depobj_list: *mut c_void
    ) -> c_int;
}
