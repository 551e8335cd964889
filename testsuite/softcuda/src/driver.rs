//! The driver of this process: a machine and the handles to all it gave out.

use crate::context::{self, Context};
use crate::event::Event;
use crate::handle::Table;
use crate::machine::Machine;
use crate::message;
use crate::module::{Function, Images, Linker, Module};
use crate::option::Options;
use crate::statistics::{self, Report};
use crate::status::{Outcome, Status};
use crate::stream::DEFAULT;
use std::cell::Cell;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A stream and its context.
pub(crate) struct StreamHandle {
    pub(crate) context: Arc<Context>,
    pub(crate) stream: usize,
    pub(crate) flags: u32,
}

/// Everything that `cuInit` sets up.
pub(crate) struct Driver {
    pub(crate) machine: Arc<Machine>,
    pub(crate) contexts: Table<Context>,
    pub(crate) streams: Table<StreamHandle>,
    pub(crate) events: Table<Event>,
    pub(crate) linkers: Table<Linker>,
    pub(crate) modules: Table<Module>,
    pub(crate) functions: Table<Function>,
    pub(crate) images: Images,
    /// For each device the handle of its primary context and how often it was
    /// retained.
    primaries: Vec<Mutex<(usize, u32)>>,
    process: u32,
}

/// Handles of the default stream that programs may use instead of 0:
/// `CU_STREAM_LEGACY` and `CU_STREAM_PER_THREAD`, which is not told apart.
const DEFAULTS: std::ops::RangeInclusive<usize> = 0..=2;

impl Driver {
    /// A driver for the machine that the options describe.
    pub(crate) fn new(options: Options) -> std::io::Result<Driver> {
        let machine = Arc::new(Machine::new(options)?);
        Ok(Driver {
            contexts: Table::new(Status::INVALID_CONTEXT),
            streams: Table::new(Status::INVALID_HANDLE),
            events: Table::new(Status::INVALID_HANDLE),
            linkers: Table::new(Status::INVALID_HANDLE),
            modules: Table::new(Status::INVALID_HANDLE),
            functions: Table::new(Status::INVALID_HANDLE),
            images: Images::default(),
            primaries: machine.space.devices.iter().map(|_| Mutex::default()).collect(),
            process: std::process::id(),
            machine,
        })
    }

    /// The number of a device, if it exists.
    pub(crate) fn device(&self, device: i32) -> Outcome<usize> {
        let count = self.machine.space.devices.len();
        usize::try_from(device).ok().filter(|device| *device < count).ok_or(Status::INVALID_DEVICE)
    }

    /// The context of this thread.
    pub(crate) fn context(&self) -> Outcome<Arc<Context>> {
        self.contexts.get(context::current())
    }

    /// The stream of a handle, with its context.
    pub(crate) fn stream(&self, handle: usize) -> Outcome<(Arc<Context>, usize)> {
        if DEFAULTS.contains(&handle) {
            return Ok((self.context()?, DEFAULT));
        }
        let stream = self.streams.get(handle)?;
        Ok((Arc::clone(&stream.context), stream.stream))
    }

    /// `cuCtxCreate`; the context is then this thread's.
    pub(crate) fn create_context(&self, device: usize, flags: u32) -> Outcome<usize> {
        let context = Context::new(Arc::clone(&self.machine), device, flags);
        let handle = self.contexts.insert(context);
        context::push(handle)?;
        Ok(handle)
    }

    /// `cuCtxDestroy`, with all that belongs to the context.
    pub(crate) fn destroy_context(&self, handle: usize) -> Outcome {
        let context = self.contexts.remove(handle)?;
        let others = |id| id != context.id;
        self.functions.retain(|function| others(function.module.context.id));
        self.modules.retain(|module| others(module.context.id));
        self.streams.retain(|stream| others(stream.context.id));
        context.destroy();
        if context::current() == handle {
            context::pop()?;
        }
        Ok(())
    }

    /// `cuModuleUnload`.
    pub(crate) fn unload(&self, handle: usize) -> Outcome {
        let module = self.modules.remove(handle)?;
        self.functions.retain(|function| !Arc::ptr_eq(&function.module, &module));
        Ok(())
    }

    /// `cuDevicePrimaryCtxRetain`.
    pub(crate) fn retain_primary(&self, device: usize) -> usize {
        let mut primary = self.primaries[device].lock().unwrap_or_else(PoisonError::into_inner);
        if primary.1 == 0 {
            primary.0 = self.contexts.insert(Context::new(Arc::clone(&self.machine), device, 0));
        }
        primary.1 += 1;
        primary.0
    }

    /// `cuDevicePrimaryCtxRelease` or, with `all`, `cuDevicePrimaryCtxReset`.
    pub(crate) fn release_primary(&self, device: usize, all: bool) -> Outcome {
        let mut primary = self.primaries[device].lock().unwrap_or_else(PoisonError::into_inner);
        if primary.1 == 0 {
            return if all { Ok(()) } else { Err(Status::INVALID_CONTEXT) };
        }
        primary.1 = if all { 0 } else { primary.1 - 1 };
        if primary.1 == 0 { self.destroy_context(primary.0) } else { Ok(()) }
    }

    /// Whether the primary context of a device is in use.
    pub(crate) fn primary_active(&self, device: usize) -> bool {
        self.primaries[device].lock().unwrap_or_else(PoisonError::into_inner).1 > 0
    }

    /// Writes the statistics where the options say.
    fn report(&self) {
        let seconds = self.machine.clock.seconds();
        match &self.machine.options.report {
            Report::Off => {}
            Report::Text => message::block(&self.machine.statistics.text(seconds)),
            Report::Json(path) => {
                let path = statistics::file_name(path);
                if let Err(error) = std::fs::write(&path, self.machine.statistics.json(seconds)) {
                    message::say(format_args!("{path}: {error}"));
                }
            }
        }
    }
}

static DRIVER: OnceLock<Option<Driver>> = OnceLock::new();

/// `cuInit`. What is wrong with the options is said once.
pub(crate) fn initialize(check: impl Fn(&Options) -> Result<(), String>) -> Outcome {
    let start = || {
        let options = Options::from_environment()?;
        check(&options)?;
        Driver::new(options).map_err(|error| format!("cannot set up the devices: {error}"))
    };
    let driver = DRIVER.get_or_init(|| {
        start().map_err(|error: String| message::say(format_args!("{error}"))).ok()
    });
    match driver {
        Some(driver) if driver.process != std::process::id() => Err(Status::NOT_INITIALIZED),
        Some(driver) if !driver.machine.space.devices.is_empty() => Ok(()),
        _ => Err(Status::NO_DEVICE),
    }
}

/// The driver, if `cuInit` has succeeded in this very process: what a child
/// inherits by `fork` is of no use to it.
pub(crate) fn driver() -> Outcome<&'static Driver> {
    let driver = DRIVER.get().and_then(Option::as_ref).ok_or(Status::NOT_INITIALIZED)?;
    if driver.process == std::process::id() { Ok(driver) } else { Err(Status::NOT_INITIALIZED) }
}

thread_local! {
    static CALLED_BACK: Cell<bool> = const { Cell::new(false) };
}

/// Marks this thread as one in which the program may not call the driver.
pub(crate) fn forbid_calls() {
    CALLED_BACK.set(true);
}

/// Whether the program may call the driver in this thread.
pub(crate) fn calls_allowed() -> bool {
    !CALLED_BACK.get()
}

/// Runs when the library ends: after the handlers of `atexit`, libgomp's
/// included, and after the destructors of what was loaded before.
#[used]
#[unsafe(link_section = ".fini_array")]
static FINISH: extern "C" fn() = finish;

extern "C" fn finish() {
    if let Ok(driver) = driver() {
        driver.report();
    }
}

#[cfg(test)]
#[path = "driver_tests.rs"]
mod tests;
