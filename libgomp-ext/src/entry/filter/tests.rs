//! Every kind, in memory that is separate, managed or pageable.

use core::ffi::c_void;
use core::ptr;

use offmem_registration::Range;

use super::plan::{Construct, Fate, Plan};
use super::{Arrays, Filter, Ways};
use crate::engine::Device;
use crate::unified::{Sharing, View, tests::list};

const WORDS: usize = 16;

/// Memory of each kind, as words that may be pointers.
struct World {
    separate: Box<[usize; WORDS]>,
    managed: Box<[usize; WORDS]>,
    pageable: Box<[usize; WORDS]>,
}

fn range(words: &[usize]) -> Range {
    Range { start: words.as_ptr().addr(), end: words.as_ptr_range().end.addr() }
}

impl World {
    fn new() -> World {
        let words = || Box::new([0; WORDS]);
        let world = World { separate: words(), managed: words(), pageable: words() };
        list(&[
            (range(&*world.managed), Sharing::Managed),
            (range(&*world.pageable), Sharing::Pageable),
        ]);
        world
    }
}

fn decided(arrays: Arrays, device: Device, construct: Construct, lasting: bool) -> Filter {
    let mut filter = Filter::idle(arrays);
    filter.decide(device, construct, lasting);
    filter
}

fn at(words: &[usize], i: usize) -> usize {
    words[i..].as_ptr().addr()
}

/// Map arrays, `(address, size, kind)` an element.
struct Call {
    addresses: Vec<*mut c_void>,
    sizes: Vec<usize>,
    kinds: Vec<u16>,
}

impl Call {
    fn new(elements: &[(usize, usize, u16)]) -> Call {
        Call {
            addresses: elements.iter().map(|e| ptr::without_provenance_mut(e.0)).collect(),
            sizes: elements.iter().map(|e| e.1).collect(),
            kinds: elements.iter().map(|e| e.2).collect(),
        }
    }

    fn arrays(&mut self) -> Arrays {
        let count = self.sizes.len();
        // SAFETY: all have so many elements, and outlive what is made of them.
        unsafe {
            Arrays::new(
                count,
                self.addresses.as_mut_ptr(),
                self.sizes.as_mut_ptr(),
                self.kinds.as_mut_ptr(),
            )
        }
    }
}

fn elements(arrays: Arrays) -> Vec<(usize, usize, u8)> {
    (0..arrays.count())
        .map(|i| arrays.get(i))
        .map(|element| (element.address, element.size, element.kind))
        .collect()
}

/// What libgomp gets.
fn passed(construct: Construct, call: &[(usize, usize, u16)]) -> Vec<(usize, usize, u8)> {
    let mut call = Call::new(call);
    let mut filter = decided(call.arrays(), Device::Openmp(0), construct, false);
    elements(filter.arrays())
}

fn fates(construct: Construct, call: &[(usize, usize, u16)]) -> Vec<Fate> {
    let mut call = Call::new(call);
    let view = View::of(Device::Openmp(0));
    let mut plan = Plan::default();
    plan.make(call.arrays(), construct, |range| view.sharing(range));
    plan.fates.to_vec()
}

const IN_PLACE: [Construct; 2] = [Construct::Region, Construct::Data];
const LOOSE: [Construct; 3] = [Construct::Enter, Construct::Exit, Construct::Update];
/// Kinds of memory.
const MEMORY: [u16; 30] = [
    0x00, 0x01, 0x02, 0x03, 0x05, 0x06, 0x07, 0x0b, 0x0f, 0x11, 0x12, 0x13, 0x17, 0x1f, 0x60, 0x61,
    0x62, 0x63, 0x80, 0x81, 0x82, 0x83, 0x94, 0x95, 0x96, 0x97, 0x0301, 0x0403, 0x0511, 0x0395,
];

#[test]
fn shared_memory_is_a_value_or_left_out() {
    let world = World::new();
    for kind in MEMORY {
        for shared in [&world.managed, &world.pageable] {
            for size in [0, 8, 40] {
                let element = (at(&**shared, 1), size, kind);
                for construct in IN_PLACE {
                    assert_eq!(
                        passed(construct, &[element]),
                        [(element.0, size, 0x0d)],
                        "{construct:?} {kind:#x}"
                    );
                }
                for construct in LOOSE {
                    assert_eq!(passed(construct, &[element]), [], "{construct:?} {kind:#x}");
                }
            }
        }
        let element = (at(&*world.separate, 1), 40, kind);
        for construct in IN_PLACE.into_iter().chain(LOOSE) {
            assert_eq!(passed(construct, &[element]), [(element.0, 40, kind as u8)]);
        }
    }
}

#[test]
fn what_is_no_mapping_stays() {
    let world = World::new();
    // A device pointer, device_resident, link, firstprivate, a value; unknown ones.
    for kind in [0x08, 0x09, 0x0a, 0x0c, 0x0d, 0x2a, 0xfe] {
        for words in [&world.separate, &world.managed, &world.pageable] {
            let element = (at(&**words, 0), 8, kind);
            for construct in IN_PLACE {
                assert_eq!(passed(construct, &[element]), [(element.0, 8, kind as u8)]);
            }
        }
        // Nothing, and a value that looks like an address.
        assert_eq!(passed(Construct::Region, &[(0, 8, kind)]), [(0, 8, kind as u8)]);
    }
    for kind in MEMORY {
        assert_eq!(passed(Construct::Region, &[(0, 8, kind)]), [(0, 8, kind as u8)], "null");
    }
}

#[test]
fn the_alignment_is_kept_and_originals_are_not_touched() {
    let world = World::new();
    let mut call =
        Call::new(&[(at(&*world.managed, 0), 8, 0x0511), (at(&*world.separate, 0), 8, 1)]);
    let mut filter = decided(call.arrays(), Device::Openacc, Construct::Region, false);
    let arrays = filter.arrays();
    // SAFETY: two elements.
    let kinds = unsafe { core::slice::from_raw_parts(arrays.kinds(), 2) };
    assert_eq!(kinds, [0x050d, 1]);
    // libgomp writes to it, and the program reads that.
    assert_eq!(arrays.addresses(), call.addresses.as_mut_ptr());
    assert_eq!(call.kinds, [0x0511, 1]);
}

#[test]
fn arrays_without_shared_memory_are_passed_as_they_are() {
    let world = World::new();
    let mut call = Call::new(&[(at(&*world.separate, 0), 8, 0x11)]);
    for construct in IN_PLACE.into_iter().chain(LOOSE) {
        let mut filter = decided(call.arrays(), Device::Openmp(0), construct, false);
        assert_eq!(filter.arrays().kinds(), call.kinds.as_mut_ptr());
        assert_eq!(filter.arrays().sizes(), call.sizes.as_mut_ptr());
    }
}

#[test]
fn a_range_that_is_shared_in_part_is_not_shared() {
    let world = World::new();
    let element = (at(&*world.managed, 8), WORDS * 8, 0x01);
    assert_eq!(fates(Construct::Region, &[element]), [Fate::Keep]);
}

#[test]
fn addresses_for_the_host_stay_where_they_are() {
    let world = World::new();
    for kind in [0x0e, 0x10] {
        for shared in [&world.managed, &world.pageable] {
            let address = at(&**shared, 3);
            assert_eq!(passed(Construct::Data, &[(address, 0, kind)]), [(address, 0, 0x0d)]);
        }
        let address = at(&*world.separate, 3);
        assert_eq!(passed(Construct::Data, &[(address, 0, kind)]), [(address, 0, kind as u8)]);
    }
}

#[test]
fn a_structure_is_decided_as_one() {
    let world = World::new();
    for kind in [0x1c, 0x5c] {
        for (words, shares) in
            [(&world.managed, true), (&world.pageable, true), (&world.separate, false)]
        {
            let structure = [
                (at(&**words, 0), 2, kind),
                (at(&**words, 1), 8, 0x01),
                (at(&**words, 3), 8, 0x13),
                (at(&*world.separate, 9), 8, 0x03),
            ];
            let fate = if shares { Fate::Share } else { Fate::Keep };
            let expected = [fate, fate, fate, Fate::Keep];
            assert_eq!(fates(Construct::Region, &structure), expected);
            let left = if shares { 1 } else { 4 };
            assert_eq!(passed(Construct::Enter, &structure).len(), left);
        }
    }
    // One member is outside of the shared memory.
    let structure = [
        (at(&*world.managed, 10), 2, 0x1c),
        (at(&*world.managed, 11), 8, 0x01),
        (at(&*world.managed, 14), 24, 0x01),
    ];
    assert_eq!(fates(Construct::Region, &structure), [Fate::Keep; 3]);
    // It says that it has more members than there are elements.
    let short = [(at(&*world.managed, 0), 9, 0x1c), (at(&*world.managed, 1), 8, 0x01)];
    assert_eq!(fates(Construct::Region, &short), [Fate::Share; 2]);
}

/// Kinds of pointers: stored once, always, attached.
const POINTERS: [u16; 5] = [0x04, 0x1e, 0x1d, 0x50, 0x52];

#[test]
fn pointers_between_shared_memory_are_right_as_they_are() {
    let mut world = World::new();
    let targets = [0, at(&*world.managed, 8), at(&*world.pageable, 8)];
    for target in targets {
        world.managed[0] = target;
        world.pageable[0] = target;
        for kind in POINTERS {
            for shared in [&world.managed, &world.pageable] {
                let element = (at(&**shared, 0), 0, kind);
                assert_eq!(fates(Construct::Region, &[element]), [Fate::Share]);
                assert_eq!(fates(Construct::Enter, &[element]), [Fate::Share]);
            }
        }
        for kind in [0x51, 0xd1] {
            let element = (at(&*world.managed, 0), 0, kind);
            assert_eq!(fates(Construct::Exit, &[element]), [Fate::Share]);
        }
    }
}

#[test]
fn pointers_in_separate_memory() {
    let mut world = World::new();
    let expect = |world: &World, construct, kind, bias, expected| {
        let element = (at(&*world.separate, 0), bias, kind);
        assert_eq!(fates(construct, &[element]), [expected], "{construct:?} {kind:#x}");
    };
    world.separate[0] = at(&*world.separate, 8);
    for kind in POINTERS.into_iter().chain([0x51, 0xd1]) {
        expect(&world, Construct::Region, kind, 0, Fate::Keep);
        expect(&world, Construct::Exit, kind, 0, Fate::Keep);
    }
    // libgomp finds managed memory.
    world.separate[0] = at(&*world.managed, 8);
    for kind in POINTERS {
        expect(&world, Construct::Region, kind, 0, Fate::Keep);
        expect(&world, Construct::Exit, kind, 0, Fate::Keep);
    }
    // It does not take such pointers without what they point to before them.
    expect(&world, Construct::Enter, 0x04, 0, Fate::Recast(0x01, 8));
    expect(&world, Construct::Enter, 0x1d, 0, Fate::Recast(0x11, 8));
    expect(&world, Construct::Update, 0x1d, 0, Fate::Recast(0x01, 8));
    expect(&world, Construct::Enter, 0x50, 0, Fate::Keep);
    expect(&world, Construct::Exit, 0x51, 0, Fate::Keep);
    // It does not find other shared memory; what counts is where the mapped part begins.
    world.separate[0] = at(&*world.pageable, 0) - 8;
    for construct in [Construct::Region, Construct::Enter] {
        expect(&world, construct, 0x04, 8, Fate::Recast(0x01, 8));
        expect(&world, construct, 0x1e, 8, Fate::Recast(0x01, 8));
        expect(&world, construct, 0x1d, 8, Fate::Recast(0x11, 8));
        expect(&world, construct, 0x50, 8, Fate::Recast(0x11, 8));
        expect(&world, construct, 0x52, 8, Fate::Recast(0x11, 8));
    }
    expect(&world, Construct::Exit, 0x51, 8, Fate::Share);
    expect(&world, Construct::Exit, 0xd1, 8, Fate::Share);
}

#[test]
fn descriptors() {
    let mut world = World::new();
    let descriptor = |words: &[usize]| [(at(words, 0), 64, 0x05), (at(words, 0), 0, 0x04)];
    world.separate[0] = at(&*world.managed, 8);
    let separate = descriptor(&*world.separate);
    for construct in [Construct::Region, Construct::Data, Construct::Enter] {
        assert_eq!(fates(construct, &separate), [Fate::Keep, Fate::Keep]);
    }
    world.separate[0] = at(&*world.pageable, 8);
    for construct in [Construct::Region, Construct::Data, Construct::Enter] {
        assert_eq!(fates(construct, &separate), [Fate::Recast(0x11, 64), Fate::Share]);
    }
    assert_eq!(fates(Construct::Exit, &separate), [Fate::Keep, Fate::Share]);
    world.managed[0] = at(&*world.pageable, 8);
    let managed = descriptor(&*world.managed);
    assert_eq!(fates(Construct::Region, &managed), [Fate::Share, Fate::Share]);
    // A pointer beside it is none of its own.
    world.separate[9] = at(&*world.pageable, 8);
    let beside = [(at(&*world.separate, 0), 64, 0x05), (at(&*world.separate, 9), 0, 0x04)];
    assert_eq!(fates(Construct::Region, &beside), [Fate::Keep, Fate::Recast(0x01, 8)]);
}

#[test]
fn a_fortran_device_pointer_keeps_its_two_elements() {
    let mut world = World::new();
    world.separate[0] = at(&*world.managed, 8);
    let pair = [(at(&*world.managed, 8), 64, 0x08), (at(&*world.separate, 0), 0, 0x04)];
    for construct in IN_PLACE.into_iter().chain(LOOSE) {
        assert_eq!(fates(construct, &pair), [Fate::Keep, Fate::Keep]);
    }
}

#[test]
fn a_managed_pointer_to_separate_memory_is_the_device_s_during_a_region() {
    let mut world = World::new();
    let target = at(&*world.separate, 8);
    world.managed[0] = target - 16;
    for kind in POINTERS {
        let mut call = Call::new(&[(target, 8, 0x01), (at(&*world.managed, 0), 16, kind)]);
        let mut filter = decided(call.arrays(), Device::Openmp(0), Construct::Region, true);
        let expected = [(target, 8, 0x01), (at(&*world.managed, 0), 16, 0x50)];
        assert_eq!(elements(filter.arrays()), expected);
        assert!(filter.waits());
        // libgomp stores it, and does not know what was there.
        world.managed[0] = 0x1234;
        filter.finish();
        assert_eq!(world.managed[0], target - 16);
        for construct in [Construct::Data, Construct::Enter] {
            let mut filter = decided(call.arrays(), Device::Openmp(0), construct, false);
            assert!(!filter.waits());
            assert_eq!(elements(filter.arrays())[0], (target, 8, 0x01));
            assert!(elements(filter.arrays()).iter().all(|element| element.2 as u16 != kind));
        }
    }
    let detach = [(at(&*world.managed, 0), 16, 0x51)];
    assert_eq!(passed(Construct::Exit, &detach), []);
}

#[test]
fn what_need_not_be_shared_is_mapped_with_what_it_points_to() {
    let mut world = World::new();
    // A list of two, the second of which points to separate memory.
    world.pageable[0] = at(&*world.pageable, 8);
    world.pageable[8] = at(&*world.separate, 0);
    let list = [
        (at(&*world.pageable, 0), 32, 0x03),
        (at(&*world.pageable, 8), 32, 0x03),
        (at(&*world.pageable, 0), 0, 0x50),
        (at(&*world.separate, 0), 8, 0x03),
        (at(&*world.pageable, 8), 0, 0x50),
        (at(&*world.pageable, 12), 8, 0x01),
        (at(&*world.pageable, 4), 8, 0x01),
    ];
    let mut expected = [Fate::Keep; 7];
    (expected[5], expected[6]) = (Fate::Share, Fate::Share);
    // The fifth is beside the second, and the last beside the first.
    assert_eq!(fates(Construct::Region, &list), expected);
    // Nothing here holds the pointer.
    assert_eq!(fates(Construct::Region, &list[3..5]), [Fate::Keep, Fate::Share]);
    // A structure is mapped whole.
    let structure = [
        (at(&*world.pageable, 7), 2, 0x1c),
        (at(&*world.pageable, 7), 8, 0x01),
        (at(&*world.pageable, 8), 8, 0x00),
        (at(&*world.separate, 0), 8, 0x03),
        (at(&*world.pageable, 8), 0, 0x50),
    ];
    assert_eq!(fates(Construct::Enter, &structure), [Fate::Keep; 5]);
}

#[test]
fn an_attachment_is_not_taken_for_that_of_another_element() {
    let mut world = World::new();
    world.separate[0] = at(&*world.managed, 8);
    let call = [
        (at(&*world.separate, 9), 8, 0x01),
        (at(&*world.managed, 8), 8, 0x01),
        (at(&*world.separate, 0), 0, 0x50),
    ];
    let expected = [(call[0].0, 8, 0x01), (0, 0, 0x1c), (call[2].0, 0, 0x50)];
    assert_eq!(passed(Construct::Enter, &call), expected);
}

#[test]
fn openmp_s_attachments_need_nothing_between_them() {
    let mut world = World::new();
    world.separate[0] = at(&*world.managed, 8);
    world.separate[1] = at(&*world.managed, 9);
    let (first, second) = ((at(&*world.separate, 0), 0, 0x50), (at(&*world.separate, 1), 0, 0x50));
    let elements_of_both =
        [(at(&*world.managed, 8), 8, 0x01), first, (at(&*world.managed, 9), 8, 0x01), second];
    let [first, second] = [first, second].map(|(address, size, kind)| (address, size, kind as u8));
    assert_eq!(passed(Construct::Enter, &elements_of_both), [first, second]);
    let mut call = Call::new(&elements_of_both);
    let mut filter = decided(call.arrays(), Device::Openacc, Construct::Enter, false);
    let apart = (0, 0, 0x1c);
    assert_eq!(elements(filter.arrays()), [apart, first, apart, second]);
}

#[test]
fn openacc_copies_a_pointer_afterwards() {
    let mut world = World::new();
    world.separate[0] = at(&*world.pageable, 8);
    let mut call = Call::new(&[(at(&*world.separate, 0), 0, 0x50)]);
    let mut filter = decided(call.arrays(), Device::Openacc, Construct::Enter, false);
    assert_eq!(filter.arrays().count(), 0);
    assert_eq!(filter.copied[..], [at(&*world.separate, 0)]);
    let mut filter = decided(call.arrays(), Device::Openmp(0), Construct::Enter, false);
    assert_eq!(elements(filter.arrays()), [(at(&*world.separate, 0), 8, 0x11)]);
    assert!(filter.copied.is_empty());
}

#[test]
fn old_arrays_are_edited_by_size_and_only_in_updates() {
    let world = World::new();
    let mut addresses =
        [at(&*world.managed, 0), at(&*world.separate, 0)].map(ptr::without_provenance_mut);
    let (mut sizes, mut kinds) = ([8usize, 8], [0x19u8, 0x1a]);
    // SAFETY: two elements each.
    let arrays =
        unsafe { Arrays::old(2, addresses.as_mut_ptr(), sizes.as_mut_ptr(), kinds.as_mut_ptr()) };
    for (construct, size) in [(Construct::Region, 8), (Construct::Data, 8), (Construct::Update, 0)]
    {
        let mut filter = decided(arrays, Device::Openmp(0), construct, false);
        let expected = [(at(&*world.managed, 0), size, 0x01), (at(&*world.separate, 0), 8, 0x02)];
        assert_eq!(elements(filter.arrays()), expected, "{construct:?}");
    }
}

#[test]
fn bytes_that_are_not_copied() {
    let world = World::new();
    let mut call = Call::new(&[
        (at(&*world.managed, 0), 8, 0x01),
        (at(&*world.managed, 1), 16, 0x13),
        (at(&*world.pageable, 0), 32, 0x02),
        (at(&*world.pageable, 4), 64, 0x00),
        (at(&*world.separate, 0), 128, 0x03),
    ]);
    let bytes = |construct, ways, call: &mut Call| {
        decided(call.arrays(), Device::Openmp(0), construct, false).shared_bytes(ways)
    };
    assert_eq!(bytes(Construct::Region, Ways::Both, &mut call), [24, 48]);
    assert_eq!(bytes(Construct::Enter, Ways::To, &mut call), [24, 0]);
    assert_eq!(bytes(Construct::Exit, Ways::From, &mut call), [0, 48]);
}

#[test]
fn the_call_of_older_compilers_for_both_ends_or_begins() {
    for (kinds, expected) in [
        (&[0x1c, 0x00, 0x01, 0x04][..], Construct::Enter),
        (&[0x80, 0x50], Construct::Enter),
        (&[0x1c, 0x17], Construct::Exit),
        (&[0x05, 0x02], Construct::Exit),
        (&[0xd1], Construct::Exit),
    ] {
        let call: Vec<_> = kinds.iter().map(|kind| (8, 8, *kind)).collect();
        assert_eq!(Construct::of_either(Call::new(&call).arrays()), expected);
    }
}
