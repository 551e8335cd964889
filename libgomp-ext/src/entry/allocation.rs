//! What the plugin makes of calls that allocate, in code that is to have
//! unified memory: the pool is tried first, and what it has not is the
//! program's own function's. Blocks from elsewhere are welcome, too.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicU8, Ordering};

use crate::errno;
use crate::function::{self, Function};
use crate::message::fatal;
use crate::sabotage;
use crate::unified::{self, ALIGN};

/// The first function of that name in the process, which may be another
/// allocator's.
const fn plain<F: Copy>(name: &'static CStr) -> Function<F> {
    fn first(name: &CStr) -> *mut c_void {
        // SAFETY: a C string.
        unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) }
    }
    Function::new(name, first)
}

type Malloc = unsafe extern "C" fn(usize) -> *mut c_void;
type Align = unsafe extern "C" fn(usize, usize) -> *mut c_void;

static MALLOC: Function<Malloc> = plain(c"malloc");
static CALLOC: Function<Align> = plain(c"calloc");
static REALLOC: Function<unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void> =
    plain(c"realloc");
static FREE: Function<unsafe extern "C" fn(*mut c_void)> = plain(c"free");
static USABLE_SIZE: Function<unsafe extern "C" fn(*mut c_void) -> usize> =
    plain(c"malloc_usable_size");
static POSIX_MEMALIGN: Function<unsafe extern "C" fn(*mut *mut c_void, usize, usize) -> c_int> =
    plain(c"posix_memalign");
static ALIGNED_ALLOC: Function<Align> = plain(c"aligned_alloc");
static MEMALIGN: Function<Align> = plain(c"memalign");
static VALLOC: Function<Malloc> = plain(c"valloc");
static STRDUP: Function<unsafe extern "C" fn(*const c_char) -> *mut c_char> = plain(c"strdup");
static STRNDUP: Function<unsafe extern "C" fn(*const c_char, usize) -> *mut c_char> =
    plain(c"strndup");

/// malloc(3).
///
/// # Safety
/// As malloc's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn offmem_malloc(size: usize) -> *mut c_void {
    let block = unified::allocate(size, ALIGN);
    // SAFETY: the caller's.
    if block.is_null() { unsafe { MALLOC.get()(size) } } else { block.cast() }
}

/// calloc(3).
///
/// # Safety
/// As calloc's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn offmem_calloc(count: usize, size: usize) -> *mut c_void {
    let block = match count.checked_mul(size) {
        Some(bytes) => unified::allocate_zeroed(bytes),
        None => ptr::null_mut(),
    };
    // SAFETY: the caller's.
    if block.is_null() { unsafe { CALLOC.get()(count, size) } } else { block.cast() }
}

/// free(3).
///
/// # Safety
/// As free's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn offmem_free(block: *mut c_void) {
    // SAFETY: the caller's.
    unsafe {
        if unified::owns(block as usize) {
            unified::free(block);
        } else {
            FREE.get()(block);
        }
    }
}

/// realloc(3). A block from elsewhere moves to the pool.
///
/// # Safety
/// As realloc's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn offmem_realloc(block: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: the caller's; the new block is as long.
    unsafe {
        if block.is_null() {
            return offmem_malloc(size);
        }
        if unified::owns(block as usize) {
            return unified::resize(block, size);
        }
        if size > 0 {
            let new = unified::allocate(size, ALIGN);
            if !new.is_null() {
                let held = USABLE_SIZE.get()(block);
                ptr::copy_nonoverlapping(block.cast::<u8>(), new, held.min(size));
                FREE.get()(block);
                return new.cast();
            }
        }
        REALLOC.get()(block, size)
    }
}

/// reallocarray(3).
///
/// # Safety
/// As reallocarray's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn offmem_reallocarray(
    block: *mut c_void,
    count: usize,
    size: usize,
) -> *mut c_void {
    match count.checked_mul(size) {
        // SAFETY: the caller's.
        Some(bytes) => unsafe { offmem_realloc(block, bytes) },
        None => {
            errno::set(libc::ENOMEM);
            ptr::null_mut()
        }
    }
}

/// posix_memalign(3).
///
/// # Safety
/// As posix_memalign's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn offmem_posix_memalign(
    place: *mut *mut c_void,
    align: usize,
    size: usize,
) -> c_int {
    if align.is_power_of_two() && align.is_multiple_of(size_of::<usize>()) {
        let block = unified::allocate(size, align.max(ALIGN));
        if !block.is_null() {
            // SAFETY: the caller's.
            unsafe { *place = block.cast() };
            return 0;
        }
    }
    // SAFETY: the caller's.
    unsafe { POSIX_MEMALIGN.get()(place, align, size) }
}

/// `$name (align, size)`, the plain one of which is `$plain`.
macro_rules! aligned {
    ($($name:ident is $plain:ident;)+) => { $(
        #[doc = concat!("`", stringify!($plain), "`.")]
        ///
        /// # Safety
        /// As the plain one's.
        #[cfg_attr(not(test), unsafe(no_mangle))]
        pub(crate) unsafe extern "C" fn $name(align: usize, size: usize) -> *mut c_void {
            if align.is_power_of_two() {
                let block = unified::allocate(size, align.max(ALIGN));
                if !block.is_null() {
                    return block.cast();
                }
            }
            // SAFETY: the caller's.
            unsafe { $plain.get()(align, size) }
        }
    )+ };
}

aligned! {
    offmem_aligned_alloc is ALIGNED_ALLOC;
    offmem_memalign is MEMALIGN;
}

/// valloc(3).
///
/// # Safety
/// As valloc's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn offmem_valloc(size: usize) -> *mut c_void {
    let block = unified::allocate(size, offmem_registration::PAGE);
    // SAFETY: the caller's.
    if block.is_null() { unsafe { VALLOC.get()(size) } } else { block.cast() }
}

/// strdup(3).
///
/// # Safety
/// As strdup's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn offmem_strdup(text: *const c_char) -> *mut c_char {
    // SAFETY: the caller's string.
    unsafe {
        let copy = copy(text, libc::strlen(text));
        if copy.is_null() { STRDUP.get()(text) } else { copy }
    }
}

/// strndup(3).
///
/// # Safety
/// As strndup's.
#[cfg_attr(not(test), unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn offmem_strndup(text: *const c_char, most: usize) -> *mut c_char {
    // SAFETY: the caller's string, or as much of one.
    unsafe {
        let copy = copy(text, libc::strnlen(text, most));
        if copy.is_null() { STRNDUP.get()(text, most) } else { copy }
    }
}

/// So much of `text`, and a null byte, in the pool; or null.
///
/// # Safety
/// There are so many bytes.
unsafe fn copy(text: *const c_char, length: usize) -> *mut c_char {
    let copy: *mut c_char = unified::allocate(length + 1, ALIGN).cast();
    if !copy.is_null() {
        // SAFETY: a new block of so many bytes and one.
        unsafe {
            ptr::copy_nonoverlapping(text, copy, length);
            copy.add(length).write(0);
        }
    }
    copy
}

/// Exports `$name`, which is `operators.c`'s `$operator`.
macro_rules! operators {
    ($($name:ident => $operator:ident),+ $(,)?) => {
        unsafe extern "C" {
            $(fn $operator();)+
            static offmem_operators: [*const c_void; OPERATORS];
        }
        $(
            #[doc = concat!("The operator of that name: see `", stringify!($operator), "` in `operators.c`.")]
            ///
            /// # Safety
            /// As the operator's.
            #[unsafe(naked)]
            #[cfg_attr(not(test), unsafe(no_mangle))]
            #[cfg_attr(test, allow(dead_code, reason = "no test calls it"))]
            #[allow(non_snake_case, reason = "C++'s name")]
            pub(crate) unsafe extern "C" fn $name() {
                #[cfg(target_arch = "x86_64")]
                core::arch::naked_asm!("jmp {}", sym $operator);
                #[cfg(target_arch = "aarch64")]
                core::arch::naked_asm!("b {}", sym $operator);
            }
        )+
    };
}

operators! {
    offmem__Znwm => offmem_plain_Znwm,
    offmem__Znam => offmem_plain_Znam,
    offmem__ZnwmRKSt9nothrow_t => offmem_plain_ZnwmRKSt9nothrow_t,
    offmem__ZnamRKSt9nothrow_t => offmem_plain_ZnamRKSt9nothrow_t,
    offmem__ZnwmSt11align_val_t => offmem_plain_ZnwmSt11align_val_t,
    offmem__ZnamSt11align_val_t => offmem_plain_ZnamSt11align_val_t,
    offmem__ZnwmSt11align_val_tRKSt9nothrow_t => offmem_plain_ZnwmSt11align_val_tRKSt9nothrow_t,
    offmem__ZnamSt11align_val_tRKSt9nothrow_t => offmem_plain_ZnamSt11align_val_tRKSt9nothrow_t,
    offmem__ZdlPv => offmem_plain_ZdlPv,
    offmem__ZdaPv => offmem_plain_ZdaPv,
    offmem__ZdlPvm => offmem_plain_ZdlPvm,
    offmem__ZdaPvm => offmem_plain_ZdaPvm,
    offmem__ZdlPvRKSt9nothrow_t => offmem_plain_ZdlPvRKSt9nothrow_t,
    offmem__ZdaPvRKSt9nothrow_t => offmem_plain_ZdaPvRKSt9nothrow_t,
    offmem__ZdlPvSt11align_val_t => offmem_plain_ZdlPvSt11align_val_t,
    offmem__ZdaPvSt11align_val_t => offmem_plain_ZdaPvSt11align_val_t,
    offmem__ZdlPvmSt11align_val_t => offmem_plain_ZdlPvmSt11align_val_t,
    offmem__ZdaPvmSt11align_val_t => offmem_plain_ZdaPvmSt11align_val_t,
    offmem__ZdlPvSt11align_val_tRKSt9nothrow_t => offmem_plain_ZdlPvSt11align_val_tRKSt9nothrow_t,
    offmem__ZdaPvSt11align_val_tRKSt9nothrow_t => offmem_plain_ZdaPvSt11align_val_tRKSt9nothrow_t,
}

/// The operators on which the others rest.
const OPERATORS: usize = 8;

/// For `operators.c`: a block for operator new; null where the operator itself
/// must do, also because the program has its own.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn offmem_new(size: usize, align: usize) -> *mut c_void {
    if !are_standard() {
        return ptr::null_mut();
    }
    unified::allocate(size, align).cast()
}

/// For `operators.c`: frees a block of the pool; 0 if it is none.
///
/// # Safety
/// As operator delete's.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn offmem_delete(block: *mut c_void) -> c_int {
    if unified::owns(block as usize) && are_standard() {
        // SAFETY: the caller's block, of the pool.
        unsafe { unified::free(block) };
        1
    } else {
        0
    }
}

/// For `operators.c`: an operator of the C++ library, which was not there yet
/// when this library was loaded.
///
/// # Safety
/// The name of one.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn offmem_operator(name: *const c_char) -> *mut c_void {
    // SAFETY: C strings; RTLD_NOLOAD runs no code.
    let found = unsafe {
        let flags = libc::RTLD_LAZY | libc::RTLD_NOLOAD;
        let library = libc::dlopen(c"libstdc++.so.6".as_ptr(), flags);
        let first = libc::dlsym(libc::RTLD_DEFAULT, name);
        if library.is_null() || !first.is_null() { first } else { libc::dlsym(library, name) }
    };
    if found.is_null() {
        // SAFETY: the caller's.
        let name = unsafe { CStr::from_ptr(name) };
        fatal(format_args!("no library has {}", name.to_string_lossy()));
    }
    found
}

/// Whether C++'s operators are the C++ library's: a program's own ones keep
/// books of what they give out.
#[inline]
fn are_standard() -> bool {
    match STANDARD.load(Ordering::Relaxed) {
        YES => true,
        NO => false,
        _ => decide(),
    }
}

static STANDARD: AtomicU8 = AtomicU8::new(0);
const YES: u8 = 1;
const NO: u8 = 2;

#[cold]
#[inline(never)]
fn decide() -> bool {
    // SAFETY: a constant of `operators.c`.
    let operators = unsafe { offmem_operators };
    let standard = operators.into_iter().all(|operator| {
        operator.is_null()
            || sabotage::lacks(c"standard")
            || function::is_in(operator, c"libstdc++.so")
    });
    STANDARD.store(if standard { YES } else { NO }, Ordering::Relaxed);
    standard
}
