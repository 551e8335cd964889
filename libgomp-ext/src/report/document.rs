//! The report as data: what the JSON file holds and the table shows.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};

use super::Summary;
use super::site::{Place, Record};
use super::traffic::Bytes;

/// The process that a report is about.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Process {
    /// The program's short name.
    pub(super) program: String,
    /// Its number.
    pub(super) pid: i32,
}

/// A whole report.
#[derive(Debug, Serialize)]
pub(super) struct Document {
    #[serde(flatten)]
    pub(super) process: Process,
    /// Null where nothing was begun: the program's calls came through, no more.
    pub(super) summary: Option<Summary>,
    /// All copies.
    pub(super) total: Copies,
    /// Most bytes first.
    pub(super) sites: Vec<Line>,
}

/// Copies, with the share of page-locked memory.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub(super) struct Copies {
    #[serde(flatten)]
    pub(super) bytes: Bytes,
    #[serde(serialize_with = "rounded")]
    pub(super) pinned_share: Option<f64>,
}

impl Copies {
    fn of(bytes: Bytes) -> Copies {
        Copies { bytes, pinned_share: bytes.pinned_share() }
    }
}

/// More than four digits would be noise.
fn rounded<S: Serializer>(share: &Option<f64>, serializer: S) -> Result<S::Ok, S::Error> {
    share.map(|share| (share * 1e4).floor() / 1e4).serialize(serializer)
}

/// One site.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Line {
    pub(super) file: Option<String>,
    pub(super) line: Option<usize>,
    pub(super) function: Option<String>,
    pub(super) caller: Option<String>,
    pub(super) variables: Vec<Option<String>>,
    pub(super) calls: u64,
    pub(super) entries: u64,
    #[serde(flatten)]
    pub(super) copies: Copies,
    pub(super) registrations: u64,
    pub(super) registered_bytes: u64,
    pub(super) register_ns: u64,
    pub(super) failures: u64,
}

impl Document {
    /// Sites at one place are one: a template's instances, copies that the
    /// optimiser made, a library that was loaded twice.
    pub(super) fn new(
        process: Process,
        summary: Option<Summary>,
        sites: Vec<Record>,
        total: Bytes,
    ) -> Document {
        let mut places: BTreeMap<Place, Record> = BTreeMap::new();
        for record in sites {
            let sum = places.entry(record.place.clone()).or_default();
            sum.calls += record.calls;
            sum.entries += record.entries;
            sum.bytes.add(record.bytes);
            sum.registrations += record.registrations;
            sum.registered_bytes += record.registered_bytes;
            sum.register_ns += record.register_ns;
            sum.failures += record.failures;
        }
        let mut sites: Vec<_> =
            places.into_iter().map(|(place, record)| Line::new(place, &record)).collect();
        // Stable: by place where the bytes are equal.
        sites.sort_by_key(|line| core::cmp::Reverse((line.copies.bytes.all(), line.calls)));
        Document { process, summary, total: Copies::of(total), sites }
    }
}

impl Line {
    fn new(place: Place, record: &Record) -> Line {
        Line {
            file: place.file,
            line: (place.line > 0).then_some(place.line),
            function: place.function,
            caller: place.caller,
            variables: place.variables,
            calls: record.calls,
            entries: record.entries,
            copies: Copies::of(record.bytes),
            registrations: record.registrations,
            registered_bytes: record.registered_bytes,
            register_ns: record.register_ns,
            failures: record.failures,
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::site::{Place, Record};
    use super::super::traffic::Bytes;
    use super::super::{Figures, Hook, Summary, Unified};
    use super::{Document, Process};

    fn record(file: &str, line: usize, function: &str, variables: &[Option<&str>]) -> Record {
        let place = Place {
            file: Some(file.to_owned()),
            line,
            function: Some(function.to_owned()),
            caller: None,
            variables: variables.iter().map(|name| name.map(str::to_owned)).collect(),
        };
        Record { place, ..Record::default() }
    }

    fn bytes(to: [u64; 2], from: [u64; 2]) -> Bytes {
        Bytes {
            bytes_to_device_pinned: to[0],
            bytes_to_device_pageable: to[1],
            bytes_from_device_pinned: from[0],
            bytes_from_device_pageable: from[1],
            ..Bytes::default()
        }
    }

    /// A report with each kind of site.
    pub(in super::super) fn example() -> Document {
        let small = Record {
            calls: 3,
            entries: 6,
            bytes: Bytes { bytes_to_device_shared: 5 << 20, ..bytes([0, 24], [0, 12]) },
            ..record("src/setup.c", 7, "setup", &[Some("n"), None])
        };
        let template = Record {
            calls: 600,
            entries: 2400,
            bytes: bytes([3 << 29, 100 << 20], [512 << 20, 0]),
            registrations: 2,
            registered_bytes: 384 << 20,
            register_ns: 31_234_567,
            ..record("src/stream.cc", 26, "triad<double>", &[Some("n"), Some("s->b"), Some("c")])
        };
        let stock = Record {
            place: Place { caller: Some("libsolver.so.2+0x12345".to_owned()), ..Place::default() },
            calls: 1,
            entries: 1,
            bytes: bytes([0, 1 << 20], [0, 0]),
            failures: 1,
            ..Record::default()
        };
        let nothing = Record { calls: 12, ..record("src/stream.cc", 30, "main", &[]) };
        let summary = Summary {
            strategy: "register",
            reason: "there is a CUDA driver".to_owned(),
            unified: Some(Unified {
                memory: "managed",
                reason: "the GPU has managed memory",
                slabs: 2,
                slab_bytes: 66 << 20,
            }),
            policy: Some("adaptive"),
            hooks: vec![
                Hook { name: "malloc", in_effect: true },
                Hook { name: "munmap", in_effect: true },
                Hook { name: "shmdt", in_effect: false },
            ],
            heap: None,
            heap_reason: Some("the program has a malloc of its own"),
            figures: Figures {
                registered_bytes: 128 << 20,
                peak_registered_bytes: 384 << 20,
                limit_bytes: 4 << 30,
                registrations: 2,
                unregistrations: 1,
                evictions: 1,
                failures: 1,
                adoptions: 0,
                register_ns: 31_234_567,
                unregister_ns: 2_100_000,
            },
        };
        let total = bytes([3 << 29, (101 << 20) + 24], [512 << 20, 12]);
        let process = Process { program: "stream".to_owned(), pid: 4711 };
        let instance = Record {
            place: template.place.clone(),
            calls: 400,
            entries: 1600,
            ..Record::default()
        };
        let sites = vec![small, template, stock, nothing, instance];
        Document::new(process, Some(summary), sites, total)
    }

    #[test]
    fn json() {
        let json = serde_json::to_string_pretty(&example()).expect("a document");
        insta::assert_snapshot!(json);
    }

    #[test]
    fn sites_at_one_place_are_one_and_stand_by_bytes() {
        let place = |line, variables: &[Option<&str>]| record("a.c", line, "f", variables);
        let with =
            |to, record: Record| Record { calls: 1, bytes: bytes([to, 0], [0, 0]), ..record };
        let sites = vec![
            with(1, place(1, &[Some("x")])),
            with(2, place(1, &[Some("y")])),
            with(4, place(1, &[Some("x")])),
            with(3, place(2, &[])),
        ];
        let process = Process { program: String::new(), pid: 1 };
        let document = Document::new(process, None, sites, Bytes::default());
        let lines: Vec<_> = document
            .sites
            .iter()
            .map(|site| (site.copies.bytes.to(), site.calls, site.variables.len()))
            .collect();
        assert_eq!(lines, [(5, 2, 1), (3, 1, 0), (2, 1, 1)]);
    }
}
