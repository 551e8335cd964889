use offmem_policy::Direction;
use std::fmt::{self, Display};

/// Something that happens to a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// A block begins.
    Allocate {
        /// Its number.
        block: usize,
        /// Bytes.
        size: u64,
        /// The place in the program; blocks of one place are expected to be alike.
        site: usize,
    },
    /// Bytes of it are copied.
    Copy {
        /// The block's number.
        block: usize,
        /// Bytes.
        bytes: u64,
        /// Which way.
        direction: Direction,
        /// Bytes that the program has already said will be copied back.
        coming: u64,
    },
    /// Its memory goes away, so a registration has to end before.
    Free {
        /// The block's number.
        block: usize,
    },
}

/// What a program did, or could do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// What it is of.
    pub name: String,
    /// Bytes that may be registered at a time.
    pub budget: u64,
    /// In order.
    pub events: Vec<Event>,
}

impl Default for Trace {
    fn default() -> Trace {
        Trace::new("")
    }
}

impl Trace {
    /// A trace without events, and without a limit to what may be registered.
    pub fn new(name: &str) -> Trace {
        Trace { name: name.to_owned(), budget: u64::MAX, events: Vec::new() }
    }

    /// Reads what [`Display`] writes: lines of `a BLOCK SIZE SITE`, `d BLOCK
    /// BYTES` (to the device), `d BLOCK BYTES COMING` (and back, as `map(tofrom:)`
    /// says), `h BLOCK BYTES` (to the host) or `f BLOCK`.
    /// What is behind `#` doesn't count.
    ///
    /// # Errors
    /// The first line that is none of these, or is about a block that is not there.
    pub fn parse(name: &str, text: &str) -> Result<Trace, String> {
        let mut trace = Trace::new(name);
        let mut live = std::collections::BTreeSet::new();
        for line in text.lines() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let event = Event::parse(line).ok_or_else(|| format!("{name}: '{line}'"))?;
            let known = match event {
                Event::Allocate { block, .. } => live.insert(block),
                Event::Copy { block, .. } => live.contains(&block),
                Event::Free { block } => live.remove(&block),
            };
            if !known {
                return Err(format!("{name}: '{line}': no such block, or another one"));
            }
            trace.events.push(event);
        }
        Ok(trace)
    }

    /// Blocks there are at any time: their numbers are below.
    pub fn blocks(&self) -> usize {
        let number = |event: &Event| match *event {
            Event::Allocate { block, .. } | Event::Copy { block, .. } | Event::Free { block } => {
                block + 1
            }
        };
        self.events.iter().map(number).max().unwrap_or(0)
    }

    pub(crate) fn allocate(&mut self, block: usize, size: u64, site: usize) {
        self.events.push(Event::Allocate { block, size, site });
    }

    pub(crate) fn copy_in(&mut self, block: usize, bytes: u64) {
        self.copy(block, bytes, Direction::ToDevice, 0);
    }

    /// `map(tofrom:)`.
    pub(crate) fn copy_in_and_out(&mut self, block: usize, bytes: u64) {
        self.copy(block, bytes, Direction::ToDevice, bytes);
        self.copy_out(block, bytes);
    }

    pub(crate) fn copy_out(&mut self, block: usize, bytes: u64) {
        self.copy(block, bytes, Direction::ToHost, 0);
    }

    fn copy(&mut self, block: usize, bytes: u64, direction: Direction, coming: u64) {
        self.events.push(Event::Copy { block, bytes, direction, coming });
    }

    pub(crate) fn free(&mut self, block: usize) {
        self.events.push(Event::Free { block });
    }
}

impl Event {
    fn parse(line: &str) -> Option<Event> {
        let fields: Vec<&str> = line.split_ascii_whitespace().collect();
        let number = |text: &str| text.parse::<usize>().ok();
        let copy = |block, bytes: &str, direction, coming: &str| {
            Some(Event::Copy {
                block: number(block)?,
                bytes: bytes.parse().ok()?,
                direction,
                coming: coming.parse().ok()?,
            })
        };
        match *fields.as_slice() {
            ["a", block, size, site] => Some(Event::Allocate {
                block: number(block)?,
                size: size.parse().ok()?,
                site: number(site)?,
            }),
            ["d", block, bytes] => copy(block, bytes, Direction::ToDevice, "0"),
            ["d", block, bytes, coming] => copy(block, bytes, Direction::ToDevice, coming),
            ["h", block, bytes] => copy(block, bytes, Direction::ToHost, "0"),
            ["f", block] => Some(Event::Free { block: number(block)? }),
            _ => None,
        }
    }
}

impl Display for Trace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.events.iter().try_for_each(|event| match event {
            Event::Allocate { block, size, site } => writeln!(f, "a {block} {size} {site}"),
            Event::Copy { block, bytes, direction: Direction::ToDevice, coming: 0 } => {
                writeln!(f, "d {block} {bytes}")
            }
            Event::Copy { block, bytes, direction: Direction::ToDevice, coming } => {
                writeln!(f, "d {block} {bytes} {coming}")
            }
            Event::Copy { block, bytes, direction: Direction::ToHost, .. } => {
                writeln!(f, "h {block} {bytes}")
            }
            Event::Free { block } => writeln!(f, "f {block}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::Trace;

    #[test]
    fn a_trace_is_read_as_it_was_written() {
        let text = "a 0 100 7\nd 0 100\nd 0 100 5\nh 0 5\nf 0\na 0 3 8\n";
        let trace = Trace::parse("x", text).expect("a trace");
        assert_eq!(trace.to_string(), text);
        assert_eq!((trace.events.len(), trace.blocks()), (6, 1));
        assert_eq!(Trace::parse("x", "# why\n\na 0 100 7 # 1\n").map(|t| t.events.len()), Ok(1));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in ["a 0 1", "d 0 1", "a 0 1 1\na 0 1 1", "f 0", "x 0 1", "a 0 -1 1"] {
            assert!(Trace::parse("x", text).is_err(), "{text}");
        }
    }
}
