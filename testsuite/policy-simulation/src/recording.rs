//! A trace from what a program's allocations and softcuda say.

use std::collections::{BTreeMap, HashMap};

use offmem_policy::Direction;

use crate::{Event, Trace};

/// Smaller copies are of no interest: nothing that small is registered.
const LEAST: u64 = 4096;

/// What begins a line of `traces/allocations.c`.
const ALLOCATIONS: &str = "allocation: ";

/// Reads the lines that `SOFTCUDA_TRACE=1` and `traces/allocations.c` write to
/// standard error, in order. A block is an allocation, or the largest copy at an
/// address that is in none.
pub fn recorded(name: &str, log: &str) -> Trace {
    let calls: Vec<Call> = log.lines().filter_map(Call::parse).collect();
    let mut largest = HashMap::new();
    for call in &calls {
        if let Call::Copy { host, bytes, .. } = *call {
            let most = largest.entry(host).or_insert(0);
            *most = bytes.max(*most);
        }
    }
    let mut recorder = Recorder { trace: Trace::new(name), ..Recorder::default() };
    calls.iter().for_each(|call| recorder.take(call, &largest));
    recorder.trace
}

enum Call {
    Allocate { host: u64, size: u64, site: u64 },
    Free { host: u64 },
    Copy { host: u64, bytes: u64, direction: Direction },
}

impl Call {
    fn parse(line: &str) -> Option<Call> {
        if let Some(allocation) = line.strip_prefix(ALLOCATIONS) {
            let mut fields = allocation.split(' ');
            let kind = fields.next()?;
            let mut next = || number(fields.next()?);
            return match kind {
                "a" => Some(Call::Allocate { host: next()?, size: next()?, site: next()? }),
                "f" => Some(Call::Free { host: next()? }),
                _ => None,
            };
        }
        let call = line.strip_prefix("softcuda: ")?;
        let argument = |name: &str| {
            let value = call.split(' ').find_map(|field| field.strip_prefix(name))?;
            number(value)
        };
        let (host, direction) = if call.starts_with("cuMemcpyHtoD") {
            (argument("from=")?, Direction::ToDevice)
        } else if call.starts_with("cuMemcpyDtoH") {
            (argument("to=")?, Direction::ToHost)
        } else {
            return None;
        };
        let bytes = argument("size=")?;
        (bytes >= LEAST).then_some(Call::Copy { host, bytes, direction })
    }
}

fn number(text: &str) -> Option<u64> {
    u64::from_str_radix(text.strip_prefix("0x")?, 16).ok()
}

#[derive(Default)]
struct Recorder {
    trace: Trace,
    /// Allocations by address, whether or not they were ever copied.
    live: BTreeMap<u64, Live>,
    sites: HashMap<u64, usize>,
    next: usize,
}

struct Live {
    size: u64,
    site: u64,
    /// The number, once it is a block of the trace.
    block: Option<usize>,
}

impl Recorder {
    fn take(&mut self, call: &Call, largest: &HashMap<u64, u64>) {
        match *call {
            Call::Allocate { host, size, site } => {
                self.live.insert(host, Live { size, site, block: None });
            }
            Call::Free { host } => {
                if let Some(Live { block: Some(block), .. }) = self.live.remove(&host) {
                    self.trace.events.push(Event::Free { block });
                }
            }
            Call::Copy { host, bytes, direction } => {
                let inside = self.live.range_mut(..=host).next_back();
                let found = inside.filter(|(start, live)| host + bytes <= *start + live.size);
                let start = match found {
                    Some((start, _)) => *start,
                    None => {
                        let size = largest.get(&host).copied().unwrap_or(bytes);
                        self.live.insert(host, Live { size, site: 0, block: None });
                        host
                    }
                };
                let block = self.block(start);
                self.trace.events.push(Event::Copy { block, bytes, direction, coming: 0 });
            }
        }
    }

    /// The number of the block at `start`, which is live.
    fn block(&mut self, start: u64) -> usize {
        let sites = self.sites.len();
        let live = self.live.get_mut(&start).expect("a live block");
        if let Some(block) = live.block {
            return block;
        }
        let block = self.next;
        live.block = Some(block);
        self.next += 1;
        let site = *self.sites.entry(live.site).or_insert(sites);
        self.trace.events.push(Event::Allocate { block, size: live.size, site });
        block
    }
}

#[cfg(test)]
mod tests {
    use super::recorded;

    #[test]
    fn copies_belong_to_allocations() {
        let log = "\
allocation: a 0x10000 0x8000 0x400100
softcuda: cuMemcpyHtoD_v2 to=0x7f0000 from=0x11000 size=0x2000 -> CUDA_SUCCESS
softcuda: cuMemcpyDtoH_v2 to=0x10000 from=0x7f0000 size=0x8000 -> CUDA_SUCCESS
softcuda: cuMemcpyDtoH_v2 to=0x10000 from=0x7f0000 size=0x8 -> CUDA_SUCCESS
allocation: f 0x10000
allocation: a 0x10000 0x1000 0x400100
softcuda: cuMemcpyHtoD_v2 to=0x7f0000 from=0x10000 size=0x1000 -> CUDA_SUCCESS
softcuda: cuMemcpyHtoD_v2 to=0x7f0000 from=0x90000 size=0x1000 -> CUDA_SUCCESS
softcuda: cuMemcpyHtoD_v2 to=0x7f0000 from=0x90000 size=0x3000 -> CUDA_SUCCESS
the program's own
";
        let expected = "a 0 32768 0\nd 0 8192\nh 0 32768\nf 0\na 1 4096 0\nd 1 4096\n\
                        a 2 12288 1\nd 2 4096\nd 2 12288\n";
        assert_eq!(recorded("x", log).to_string(), expected);
    }
}
