//! Which device a call is for, and what is mapped there: libgomp's answers.

use core::ffi::{c_int, c_ushort, c_void};

use crate::function::Function;

/// gomp-constants.h.
const USE_DEVICE_PTR_IF_PRESENT: c_ushort = 0x10;

/// A device other than the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Device {
    /// By OpenMP's number.
    Openmp(c_int),
    /// OpenACC's current one.
    Openacc,
}

/// What the compiler passes for the default device, and since GCC 16 for
/// OpenMP 6.1's (gomp-constants.h).
const DEFAULT: c_int = -1;
const DEFAULT_OMP_61: c_int = -5;

/// openacc.h's `acc_device_nvidia`.
const ACC_DEVICE_NVIDIA: c_int = 5;

static DEFAULT_DEVICE: Function<unsafe extern "C" fn() -> c_int> =
    Function::of_libgomp(c"omp_get_default_device");

impl Device {
    /// From the first argument of `GOMP_target…`: none is the host.
    pub(crate) fn openmp(argument: c_int) -> Option<Device> {
        let number = match argument {
            // SAFETY: omp.h's prototype.
            DEFAULT | DEFAULT_OMP_61 => unsafe { DEFAULT_DEVICE.get()() },
            number => number,
        };
        Device::numbered(number)
    }

    /// By its number in the API of OpenMP; none is the host, and numbers that
    /// there are not.
    pub(crate) fn numbered(number: c_int) -> Option<Device> {
        static DEVICES: Function<unsafe extern "C" fn() -> c_int> =
            Function::of_libgomp(c"omp_get_num_devices");
        // SAFETY: omp.h's prototype.
        (number >= 0 && number < unsafe { DEVICES.get()() }).then_some(Device::Openmp(number))
    }

    /// The number that the API of OpenMP gives the host.
    pub(crate) fn host() -> c_int {
        static HOST: Function<unsafe extern "C" fn() -> c_int> =
            Function::of_libgomp(c"omp_get_initial_device");
        // SAFETY: omp.h's prototype.
        unsafe { HOST.get()() }
    }

    /// Whether a number is the host's; since OpenMP 5.2 it also has -1.
    pub(crate) fn is_host(number: c_int) -> bool {
        number == -1 || number == Device::host()
    }

    /// From OpenACC's flags, which arrive inverted: bit 0 asks for the host.
    pub(crate) fn openacc(flags: c_int) -> Option<Device> {
        (!flags & 1 == 0).then_some(Device::Openacc)
    }

    /// Whether the address is mapped.
    pub(crate) fn has(self, address: usize) -> bool {
        static OPENMP: Function<unsafe extern "C" fn(*const c_void, c_int) -> c_int> =
            Function::of_libgomp(c"omp_target_is_present");
        static OPENACC: Function<unsafe extern "C" fn(*const c_void, usize) -> c_int> =
            Function::of_libgomp(c"acc_is_present");
        let address = core::ptr::without_provenance(address);
        // SAFETY: the prototypes of omp.h and openacc.h; the address is only looked up.
        unsafe {
            match self {
                Device::Openmp(number) => OPENMP.get()(address, number) != 0,
                Device::Openacc => OPENACC.get()(address, 1) != 0,
            }
        }
    }

    /// OpenMP's number of the default device, whether there is one or not. It
    /// initialises nothing.
    pub(crate) fn default_number() -> c_int {
        // SAFETY: omp.h's prototype.
        unsafe { DEFAULT_DEVICE.get()() }
    }

    /// OpenMP's number of it; nothing where OpenACC's is not an NVIDIA one.
    pub(crate) fn number(self) -> Option<c_int> {
        static TYPE: Function<unsafe extern "C" fn() -> c_int> =
            Function::of_libgomp(c"acc_get_device_type");
        static NUMBER: Function<unsafe extern "C" fn(c_int) -> c_int> =
            Function::of_libgomp(c"acc_get_device_num");
        match self {
            Device::Openmp(number) => Some(number),
            // SAFETY: openacc.h's prototypes.
            Device::Openacc => unsafe {
                let kind = TYPE.get()();
                (kind == ACC_DEVICE_NVIDIA).then(|| NUMBER.get()(kind))
            },
        }
    }

    /// Has libgomp initialise the device, also where it is OpenACC's.
    pub(crate) fn open(self) {
        static ALLOC: Function<unsafe extern "C" fn(usize) -> *mut c_void> =
            Function::of_libgomp(c"acc_malloc");
        static FREE: Function<unsafe extern "C" fn(*mut c_void)> =
            Function::of_libgomp(c"acc_free");
        match self {
            Device::Openmp(_) => self.initialise(),
            // SAFETY: openacc.h's prototypes.
            Device::Openacc => unsafe { FREE.get()(ALLOC.get()(16)) },
        }
    }

    /// Where a mapped address is on the device; other addresses stay what they
    /// are. A data region whose one element asks for it says that in every
    /// version of libgomp.
    pub(crate) fn address(self, address: usize) -> usize {
        static OPENMP: Function<
            unsafe extern "C" fn(c_int, usize, *mut *mut c_void, *mut usize, *mut c_ushort),
        > = Function::of_libgomp(c"GOMP_target_data_ext");
        static OPENACC: Function<
            unsafe extern "C" fn(c_int, usize, *mut *mut c_void, *mut usize, *mut c_ushort),
        > = Function::of_libgomp(c"GOACC_data_start");
        static OPENMP_END: Function<unsafe extern "C" fn()> =
            Function::of_libgomp(c"GOMP_target_end_data");
        static OPENACC_END: Function<unsafe extern "C" fn()> =
            Function::of_libgomp(c"GOACC_data_end");
        let (mut hostaddr, mut size) = (core::ptr::without_provenance_mut(address), 0);
        let mut kind = USE_DEVICE_PTR_IF_PRESENT;
        let (begin, number, end) = match self {
            Device::Openmp(number) => (OPENMP.get(), number, OPENMP_END.get()),
            Device::Openacc => (OPENACC.get(), !0, OPENACC_END.get()),
        };
        // SAFETY: the prototypes of libgomp_g.h, and arrays of one element.
        unsafe {
            begin(number, 1, &raw mut hostaddr, &raw mut size, &raw mut kind);
            end();
        }
        hostaddr.addr()
    }

    /// Has libgomp initialise the device, which makes its context current in
    /// this thread. OpenACC's is initialised by the construct itself, so that
    /// profiling tools see the events in their place.
    pub(crate) fn initialise(self) {
        static ALLOC: Function<unsafe extern "C" fn(usize, c_int) -> *mut c_void> =
            Function::of_libgomp(c"omp_target_alloc");
        static FREE: Function<unsafe extern "C" fn(*mut c_void, c_int)> =
            Function::of_libgomp(c"omp_target_free");
        if let Device::Openmp(number) = self {
            // SAFETY: omp.h's prototypes; freed on the device where it was allocated.
            unsafe { FREE.get()(ALLOC.get()(16, number), number) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Device;

    #[test]
    fn openacc_flags_are_inverted() {
        assert_eq!(Device::openacc(!0), Some(Device::Openacc));
        assert_eq!(Device::openacc(!1), None);
    }
}
