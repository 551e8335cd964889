//! The map arrays of a call.

use core::ffi::{c_uchar, c_ushort, c_void};

use offmem_registration::Range;

use crate::engine::Transfer;
use crate::entry::kind::{Kind, When};

/// Which of the copies that the kinds announce a call makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ways {
    /// To the device only.
    To,
    /// From it only.
    From,
    /// Both.
    Both,
    /// Both, of what is mapped already.
    Update,
}

/// `hostaddrs`, `sizes` and `kinds`.
#[derive(Clone, Copy)]
pub(crate) struct Arrays {
    count: usize,
    addresses: *const *mut c_void,
    sizes: *const usize,
    kinds: Kinds,
}

#[derive(Clone, Copy)]
enum Kinds {
    Wide(*const c_ushort),
    Old(*const c_uchar),
}

impl Arrays {
    /// # Safety
    /// The three have `count` elements for as long as this is used.
    pub(crate) unsafe fn new(
        count: usize,
        addresses: *const *mut c_void,
        sizes: *const usize,
        kinds: *const c_ushort,
    ) -> Arrays {
        Arrays { count, addresses, sizes, kinds: Kinds::Wide(kinds) }
    }

    /// Those of GCC 4.9, whose kinds are bytes.
    ///
    /// # Safety
    /// As for [`Arrays::new`].
    pub(crate) unsafe fn old(
        count: usize,
        addresses: *const *mut c_void,
        sizes: *const usize,
        kinds: *const c_uchar,
    ) -> Arrays {
        Arrays { count, addresses, sizes, kinds: Kinds::Old(kinds) }
    }

    /// What is copied.
    pub(crate) fn transfers(self, ways: Ways) -> impl Iterator<Item = Transfer> {
        self.memory().filter_map(move |memory| restrict(memory, ways))
    }

    /// What is mapped or unmapped, also without a copy.
    pub(crate) fn memory(self) -> impl Iterator<Item = Transfer> {
        (0..self.count).filter_map(move |i| {
            // SAFETY: `i` is below the number of elements.
            let (address, size, kind) = unsafe {
                let kind = match self.kinds {
                    Kinds::Wide(kinds) => Kind::of(*kinds.add(i)),
                    Kinds::Old(kinds) => Kind::of_old(*kinds.add(i)),
                };
                (*self.addresses.add(i), *self.sizes.add(i), kind)
            };
            let Kind::Memory(to, from) = kind else { return None };
            if address.is_null() {
                return None;
            }
            Some(Transfer { range: Range::new(address as usize, size)?, to, from })
        })
    }
}

/// The copies that a call makes of those that the kinds announce.
pub(super) fn restrict(Transfer { range, to, from }: Transfer, ways: Ways) -> Option<Transfer> {
    let (to, from) = match ways {
        Ways::To => (to, When::Never),
        Ways::From => (When::Never, from),
        Ways::Both => (to, from),
        Ways::Update => (mapped(to), mapped(from)),
    };
    ((to, from) != (When::Never, When::Never)).then_some(Transfer { range, to, from })
}

fn mapped(when: When) -> When {
    if when == When::Never { When::Never } else { When::Mapped }
}

#[cfg(test)]
mod tests {
    use super::{Arrays, Ways};
    use crate::entry::kind::When::{Mapped, Never, New};
    use core::ptr;

    #[test]
    fn only_memory_that_is_copied() {
        let addresses =
            [0x1000, 0x2000, 0x3000, 0, 0x5000, 0x6000].map(ptr::without_provenance_mut);
        let sizes = [10usize, 20, 0, 40, 50, 1];
        // to, tofrom, to without bytes, from at null, alloc, a structure of one member.
        let kinds = [0x01, 0x03, 0x01, 0x02, 0x00, 0x1c];
        // SAFETY: all have six elements.
        let arrays = unsafe { Arrays::new(6, addresses.as_ptr(), sizes.as_ptr(), kinds.as_ptr()) };
        let found = |ways| -> Vec<_> {
            let found = arrays.transfers(ways);
            found.map(|transfer| (transfer.range.start, transfer.to, transfer.from)).collect()
        };
        assert_eq!(found(Ways::Both), [(0x1000, New, Never), (0x2000, New, New)]);
        assert_eq!(found(Ways::From), [(0x2000, Never, New)]);
        assert_eq!(found(Ways::Update), [(0x1000, Mapped, Never), (0x2000, Mapped, Mapped)]);
        assert_eq!(arrays.memory().count(), 3);
    }
}
