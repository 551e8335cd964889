//! OpenMP's constructs (libgomp_g.h). The names without `_ext` are what GCC
//! 4.9 called; libgomp still has them.

use core::ffi::{c_int, c_uchar, c_uint, c_ushort, c_void};

use super::{
    Arrays, Construct, Device, Passed, Region, Time, Ways, beginning, entry, mapping, open,
};
use crate::{engine, unified};

/// Flags of the three functions that have them (gomp-constants.h).
const NOWAIT: c_uint = 1;
const EXIT_DATA: c_uint = 2;

pub(super) fn key_of(region: Region) -> usize {
    region.map_or(0, |region| region as usize)
}

fn time(flags: c_uint, otherwise: Time) -> Time {
    if flags & NOWAIT != 0 { Time::Later } else { otherwise }
}

/// The device of a call; none too where memory is left alone.
fn target(device: c_int) -> Option<Device> {
    match engine::on(|| Device::openmp(device)) {
        Some((_, device)) => Some(device),
        None if unified::is_on() => Device::openmp(device),
        None => None,
    }
}

entry! {
    fn GOMP_target_ext as offmem_GOMP_target_ext (place, real;
        device: c_int, region: Region, mapnum: usize, hostaddrs: *mut *mut c_void,
        sizes: *mut usize, kinds: *mut c_ushort, flags: c_uint, depend: *mut *mut c_void,
        arguments: *mut *mut c_void,
    ) [key_of(region)] {
        // SAFETY: the caller's arrays and arguments.
        unsafe {
            let arrays = Arrays::new(mapnum, hostaddrs, sizes, kinds);
            let time = time(flags, Time::Region);
            let what = (Construct::Region, Ways::Both);
            mapping(place, || Device::openmp(device), time, arrays, what, |passed| {
                let Passed { arrays, waits } = passed;
                let flags = if waits { flags & !NOWAIT } else { flags };
                let (hostaddrs, sizes, kinds) = (arrays.addresses(), arrays.sizes(), arrays.kinds());
                real(device, region, mapnum, hostaddrs, sizes, kinds, flags, depend, arguments);
            });
        }
    }

    fn GOMP_target (place, real;
        device: c_int, region: Region, unused: *const c_void, mapnum: usize,
        hostaddrs: *mut *mut c_void, sizes: *mut usize, kinds: *mut c_uchar,
    ) [key_of(region)] {
        // SAFETY: the caller's arrays and arguments.
        unsafe {
            let arrays = Arrays::old(mapnum, hostaddrs, sizes, kinds);
            let what = (Construct::Region, Ways::Both);
            mapping(place, || Device::openmp(device), Time::Region, arrays, what, |_| {
                real(device, region, unused, mapnum, hostaddrs, sizes, kinds);
            });
        }
    }

    fn GOMP_target_data_ext as offmem_GOMP_target_data_ext (place, real;
        device: c_int, mapnum: usize, hostaddrs: *mut *mut c_void, sizes: *mut usize,
        kinds: *mut c_ushort,
    ) [kinds as usize] {
        // SAFETY: the caller's arrays and arguments.
        unsafe {
            let arrays = Arrays::new(mapnum, hostaddrs, sizes, kinds);
            beginning(place, target(device), arrays, |arrays| {
                real(device, mapnum, arrays.addresses(), arrays.sizes(), arrays.kinds());
            });
        }
    }

    fn GOMP_target_data (place, real;
        device: c_int, unused: *const c_void, mapnum: usize, hostaddrs: *mut *mut c_void,
        sizes: *mut usize, kinds: *mut c_uchar,
    ) [kinds as usize] {
        // SAFETY: the caller's arrays and arguments.
        unsafe {
            let arrays = Arrays::old(mapnum, hostaddrs, sizes, kinds);
            beginning(place, target(device), arrays, |_| {
                real(device, unused, mapnum, hostaddrs, sizes, kinds);
            });
        }
    }

    fn GOMP_target_end_data as offmem_GOMP_target_end_data (place, real;) [0] {
        // The place is that of the beginning, which says what is mapped.
        let _ = place;
        // SAFETY: libgomp's prototype.
        open::end(|| unsafe { real() });
    }

    fn GOMP_target_update_ext as offmem_GOMP_target_update_ext (place, real;
        device: c_int, mapnum: usize, hostaddrs: *mut *mut c_void, sizes: *mut usize,
        kinds: *mut c_ushort, flags: c_uint, depend: *mut *mut c_void,
    ) [kinds as usize] {
        // SAFETY: the caller's arrays and arguments.
        unsafe {
            let arrays = Arrays::new(mapnum, hostaddrs, sizes, kinds);
            let time = time(flags, Time::Copies);
            let what = (Construct::Update, Ways::Update);
            mapping(place, || Device::openmp(device), time, arrays, what, |Passed { arrays, .. }| {
                let (hostaddrs, sizes, kinds) = (arrays.addresses(), arrays.sizes(), arrays.kinds());
                real(device, arrays.count(), hostaddrs, sizes, kinds, flags, depend);
            });
        }
    }

    fn GOMP_target_update (place, real;
        device: c_int, unused: *const c_void, mapnum: usize, hostaddrs: *mut *mut c_void,
        sizes: *mut usize, kinds: *mut c_uchar,
    ) [kinds as usize] {
        // SAFETY: the caller's arrays and arguments.
        unsafe {
            let arrays = Arrays::old(mapnum, hostaddrs, sizes, kinds);
            let what = (Construct::Update, Ways::Update);
            mapping(place, || Device::openmp(device), Time::Copies, arrays, what, |passed| {
                real(device, unused, mapnum, hostaddrs, passed.arrays.sizes(), kinds);
            });
        }
    }

    fn GOMP_target_enter_exit_data as offmem_GOMP_target_enter_exit_data (place, real;
        device: c_int, mapnum: usize, hostaddrs: *mut *mut c_void, sizes: *mut usize,
        kinds: *mut c_ushort, flags: c_uint, depend: *mut *mut c_void,
    ) [kinds as usize] {
        let (what, otherwise) = match flags & EXIT_DATA {
            0 => ((Construct::Enter, Ways::To), Time::Copies),
            _ => ((Construct::Exit, Ways::From), Time::Ends),
        };
        // SAFETY: the caller's arrays and arguments.
        unsafe {
            let arrays = Arrays::new(mapnum, hostaddrs, sizes, kinds);
            let time = time(flags, otherwise);
            mapping(place, || Device::openmp(device), time, arrays, what, |Passed { arrays, .. }| {
                let (hostaddrs, sizes, kinds) = (arrays.addresses(), arrays.sizes(), arrays.kinds());
                real(device, arrays.count(), hostaddrs, sizes, kinds, flags, depend);
            });
        }
    }
}
