//! Map kinds, as the compiler gives them to libgomp (gomp-constants.h): the
//! lowest byte of an element of the array `kinds`.

/// When libgomp copies one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum When {
    /// Never.
    Never,
    /// If the call makes the mapping (to the device) or ends it (from it).
    New,
    /// If there is a mapping: `update`.
    Mapped,
    /// Whether or not there was a mapping.
    Always,
}

/// What an element of the map arrays stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Memory that is mapped, or no longer; when it is copied to the device,
    /// and when from it.
    Memory(When, When),
    /// So many of the elements behind it are members of one structure. Each
    /// is copied for itself.
    Struct,
    /// No memory at the host address: pointers that are translated, values.
    Other,
}

/// What an element stands for where memory is shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Memory that the device gets a copy of, or of which it uses one.
    Memory,
    /// Such memory of a Fortran descriptor, whose pointers come behind it.
    Descriptor,
    /// As [`Kind::Struct`].
    Struct,
    /// A pointer at the host address, whose copy is made to point to the
    /// copy of what it points to; `sizes` has the distance from where it points
    /// to what is mapped.
    Pointer,
    /// The same, if the pointer's memory is mapped; undone by `Detach`.
    Attach,
    /// The end of that.
    Detach,
    /// The host address becomes that of the copy.
    Address,
    /// A device pointer at the host address. A Fortran one has its descriptor's
    /// size, and a `Pointer` behind it.
    DevicePointer,
    /// Values, and what nobody knows.
    Other,
}

/// The device gets the host address as it is.
pub(crate) const FIRSTPRIVATE_INT: u8 = 0x0d;
pub(crate) const ALWAYS_TO: u8 = ALWAYS | TO;
pub(crate) const ATTACH: u8 = 0x50;

const POINTER: u8 = 0x04;
const FORCE_DEVICEPTR: u8 = 0x08;
const IF_PRESENT: u8 = 0x0b;
const USE_DEVICE_PTR: u8 = 0x0e;
const ZERO_LENGTH: u8 = 0x0f;
pub(crate) const ALWAYS_POINTER: u8 = 0x1d;
const POINTER_TO_ZERO_LENGTH: u8 = 0x1e;
const DELETE_ZERO_LENGTH: u8 = 0x1f;
const DETACH: u8 = 0x51;
const ATTACH_ZERO_LENGTH: u8 = 0x52;
const FORCE_DETACH: u8 = 0xd1;

pub(crate) const TO: u8 = 1;
pub(crate) const FROM: u8 = 2;

const ALWAYS: u8 = 0x10;
const IMPLICIT: u8 = 0x60;
const FORCE: u8 = 0x80;
/// From GCC 14 on.
const ALWAYS_PRESENT: u8 = 0x94;

const ALLOC: u8 = 0x00;
const TO_PSET: u8 = 0x05;
const FORCE_PRESENT: u8 = 0x06;
pub(crate) const DELETE: u8 = 0x07;
const FIRSTPRIVATE: u8 = 0x0c;
pub(crate) const RELEASE: u8 = 0x17;
pub(crate) const STRUCT: u8 = 0x1c;
/// From GCC 14 on: members in any order.
const STRUCT_UNORDERED: u8 = 0x5c;
const FORCE_ALLOC: u8 = 0x80;
pub(crate) const FORCE_FROM: u8 = FORCE | FROM;

/// `when`, if there is such a copy at all.
const fn way(copies: bool, when: When) -> When {
    if copies { when } else { When::Never }
}

impl Kind {
    /// Of an element of `kinds`.
    #[inline]
    pub(crate) fn of(element: u16) -> Kind {
        static KINDS: [Kind; 256] = {
            let mut kinds = [Kind::Other; 256];
            let mut kind = 0;
            while kind < kinds.len() {
                kinds[kind] = Kind::of_byte(kind as u8);
                kind += 1;
            }
            kinds
        };
        KINDS[usize::from(element.to_le_bytes()[0])]
    }

    const fn of_byte(kind: u8) -> Kind {
        let (to, from) = (kind & TO != 0, kind & FROM != 0);
        match kind {
            TO_PSET | FIRSTPRIVATE => Kind::Memory(When::New, When::Never),
            STRUCT | STRUCT_UNORDERED => Kind::Struct,
            ALLOC | FORCE_ALLOC | FORCE_PRESENT | DELETE | RELEASE => {
                Kind::Memory(When::Never, When::Never)
            }
            // A device pointer that is used if there is one, and takes no memory.
            ALWAYS => Kind::Other,
            _ => match kind & !(TO | FROM) {
                0 | IMPLICIT => Kind::Memory(way(to, When::New), way(from, When::New)),
                ALWAYS | ALWAYS_PRESENT | FORCE => {
                    Kind::Memory(way(to, When::Always), way(from, When::Always))
                }
                _ => Kind::Other,
            },
        }
    }
}

impl Role {
    /// Of the lowest byte of an element of `kinds`.
    #[inline]
    pub(crate) fn of(kind: u8) -> Role {
        static ROLES: [Role; 256] = {
            let mut roles = [Role::Other; 256];
            let mut kind = 0;
            while kind < roles.len() {
                roles[kind] = Role::of_byte(kind as u8);
                kind += 1;
            }
            roles
        };
        ROLES[usize::from(kind)]
    }

    const fn of_byte(kind: u8) -> Role {
        match kind {
            TO_PSET => Role::Descriptor,
            POINTER | POINTER_TO_ZERO_LENGTH | ALWAYS_POINTER => Role::Pointer,
            ATTACH | ATTACH_ZERO_LENGTH => Role::Attach,
            DETACH | FORCE_DETACH => Role::Detach,
            // 0x10 uses the copy if there is one.
            USE_DEVICE_PTR | ALWAYS => Role::Address,
            FORCE_DEVICEPTR => Role::DevicePointer,
            FIRSTPRIVATE => Role::Other,
            IF_PRESENT | ZERO_LENGTH | DELETE_ZERO_LENGTH => Role::Memory,
            _ => match Kind::of_byte(kind) {
                Kind::Memory(..) => Role::Memory,
                Kind::Struct => Role::Struct,
                Kind::Other => Role::Other,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Kind::{self, Memory, Other, Struct};
    use super::Role;
    use super::When::{Always, Never, New};

    #[test]
    fn kinds_that_copy() {
        assert_eq!(Kind::of(0x01), Memory(New, Never));
        assert_eq!(Kind::of(0x02), Memory(Never, New));
        assert_eq!(Kind::of(0x03), Memory(New, New));
        assert_eq!(Kind::of(0x11), Memory(Always, Never));
        assert_eq!(Kind::of(0x13), Memory(Always, Always));
        assert_eq!(Kind::of(0x81), Memory(Always, Never));
        assert_eq!(Kind::of(0x83), Memory(Always, Always));
        assert_eq!(Kind::of(0x05), Memory(New, Never), "a Fortran descriptor");
        assert_eq!(Kind::of(0x0c), Memory(New, Never), "firstprivate");
        assert_eq!(Kind::of(0x63), Memory(New, New), "implicit tofrom");
        assert_eq!(Kind::of(0x95), Memory(Always, Never), "always, present, to");
    }

    #[test]
    fn the_high_byte_is_the_alignment() {
        assert_eq!(Kind::of(0x0301), Kind::of(0x01));
    }

    #[test]
    fn memory_that_is_not_copied() {
        // alloc, force_present, delete, release, force_alloc.
        for kind in [0x00, 0x06, 0x07, 0x17, 0x80] {
            assert_eq!(Kind::of(kind), Memory(Never, Never), "{kind:#x}");
        }
    }

    #[test]
    fn what_is_no_memory() {
        // pointer, device pointer, link, if_present, firstprivate_int, use_device_ptr,
        // use_device_ptr_if_present, always_pointer, attach, detach, force_detach.
        for kind in [
            0x04, 0x08, 0x09, 0x0a, 0x0b, 0x0d, 0x0e, 0x0f, 0x10, 0x14, 0x1d, 0x1e, 0x1f, 0x50,
            0x51, 0x52, 0xd1,
        ] {
            assert_eq!(Kind::of(kind), Other, "{kind:#x}");
        }
        assert_eq!(Kind::of(0x1c), Struct);
        assert_eq!(Kind::of(0x5c), Struct);
    }
    #[test]
    fn roles_of_all_kinds() {
        let of = |role| (0..=255u8).filter(|kind| Role::of(*kind) == role).collect::<Vec<_>>();
        assert_eq!(of(Role::Descriptor), [0x05]);
        assert_eq!(of(Role::Struct), [0x1c, 0x5c]);
        assert_eq!(of(Role::Pointer), [0x04, 0x1d, 0x1e]);
        assert_eq!(of(Role::Attach), [0x50, 0x52]);
        assert_eq!(of(Role::Detach), [0x51, 0xd1]);
        assert_eq!(of(Role::Address), [0x0e, 0x10]);
        assert_eq!(of(Role::DevicePointer), [0x08]);
        assert_eq!(
            of(Role::Memory),
            [
                0x00, 0x01, 0x02, 0x03, // alloc, to, from, tofrom
                0x06, 0x07, 0x0b, 0x0f, // present, delete, if_present, without length
                0x11, 0x12, 0x13, 0x17, 0x1f, // always, release, delete without length
                0x60, 0x61, 0x62, 0x63, // implicit
                0x80, 0x81, 0x82, 0x83, 0x94, 0x95, 0x96, 0x97, // force; always, present
            ]
        );
    }
}
