//! What `fork` needs: locks that no other thread holds in the child, which has
//! nothing registered.

use crate::{allocator, heap};

#[used]
#[cfg_attr(not(test), unsafe(link_section = ".init_array"))]
static START: extern "C" fn() = start;

extern "C" fn start() {
    // SAFETY: functions that stay as long as the process: the library is not unloaded.
    unsafe { libc::pthread_atfork(Some(before), Some(after), Some(in_child)) };
}

/// The allocator last: whoever holds another lock may allocate.
unsafe extern "C" fn before() {
    heap::acquire();
    allocator::acquire();
}

unsafe extern "C" fn after() {
    // SAFETY: acquired in `before`.
    unsafe {
        allocator::release();
        heap::release();
    }
}

unsafe extern "C" fn in_child() {
    heap::in_child();
    // SAFETY: as in the parent.
    unsafe { after() };
}
