//! The functions that a CUDA driver supplies: `malloc`, `free`, `vprintf`.

use super::control::Turn;
use super::fault::Trouble;
use super::printf;
use super::reach::Reach;
use super::register::{Mask, lanes};
use crate::alu::LANES;
use crate::function::Call;
use crate::program::Builtin;

impl Turn<'_> {
    /// Calls a function of the driver's for each lane.
    pub(super) fn builtin(
        &mut self,
        builtin: Builtin,
        call: &Call,
        callers: Mask,
        present: Mask,
    ) -> Result<(), Trouble> {
        let mut results = [0; LANES];
        for lane in lanes(callers) {
            let window = self.warp.window();
            let argument = |index: usize| {
                let parameter = call.arguments.get(index);
                parameter.map_or(0, |parameter| window.lane(parameter.first, lane))
            };
            let (first, second) = (argument(0), argument(1));
            let memory = self.machine.memory;
            results[lane] = match builtin {
                Builtin::Malloc => memory.malloc(first),
                Builtin::Free => {
                    memory.free(first);
                    0
                }
                Builtin::Vprintf => {
                    let local = &mut self.warp.local;
                    let mut reach = Reach { memory, shared: self.shared, local };
                    let text =
                        printf::format(first, second, &mut |address| reach.byte(address, lane))
                            .map_err(|reason| {
                                Trouble::new(1 << lane, format!("vprintf: {reason}"))
                            })?;
                    memory.print(&text);
                    text.len() as u64
                }
            };
        }
        if let Some(result) = call.result {
            self.warp.window().write_lanes(result.first, &results, callers, present);
        }
        Ok(())
    }
}
