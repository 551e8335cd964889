//! A launch of a kernel: its CTAs, on one host thread or several.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use super::cta::Cta;
use super::fault::Fault;
use crate::memory::Memory;
use crate::program::{EntryId, Program};

/// One launch of a kernel (`cuLaunchKernel`).
#[derive(Clone, Debug)]
pub struct Launch {
    /// CTAs along x, y and z.
    pub grid: [u32; 3],
    /// Threads of a CTA along x, y and z.
    pub block: [u32; 3],
    /// Bytes of dynamic shared memory for each CTA.
    pub shared: u32,
    /// The parameters, laid out as [`Program::parameter_sizes`] says.
    pub parameters: Vec<u8>,
    /// Most bytes of `.local` memory that a thread may use.
    pub local_limit: u64,
}

/// How a launch is carried out; never changes what a correct kernel computes.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Host threads over which the CTAs spread, at least 1.
    pub threads: usize,
    /// Instructions that a warp runs before the next warp of its CTA.
    pub quantum: u32,
}

/// What a launch took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Instructions, each counted once for a warp.
    pub instructions: u64,
    /// Those computed once because all lanes held the same operands.
    pub uniform: u64,
}

/// What all CTAs of a launch share.
pub(super) struct Machine<'a> {
    pub(super) program: &'a Program,
    pub(super) memory: &'a dyn Memory,
    pub(super) launch: &'a Launch,
    /// Number of the kernel's function.
    pub(super) kernel: u32,
    /// Its parameters in registers.
    pub(super) words: Vec<u64>,
    /// Threads of a CTA.
    pub(super) threads: u32,
    pub(super) quantum: u32,
}

/// Most threads of a CTA, and most bytes of its dynamic shared memory.
const MOST_THREADS: u64 = 1024;
const MOST_SHARED: u32 = 1 << 20;

/// Runs a kernel to its end.
///
/// # Errors
/// The first [`Fault`] of any thread; what was stored before stays stored.
#[expect(clippy::result_large_err, reason = "a launch has one result, and a fault ends it")]
pub fn run(
    program: &Program,
    entry: EntryId,
    launch: &Launch,
    memory: &dyn Memory,
    limits: &Limits,
) -> Result<Counts, Fault> {
    run_within(program, entry, launch, memory, limits, u64::MAX)
}

/// As [`run`], but stops a kernel that takes many more instructions than
/// `instructions` on a host thread.
///
/// # Errors
/// As [`run`], and once the kernel is stopped.
#[expect(clippy::result_large_err, reason = "a launch has one result, and a fault ends it")]
pub fn run_within(
    program: &Program,
    entry: EntryId,
    launch: &Launch,
    memory: &dyn Memory,
    limits: &Limits,
    instructions: u64,
) -> Result<Counts, Fault> {
    let machine = machine(program, entry, launch, memory, limits)?;
    let [x, y, z] = launch.grid.map(u64::from);
    let ctas = x.saturating_mul(y).saturating_mul(z);
    let next = AtomicU64::new(0);
    let failed = AtomicBool::new(false);
    let result = Mutex::new(Ok(Counts::default()));
    let worker = || {
        let mut cta = Cta::new(&machine);
        let go_on = |taken| taken <= instructions && !failed.load(Ordering::Relaxed);
        let mut outcome = Ok(());
        while outcome.is_ok() && !failed.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= ctas {
                break;
            }
            let id = [number % x, number / x % y, number / x / y].map(|id| id as u32);
            outcome = cta.run(id, &go_on);
        }
        let mut result = result.lock().unwrap_or_else(PoisonError::into_inner);
        match (outcome, &mut *result) {
            (Ok(()), Ok(total)) => total.add(cta.counts()),
            // Once a thread has failed, the others only were stopped.
            (Err(fault), Ok(_)) => {
                failed.store(true, Ordering::Relaxed);
                *result = Err(fault);
            }
            (_, Err(_)) => {}
        }
    };
    let workers = (limits.threads as u64).min(ctas).max(1);
    if workers == 1 {
        worker();
    } else {
        std::thread::scope(|scope| {
            for _ in 0..workers {
                scope.spawn(worker);
            }
        });
    }
    result.into_inner().unwrap_or_else(PoisonError::into_inner).map_err(|fault: Box<Fault>| *fault)
}

impl Counts {
    fn add(&mut self, other: Counts) {
        self.instructions += other.instructions;
        self.uniform += other.uniform;
    }
}

/// Checks a launch against its kernel.
#[expect(clippy::result_large_err, reason = "as for `run`")]
fn machine<'a>(
    program: &'a Program,
    entry: EntryId,
    launch: &'a Launch,
    memory: &'a dyn Memory,
    limits: &Limits,
) -> Result<Machine<'a>, Fault> {
    let name = program.kernel(entry).map_or("", |function| &function.name);
    let refuse = |reason: String| {
        Err(Fault {
            function: name.to_owned(),
            line: 0,
            object: "launch".to_owned(),
            source: None,
            cta: [0; 3],
            thread: [0; 3],
            reason,
        })
    };
    if program.kernel(entry).is_none() {
        return refuse("no kernel of this program".to_owned());
    }
    let [x, y, z] = launch.block.map(u64::from);
    let threads = x.saturating_mul(y).saturating_mul(z);
    if threads == 0 || threads > MOST_THREADS {
        return refuse(format!("{threads} threads in a CTA"));
    }
    if launch.shared > MOST_SHARED {
        return refuse(format!("{} bytes of shared memory", launch.shared));
    }
    let mut words = Vec::new();
    for (offset, size) in program.parameter_sizes(entry) {
        let Some(bytes) = launch.parameters.get(offset..offset + size) else {
            let given = launch.parameters.len();
            return refuse(format!("{given} bytes of parameters, of at least {}", offset + size));
        };
        words.extend(bytes.chunks(8).map(|chunk| {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            u64::from_le_bytes(word)
        }));
    }
    Ok(Machine {
        program,
        memory,
        launch,
        kernel: program.number(entry),
        words,
        threads: threads as u32,
        quantum: limits.quantum.max(1),
    })
}
