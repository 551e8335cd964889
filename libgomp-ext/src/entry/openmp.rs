//! OpenMP's constructs (libgomp_g.h). The names without `_ext` are what GCC
//! 4.9 called; libgomp still has them.

use core::ffi::{c_int, c_uchar, c_uint, c_ushort, c_void};

use super::{Arrays, Device, Region, Time, Ways, copying, entry, mapping, open};
use crate::engine::{self, Place};

/// Flags of the three functions that have them (gomp-constants.h).
const NOWAIT: c_uint = 1;
const EXIT_DATA: c_uint = 2;

pub(super) fn key_of(region: Region) -> usize {
    region.map_or(0, |region| region as usize)
}

fn time(flags: c_uint, otherwise: Time) -> Time {
    if flags & NOWAIT != 0 { Time::Later } else { otherwise }
}

/// A structured data region begins: what it copies back is kept until its end.
fn begin(place: Place, device: c_int, arrays: Arrays, real: impl FnOnce()) {
    let device = || Device::openmp(device);
    open::begin(engine::on(device).map(|(_, device)| open::Data {
        device,
        place,
        memory: arrays.memory().collect(),
    }));
    mapping(place, device, Time::Copies, arrays, Ways::To, real);
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
            mapping(place, || Device::openmp(device), time, arrays, Ways::Both, || {
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
            mapping(place, || Device::openmp(device), Time::Region, arrays, Ways::Both, || {
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
            begin(place, device, Arrays::new(mapnum, hostaddrs, sizes, kinds), || {
                real(device, mapnum, hostaddrs, sizes, kinds);
            });
        }
    }

    fn GOMP_target_data (place, real;
        device: c_int, unused: *const c_void, mapnum: usize, hostaddrs: *mut *mut c_void,
        sizes: *mut usize, kinds: *mut c_uchar,
    ) [kinds as usize] {
        // SAFETY: the caller's arrays and arguments.
        unsafe {
            begin(place, device, Arrays::old(mapnum, hostaddrs, sizes, kinds), || {
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
            copying(place, || Device::openmp(device), time, false, arrays.transfers(Ways::Update), || {
                real(device, mapnum, hostaddrs, sizes, kinds, flags, depend);
            });
        }
    }

    fn GOMP_target_update (place, real;
        device: c_int, unused: *const c_void, mapnum: usize, hostaddrs: *mut *mut c_void,
        sizes: *mut usize, kinds: *mut c_uchar,
    ) [kinds as usize] {
        // SAFETY: the caller's arrays and arguments.
        unsafe {
            let transfers = Arrays::old(mapnum, hostaddrs, sizes, kinds).transfers(Ways::Update);
            copying(place, || Device::openmp(device), Time::Copies, false, transfers, || {
                real(device, unused, mapnum, hostaddrs, sizes, kinds);
            });
        }
    }

    fn GOMP_target_enter_exit_data as offmem_GOMP_target_enter_exit_data (place, real;
        device: c_int, mapnum: usize, hostaddrs: *mut *mut c_void, sizes: *mut usize,
        kinds: *mut c_ushort, flags: c_uint, depend: *mut *mut c_void,
    ) [kinds as usize] {
        let (ways, otherwise) = match flags & EXIT_DATA {
            0 => (Ways::To, Time::Copies),
            _ => (Ways::From, Time::Ends),
        };
        // SAFETY: the caller's arrays and arguments.
        unsafe {
            let arrays = Arrays::new(mapnum, hostaddrs, sizes, kinds);
            mapping(place, || Device::openmp(device), time(flags, otherwise), arrays, ways, || {
                real(device, mapnum, hostaddrs, sizes, kinds, flags, depend);
            });
        }
    }
}
