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

/// The arrays of one call.
pub(crate) struct Filter {
    original: Arrays,
    plan: Plan,
    edited: Option<Edited>,
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
    /// Of a call for `device`. `lasting` says whether the device uses the
    /// memory for a time that nobody knows.
    pub(crate) fn new(
        arrays: Arrays,
        device: Device,
        construct: Construct,
        lasting: bool,
    ) -> Filter {
        let mut filter = Filter::idle(arrays);
        if arrays.is_old() && construct != Construct::Update || sabotage::lacks(c"filter") {
            // Such kinds have no values. Managed memory is found present, and
            // there is none that would always be copied.
            return filter;
        }
        filter.plan = Plan::new(arrays, construct, |range| unified::sharing(range, device));
        if device == Device::Openacc && construct == Construct::Enter {
            filter.copy_afterwards();
        }
        if filter.plan.falls_short {
            tell_of_pointer();
        }
        if !construct.is_loose() {
            filter.hold(lasting);
        }
        if !filter.plan.is_idle() {
            filter.edited = Some(match construct.is_loose() && !arrays.is_old() {
                true => Edited::without_shared(arrays, &filter.plan.fates),
                false => Edited::in_place(arrays, &filter.plan.fates),
            });
        }
        filter
    }

    /// Of a call for the host, which gets its arrays as they are.
    pub(crate) fn idle(arrays: Arrays) -> Filter {
        Filter {
            original: arrays,
            plan: Plan::default(),
            edited: None,
            held: SmallVec::new(),
            pointers: SmallVec::new(),
            copied: SmallVec::new(),
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
            } else {
                self.held.push(unified::hold(range));
            }
        }
        for location in self.plan.translated.iter().copied() {
            // SAFETY: the plan read it.
            let value = unsafe { ptr::without_provenance::<usize>(location).read_unaligned() };
            self.pointers.push((location, value));
        }
    }

    /// What libgomp gets; for as long as this lives in its place.
    pub(crate) fn arrays(&mut self) -> Arrays {
        match &mut self.edited {
            Some(edited) => {
                self.original.with(&mut edited.addresses, &mut edited.sizes, &mut edited.kinds)
            }
            None => self.original,
        }
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
    pub(crate) fn finish(self) {
        for location in self.copied {
            if Device::Openacc.has(location) {
                update_pointer(ptr::without_provenance_mut(location));
            }
        }
        for (location, value) in self.pointers {
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
    fn in_place(arrays: Arrays, fates: &[Fate]) -> Edited {
        let mut edited = Edited::default();
        for (i, fate) in fates.iter().enumerate() {
            let element = arrays.get(i);
            let (kind, size) = match *fate {
                Fate::Keep => (element.kind, element.size),
                Fate::Share if arrays.is_old() => (element.kind, 0),
                Fate::Share => (FIRSTPRIVATE_INT, element.size),
                Fate::Recast(kind, size) => (kind, size),
            };
            edited.sizes.push(size);
            edited.kinds.push(element.with_kind(kind));
        }
        edited
    }

    fn without_shared(arrays: Arrays, fates: &[Fate]) -> Edited {
        let mut edited = Edited::default();
        for (i, fate) in fates.iter().enumerate() {
            let element = arrays.get(i);
            let address = ptr::without_provenance_mut(element.address);
            let is_before_attach = || {
                i + 1 < fates.len()
                    && fates[i + 1] != Fate::Share
                    && Role::of(arrays.get(i + 1).kind) == Role::Attach
            };
            let (address, kind, size) = match *fate {
                Fate::Keep => (address, element.kind, element.size),
                Fate::Recast(kind, size) => (address, kind, size),
                // libgomp would take the attachment for that of the element
                // before: a structure without members keeps them apart.
                Fate::Share if is_before_attach() => (ptr::null_mut(), STRUCT, 0),
                Fate::Share => continue,
            };
            edited.addresses.push(address);
            edited.sizes.push(size);
            edited.kinds.push(element.with_kind(kind));
        }
        edited
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
