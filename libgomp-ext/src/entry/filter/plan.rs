//! What becomes of each element of the map arrays where some of the memory is
//! the same on host and device.
//!
//! Shared memory needs no mapping: a kernel gets the host address. What takes
//! thought are pointers, which libgomp makes point to the device's copy. Where
//! the pointer and what it points to are both shared, it is right as it is;
//! where neither is, libgomp is right. In between:
//!
//! * A copy of a pointer to shared memory must have the pointer's own value.
//!   libgomp finds that for managed memory; otherwise the pointer is copied as
//!   it is.
//! * A pointer in managed memory to separate memory cannot be right for both
//!   sides. During a region the device's value counts: libgomp stores it, and
//!   [`super::Filter::finish`] takes it back. Elsewhere the host's counts.
//! * What holds such a pointer and need not be shared, because the device only
//!   *may* use it, is mapped like what the pointer points to.

use offmem_registration::Range;
use smallvec::SmallVec;

use super::super::arrays::{Arrays, Element};
use super::super::kind::{ALWAYS_TO, ATTACH, DELETE, FORCE_FROM, FROM, RELEASE, Role, TO};
use crate::unified::Sharing;

/// What a call does with its arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Construct {
    /// Maps them for a region that gets the addresses.
    Region,
    /// Maps them until a later call ends that.
    Data,
    /// Maps each by itself.
    Enter,
    /// Unmaps each by itself, or does both (OpenACC's `declare`).
    Exit,
    /// Copies what is mapped.
    Update,
}

impl Construct {
    /// Of the call that GCC 11 and earlier make for both (OpenACC): one that
    /// ends a mapping ends them all.
    pub(crate) fn of_either(arrays: Arrays) -> Construct {
        let ends = |i| {
            let kind = arrays.get(i).kind;
            matches!(kind, FROM | FORCE_FROM | DELETE | RELEASE) || Role::of(kind) == Role::Detach
        };
        if (0..arrays.count()).any(ends) { Construct::Exit } else { Construct::Enter }
    }

    /// Whether elements may be left out; otherwise the program or libgomp
    /// knows them by their number.
    pub(super) fn is_loose(self) -> bool {
        !matches!(self, Construct::Region | Construct::Data)
    }
}

/// What becomes of an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It stays.
    Keep,
    /// Nothing is mapped, copied or translated.
    Share,
    /// It has another kind and size.
    Recast(u8, usize),
}

/// All elements' fates.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) fates: SmallVec<[Fate; 16]>,
    /// Managed memory of the call's.
    pub(super) managed: SmallVec<[Range; 8]>,
    /// Where pointers in managed memory are made the device's for a region.
    pub(super) translated: SmallVec<[usize; 2]>,
    /// Whether one stays the host's that the device may need.
    pub(super) falls_short: bool,
    /// Memory that is mapped although it could be shared.
    separate: SmallVec<[Range; 2]>,
}

const POINTER_SIZE: usize = size_of::<usize>();

impl Plan {
    /// Makes one for `arrays`, where `sharing` knows what memory is.
    pub(super) fn make(
        &mut self,
        arrays: Arrays,
        construct: Construct,
        sharing: impl Fn(Range) -> Sharing,
    ) {
        loop {
            let separate = self.separate.len();
            self.decide(arrays, construct, &sharing);
            if self.separate.len() == separate {
                return;
            }
            self.fates.clear();
            self.managed.clear();
            self.translated.clear();
            self.falls_short = false;
        }
    }

    /// Whether every element stays.
    pub(super) fn is_idle(&self) -> bool {
        self.fates.iter().all(|fate| *fate == Fate::Keep)
    }

    fn sharing(&self, range: Range, sharing: &impl Fn(Range) -> Sharing) -> Sharing {
        if self.separate.iter().any(|separate| separate.overlaps(range)) {
            Sharing::Separate
        } else {
            sharing(range)
        }
    }

    fn decide(
        &mut self,
        arrays: Arrays,
        construct: Construct,
        sharing: &impl Fn(Range) -> Sharing,
    ) {
        let mut next = 0;
        while next < arrays.count() {
            let (first, group) = (next, Group::at(arrays, next));
            next += group.count;
            let shared =
                group.range.map_or(Sharing::Separate, |range| self.sharing(range, sharing));
            if let (Sharing::Managed, Some(range)) = (shared, group.range) {
                self.managed.push(range);
            }
            let fate = if shared.is_shared() { Fate::Share } else { Fate::Keep };
            self.fates.extend((first..next).map(|_| fate));
        }
        let mut descriptor = None;
        for i in 0..arrays.count() {
            let element = arrays.get(i);
            match Role::of(element.kind) {
                Role::Descriptor => descriptor = element.range().map(|range| (i, range)),
                Role::Pointer | Role::Attach | Role::Detach => {
                    descriptor = descriptor.filter(|(_, range)| {
                        element.location().is_some_and(|location| range.contains(location))
                    });
                    let descriptor = descriptor.map(|(i, _)| i);
                    if self.fates[i] == Fate::Keep && !is_of_device_pointer(arrays, i) {
                        self.point(arrays, i, descriptor, construct, sharing);
                    }
                }
                _ => descriptor = None,
            }
        }
    }

    /// The fate of pointer `i`, which is part of `descriptor` if there is one.
    fn point(
        &mut self,
        arrays: Arrays,
        i: usize,
        descriptor: Option<usize>,
        construct: Construct,
        sharing: &impl Fn(Range) -> Sharing,
    ) {
        let element = arrays.get(i);
        let (role, Some(location)) = (Role::of(element.kind), element.location()) else {
            return;
        };
        // SAFETY: libgomp reads the pointer, too, or writes to it.
        let value = unsafe { element.pointer() };
        let target = Range::new(value.wrapping_add(element.size), 1);
        let target = target.filter(|_| value != 0).map(|range| self.sharing(range, sharing));
        let is_exit = construct == Construct::Exit || role == Role::Detach;
        self.fates[i] = match (self.sharing(location, sharing), target) {
            (Sharing::Separate, None | Some(Sharing::Separate)) => return,
            (Sharing::Separate, Some(Sharing::Managed)) => {
                // Without what it points to before it, libgomp does not take it.
                if role != Role::Pointer || descriptor.is_some() || !construct.is_loose() || is_exit
                {
                    return;
                }
                self.verbatim(element, construct)
            }
            (Sharing::Separate, Some(Sharing::Pageable)) => match (role, descriptor) {
                // Nothing was attached, nor counted in the descriptor.
                (Role::Detach, _) => Fate::Share,
                (Role::Attach, _) => Fate::Recast(ALWAYS_TO, POINTER_SIZE),
                (_, Some(descriptor)) => {
                    if !is_exit && construct != Construct::Update {
                        // Also one that was mapped before it pointed anywhere.
                        let size = arrays.get(descriptor).size;
                        self.fates[descriptor] = Fate::Recast(ALWAYS_TO, size);
                    }
                    Fate::Share
                }
                _ if is_exit => return,
                _ => self.verbatim(element, construct),
            },
            (Sharing::Managed, Some(Sharing::Separate)) if construct == Construct::Region => {
                self.translated.push(location.start);
                Fate::Recast(ATTACH, element.size)
            }
            (Sharing::Pageable, Some(Sharing::Separate)) => match self.holder(arrays, location) {
                Some(holder) => {
                    self.separate.push(holder);
                    return;
                }
                None => Fate::Share,
            },
            (Sharing::Managed, Some(Sharing::Separate)) => {
                self.falls_short |= !is_exit;
                Fate::Share
            }
            (Sharing::Managed | Sharing::Pageable, _) => Fate::Share,
        };
    }

    /// The copy of a pointer that has the same value on the device.
    fn verbatim(&self, element: Element, construct: Construct) -> Fate {
        let always = element.is_always() && construct != Construct::Update;
        Fate::Recast(if always { ALWAYS_TO } else { TO }, POINTER_SIZE)
    }

    /// The shared element, or structure, that `location` is in.
    fn holder(&self, arrays: Arrays, location: Range) -> Option<Range> {
        let mut next = 0;
        while next < arrays.count() {
            let group = Group::at(arrays, next);
            let range = group.range.filter(|range| range.contains(location));
            if range.is_some() && self.fates[next] == Fate::Share {
                return range;
            }
            next += group.count;
        }
        None
    }
}

/// Elements that are decided as one.
struct Group {
    count: usize,
    /// The memory of theirs that may be shared.
    range: Option<Range>,
}

impl Group {
    /// The one that begins at `first`.
    fn at(arrays: Arrays, first: usize) -> Group {
        let element = arrays.get(first);
        match Role::of(element.kind) {
            Role::Struct => {
                let members = element.size.min(arrays.count() - first - 1);
                let ends = (first + 1..=first + members).map(|i| arrays.get(i).end());
                let end = ends.max().unwrap_or(0).max(element.address.wrapping_add(1));
                let range = (element.address != 0 && end > element.address)
                    .then_some(Range { start: element.address, end });
                Group { count: members + 1, range }
            }
            Role::Memory | Role::Descriptor => Group { count: 1, range: element.range() },
            Role::Address => Group {
                count: 1,
                range: Range::new(element.address, 1).filter(|_| element.address != 0),
            },
            _ => Group { count: 1, range: None },
        }
    }
}

/// Whether the element is the pointer of a Fortran device pointer, which
/// libgomp makes one element of the two.
fn is_of_device_pointer(arrays: Arrays, i: usize) -> bool {
    i.checked_sub(1).map(|before| arrays.get(before)).is_some_and(|before| {
        Role::of(before.kind) == Role::DevicePointer && before.size != POINTER_SIZE
    })
}
