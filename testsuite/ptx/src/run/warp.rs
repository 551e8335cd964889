//! The state of a warp.

use super::barrier::Arrival;
use super::divergence::{Group, Groups};
use super::fault::Trouble;
use super::local::Local;
use super::register::{Mask, RegisterFile, Window, lanes};
use crate::alu::{LANES, Lanes};
use crate::function::{Function, Parameter};

/// Most frames of a warp.
const DEPTH: usize = 1 << 14;

/// A call under way.
pub(super) struct Frame {
    /// Number of the function.
    pub(super) function: u32,
    /// Its first register, and how many it has.
    pub(super) base: usize,
    pub(super) registers: usize,
    /// The lanes that called, less those that exited since.
    pub(super) mask: Mask,
    /// The frame's first group.
    pub(super) first: usize,
    /// Where the caller wants the result.
    pub(super) result: Option<Parameter>,
    /// Where the frame's local memory begins.
    pub(super) local: u64,
    /// Where it ended before any `alloca`.
    local_end: u64,
}

/// Whether a warp can run.
#[derive(Clone, Copy, Debug)]
pub(super) enum State {
    Running,
    /// Waits at a barrier.
    Waiting(Arrival),
    Done,
}

/// 32 threads in lockstep (PTX ISA 3.1).
pub(super) struct Warp {
    /// `%warpid`.
    pub(super) number: u32,
    pub(super) state: State,
    pub(super) frames: Vec<Frame>,
    pub(super) groups: Groups,
    pub(super) registers: RegisterFile,
    pub(super) local: Local,
    /// `%tid.x`, `.y` and `.z` of each lane.
    pub(super) threads: [Lanes; 3],
    /// Turns to come that are short, since the warp left a barrier.
    pub(super) short_turns: u32,
    /// Instructions executed, and how many of them lane by lane.
    pub(super) instructions: u64,
    pub(super) varying: u64,
}

impl Warp {
    /// Warp `number` of a CTA of so many threads along each dimension.
    pub(super) fn new(number: u32, block: [u32; 3], local_limit: u64) -> Warp {
        let along = |dimension: usize| {
            std::array::from_fn(|lane| u64::from(thread(number, lane, block)[dimension]))
        };
        Warp {
            number,
            state: State::Done,
            frames: Vec::new(),
            groups: Groups::default(),
            registers: RegisterFile::default(),
            local: Local::new(local_limit),
            threads: [along(0), along(1), along(2)],
            short_turns: 0,
            instructions: 0,
            varying: 0,
        }
    }

    /// Makes the warp begin a kernel with its first `mask` lanes.
    pub(super) fn start(
        &mut self,
        number: u32,
        function: &Function,
        mask: Mask,
        words: &[u64],
    ) -> Result<(), Trouble> {
        self.state = State::Running;
        self.frames.clear();
        self.groups = Groups::default();
        self.local.pop(0);
        self.push(number, function, mask, None)?;
        let mut window = self.window();
        let registers = function.parameters.iter().flat_map(Parameter::registers);
        for (register, &word) in registers.zip(words) {
            window.write_uniform(register, word);
        }
        Ok(())
    }

    /// Makes a frame for a call by `mask`.
    pub(super) fn push(
        &mut self,
        number: u32,
        function: &Function,
        mask: Mask,
        result: Option<Parameter>,
    ) -> Result<(), Trouble> {
        let base = self.frames.last().map_or(0, |frame| frame.base + frame.registers);
        let registers = function.registers as usize;
        if self.frames.len() == DEPTH || !self.registers.push(base, registers) {
            return Err(Trouble::new(mask, "too many calls within calls"));
        }
        let local = self.local.top();
        if !self.local.push(function.local_size, &function.locals, mask) {
            return Err(Trouble::new(mask, "local memory is exhausted"));
        }
        let local_end = self.local.top();
        let first = self.groups.push(Group::new(0, mask));
        self.frames.push(Frame {
            function: number,
            base,
            registers,
            mask,
            first,
            result,
            local,
            local_end,
        });
        let mut window = self.window();
        for &(register, value) in &function.constants {
            window.write_uniform(register, value);
        }
        Ok(())
    }

    /// Ends the innermost frame, of which no lanes are left.
    pub(super) fn pop(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.local.pop(frame.local);
        }
    }

    /// `stackrestore`: gives back what `alloca` took since `top` was saved.
    pub(super) fn restore_local(&mut self, top: u64) {
        if let Some(frame) = self.frames.last() {
            self.local.pop(top.max(frame.local_end));
        }
    }

    /// Registers of the innermost frame.
    pub(super) fn window(&mut self) -> Window<'_> {
        let (base, count) = self.frames.last().map_or((0, 0), |f| (f.base, f.registers));
        self.registers.window(base, count)
    }

    /// The group that runs, or did last; the first one that waits otherwise.
    pub(super) fn place(&mut self) -> Option<(u32, Group)> {
        let frame = self.frames.last()?;
        let group = self.groups.frame(frame.first).first().copied()?;
        Some((frame.function, group))
    }
}

/// Position in its CTA of a lane of warp `number`.
pub(super) fn thread(number: u32, lane: usize, [x, y, _]: [u32; 3]) -> [u32; 3] {
    let (x, y) = (x.max(1), y.max(1));
    let linear = number * LANES as u32 + lane as u32;
    [linear % x, linear / x % y, linear / x / y]
}

/// The first lane of a mask, of any if it is empty.
pub(super) fn first_lane(mask: Mask) -> usize {
    lanes(mask).next().unwrap_or(0)
}
