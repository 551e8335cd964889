//! The inner loop: instructions that change neither frames nor groups.

use std::sync::atomic::{Ordering, fence};

use super::access::{load, store};
use super::atomic::atomic;
use super::control::Turn;
use super::divergence::Chosen;
use super::fault::Trouble;
use super::reach::Reach;
use super::register::{Mask, Window};
use super::special;
use super::warp::Warp;
use crate::alu::{Evaluate, LANES};
use crate::instruction::{Instruction, Operation};

/// Why the inner loop ends.
pub(super) enum Stop {
    /// The warp's turn is over.
    Quantum,
    /// Another group may have to run.
    Choose,
    /// The next instruction is not one for the inner loop.
    Control,
}

impl Turn<'_> {
    /// Runs a group for as long as only its registers and memory change.
    pub(super) fn straight(&mut self, chosen: Chosen) -> Result<Stop, Trouble> {
        let Warp { frames, groups, registers, local, threads, number, instructions, .. } =
            &mut *self.warp;
        let Some(frame) = frames.last() else {
            return Ok(Stop::Choose);
        };
        let group = groups.at(chosen.index);
        let (mask, present) = (group.mask, frame.mask);
        let code = &self.machine.program.functions[frame.function as usize].code[..];
        let mut window = registers.window(frame.base, frame.registers);
        let mut reach = Reach { memory: self.machine.memory, shared: self.shared, local };
        let mut pc = group.pc;
        let mut left = self.left;
        let mut varying = 0;
        let stop = loop {
            if pc >= chosen.limit {
                break Ok(Stop::Choose);
            }
            if left == 0 {
                break Ok(Stop::Quantum);
            }
            let instruction = &code[pc as usize];
            let active = window.guarded(instruction.guard, mask);
            if active == 0 {
                left -= 1;
                pc += 1;
                continue;
            }
            let result = match &instruction.operation {
                Operation::Compute(evaluate) => {
                    compute(&mut window, instruction, evaluate, active, present, &mut varying);
                    Ok(())
                }
                Operation::Load(place) => {
                    load(&mut window, &mut reach, instruction, place, active, present)
                }
                Operation::Store(place) => {
                    store(&mut window, &mut reach, instruction, place, active)
                }
                Operation::Branch(target) if active == mask => {
                    left -= 1;
                    pc = *target;
                    if !chosen.lowest {
                        break Ok(Stop::Choose);
                    }
                    continue;
                }
                Operation::Atomic(operation, place) => {
                    atomic(&mut window, &mut reach, instruction, *operation, place, active, present)
                }
                Operation::Special(special) => {
                    let context = special::Context {
                        launch: self.machine.launch,
                        shared: &self.machine.program.shared,
                        cta: self.cta,
                        warp: *number,
                        threads,
                        instructions: *instructions + u64::from(self.left - left),
                    };
                    let value = context.value(*special);
                    window.write(instruction.destination, &value, active, present);
                    Ok(())
                }
                Operation::Fence => {
                    fence(Ordering::SeqCst);
                    Ok(())
                }
                Operation::Sleep => Ok(()),
                _ => break Ok(Stop::Control),
            };
            if let Err(trouble) = result {
                break Err(trouble);
            }
            left -= 1;
            pc += 1;
        };
        groups.at(chosen.index).pc = pc;
        self.warp.instructions += u64::from(self.left - left);
        self.warp.varying += varying;
        self.left = left;
        stop
    }
}

#[inline(always)]
fn compute(
    window: &mut Window<'_>,
    instruction: &Instruction,
    evaluate: &Evaluate,
    active: Mask,
    present: Mask,
    varying: &mut u64,
) {
    match window.all_uniform(instruction.sources) {
        Some([a, b, c]) => {
            let value = (evaluate.scalar)(a, b, c);
            window.write_same(instruction.destination, value, active, present);
        }
        None => {
            *varying += 1;
            compute_lanes(window, instruction, evaluate, active, present);
        }
    }
}

#[inline(never)]
fn compute_lanes(
    window: &mut Window<'_>,
    instruction: &Instruction,
    evaluate: &Evaluate,
    active: Mask,
    present: Mask,
) {
    let [a, b, c] = instruction.sources;
    let mut scratch = [[0; LANES]; 3];
    let [scratch_a, scratch_b, scratch_c] = &mut scratch;
    let mut result = [0; LANES];
    // Nothing that only computes can fail, so idle lanes may take part.
    (evaluate.lanes)(
        window.read(a, scratch_a),
        window.read(b, scratch_b),
        window.read(c, scratch_c),
        &mut result,
    );
    window.write_lanes(instruction.destination, &result, active, present);
}
