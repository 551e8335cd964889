//! The devices on which libgomp knows the slabs, each as its own image:
//! `omp_target_associate_ptr` with the same address twice.

use core::ffi::{c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use offmem_registration::Range;

use super::{slab, tier};
use crate::engine::Device;
use crate::function::Function;
use crate::lock::Lock;
use crate::sabotage;
use crate::unified::tier::Tier;

/// How many devices can have slabs, by OpenMP's numbers.
const DEVICES: c_int = 64;

/// Those that have been met, a bit for each.
static MET: AtomicU64 = AtomicU64::new(0);

/// Whether each of them knows each slab, so that nobody has to look slabs up.
static COMPLETE: AtomicBool = AtomicBool::new(true);

/// A slab stays unknown to a device, which has the host's memory mapped there.
pub(super) fn give_up_completeness() {
    COMPLETE.store(false, Ordering::Release);
}

/// Whether the device of that number has been met, and each that has knows all slabs.
#[inline]
pub(super) fn is_complete_on(number: c_int) -> bool {
    has(MET.load(Ordering::Acquire), number) && COMPLETE.load(Ordering::Acquire)
}

/// Held while a device is met and while a slab comes or goes, so that each
/// device knows each slab.
pub(super) static ROSTER: Lock<()> = Lock::new(());

/// The program calls for `device`: it is initialised, and learns of all slabs.
#[inline]
pub(super) fn meet(device: Device) {
    match tier::found() {
        Tier::Managed | Tier::Pageable => {
            // A device of OpenACC's that is no NVIDIA one is met each time.
            let met = MET.load(Ordering::Acquire);
            if !device.number().is_some_and(|number| has(met, number)) {
                welcome(device);
            }
        }
        Tier::Unknown => welcome(device),
        Tier::Separate => {}
    }
}

#[cold]
fn welcome(device: Device) {
    let tier = tier::find();
    if tier < Tier::Managed {
        return;
    }
    if let Some(primary) = tier::primary()
        && !sabotage::lacks(c"primary")
    {
        primary.enter();
    }
    // Else the variables of its image would not be known.
    device.open();
    if let Some(number) = device.number().filter(|number| (0..DEVICES).contains(number)) {
        let _guard = ROSTER.lock();
        slab::introduce(number);
        MET.fetch_or(bit(number), Ordering::Release);
    }
}

/// No device knows any slab any more.
pub(super) fn forget() {
    let _guard = ROSTER.lock();
    MET.store(0, Ordering::Release);
    slab::forget();
}

/// Makes a slab known to all devices that have been met; the bits of those that
/// took it. With [`ROSTER`] held.
pub(super) fn associate_with_all(range: Range) -> u64 {
    let met = MET.load(Ordering::Relaxed);
    (0..DEVICES)
        .filter(|&number| has(met, number) && associate(range, number))
        .fold(0, |mask, number| mask | bit(number))
}

/// Makes a slab known to a device; false where libgomp has something else mapped
/// there.
pub(super) fn associate(range: Range, number: c_int) -> bool {
    type Associate =
        unsafe extern "C" fn(*const c_void, *const c_void, usize, usize, c_int) -> c_int;
    static ASSOCIATE: Function<Associate> = Function::of_libgomp(c"omp_target_associate_ptr");
    let start = ptr::without_provenance(range.start);
    // SAFETY: omp.h's prototype; both sides can use the memory.
    let is_known = unsafe { ASSOCIATE.get()(start, start, range.size(), 0, number) == 0 };
    if !is_known {
        give_up_completeness();
    }
    is_known
}

/// The devices of `mask` forget the slab; those are left that would not. With
/// [`ROSTER`] held.
pub(super) fn disassociate(range: Range, mask: u64) -> u64 {
    type Disassociate = unsafe extern "C" fn(*const c_void, c_int) -> c_int;
    static DISASSOCIATE: Function<Disassociate> =
        Function::of_libgomp(c"omp_target_disassociate_ptr");
    let start = ptr::without_provenance(range.start);
    (0..DEVICES)
        .filter(|&number| has(mask, number))
        // SAFETY: omp.h's prototype.
        .filter(|&number| unsafe { DISASSOCIATE.get()(start, number) } != 0)
        .fold(0, |left, number| left | bit(number))
}

#[inline]
pub(super) fn has(mask: u64, number: c_int) -> bool {
    (0..DEVICES).contains(&number) && mask & bit(number) != 0
}

#[inline]
pub(super) fn bit(number: c_int) -> u64 {
    1 << (number & (DEVICES - 1))
}
