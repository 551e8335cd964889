//! OpenACC's constructs. Those with a variable number of arguments stand in
//! `variadic`.

use core::ffi::{c_int, c_ushort, c_void};

use super::{Arrays, Device, Place, Time, Ways, entry, mapping, open};
use crate::engine;

/// As [`mapping`]; the first such call initialises the device.
pub(super) fn openacc(
    place: Place,
    flags: c_int,
    time: Time,
    arrays: Arrays,
    ways: Ways,
    real: impl FnOnce(),
) {
    mapping(place, || Device::openacc(flags), time, arrays, ways, real);
    engine::after_openacc();
}

entry! {
    fn GOACC_data_start as offmem_GOACC_data_start (place, real;
        flags: c_int, mapnum: usize, hostaddrs: *mut *mut c_void, sizes: *mut usize,
        kinds: *mut c_ushort,
    ) [kinds as usize] {
        // SAFETY: the caller's arrays and arguments.
        unsafe {
            let arrays = Arrays::new(mapnum, hostaddrs, sizes, kinds);
            open::begin(Device::openacc(flags).map(|device| open::Data {
                device,
                place,
                memory: arrays.memory().collect(),
            }));
            openacc(place, flags, Time::Copies, arrays, Ways::To, || {
                real(flags, mapnum, hostaddrs, sizes, kinds);
            });
        }
    }

    fn GOACC_data_end as offmem_GOACC_data_end (place, real;) [0] {
        // The place is that of the beginning, which says what is mapped.
        let _ = place;
        // SAFETY: libgomp's prototype.
        open::end(|| unsafe { real() });
    }

    fn GOACC_declare as offmem_GOACC_declare (place, real;
        flags: c_int, mapnum: usize, hostaddrs: *mut *mut c_void, sizes: *mut usize,
        kinds: *mut c_ushort,
    ) [kinds as usize] {
        // SAFETY: the caller's arrays and arguments.
        unsafe {
            let arrays = Arrays::new(mapnum, hostaddrs, sizes, kinds);
            openacc(place, flags, Time::Ends, arrays, Ways::Both, || {
                real(flags, mapnum, hostaddrs, sizes, kinds);
            });
        }
    }
}
