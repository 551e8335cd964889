//! From PTX to kernels ("Module Management"): linker, images and modules.

use crate::context::Context;
use crate::memory::Purpose;
use crate::message::say;
use crate::status::{Outcome, Status};
use crate::view::View;
use softcuda_ptx::{EntryId, Object, Program};
use std::sync::{Arc, Mutex, PoisonError};

/// What a linker's output begins with; a number of eight bytes follows.
const MAGIC: &[u8; 16] = b"\x7fsoftcuda-image\0";

/// Size of such an output.
pub(crate) const IMAGE: usize = MAGIC.len() + 8;

/// A PTX text and its name.
type Text = (String, String);

/// A linker that collects objects (`cuLinkCreate`).
#[derive(Default)]
pub(crate) struct Linker {
    input: Mutex<(Vec<Object>, Vec<Text>)>,
    /// What `cuLinkComplete` gave: alive as long as the linker.
    output: Mutex<Option<Box<[u8; IMAGE]>>>,
    /// Address and size of the program's error log.
    log: (usize, usize),
}

/// A linked program that waits to be loaded.
struct Image {
    /// For the first to load it.
    objects: Option<Vec<Object>>,
    /// For the others.
    texts: Vec<Text>,
}

/// Every image of the process.
#[derive(Default)]
pub(crate) struct Images(Mutex<Vec<Image>>);

impl Linker {
    /// `cuLinkCreate`, with address and size of an error log, 0 without one.
    pub(crate) fn new(log: usize, size: usize) -> Linker {
        Linker { log: (log, size), ..Linker::default() }
    }

    /// Address and size of the error log.
    pub(crate) fn log(&self) -> (usize, usize) {
        self.log
    }

    /// `cuLinkAddData` of PTX. An error is said, and returned for the log.
    pub(crate) fn add(&self, name: &str, text: &[u8]) -> Result<(), String> {
        let text = String::from_utf8_lossy(text).into_owned();
        let object = parse(name, &text)?;
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        input.0.push(object);
        input.1.push((name.to_owned(), text));
        Ok(())
    }

    /// `cuLinkComplete`: an address that stays good while the linker lives.
    pub(crate) fn complete(&self, images: &Images) -> *const u8 {
        let mut input = self.input.lock().unwrap_or_else(PoisonError::into_inner);
        let (objects, texts) = std::mem::take(&mut *input);
        let mut images = images.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut bytes = Box::new([0; IMAGE]);
        bytes[..MAGIC.len()].copy_from_slice(MAGIC);
        bytes[MAGIC.len()..].copy_from_slice(&images.len().to_le_bytes());
        images.push(Image { objects: Some(objects), texts });
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        output.insert(bytes).as_ptr()
    }
}

fn parse(name: &str, text: &str) -> Result<Object, String> {
    Object::parse(name, text).map_err(|error| {
        say(format_args!("{error}"));
        error.to_string()
    })
}

impl Images {
    /// What a linker's output begins with, up to the first zero.
    pub(crate) const PREFIX: &[u8] = MAGIC.split_at(MAGIC.len() - 1).0;

    /// The objects of a linker's output.
    pub(crate) fn objects(&self, output: &[u8]) -> Outcome<Vec<Object>> {
        let number = output.get(MAGIC.len()..).and_then(|number| number.try_into().ok());
        let index = usize::from_le_bytes(number.ok_or(Status::INVALID_IMAGE)?);
        let mut images = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let image = images.get_mut(index).ok_or(Status::INVALID_IMAGE)?;
        match image.objects.take() {
            Some(objects) => Ok(objects),
            None => objects(&image.texts),
        }
    }
}

fn objects(texts: &[Text]) -> Outcome<Vec<Object>> {
    let object = |(name, text): &Text| parse(name, text).map_err(|_| Status::INVALID_PTX);
    texts.iter().map(object).collect()
}

/// The object of a text that is loaded without a linker.
pub(crate) fn text_objects(name: &str, text: &[u8]) -> Outcome<Vec<Object>> {
    objects(&[(name.to_owned(), String::from_utf8_lossy(text).into_owned())])
}

/// A program in the memory of a device.
pub(crate) struct Module {
    pub(crate) program: Program,
    pub(crate) context: Arc<Context>,
    /// Owns the variables, and nothing else does.
    owner: usize,
}

impl Module {
    /// Places the variables in the context's device and links.
    pub(crate) fn load(context: Arc<Context>, objects: Vec<Object>) -> Outcome<Module> {
        let machine = Arc::clone(&context.machine);
        let memory = &machine.space.devices[context.device];
        let owner = machine.owner();
        let mut place =
            |size: u64, align| memory.allocate(size.max(1), align, Purpose::Variable, owner);
        let view = View::new(&machine, context.device, owner);
        match Program::link(objects, &mut place, &view) {
            Ok(program) => Ok(Module { program, context, owner }),
            Err(error) => {
                memory.free_all(owner);
                say(format_args!("{error}"));
                Err(Status::INVALID_IMAGE)
            }
        }
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        self.context.machine.space.devices[self.context.device].free_all(self.owner);
    }
}

/// A kernel of a module.
pub(crate) struct Function {
    pub(crate) module: Arc<Module>,
    pub(crate) entry: EntryId,
    pub(crate) name: String,
}

impl Function {
    /// `cuModuleGetFunction`.
    pub(crate) fn find(module: Arc<Module>, name: &str) -> Outcome<Function> {
        let entry = module.program.entry(name).ok_or(Status::NOT_FOUND)?;
        Ok(Function { module, entry, name: name.to_owned() })
    }
}
