//! A linked program.

use std::collections::HashMap;

use crate::function::Function;
use crate::link::{self, LinkError};
use crate::memory::Memory;
use crate::object::Object;
use crate::shared::Layout;
use crate::space::{CODE_STEP, CODE_WINDOW};

/// Number of a kernel in its [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EntryId(u32);

/// A linked program.
#[derive(Default)]
pub struct Program {
    pub(crate) texts: Vec<Text>,
    pub(crate) functions: Vec<Function>,
    pub(crate) entries: HashMap<String, u32>,
    pub(crate) variables: HashMap<String, (u64, u64)>,
    pub(crate) placed: Vec<(u64, u64)>,
    pub(crate) shared: Layout,
}

/// What remains of an object, for messages.
pub(crate) struct Text {
    pub(crate) name: String,
    pub(crate) files: HashMap<u32, String>,
}

/// Functions that a CUDA driver supplies, and GCC's libc relies on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Builtin {
    Malloc,
    Free,
    Vprintf,
}

impl Builtin {
    pub(crate) const ALL: [Builtin; 3] = [Builtin::Malloc, Builtin::Free, Builtin::Vprintf];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Builtin::Malloc => "malloc",
            Builtin::Free => "free",
            Builtin::Vprintf => "vprintf",
        }
    }
}

/// What can be called.
#[derive(Clone, Copy)]
pub(crate) enum Callee {
    /// Number of a function.
    Function(u32),
    Builtin(Builtin),
}

impl Program {
    /// Joins `objects`.
    ///
    /// Each variable of `.global` and `.const` space gets device memory by
    /// one call `place(size, alignment)`; its initial value is written
    /// through `memory`.
    ///
    /// # Errors
    /// If a symbol has no definition or two, or memory is short.
    pub fn link(
        objects: Vec<Object>,
        place: &mut dyn FnMut(u64, u64) -> Option<u64>,
        memory: &dyn Memory,
    ) -> Result<Program, LinkError> {
        link::link(objects, place, memory)
    }

    /// The kernel called `name`.
    pub fn entry(&self, name: &str) -> Option<EntryId> {
        self.entries.get(name).map(|&number| EntryId(number))
    }

    /// Address and size of the variable called `name`, `.visible` or not.
    pub fn variable(&self, name: &str) -> Option<(u64, u64)> {
        self.variables.get(name).copied()
    }

    /// Address and size of each variable that was placed.
    pub fn variables(&self) -> impl Iterator<Item = (u64, u64)> {
        self.placed.iter().copied()
    }

    /// Registers that a thread of the kernel plausibly takes on hardware, at
    /// most 255: the text's are virtual, a fraction of them lives at once.
    pub fn registers(&self, entry: EntryId) -> u32 {
        let declared = self.kernel(entry).map_or(0, |function| function.declared);
        (32 + declared / 4).min(255)
    }

    /// Offset and size of each parameter in
    /// [`Launch::parameters`](crate::Launch::parameters).
    pub fn parameter_sizes(&self, entry: EntryId) -> Vec<(usize, usize)> {
        let mut end = 0usize;
        let parameters = self.kernel(entry).map_or(&[][..], |function| &function.parameters);
        let place = parameters.iter().map(|parameter| {
            let offset = end.next_multiple_of(parameter.alignment.max(1) as usize);
            end = offset + parameter.size as usize;
            (offset, parameter.size as usize)
        });
        place.collect()
    }

    /// The kernel's function; none only for an entry of another program.
    pub(crate) fn kernel(&self, entry: EntryId) -> Option<&Function> {
        self.functions.get(entry.0 as usize)
    }

    /// Number of the kernel's function.
    pub(crate) fn number(&self, entry: EntryId) -> u32 {
        entry.0
    }

    /// What is at an address in the window of code.
    pub(crate) fn callee(&self, address: u64) -> Option<Callee> {
        let offset = address.checked_sub(CODE_WINDOW)?;
        if offset % CODE_STEP != 0 {
            return None;
        }
        let number = usize::try_from(offset / CODE_STEP).ok()?;
        if number < self.functions.len() {
            return Some(Callee::Function(number as u32));
        }
        Builtin::ALL.get(number - self.functions.len()).copied().map(Callee::Builtin)
    }
}
