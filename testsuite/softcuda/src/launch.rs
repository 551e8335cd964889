//! Running kernels ("Execution Control: cuLaunchKernel").

use crate::cost::Expense;
use crate::message::say;
use crate::module::Function;
use crate::option::Trace;
use crate::status::{Outcome, Status};
use crate::stream::Work;
use crate::view::View;
use softcuda_ptx::{Launch, Limits};
use std::sync::Arc;
use std::time::Instant;

/// Most threads in a block, as on hardware.
const THREADS: u64 = 1024;

/// Most bytes of local memory for a thread, as on hardware.
const LOCAL: u64 = 512 << 10;

/// Shape of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) shared: u32,
}

impl Shape {
    fn check(self) -> Outcome {
        let threads: u64 = self.block.iter().map(|count| u64::from(*count)).product();
        let empty = self.grid.iter().chain(&self.block).any(|count| *count == 0);
        if empty || threads > THREADS { Err(Status::INVALID_VALUE) } else { Ok(()) }
    }
}

/// Fills a slice with the parameter of that number.
pub(crate) type Reader = Box<dyn Fn(usize, &mut [u8])>;

/// The parameters of a launch, in either form of the call.
pub(crate) enum Parameters {
    /// All of them as the kernel wants them (`CU_LAUNCH_PARAM_BUFFER_POINTER`).
    Buffer(Vec<u8>),
    /// One host address for each (`kernelParams`).
    Addresses(Reader),
}

impl Parameters {
    fn layout(self, sizes: &[(usize, usize)]) -> Outcome<Vec<u8>> {
        let needed = sizes.iter().map(|(offset, size)| offset + size).max().unwrap_or(0);
        match self {
            Parameters::Buffer(bytes) if bytes.len() >= needed => Ok(bytes),
            Parameters::Buffer(_) => Err(Status::INVALID_VALUE),
            Parameters::Addresses(read) => {
                let mut bytes = vec![0; needed];
                for (index, (offset, size)) in sizes.iter().enumerate() {
                    read(index, &mut bytes[*offset..offset + size]);
                }
                Ok(bytes)
            }
        }
    }
}

/// Puts a launch into a stream of the kernel's context.
pub(crate) fn launch(
    function: Arc<Function>,
    shape: Shape,
    parameters: Parameters,
    stream: usize,
) -> Outcome {
    shape.check()?;
    let sizes = function.module.program.parameter_sizes(function.entry);
    let launch = Launch {
        grid: shape.grid,
        block: shape.block,
        shared: shape.shared,
        parameters: parameters.layout(&sizes)?,
        local_limit: LOCAL,
    };
    let context = Arc::clone(&function.module.context);
    context.close_managed();
    context.streams.push(stream, Work::Kernel(Box::new(move || run(&function, &launch))))
}

fn run(function: &Function, launch: &Launch) -> Outcome {
    let context = &function.module.context;
    let machine = &context.machine;
    let limits = Limits { threads: machine.options.threads, quantum: machine.options.quantum };
    let _alone = machine.occupy(context.device);
    if machine.clock.runs() {
        machine.recall();
    }
    let view = View::new(machine, context.device, context.id);
    machine.clock.spend(Instant::now(), Expense::Launch);
    machine.statistics.kernels.add(1);
    let program = &function.module.program;
    match softcuda_ptx::run(program, function.entry, launch, &view, &limits) {
        Ok(counts) => {
            machine.statistics.instructions.add(counts.instructions);
            Ok(())
        }
        Err(fault) => {
            // A program that stops its own kernel knows why.
            if !fault.is_trap() || machine.options.trace != Trace::Off {
                say(format_args!("kernel {}: {fault}", function.name));
            }
            Err(match view.refused() {
                true => Status::ILLEGAL_ADDRESS,
                false if fault.reason.contains("misaligned") => Status::MISALIGNED_ADDRESS,
                false => Status::LAUNCH_FAILED,
            })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_limits() {
        let shape = |grid, block| Shape { grid, block, shared: 0 }.check();
        assert_eq!(shape([1, 1, 1], [32, 32, 1]), Ok(()));
        assert_eq!(shape([1, 1, 1], [32, 33, 1]), Err(Status::INVALID_VALUE));
        assert_eq!(shape([1, 0, 1], [32, 1, 1]), Err(Status::INVALID_VALUE));
    }

    #[test]
    fn parameters_are_laid_out() {
        let sizes = [(0, 4), (8, 8)];
        let read = |index: usize, bytes: &mut [u8]| bytes.fill(index as u8 + 1);
        let bytes = Parameters::Addresses(Box::new(read)).layout(&sizes).unwrap();
        assert_eq!(bytes, [1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2]);
        let short = Parameters::Buffer(vec![0; 15]).layout(&sizes);
        assert_eq!(short, Err(Status::INVALID_VALUE));
        assert_eq!(Parameters::Buffer(vec![7; 16]).layout(&sizes).unwrap(), [7; 16]);
    }
}
