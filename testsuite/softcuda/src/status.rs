//! Result codes (CUDA driver API, "Data types used by CUDA driver": `CUresult`).

use std::ffi::{CStr, c_int};

/// Anything but `CUDA_SUCCESS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Status(pub(crate) c_int);

/// What nearly every function here returns.
pub(crate) type Outcome<T = ()> = Result<T, Status>;

macro_rules! statuses {
    ($($constant:ident $code:literal $name:literal $text:literal)*) => {
        #[allow(dead_code, reason = "the table is the documentation of what can be injected")]
        impl Status {
            $(pub(crate) const $constant: Status = Status($code);)*
        }

        const TABLE: &[(c_int, &CStr, &CStr)] = &[$(($code, $name, $text)),*];
    };
}

statuses! {
    SUCCESS 0 c"CUDA_SUCCESS" c"no error"
    INVALID_VALUE 1 c"CUDA_ERROR_INVALID_VALUE" c"invalid argument"
    OUT_OF_MEMORY 2 c"CUDA_ERROR_OUT_OF_MEMORY" c"out of memory"
    NOT_INITIALIZED 3 c"CUDA_ERROR_NOT_INITIALIZED" c"initialization error"
    DEINITIALIZED 4 c"CUDA_ERROR_DEINITIALIZED" c"driver shutting down"
    NO_DEVICE 100 c"CUDA_ERROR_NO_DEVICE" c"no CUDA-capable device is detected"
    INVALID_DEVICE 101 c"CUDA_ERROR_INVALID_DEVICE" c"invalid device ordinal"
    INVALID_IMAGE 200 c"CUDA_ERROR_INVALID_IMAGE" c"device kernel image is invalid"
    INVALID_CONTEXT 201 c"CUDA_ERROR_INVALID_CONTEXT" c"invalid device context"
    INVALID_PTX 218 c"CUDA_ERROR_INVALID_PTX" c"a PTX JIT compilation failed"
    INVALID_SOURCE 300 c"CUDA_ERROR_INVALID_SOURCE" c"device kernel image is invalid"
    FILE_NOT_FOUND 301 c"CUDA_ERROR_FILE_NOT_FOUND" c"file not found"
    OPERATING_SYSTEM 304 c"CUDA_ERROR_OPERATING_SYSTEM" c"OS call failed or operation not supported on this OS"
    INVALID_HANDLE 400 c"CUDA_ERROR_INVALID_HANDLE" c"invalid resource handle"
    NOT_FOUND 500 c"CUDA_ERROR_NOT_FOUND" c"named symbol not found"
    NOT_READY 600 c"CUDA_ERROR_NOT_READY" c"device not ready"
    ILLEGAL_ADDRESS 700 c"CUDA_ERROR_ILLEGAL_ADDRESS" c"an illegal memory access was encountered"
    OUT_OF_RESOURCES 701 c"CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES" c"too many resources requested for launch"
    LAUNCH_TIMEOUT 702 c"CUDA_ERROR_LAUNCH_TIMEOUT" c"the launch timed out and was terminated"
    PEER_ACCESS_UNSUPPORTED 217 c"CUDA_ERROR_PEER_ACCESS_UNSUPPORTED" c"peer access is not supported between these two devices"
    PRIMARY_CONTEXT_ACTIVE 708 c"CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE" c"cannot set while device is active in this process"
    CONTEXT_IS_DESTROYED 709 c"CUDA_ERROR_CONTEXT_IS_DESTROYED" c"context is destroyed"
    ASSERT 710 c"CUDA_ERROR_ASSERT" c"device-side assert triggered"
    ALREADY_REGISTERED 712 c"CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED" c"part or all of the requested memory range is already mapped"
    NOT_REGISTERED 713 c"CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED" c"pointer does not correspond to a registered memory region"
    HARDWARE_STACK 714 c"CUDA_ERROR_HARDWARE_STACK_ERROR" c"hardware stack error"
    ILLEGAL_INSTRUCTION 715 c"CUDA_ERROR_ILLEGAL_INSTRUCTION" c"an illegal instruction was encountered"
    MISALIGNED_ADDRESS 716 c"CUDA_ERROR_MISALIGNED_ADDRESS" c"misaligned address"
    LAUNCH_FAILED 719 c"CUDA_ERROR_LAUNCH_FAILED" c"unspecified launch failure"
    NOT_PERMITTED 800 c"CUDA_ERROR_NOT_PERMITTED" c"operation not permitted"
    NOT_SUPPORTED 801 c"CUDA_ERROR_NOT_SUPPORTED" c"operation not supported"
    UNKNOWN 999 c"CUDA_ERROR_UNKNOWN" c"unknown error"
}

impl Status {
    /// As `cuGetErrorName`; nothing for a number that is no result code.
    pub(crate) fn name(self) -> Option<&'static CStr> {
        self.row().map(|row| row.1)
    }

    /// As `cuGetErrorString`.
    pub(crate) fn text(self) -> Option<&'static CStr> {
        self.row().map(|row| row.2)
    }

    fn row(self) -> Option<&'static (c_int, &'static CStr, &'static CStr)> {
        TABLE.iter().find(|row| row.0 == self.0)
    }

    /// A failure by number or by name, with or without `CUDA_ERROR_`.
    pub(crate) fn parse(text: &str) -> Option<Status> {
        let named = |row: &&(c_int, &CStr, &CStr)| {
            let name = row.1.to_str().unwrap_or_default();
            row.0.to_string() == text
                || name == text
                || name.strip_prefix("CUDA_ERROR_") == Some(text)
        };
        TABLE.iter().filter(|row| row.0 != 0).find(named).map(|row| Status(row.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        assert_eq!(Status::parse("712"), Some(Status::ALREADY_REGISTERED));
        assert_eq!(Status::parse("OUT_OF_MEMORY"), Some(Status::OUT_OF_MEMORY));
        assert_eq!(Status::parse("CUDA_ERROR_NOT_FOUND"), Some(Status::NOT_FOUND));
        assert_eq!(Status::parse("0"), None, "success cannot be injected");
        assert_eq!(Status::parse("12345"), None);
        assert_eq!(Status::INVALID_VALUE.name(), Some(c"CUDA_ERROR_INVALID_VALUE"));
        assert_eq!(Status(12345).text(), None);
    }
}
