//! The map arrays of a call.

use core::ffi::{c_uchar, c_ushort, c_void};

use offmem_registration::Range;

use crate::engine::Transfer;
use crate::entry::kind::{ALWAYS_POINTER, Kind, When};

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
    addresses: *mut *mut c_void,
    sizes: *mut usize,
    kinds: Kinds,
}

#[derive(Clone, Copy)]
enum Kinds {
    Wide(*mut c_ushort),
    Old(*mut c_uchar),
}

/// One element of the three.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Element {
    pub(crate) address: usize,
    pub(crate) size: usize,
    pub(crate) kind: u8,
    /// The binary logarithm of the memory's alignment.
    alignment: u8,
}

impl Element {
    /// Its memory; one byte where there are none.
    pub(crate) fn range(self) -> Option<Range> {
        Range::new(self.address, self.size.max(1)).filter(|_| self.address != 0)
    }

    /// Where its memory ends.
    pub(crate) fn end(self) -> usize {
        self.address.wrapping_add(self.size)
    }

    /// The memory of a pointer.
    pub(crate) fn location(self) -> Option<Range> {
        Range::new(self.address, size_of::<usize>()).filter(|_| self.address != 0)
    }

    /// A pointer's value.
    ///
    /// # Safety
    /// There is one at the address.
    pub(crate) unsafe fn pointer(self) -> usize {
        // SAFETY: by the contract; a packed structure does not align it.
        unsafe { core::ptr::without_provenance::<usize>(self.address).read_unaligned() }
    }

    /// Whether it is a pointer that is also stored where it was before.
    pub(crate) fn is_always(self) -> bool {
        self.kind == ALWAYS_POINTER
    }

    /// The element of `kinds` for the same memory as another kind.
    pub(crate) fn with_kind(self, kind: u8) -> c_ushort {
        c_ushort::from_le_bytes([kind, self.alignment])
    }
}

impl Arrays {
    /// # Safety
    /// The three have `count` elements for as long as this is used.
    pub(crate) unsafe fn new(
        count: usize,
        addresses: *mut *mut c_void,
        sizes: *mut usize,
        kinds: *mut c_ushort,
    ) -> Arrays {
        Arrays { count, addresses, sizes, kinds: Kinds::Wide(kinds) }
    }

    /// Those of GCC 4.9, whose kinds are bytes.
    ///
    /// # Safety
    /// As for [`Arrays::new`].
    pub(crate) unsafe fn old(
        count: usize,
        addresses: *mut *mut c_void,
        sizes: *mut usize,
        kinds: *mut c_uchar,
    ) -> Arrays {
        Arrays { count, addresses, sizes, kinds: Kinds::Old(kinds) }
    }

    /// Others in the place of these, which they must outlive. No addresses means
    /// the same ones, and old arrays keep their kinds.
    pub(crate) fn with(
        self,
        addresses: &mut [*mut c_void],
        sizes: &mut [usize],
        kinds: &mut [c_ushort],
    ) -> Arrays {
        let same = addresses.is_empty() && !sizes.is_empty();
        Arrays {
            count: sizes.len(),
            addresses: if same { self.addresses } else { addresses.as_mut_ptr() },
            sizes: sizes.as_mut_ptr(),
            kinds: match self.kinds {
                Kinds::Wide(_) => Kinds::Wide(kinds.as_mut_ptr()),
                old => old,
            },
        }
    }

    /// The number of elements.
    pub(crate) fn count(self) -> usize {
        self.count
    }

    /// The first address.
    pub(crate) fn addresses(self) -> *mut *mut c_void {
        self.addresses
    }

    /// The first size.
    pub(crate) fn sizes(self) -> *mut usize {
        self.sizes
    }

    /// The first kind; of arrays made by [`Arrays::new`].
    pub(crate) fn kinds(self) -> *mut c_ushort {
        match self.kinds {
            Kinds::Wide(kinds) => kinds,
            Kinds::Old(_) => core::ptr::null_mut(),
        }
    }

    /// Whether they are GCC 4.9's.
    pub(crate) fn is_old(self) -> bool {
        matches!(self.kinds, Kinds::Old(_))
    }

    /// Element `i`, which there must be.
    #[inline]
    pub(crate) fn get(self, i: usize) -> Element {
        debug_assert!(i < self.count, "no such element");
        // SAFETY: `i` is below the number of elements.
        unsafe {
            let [kind, alignment] = match self.kinds {
                Kinds::Wide(kinds) => (*kinds.add(i)).to_le_bytes(),
                Kinds::Old(kinds) => [*kinds.add(i) & 7, *kinds.add(i) >> 3],
            };
            Element {
                address: (*self.addresses.add(i)).addr(),
                size: *self.sizes.add(i),
                kind,
                alignment,
            }
        }
    }

    /// What is copied.
    pub(crate) fn transfers(self, ways: Ways) -> impl Iterator<Item = Transfer> {
        self.memory().filter_map(move |memory| restrict(memory, ways))
    }

    /// What is mapped or unmapped, also without a copy.
    pub(crate) fn memory(self) -> impl Iterator<Item = Transfer> {
        (0..self.count).filter_map(move |i| self.transfer(i))
    }

    /// The memory of element `i`, if it has any.
    #[inline]
    pub(crate) fn transfer(self, i: usize) -> Option<Transfer> {
        let Element { address, size, kind, .. } = self.get(i);
        let Kind::Memory(to, from) = Kind::of(u16::from(kind)) else { return None };
        if address == 0 {
            return None;
        }
        Some(Transfer { range: Range::new(address, size)?, to, from })
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
        let mut addresses =
            [0x1000, 0x2000, 0x3000, 0, 0x5000, 0x6000].map(ptr::without_provenance_mut);
        let mut sizes = [10usize, 20, 0, 40, 50, 1];
        // to, tofrom, to without bytes, from at null, alloc, a structure of one member.
        let mut kinds = [0x01, 0x03, 0x01, 0x02, 0x00, 0x1c];
        // SAFETY: all have six elements.
        let arrays = unsafe {
            Arrays::new(6, addresses.as_mut_ptr(), sizes.as_mut_ptr(), kinds.as_mut_ptr())
        };
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
