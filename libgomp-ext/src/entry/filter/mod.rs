//! Map arrays as libgomp is to see them where some memory is the same on host
//! and device: `plan` decides, and what it changes is changed in copies.
//!
//! A call that gives the addresses to a region, or writes to `hostaddrs`, keeps
//! the numbers of its elements: a shared one becomes a value, the host address
//! (`GOMP_MAP_FIRSTPRIVATE_INT`). Others do without the shared elements: what is
//! neither mapped nor copied needs none, and a copy onto itself would end the
//! program.

mod plan;

use core::ffi::{c_ushort, c_void};
use core::sync::atomic::{AtomicBool, Ordering};
use core::{mem, ptr};

use offmem_registration::Range;
use smallvec::SmallVec;

use super::arrays::{Arrays, Ways, restrict};
use super::kind::{ALWAYS_TO, FIRSTPRIVATE_INT, Role, STRUCT};
use crate::engine::{Device, Transfer, When};
use crate::function::Function;
use crate::message::say;
use crate::sabotage;
use crate::unified::{self, Holding};

pub(crate) use plan::Construct;
use plan::{Fate, Plan};

/// Whether a call may have to do with shared memory, for a device that was
/// [met](unified::meet): else its arrays are right as they are.
pub(crate) fn concerns(arrays: Arrays) -> bool {
    let mut elements = (0..arrays.count()).map(|i| arrays.get(i));
    elements.any(|element| {
        unified::may_share(element.address)
            || match Role::of(element.kind) {
                Role::DevicePointer => true,
                Role::Pointer if element.address != 0 => {
                    // SAFETY: libgomp reads the pointer, too.
                    let value = unsafe { element.pointer() };
                    unified::may_share(value.wrapping_add(element.size))
                }
                _ => false,
            }
    })
}

/// The arrays of one call.
pub(crate) struct Filter {
    original: Arrays,
    plan: Plan,
    edited: Edited,
    is_edited: bool,
    held: SmallVec<[Holding; 8]>,
    /// Pointers that libgomp changes for the region, as they were.
    pointers: SmallVec<[(usize, usize); 2]>,
    /// Pointers that are copied as they are after the call.
    copied: SmallVec<[usize; 2]>,
}

/// Copies with what was changed.
#[derive(Default)]
struct Edited {
    /// Empty where the addresses are the original's.
    addresses: SmallVec<[*mut c_void; 16]>,
    sizes: SmallVec<[usize; 16]>,
    kinds: SmallVec<[c_ushort; 16]>,
}

impl Filter {
    /// The arrays as they are.
    pub(crate) fn idle(arrays: Arrays) -> Filter {
        Filter {
            original: arrays,
            plan: Plan::default(),
            edited: Edited::default(),
            is_edited: false,
            held: SmallVec::new(),
            pointers: SmallVec::new(),
            copied: SmallVec::new(),
        }
    }

    /// For a call for `device`; once. `lasting` says whether the device uses the
    /// memory for a time that nobody knows.
    pub(crate) fn decide(&mut self, device: Device, construct: Construct, lasting: bool) {
        let arrays = self.original;
        if arrays.is_old() && construct != Construct::Update || sabotage::lacks(c"filter") {
            // Such kinds have no values. Managed memory is found present, and
            // there is none that would always be copied.
            return;
        }
        let view = unified::View::of(device);
        self.plan.make(arrays, construct, |range| view.sharing(range));
        if device == Device::Openacc && construct == Construct::Enter {
            self.copy_afterwards();
        }
        if self.plan.falls_short {
            tell_of_pointer();
        }
        if !construct.is_loose() {
            self.hold(lasting);
        }
        self.is_edited = !self.plan.is_idle();
        if self.is_edited {
            match construct.is_loose() && !arrays.is_old() {
                true => self.edited.without_shared(arrays, &self.plan.fates, device),
                false => self.edited.in_place(arrays, &self.plan.fates),
            }
        }
    }

    /// OpenACC's `enter data` copies nothing to what is mapped.
    fn copy_afterwards(&mut self) {
        for (i, fate) in self.plan.fates.iter_mut().enumerate() {
            let element = self.original.get(i);
            let is_pointer = matches!(Role::of(element.kind), Role::Pointer | Role::Attach);
            if is_pointer && matches!(fate, Fate::Recast(ALWAYS_TO, _)) {
                *fate = Fate::Share;
                self.copied.push(element.address);
            }
        }
    }

    fn hold(&mut self, lasting: bool) {
        for range in self.plan.managed.iter().copied() {
            if lasting {
                unified::hold_forever(range);
            } else if !self.holds(range) {
                self.held.push(unified::hold(range));
            }
        }
        for location in self.plan.translated.iter().copied() {
            // SAFETY: the plan read it.
            let value = unsafe { ptr::without_provenance::<usize>(location).read_unaligned() };
            self.pointers.push((location, value));
        }
    }

    /// Whether the slab that was held last has this memory, too.
    fn holds(&self, range: Range) -> bool {
        self.held.last().and_then(Option::as_ref).is_some_and(|slab| slab.range().contains(range))
    }

    /// What libgomp gets; for as long as this lives in its place.
    pub(crate) fn arrays(&mut self) -> Arrays {
        if !self.is_edited {
            return self.original;
        }
        let Edited { addresses, sizes, kinds } = &mut self.edited;
        self.original.with(addresses, sizes, kinds)
    }

    /// Whether the call must have been carried out before [`Filter::finish`].
    pub(crate) fn waits(&self) -> bool {
        !self.pointers.is_empty()
    }

    /// Has shared memory that the construct says is used on one side moved there.
    /// `to_device` chooses which of the two it is done for.
    pub(crate) fn prefetch(&self, device: Device, construct: Construct, to_device: bool) {
        let ways = match construct {
            Construct::Enter if to_device => Ways::To,
            Construct::Exit if !to_device => Ways::From,
            Construct::Update if to_device => Ways::To,
            Construct::Update => Ways::From,
            _ => return,
        };
        for (i, fate) in self.plan.fates.iter().enumerate() {
            if *fate == Fate::Share
                && self.original.get(i).size >= unified::PREFETCH_MIN
                && let Some(transfer) = self.original.transfer(i)
                && restrict(transfer, ways).is_some()
            {
                unified::prefetch(transfer.range, device, to_device);
            }
        }
    }

    /// What is kept until a later call ends the construct.
    pub(crate) fn take_held(&mut self) -> SmallVec<[Holding; 8]> {
        mem::take(&mut self.held)
    }

    /// After the call.
    pub(crate) fn finish(&mut self) {
        for &location in &self.copied {
            if Device::Openacc.has(location) {
                update_pointer(ptr::without_provenance_mut(location));
            }
        }
        for &(location, value) in &self.pointers {
            if sabotage::lacks(c"restore") {
                continue;
            }
            // SAFETY: a pointer of the program's, which libgomp was to write.
            unsafe { ptr::without_provenance_mut::<usize>(location).write_unaligned(value) };
        }
    }

    /// Bytes `[to the device, from it]` that are not copied: their memory is
    /// shared.
    pub(crate) fn shared_bytes(&self, ways: Ways) -> [u64; 2] {
        let mut bytes = [0; 2];
        for (i, fate) in self.plan.fates.iter().enumerate() {
            let copied = self.original.transfer(i).filter(|_| *fate == Fate::Share);
            if let Some(Transfer { range, to, from }) = copied.and_then(|t| restrict(t, ways)) {
                for (way, when) in bytes.iter_mut().zip([to, from]) {
                    *way += if when == When::Never { 0 } else { range.size() as u64 };
                }
            }
        }
        bytes
    }
}

impl Edited {
    /// Every element has its number. Those of old arrays are told by their size.
    fn in_place(&mut self, arrays: Arrays, fates: &[Fate]) {
        for (i, fate) in fates.iter().enumerate() {
            let element = arrays.get(i);
            let (kind, size) = match *fate {
                Fate::Keep => (element.kind, element.size),
                Fate::Share if arrays.is_old() => (element.kind, 0),
                Fate::Share => (FIRSTPRIVATE_INT, element.size),
                Fate::Recast(kind, size) => (kind, size),
            };
            self.sizes.push(size);
            self.kinds.push(element.with_kind(kind));
        }
    }

    fn without_shared(&mut self, arrays: Arrays, fates: &[Fate], device: Device) {
        for (i, fate) in fates.iter().enumerate() {
            let element = arrays.get(i);
            let address = ptr::without_provenance_mut(element.address);
            let is_before_attach = i + 1 < fates.len()
                && fates[i + 1] != Fate::Share
                && Role::of(arrays.get(i + 1).kind) == Role::Attach;
            let (address, kind, size) = match *fate {
                Fate::Keep => (address, element.kind, element.size),
                Fate::Recast(kind, size) => (address, kind, size),
                Fate::Share if is_before_attach && self.takes_attachment(device) => {
                    (ptr::null_mut(), STRUCT, 0)
                }
                Fate::Share => continue,
            };
            self.addresses.push(address);
            self.sizes.push(size);
            self.kinds.push(element.with_kind(kind));
        }
    }

    /// Whether libgomp would take an attachment that comes next for that of the element
    /// before; then a structure without members keeps them apart. OpenMP's attachments
    /// have nothing to do with each other.
    fn takes_attachment(&self, device: Device) -> bool {
        let last = self.kinds.last().map(|kind| Role::of(kind.to_le_bytes()[0]));
        device == Device::Openacc || !matches!(last, None | Some(Role::Attach))
    }
}

/// Copies a pointer to OpenACC's device as it is.
pub(crate) fn update_pointer(location: *mut *mut c_void) {
    static UPDATE: Function<unsafe extern "C" fn(*mut c_void, usize)> =
        Function::of_libgomp(c"acc_update_device");
    // SAFETY: openacc.h's prototype; the program's pointer.
    unsafe { UPDATE.get()(location.cast(), size_of::<usize>()) };
}

/// The device may use a pointer that leads nowhere there.
#[cold]
pub(crate) fn tell_of_pointer() {
    static TOLD: AtomicBool = AtomicBool::new(false);
    if !TOLD.swap(true, Ordering::Relaxed) {
        say(format_args!(
            "a pointer in unified memory points to memory that is not unified; the device finds \
             the host's address in it, outside of regions that map it"
        ));
    }
}

#[cfg(test)]
mod tests;
