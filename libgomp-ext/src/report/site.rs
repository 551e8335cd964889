//! The sites at which the program calls libgomp, each with its counters.
//!
//! A hash table of lists that only grow at their heads: finding and adding
//! take no lock, and a tally stays valid to the end of the process.

use core::ffi::{CStr, c_char, c_void};
use core::mem::MaybeUninit;
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use offmem_abi::Site;

use super::traffic::{Bytes, Direction, TOTAL, Traffic, Way};

/// Counts what one site does; costs next to nothing when no report is wanted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tally(Option<&'static Entry>);

/// The tally of the site `site`, or of the return address `caller` ([`super::caller()`]
/// finds it) where a call was not compiled with the plugin (`site` is null). Any thread may call
/// it at any time, except in a hook.
///
/// The first call from a site allocates and may take the loader's lock; later
/// ones find it in a hash table.
///
/// # Safety
/// `site` is null or points to a record that a plugin of ours emitted.
#[inline]
pub(crate) unsafe fn site(site: *const Site, caller: usize) -> Tally {
    if !super::wanted() {
        return Tally(None);
    }
    // SAFETY: the caller's.
    Tally(Some(TABLE.get(unsafe { Key::of(site, caller) }, || unsafe { Place::of(site, caller) })))
}

impl Tally {
    /// Counts nothing.
    pub(crate) const fn none() -> Tally {
        Tally(None)
    }

    /// One call with a map array of `entries` elements.
    pub(crate) fn call(self, entries: usize) {
        if let Some(Entry { counters, .. }) = self.0 {
            add(&counters.calls, 1);
            add(&counters.entries, entries as u64);
        }
    }

    /// One copy, which counts for the whole process too. `pinned`: the host's
    /// memory was page-locked for the device.
    pub(crate) fn copied(self, direction: Direction, bytes: u64, pinned: bool) {
        self.add(direction, bytes, if pinned { Way::Pinned } else { Way::Pageable });
    }

    /// Memory that would have been copied and is the same on both sides; it
    /// counts for the whole process too.
    pub(crate) fn shared(self, direction: Direction, bytes: u64) {
        if bytes > 0 {
            self.add(direction, bytes, Way::Shared);
        }
    }

    fn add(self, direction: Direction, bytes: u64, way: Way) {
        TOTAL.add(direction, bytes, way);
        if let Some(Entry { counters, .. }) = self.0 {
            counters.traffic.add(direction, bytes, way);
        }
    }

    /// One registration that was made at this site, in `ns` nanoseconds.
    pub(crate) fn registered(self, bytes: u64, ns: u64) {
        if let Some(Entry { counters, .. }) = self.0 {
            add(&counters.registrations, 1);
            add(&counters.registered_bytes, bytes);
            add(&counters.register_ns, ns);
        }
    }

    /// One registration that was refused.
    pub(crate) fn failed(self) {
        if let Some(Entry { counters, .. }) = self.0 {
            add(&counters.failures, 1);
        }
    }
}

fn add(counter: &AtomicU64, amount: u64) {
    counter.fetch_add(amount, Ordering::Relaxed);
}

/// Every site up to now, in no order.
pub(super) fn all() -> Vec<Record> {
    TABLE.entries().map(Entry::read).collect()
}

/// Where a site stands: copies, since its library may be closed.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    /// Source file.
    pub(super) file: Option<String>,
    /// Source line, from 1; 0 if unknown.
    pub(super) line: usize,
    /// Function; of a call without record, if its symbol is exported.
    pub(super) function: Option<String>,
    /// `OBJECT+0xOFFSET` of the call, as addr2line reads it, where no file is known.
    pub(super) caller: Option<String>,
    /// What is mapped, one for each entry of the map array.
    pub(super) variables: Vec<Option<String>>,
}

/// A site and its counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Record {
    pub(super) place: Place,
    pub(super) calls: u64,
    pub(super) entries: u64,
    pub(super) bytes: Bytes,
    pub(super) registrations: u64,
    pub(super) registered_bytes: u64,
    pub(super) register_ns: u64,
    pub(super) failures: u64,
}

#[derive(Debug)]
struct Counters {
    calls: AtomicU64,
    entries: AtomicU64,
    traffic: Traffic,
    registrations: AtomicU64,
    registered_bytes: AtomicU64,
    register_ns: AtomicU64,
    failures: AtomicU64,
}

/// What tells sites apart. A record's address alone would not do: another
/// library may be loaded where one was closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Key {
    /// The record, or the return address.
    address: usize,
    /// The record's words; 0 for a return address.
    words: [usize; 3],
}

impl Key {
    /// # Safety
    /// As [`site`].
    unsafe fn of(site: *const Site, caller: usize) -> Key {
        // SAFETY: by the contract.
        match unsafe { site.as_ref() } {
            Some(record) => Key {
                address: site.addr(),
                words: [record.file.addr(), record.line, record.function.addr()],
            },
            None => Key { address: caller, words: [0; 3] },
        }
    }

    fn bucket(self) -> usize {
        // Fibonacci hashing: the highest bits of the product are mixed best.
        self.address.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (usize::BITS - BUCKETS.ilog2())
    }
}

#[derive(Debug)]
struct Entry {
    key: Key,
    place: Place,
    counters: Counters,
    /// The next one in its list, or null; does not change once it is listed.
    next: *const Entry,
}

// SAFETY: what `next` points to is listed, hence neither changed nor freed.
unsafe impl Sync for Entry {}

impl Entry {
    fn read(&self) -> Record {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let counters = &self.counters;
        Record {
            place: self.place.clone(),
            calls: read(&counters.calls),
            entries: read(&counters.entries),
            bytes: counters.traffic.read(),
            registrations: read(&counters.registrations),
            registered_bytes: read(&counters.registered_bytes),
            register_ns: read(&counters.register_ns),
            failures: read(&counters.failures),
        }
    }
}

const BUCKETS: usize = 1024;

struct Table {
    heads: [AtomicPtr<Entry>; BUCKETS],
}

static TABLE: Table = Table::new();

impl Table {
    const fn new() -> Table {
        Table { heads: [const { AtomicPtr::new(ptr::null_mut()) }; BUCKETS] }
    }

    /// The entry with this key, made with `place` where there is none.
    fn get(&self, key: Key, place: impl FnOnce() -> Place) -> &'static Entry {
        let head = &self.heads[key.bucket()];
        let mut first = head.load(Ordering::Acquire);
        if let Some(entry) = list(first).find(|entry| entry.key == key) {
            return entry;
        }
        let new = Box::into_raw(Box::new(Entry {
            key,
            place: place(),
            counters: Counters {
                calls: AtomicU64::new(0),
                entries: AtomicU64::new(0),
                traffic: Traffic::new(),
                registrations: AtomicU64::new(0),
                registered_bytes: AtomicU64::new(0),
                register_ns: AtomicU64::new(0),
                failures: AtomicU64::new(0),
            },
            next: first,
        }));
        while let Err(other) =
            head.compare_exchange(first, new, Ordering::Release, Ordering::Acquire)
        {
            first = other;
            if let Some(entry) = list(first).find(|entry| entry.key == key) {
                // SAFETY: nobody has seen it: it is not listed.
                drop(unsafe { Box::from_raw(new) });
                return entry;
            }
            // SAFETY: as above.
            unsafe { (*new).next = first };
        }
        // SAFETY: listed now, and so never freed.
        unsafe { &*new }
    }

    fn entries(&self) -> impl Iterator<Item = &'static Entry> {
        self.heads.iter().flat_map(|head| list(head.load(Ordering::Acquire)))
    }
}

fn list(first: *const Entry) -> impl Iterator<Item = &'static Entry> {
    // SAFETY: a head or a `next`: null, or listed and so never freed.
    let entry = |entry: *const Entry| unsafe { entry.as_ref() };
    core::iter::successors(entry(first), move |previous| entry(previous.next))
}

impl Place {
    /// # Safety
    /// As [`site`].
    unsafe fn of(site: *const Site, caller: usize) -> Place {
        // SAFETY: by the contract.
        let Some(record) = (unsafe { site.as_ref() }) else {
            return Place::of_caller(caller);
        };
        // SAFETY: the names stand behind the record, as many as it says; it
        // is reached by the pointer that was given, which spans them.
        let names = unsafe {
            core::slice::from_raw_parts(ptr::addr_of!((*site).names).cast(), record.name_count)
        };
        // SAFETY: strings of the record, for this and the two lines below.
        let file = unsafe { text(record.file) }.filter(|file| !file.is_empty());
        Place {
            // SAFETY: as above.
            function: unsafe { text(record.function) },
            line: record.line,
            caller: if file.is_none() { Place::of_caller(caller).caller } else { None },
            file,
            // SAFETY: as above.
            variables: names.iter().map(|name| unsafe { text(*name) }).collect(),
        }
    }

    pub(super) fn of_caller(caller: usize) -> Place {
        // Inside of the call, not behind it, so that a debugger names its line.
        let address = caller.wrapping_sub(1);
        let mut info = MaybeUninit::<libc::Dl_info>::zeroed();
        let mut map: *mut c_void = ptr::null_mut();
        // SAFETY: fills both in where it knows the address; all 0 is valid too.
        let info = unsafe {
            libc::dladdr1(
                ptr::without_provenance(address),
                info.as_mut_ptr(),
                &mut map,
                RTLD_DL_LINKMAP,
            );
            info.assume_init()
        };
        // SAFETY: the loader's map of the object, which begins with the difference
        // between its addresses and those in the file.
        let base = unsafe { map.cast::<usize>().as_ref() }.copied().unwrap_or(0);
        // SAFETY: the loader's strings.
        let (object, function) = unsafe { (text(info.dli_fname), text(info.dli_sname)) };
        let object = object.unwrap_or_default();
        let object = object.rsplit('/').next().unwrap_or_default();
        let caller = format!("{object}+{:#x}", address.wrapping_sub(base));
        Place { caller: Some(caller), function, ..Place::default() }
    }
}

/// dladdr1(3): asks for the object's link map.
const RTLD_DL_LINKMAP: i32 = 2;

/// A copy of a C string; nothing where there is none.
///
/// # Safety
/// `text` is null or a C string.
unsafe fn text(text: *const c_char) -> Option<String> {
    if text.is_null() {
        return None;
    }
    // SAFETY: by the contract.
    Some(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use core::cmp::Ordering as Order;
    use core::ffi::{CStr, c_char, c_int, c_void};
    use core::ptr;
    use core::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    use offmem_abi::Site;

    use super::{Key, Place, Table, add};

    /// A record with two names, as the plugin lays it out.
    #[repr(C)]
    struct Record {
        site: Site,
        names: [*const c_char; 2],
    }

    fn record(file: &'static CStr, line: usize) -> Record {
        let site = Site {
            file: file.as_ptr(),
            line,
            function: c"main".as_ptr(),
            name_count: 2,
            names: [],
        };
        Record { site, names: [c"n".as_ptr(), ptr::null()] }
    }

    #[test]
    fn a_record_says_where_it_stands() {
        let record = record(c"src/a.c", 26);
        // SAFETY: a record with its names.
        let place = unsafe { Place::of((&raw const record).cast(), 0) };
        let expected = Place {
            file: Some("src/a.c".to_owned()),
            line: 26,
            function: Some("main".to_owned()),
            caller: None,
            variables: vec![Some("n".to_owned()), None],
        };
        assert_eq!(place, expected);
    }

    #[test]
    fn a_call_without_record_is_known_by_its_address() {
        let function = libc::getpid as *const () as usize;
        // SAFETY: no record.
        let place = unsafe { Place::of(ptr::null(), function + 1) };
        assert!(place.caller.is_some_and(|caller| caller.starts_with("libc.so.6+0x")));
        assert!(place.function.is_some_and(|name| name.contains("getpid")));
        assert_eq!(Place::of_caller(1).caller.as_deref(), Some("+0x0"));
    }

    #[test]
    fn another_record_at_the_same_address_is_another_site() {
        let mut place = Box::new(record(c"a.c", 1));
        // SAFETY: a record.
        let first = unsafe { Key::of(&raw const place.site, 7) };
        *place = record(c"a.c", 2);
        // SAFETY: a record.
        let second = unsafe { Key::of(&raw const place.site, 7) };
        assert_ne!(first, second);
        // SAFETY: no record.
        let (third, fourth) = unsafe { (Key::of(ptr::null(), 7), Key::of(ptr::null(), 8)) };
        assert_ne!(third, fourth);
    }

    #[test]
    fn threads_that_come_at_once_share_one_entry_each() {
        static TABLE: Table = Table::new();
        const SITES: usize = 3000;
        const THREADS: usize = 4;
        let count = || {
            for address in 0..SITES {
                let key = Key { address: address * 8, words: [0; 3] };
                add(&TABLE.get(key, Place::default).counters.calls, 1);
            }
        };
        thread::scope(|scope| {
            for _ in 0..THREADS {
                scope.spawn(count);
            }
        });
        let calls: Vec<u64> = TABLE.entries().map(|entry| entry.read().calls).collect();
        assert_eq!(calls, [THREADS as u64; SITES]);
    }

    #[test]
    fn own_frames_are_passed_over() {
        static FOUND: AtomicUsize = AtomicUsize::new(0);
        extern "C" fn compare(_: *const c_void, _: *const c_void) -> c_int {
            FOUND.store(offmem_caller::caller(), Ordering::Relaxed);
            Order::Equal as c_int
        }
        let mut values = [2u8, 1];
        // SAFETY: two elements of one byte.
        unsafe { libc::qsort(values.as_mut_ptr().cast(), 2, 1, Some(compare)) };
        let place = Place::of_caller(FOUND.load(Ordering::Relaxed));
        assert!(place.caller.is_some_and(|caller| caller.starts_with("libc.so.6+0x")));
    }
}
