//! `call` and `ret` (PTX ISA 9.7.12.5 and 9.7.12.6).

use super::control::{Here, Turn};
use super::divergence::Group;
use super::fault::Trouble;
use super::register::{Mask, lanes};
use super::warp::first_lane;
use crate::function::Call;
use crate::program::Callee;

impl Turn<'_> {
    /// Calls the function that the first active lane wants; lanes that want
    /// another one stay at the call.
    pub(super) fn call(&mut self, here: Here, number: u32) -> Result<(), Trouble> {
        let program = self.machine.program;
        let call = &program.functions[self.at.0 as usize].calls[number as usize];
        let window = self.warp.window();
        let address = window.lane(call.target, first_lane(here.active));
        let callers = match window.uniform(call.target) {
            Some(_) => here.active,
            None => lanes(here.active)
                .filter(|&lane| window.lane(call.target, lane) == address)
                .fold(0, |all, lane| all | 1 << lane),
        };
        let Some(callee) = program.callee(address) else {
            return Err(Trouble::new(callers, format!("call of {address:#x}, not a function")));
        };
        if callers == here.active {
            self.advance(here);
        } else {
            self.warp.groups.at(here.index).mask &= !callers;
            self.warp.groups.add(Group::new(here.pc + 1, callers));
        }
        match callee {
            Callee::Function(callee) => self.enter(callee, call, callers),
            Callee::Builtin(builtin) => self.builtin(builtin, call, callers, here.present),
        }
    }

    fn enter(&mut self, number: u32, call: &Call, callers: Mask) -> Result<(), Trouble> {
        let function = &self.machine.program.functions[number as usize];
        if call.arguments.len() != function.parameters.len() {
            let (name, takes) = (&function.name, function.parameters.len());
            let reason = format!("{name} takes {takes} arguments, not {}", call.arguments.len());
            return Err(Trouble::new(callers, reason));
        }
        if call.result.is_some() && function.result.is_none() {
            return Err(Trouble::new(callers, format!("{} returns nothing", function.name)));
        }
        let caller = self.warp.frames.last().map_or(0, |frame| frame.base);
        self.warp.push(number, function, callers, call.result)?;
        let callee = self.warp.frames.last().map_or(0, |frame| frame.base);
        for (argument, parameter) in call.arguments.iter().zip(&function.parameters) {
            for (from, to) in argument.registers().zip(parameter.registers()) {
                let (from, to) = (caller + from.index(), callee + to.index());
                self.warp.registers.transfer(from, to, callers, callers);
            }
        }
        Ok(())
    }

    /// Some lanes leave the innermost frame.
    pub(super) fn return_(&mut self, here: Here) {
        let [.., caller, frame] = &self.warp.frames[..] else {
            return self.leave(here);
        };
        let function = &self.machine.program.functions[frame.function as usize];
        if let (Some(from), Some(to)) = (function.result, frame.result) {
            for (from, to) in from.registers().zip(to.registers()) {
                let (from, to) = (frame.base + from.index(), caller.base + to.index());
                self.warp.registers.transfer(from, to, here.active, caller.mask);
            }
        }
        self.leave(here);
    }

    fn leave(&mut self, here: Here) {
        let first = self.warp.frames.last().map_or(0, |frame| frame.first);
        self.warp.groups.retire(first, here.active);
        self.advance(here);
    }
}
