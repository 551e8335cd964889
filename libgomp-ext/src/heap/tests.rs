//! The heap against a model, and what its users are promised.

use core::ptr;
use std::collections::HashSet;
use std::sync::Mutex;

use crate::kernel;
use offmem_registration::{PAGE, Range};

use super::arena::{Arena, Need, Resize};
use super::extent::{GRANULE, State, Table};

/// A range of its own of so many granules.
fn arena(granules: u32) -> Box<Arena> {
    let mut arena = Box::new(Arena::EMPTY);
    let base = kernel::reserve(granules as usize * GRANULE, 1 << 21).expect("addresses");
    let memory = kernel::lazy(Table::size(granules)).expect("memory");
    // SAFETY: fresh mappings of that size.
    unsafe { arena.begin(base, granules, memory) };
    arena
}

/// A generator good enough to choose operations (xorshift64).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// A live block of the model's: the first word of each page holds `mark`.
struct Owned {
    address: usize,
    bytes: usize,
    mark: usize,
    kept: bool,
}

impl Owned {
    fn words(&self, bytes: usize) -> impl Iterator<Item = *mut usize> {
        let address = self.address;
        (0..bytes / PAGE).map(move |page| ptr::with_exposed_provenance_mut(address + page * PAGE))
    }

    fn fill(&self) {
        // SAFETY: pages of a live block.
        self.words(self.bytes).for_each(|word| unsafe { word.write(self.mark) });
    }

    fn check(&self, bytes: usize) {
        // SAFETY: pages of a live block.
        assert!(self.words(bytes).all(|word| unsafe { word.read() } == self.mark), "content");
    }
}

/// What catch-up does without a lock.
fn work(arena: &mut Arena, now: u32, forgotten: &mut Vec<Range>) {
    while let Some(work) = arena.overdue_kept(now).or_else(|| arena.overdue(now)) {
        forgotten.extend(work.kept);
        let clean = kernel::purge(work.range.start, work.range.size(), work.apart);
        arena.done(&work, clean);
    }
}

fn move_pages(arena: &mut Arena, from: Range, to: usize) {
    assert!(kernel::move_pages(from.start, from.size(), to), "Linux 5.7");
    let clean = kernel::purge(from.start, from.size(), true);
    let first = arena.find(from.start).expect("live");
    let target = arena.find(to).expect("live");
    arena.moved(first, target, clean);
}

#[test]
#[allow(clippy::print_stdout, reason = "shown if the test fails")]
fn random_operations_agree_with_a_model() {
    let seed = u64::from(std::process::id());
    println!("seed {seed}");
    let mut random = Random(0x9e37_79b9_7f4a_7c15 ^ seed);
    let mut arena = arena(4096);
    arena.kept_limit = 32 << 20;
    let mut blocks: Vec<Owned> = Vec::new();
    let mut kept: Vec<Range> = Vec::new();
    let (mut now, mut recycled, mut moved) = (1000, 0, 0);
    for mark in 1..20_000 {
        now += random.below(40) as u32;
        let scale = random.below(6);
        let bytes = 1 + random.below(GRANULE << scale);
        let chosen = random.below(blocks.len() + 1);
        let mut forgotten = Vec::new();
        match random.below(10) {
            0..4 => {
                let need = if random.below(2) == 0 { Need::Any } else { Need::Zeros };
                let align = 1 << random.below(21);
                let Some(block) = arena.allocate(bytes, align, need) else {
                    assert!(arena.statistics().live > 32 << 20, "a full range has live blocks");
                    continue;
                };
                assert!(block.address.is_multiple_of(align));
                let mut owned = Owned { address: block.address, bytes, mark: 0, kept: false };
                if block.zeroed {
                    owned.check(bytes);
                }
                let first = arena.find(block.address).expect("live");
                assert!(arena.block(first).size() >= bytes);
                if arena.is_kept(first) {
                    let whole = arena.block(first);
                    kept.retain(|range| *range != whole);
                    (owned.kept, owned.bytes) = (true, whole.size());
                    recycled += 1;
                }
                owned.mark = mark;
                owned.fill();
                blocks.push(owned);
            }
            4..7 if chosen < blocks.len() => {
                let owned = blocks.swap_remove(chosen);
                owned.check(owned.bytes);
                let first = arena.find(owned.address).expect("live");
                let settled = arena.free(first, now);
                assert_eq!(settled.is_some(), owned.kept);
                kept.extend(settled);
                assert_eq!(arena.find(owned.address), None, "freed twice");
            }
            7..9 if chosen < blocks.len() => {
                let owned = &mut blocks[chosen];
                let first = arena.find(owned.address).expect("live");
                match arena.resize(first, bytes, now) {
                    Resize::Done => {}
                    Resize::Move(from, to) => {
                        assert!(!owned.kept && bytes > owned.bytes);
                        move_pages(&mut arena, from, to);
                        moved += 1;
                        owned.address = to;
                    }
                    // The range is full, or the block is kept: it stays.
                    Resize::Copy(_) => continue,
                }
                owned.check(bytes.min(owned.bytes));
                if !owned.kept {
                    owned.bytes = bytes;
                }
                owned.fill();
            }
            9 if chosen < blocks.len() => {
                let first = arena.find(blocks[chosen].address).expect("live");
                arena.keep(first);
                blocks[chosen].kept = true;
            }
            _ => {
                work(&mut arena, now, &mut forgotten);
                assert!(arena.statistics().kept <= 32 << 20);
            }
        }
        for range in forgotten {
            assert!(kept.contains(&range), "{range} was not kept");
            kept.retain(|other| *other != range);
        }
        if mark % 64 == 0 {
            arena.check();
            let mut ranges: Vec<_> = blocks
                .iter()
                .map(|block| Range::new(block.address, block.bytes).expect("bytes"))
                .collect();
            ranges.extend(&kept);
            ranges.sort_by_key(|range| range.start);
            assert!(ranges.is_sorted_by(|a, b| a.end <= b.start), "blocks overlap");
        }
    }
    assert!(recycled > 20, "{recycled} kept blocks were recycled");
    assert!(moved > 20, "{moved} blocks were moved");
}

#[test]
fn neighbours_that_are_free_become_one() {
    let mut arena = arena(64);
    let blocks: Vec<usize> =
        (0..3).map(|_| arena.allocate(GRANULE, 1, Need::Any).expect("room").address).collect();
    for address in [blocks[0], blocks[2], blocks[1]] {
        let first = arena.find(address).expect("live");
        arena.free(first, 0);
    }
    let block = arena.allocate(3 * GRANULE, 1, Need::Any).expect("room");
    assert_eq!((block.address, block.zeroed), (blocks[0], false));
    assert_eq!(arena.statistics().used, 3 * GRANULE);
}

#[test]
fn what_has_been_free_for_two_seconds_is_purged() {
    let mut arena = arena(64);
    let address = arena.allocate(GRANULE, 1, Need::Any).expect("room").address;
    let first = arena.find(address).expect("live");
    arena.free(first, 500);
    assert!(arena.overdue(2499).is_none());
    work(&mut arena, 2500, &mut Vec::new());
    assert_eq!(arena.statistics().dirty, 0);
    let block = arena.allocate(GRANULE, 1, Need::Any).expect("room");
    assert_eq!((block.address, block.zeroed), (address, true));
}

#[test]
fn a_kept_block_is_recycled_whole_for_what_is_nearly_as_long() {
    let mut arena = arena(256);
    let bytes = 32 * GRANULE;
    let address = arena.allocate(bytes, 1, Need::Any).expect("room").address;
    let first = arena.find(address).expect("live");
    arena.keep(first);
    let whole = arena.block(first);
    assert_eq!(arena.free(first, 0), Some(whole));
    for other in [bytes + 1, bytes / 2, bytes * 8 / 9 - PAGE] {
        let block = arena.allocate(other, 1, Need::Any).expect("room");
        assert_ne!(block.address, address, "{other}");
    }
    let block = arena.allocate(bytes - bytes / 10, 1, Need::Any).expect("room");
    assert_eq!(block.address, address);
    let first = arena.find(address).expect("live");
    assert!(arena.is_kept(first) && arena.block(first) == whole);
}

#[test]
fn a_kept_block_never_moves_or_changes() {
    let mut arena = arena(256);
    let address = arena.allocate(8 * GRANULE, 1, Need::Any).expect("room").address;
    let first = arena.find(address).expect("live");
    arena.keep(first);
    assert_eq!(arena.resize(first, 7 * GRANULE, 0), Resize::Done);
    assert_eq!(arena.block(first).size(), 8 * GRANULE);
    assert_eq!(arena.resize(first, 9 * GRANULE, 0), Resize::Copy(8 * GRANULE));
    assert_eq!(arena.resize(first, 3 * GRANULE, 0), Resize::Copy(3 * GRANULE));
}

#[test]
fn nothing_is_kept_in_a_child() {
    let mut arena = arena(256);
    let [live, free] =
        [(); 2].map(|()| arena.allocate(8 * GRANULE, 1, Need::Any).expect("room").address);
    let (live, free) = (arena.find(live).expect("live"), arena.find(free).expect("live"));
    arena.keep(live);
    arena.keep(free);
    arena.free(free, 0);
    arena.forget_all(0);
    assert!(!arena.is_kept(live));
    assert_eq!(arena.statistics().kept, 0);
    arena.check();
}

static FORGOTTEN: Mutex<Vec<Range>> = Mutex::new(Vec::new());

/// The one test of the process's own heap.
#[test]
fn a_listener_hears_of_a_kept_block_before_it_changes() {
    super::start().expect("an unlimited address space");
    let bytes = 3 << 20;
    let address = super::allocate(bytes, 1) as usize;
    assert!(super::owns(address) && !super::owns(address ^ 1 << 46));
    let inside = Range::new(address + bytes / 2, PAGE + 1).expect("bytes");
    let block = super::block(inside).expect("live");
    assert_eq!(block, Range { start: address, end: address + bytes });
    assert_eq!(super::block(Range::new(address + PAGE, bytes).expect("bytes")), None);
    assert_eq!(super::usable_size(address), bytes);
    assert_eq!(super::usable_size(address + GRANULE), 0);

    super::on_settled(|range| FORGOTTEN.lock().expect("the list").push(range));
    super::on_forget(|range| {
        // As a driver may.
        let other = super::allocate(1 << 20, 1);
        assert!(super::free(other as usize));
        FORGOTTEN.lock().expect("the list").push(range);
    });
    super::keep(block);
    assert!(super::free(address));
    assert!(!super::free(address), "freed twice");
    assert_eq!(*FORGOTTEN.lock().expect("the list"), [block]);
    assert_eq!(super::trim(), block.size(), "neither old nor too much");
    super::set_kept_limit(0);
    assert!(super::free(super::allocate(bytes, 1 << 22) as usize));
    assert_eq!(FORGOTTEN.lock().expect("the list").len(), 1, "free tells nobody");
    assert_eq!(super::trim(), 0);
    assert_eq!(*FORGOTTEN.lock().expect("the list"), [block, block]);
    assert_eq!(super::statistics().kept, 0);

    // What was freed last is there again, as long as is asked for.
    let last = super::allocate(1 << 20, 1);
    assert!(super::free(last as usize));
    assert!(!super::free(last as usize), "freed twice");
    assert_eq!(super::allocate((1 << 20) - PAGE, GRANULE), last);
    assert_eq!(super::usable_size(last as usize), (1 << 20) - PAGE);
    assert_ne!(super::allocate((1 << 20) - PAGE, 1), last);
    // More of them than there are places, of all sizes: each is one block.
    let sizes = (1..30).chain(1..30).map(|n| n * GRANULE);
    let blocks: Vec<_> = sizes.map(|size| super::allocate(size, 1) as usize).collect();
    for block in &blocks {
        assert!(super::free(*block));
    }
    let again: HashSet<_> = (1..30).map(|n| super::allocate(n * GRANULE, 1) as usize).collect();
    assert_eq!(again.len(), 29);
}

impl Arena {
    /// Walks over all extents: they cover the range up to the top, each record is right, free
    /// neighbours of one kind are one, and the figures are those of the pools.
    fn check(&mut self) {
        let statistics = self.statistics();
        let (mut live, mut dirty, mut kept, mut end) = (0, 0, 0, 0);
        let mut last = State::Nothing;
        for (first, length, state) in self.walk() {
            assert_eq!(first, end, "a gap");
            end += length;
            let size = length as usize * GRANULE;
            match state {
                State::Live => live += size,
                State::Dirty => dirty += size,
                State::Kept => kept += size,
                State::Clean => {}
                other => panic!("{other:?} at {first}"),
            }
            assert!(state != last || matches!(state, State::Live | State::Kept), "{state:?} twice");
            assert_eq!(self.find(self.address(first)).is_some(), state == State::Live);
            last = state;
        }
        assert_eq!(end as usize * GRANULE, statistics.used);
        assert_eq!((live, dirty, kept), (statistics.live, statistics.dirty, statistics.kept));
    }
}

#[test]
fn what_was_advised_goes_back_without_the_advice() {
    let mut arena = arena(1024);
    let blocks: Vec<_> =
        (0..3).map(|_| arena.allocate(8 << 20, GRANULE, Need::Any).expect("room")).collect();
    let middle = blocks[1].address;
    let first = arena.find(middle).expect("live");
    arena.set_apart(first);
    let mappings = || {
        let mut count = 0;
        crate::maps::each(|mapping| {
            count += usize::from(
                (blocks[0].address..middle + (16 << 20)).contains(&mapping.range.start),
            );
            core::ops::ControlFlow::Continue(())
        });
        count
    };
    // SAFETY: the inner half of a live block; the advice changes no content.
    let advised =
        unsafe { libc::madvise((middle + (2 << 20)) as *mut _, 4 << 20, libc::MADV_HUGEPAGE) == 0 };
    assert_eq!(mappings(), if advised { 3 } else { 1 });
    arena.free(first, 1000);
    work(&mut arena, 10_000, &mut Vec::new());
    assert_eq!(mappings(), 1);
}
