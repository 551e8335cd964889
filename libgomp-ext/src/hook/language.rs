//! The libraries of C++ and Fortran themselves, which allocate for the program:
//! a string's characters, what `matmul` returns. Where memory is unified, theirs
//! comes from the pool like that of the code which they serve.
//!
//! A hook knows them by the address that it returns to.

use core::ffi::{CStr, c_int, c_void};
use core::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use core::{mem, ptr};

use offmem_registration::Range;

use super::family::{MALLOC, Malloc};
use crate::unified;

/// `[start, end)` of each one's code; empty where it is not there.
static CODE: [[AtomicUsize; 2]; 2] = [const { [const { AtomicUsize::new(0) }; 2] }; 2];

const NAMES: [&[u8]; 2] = [b"libstdc++.so", b"libgfortran.so"];

/// libc's malloc, once [`MALLOC`] makes a [`detour`].
static LIBCS: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

/// What C++'s and Fortran's own libraries allocate is unified from now on. Such
/// memory may be freed by anybody, so the family must be [ours](super::family::is_libcs_only).
pub(crate) fn serve() {
    if cfg!(target_arch = "x86_64") && find() {
        // It must be known before the first call of the detour.
        if let Some(libcs) = MALLOC.address() {
            LIBCS.store(libcs, Ordering::Release);
            MALLOC.divert(detour as *mut c_void);
        }
    }
}

/// Adds the caller to malloc's argument.
#[cfg(target_arch = "x86_64")]
#[unsafe(naked)]
unsafe extern "C" fn detour(size: usize) -> *mut c_void {
    core::arch::naked_asm!(
        "mov rsi, qword ptr [rsp]",
        "jmp {for_caller}",
        for_caller = sym malloc_for,
    );
}

#[cfg(not(target_arch = "x86_64"))]
unsafe extern "C" fn detour(size: usize) -> *mut c_void {
    // SAFETY: the caller's.
    unsafe { malloc_for(size, 0) }
}

/// malloc, for the code that returns to `caller`.
///
/// # Safety
/// As malloc's.
unsafe extern "C" fn malloc_for(size: usize, caller: usize) -> *mut c_void {
    let block = unified(size, caller);
    if !block.is_null() {
        return block;
    }
    let libcs = LIBCS.load(Ordering::Acquire);
    // SAFETY: malloc, and the caller's.
    unsafe { mem::transmute::<*mut c_void, Malloc>(libcs)(size) }
}

/// A unified block, if `caller` is one of the languages' libraries.
#[inline]
pub(super) fn unified(size: usize, caller: usize) -> *mut c_void {
    if is_librarys(caller) {
        unified::allocate(size, unified::ALIGN).cast()
    } else {
        ptr::null_mut()
    }
}

/// Whether code of one of them is at an address.
#[inline]
fn is_librarys(address: usize) -> bool {
    CODE.iter().any(|[start, end]| {
        address >= start.load(Ordering::Relaxed) && address < end.load(Ordering::Relaxed)
    })
}

/// Finds those that are loaded; whether there is one. Others that come later are
/// like any library.
fn find() -> bool {
    // SAFETY: `visit` takes an object that stays while it is shown.
    unsafe { libc::dl_iterate_phdr(Some(visit), ptr::null_mut()) };
    CODE.iter().any(|[_, end]| end.load(Ordering::Relaxed) != 0)
}

unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _: usize, _: *mut c_void) -> c_int {
    // SAFETY: an object, with its name and table, that stays while it is shown.
    let (base, path, headers) = unsafe {
        let info = &*info;
        if info.dlpi_name.is_null() || info.dlpi_phnum == 0 {
            return 0;
        }
        let headers = core::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
        (info.dlpi_addr, CStr::from_ptr(info.dlpi_name).to_bytes(), headers)
    };
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let Some(place) = NAMES.iter().position(|known| name.starts_with(known)) else { return 0 };
    let code = headers.iter().find(|it| it.p_type == libc::PT_LOAD && it.p_flags & libc::PF_X != 0);
    let range = code.and_then(|it| Range::new((base + it.p_vaddr) as usize, it.p_memsz as usize));
    if let Some(range) = range {
        CODE[place][1].store(range.end, Ordering::Relaxed);
        CODE[place][0].store(range.start, Ordering::Relaxed);
    }
    0
}
