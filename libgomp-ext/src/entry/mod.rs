//! libgomp's functions that map or copy, most of them twice: as `offmem_NAME
//! (site, …)`, which is what the plugin makes of a call, and under their own
//! names, for calls that were not compiled with the plugin. Both prepare the
//! memory and go on to the real one.

mod allocation;
mod api;
mod arrays;
pub(crate) mod kind;
mod open;
mod openacc;
mod openmp;
mod variadic;

use core::ffi::{CStr, c_void};

use crate::engine::{self, Call, Device, Place, Time, Transfer};
use crate::function;
use arrays::{Arrays, Ways};

/// A target region's outlined function.
type Region = Option<unsafe extern "C" fn(*mut c_void)>;

/// Defines a function of libgomp's. The body gets the place of the call, for
/// which `[key]` stands where there is no record, and the real function.
macro_rules! entry {
    () => {};
    (
        fn $name:ident as $export:ident (
            $place:ident, $real:ident; $($argument:ident: $type:ty),* $(,)?
        ) $(-> $result:ty)? [$key:expr] $body:block
        $($rest:tt)*
    ) => {
        entry! {
            @define $name ($place, $real; $($argument: $type),*) [$($result)?] [$key] $body
            #[doc = concat!("`", stringify!($export), " (site, …)`; see libgomp's function of that name.")]
            ///
            /// # Safety
            /// As libgomp's.
            #[unsafe(no_mangle)]
            pub(in crate::entry) unsafe extern "C" fn $export(
                site: *const offmem_abi::Site,
                $($argument: $type),*
            ) $(-> $result)? {
                let place = $crate::engine::Place { site, key: $key };
                // SAFETY: the caller's.
                unsafe { entry(place, $($argument),*) }
            }
        }
        entry! { $($rest)* }
    };
    (
        fn $name:ident (
            $place:ident, $real:ident; $($argument:ident: $type:ty),* $(,)?
        ) $(-> $result:ty)? [$key:expr] $body:block
        $($rest:tt)*
    ) => {
        entry! { @define $name ($place, $real; $($argument: $type),*) [$($result)?] [$key] $body }
        entry! { $($rest)* }
    };
    (
        @define $name:ident ($place:ident, $real:ident; $($argument:ident: $type:ty),*)
        [$($result:ty)?] [$key:expr] $body:block
        $($export:tt)*
    ) => {
        #[allow(clippy::too_many_arguments, reason = "libgomp's")]
        #[allow(non_snake_case, reason = "libgomp's name")]
        #[cfg_attr(test, allow(dead_code, reason = "the plain name is not exported in tests"))]
        mod $name {
            use super::*;

            type Real = unsafe extern "C" fn($($type),*) $(-> $result)?;
            static REAL: $crate::function::Function<Real> = $crate::function::Function::of_libgomp(
                $crate::function::name(concat!(stringify!($name), "\0")),
            );

            #[inline]
            unsafe fn entry($place: $crate::engine::Place, $($argument: $type),*) $(-> $result)? {
                let $real = REAL.get();
                $body
            }

            #[doc = concat!("`", stringify!($name), "`, in effect where this library comes before libgomp.")]
            ///
            /// # Safety
            /// As libgomp's.
            #[cfg_attr(not(test), unsafe(no_mangle))]
            pub(in crate::entry) unsafe extern "C" fn $name($($argument: $type),*) $(-> $result)? {
                let place = $crate::engine::Place { site: core::ptr::null(), key: $key };
                // SAFETY: the caller's.
                unsafe { entry(place, $($argument),*) }
            }

            $($export)*
        }
    };
}
use entry;

/// Prepares what the call will copy, and makes it. `maps` says whether it maps
/// that, too.
fn copying<R>(
    place: Place,
    device: impl FnOnce() -> Option<Device>,
    time: Time,
    maps: bool,
    transfers: impl Iterator<Item = Transfer>,
    real: impl FnOnce() -> R,
) -> R {
    let Some((engine, device)) = engine::on(device) else {
        return real();
    };
    let mut call = Call::new(engine, device, place, time, maps);
    transfers.for_each(|transfer| call.add(transfer));
    call.run(real)
}

/// As [`copying`], for a call with map arrays, after which mappings may have
/// ended.
fn mapping<R>(
    place: Place,
    device: impl FnOnce() -> Option<Device>,
    time: Time,
    arrays: Arrays,
    ways: Ways,
    real: impl FnOnce() -> R,
) -> R {
    let Some((engine, device)) = engine::on(device) else {
        return real();
    };
    if time == Time::Later {
        engine.unmapped_later(arrays.memory().map(|memory| memory.range));
    }
    let mut call = Call::new(engine, device, place, time, true);
    arrays.transfers(ways).for_each(|transfer| call.add(transfer));
    let result = call.run(real);
    engine.unmapped(device, arrays.memory().map(|memory| memory.range));
    result
}

/// Whether calls that were not compiled with the plugin come here, too: those
/// of other libraries, of routines, and of older units.
pub(crate) fn is_in_effect() -> bool {
    const NAMES: [&CStr; 5] = [
        c"GOMP_target_ext",
        c"GOMP_target_update_ext",
        c"GOACC_update",
        c"omp_target_memcpy",
        c"acc_update_device",
    ];
    NAMES.iter().all(|name| {
        // SAFETY: takes a valid string.
        function::is_ours(unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) })
    })
}
