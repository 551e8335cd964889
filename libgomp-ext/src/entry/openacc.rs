//! OpenACC's constructs. Those with a variable number of arguments stand in
//! `variadic`.

use core::ffi::{c_int, c_ushort, c_void};

use super::{
    Arrays, Construct, Device, Passed, Place, Time, Ways, beginning, entry, mapping, open,
};
use crate::engine;

/// As [`mapping`]; the first such call initialises the device.
pub(super) fn openacc(
    place: Place,
    flags: c_int,
    time: Time,
    arrays: Arrays,
    what: (Construct, Ways),
    real: impl FnOnce(Passed),
) {
    mapping(place, || Device::openacc(flags), time, arrays, what, real);
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
            beginning(place, Device::openacc(flags), arrays, |arrays| {
                real(flags, mapnum, arrays.addresses(), arrays.sizes(), arrays.kinds());
            });
            engine::after_openacc();
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
            let what = (Construct::Exit, Ways::Both);
            openacc(place, flags, Time::Ends, arrays, what, |Passed { arrays, .. }| {
                real(flags, arrays.count(), arrays.addresses(), arrays.sizes(), arrays.kinds());
            });
        }
    }
}
