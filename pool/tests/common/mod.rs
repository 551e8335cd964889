//! A source over `mmap` whose answers a test chooses.

#![allow(dead_code, reason = "each test uses a part")]
#![allow(missing_docs)]

use std::collections::BTreeMap;
use std::ptr;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use offmem_pool::{GRANULE, Source};

/// Slabs side by side, each of which begins where the last one ended, so that what crosses an
/// edge is seen; and never the same address twice, so that what stays behind is too.
#[derive(Debug)]
pub(crate) struct Pages {
    place: Mutex<Place>,
    /// Beyond a granule's start.
    pub(crate) skew: AtomicUsize,
    /// No memory is to be had.
    pub(crate) refuses: AtomicBool,
    /// Nothing is taken back.
    pub(crate) in_use: AtomicBool,
    pub(crate) obtained: AtomicUsize,
    pub(crate) given_back: AtomicUsize,
    /// How many threads are in `obtain`, and were at a time.
    inside: AtomicUsize,
    pub(crate) most_inside: AtomicUsize,
}

#[derive(Debug)]
struct Place {
    next: usize,
    end: usize,
    pieces: BTreeMap<usize, usize>,
}

const RESERVED: usize = 8 << 40;

impl Pages {
    pub(crate) const fn new() -> Pages {
        Pages {
            place: Mutex::new(Place { next: 0, end: 0, pieces: BTreeMap::new() }),
            skew: AtomicUsize::new(0),
            refuses: AtomicBool::new(false),
            in_use: AtomicBool::new(false),
            obtained: AtomicUsize::new(0),
            given_back: AtomicUsize::new(0),
            inside: AtomicUsize::new(0),
            most_inside: AtomicUsize::new(0),
        }
    }

    /// The piece that the address is in: its start and size.
    pub(crate) fn piece(&self, address: usize) -> Option<(usize, usize)> {
        let place = self.place.lock().expect("no panics");
        let (start, size) = place.pieces.range(..=address).next_back()?;
        (address - start < *size).then_some((*start, *size))
    }

    pub(crate) fn pieces(&self) -> usize {
        self.place.lock().expect("no panics").pieces.len()
    }
}

impl Source for Pages {
    fn obtain(&self, size: usize) -> Option<(usize, usize)> {
        let inside = self.inside.fetch_add(1, Ordering::Relaxed) + 1;
        self.most_inside.fetch_max(inside, Ordering::Relaxed);
        if self.refuses.load(Ordering::Relaxed) {
            self.inside.fetch_sub(1, Ordering::Relaxed);
            return None;
        }
        // As a driver does: it takes its time, and allocates.
        drop(std::hint::black_box(vec![1u8; 100_000]));
        assert!(offmem_pool::allocate(100, 16).is_null(), "not from within");
        let mut place = self.place.lock().expect("no panics");
        if place.next == 0 {
            place.next = reserve().next_multiple_of(GRANULE);
            place.end = place.next + RESERVED - GRANULE;
        }
        let skew = self.skew.load(Ordering::Relaxed);
        let start = place.next + skew;
        let end = (start + size).next_multiple_of(GRANULE);
        assert!(end <= place.end, "the test uses less");
        commit(start, size);
        // Whoever takes it for zeros is wrong.
        // SAFETY: just committed.
        unsafe {
            ptr::write_bytes(ptr::with_exposed_provenance_mut::<u8>(start), 0xa5, size.min(2 << 20))
        };
        place.next = end;
        place.pieces.insert(start, size);
        self.obtained.fetch_add(1, Ordering::Relaxed);
        self.inside.fetch_sub(1, Ordering::Relaxed);
        Some((start, size))
    }

    fn give_back(&self, address: usize, size: usize) -> bool {
        if self.in_use.load(Ordering::Relaxed) {
            return false;
        }
        let known = self.place.lock().expect("no panics").pieces.remove(&address);
        assert_eq!(known, Some(size), "what was obtained");
        let address = ptr::with_exposed_provenance_mut(address);
        // Whoever still uses it crashes.
        // SAFETY: a part of our reservation that nobody uses.
        assert_eq!(unsafe { libc::mprotect(address, size, libc::PROT_NONE) }, 0);
        self.given_back.fetch_add(1, Ordering::Relaxed);
        true
    }
}

fn reserve() -> usize {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping.
    let address = unsafe { libc::mmap(ptr::null_mut(), RESERVED, libc::PROT_NONE, flags, -1, 0) };
    assert_ne!(address, libc::MAP_FAILED);
    address.expose_provenance()
}

fn commit(start: usize, size: usize) {
    let protection = libc::PROT_READ | libc::PROT_WRITE;
    let start = ptr::with_exposed_provenance_mut(start);
    // SAFETY: a part of our reservation.
    assert_eq!(unsafe { libc::mprotect(start, size, protection) }, 0);
}
