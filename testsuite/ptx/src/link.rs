//! From objects to a program: who sees which name, and at what address.

use std::collections::HashMap;
use std::fmt;

use crate::function::{Initial, Linkage, Symbol, Variable};
use crate::memory::{Access, Memory};
use crate::object::Object;
use crate::program::{Builtin, Program, Text};
use crate::space::{CODE_STEP, CODE_WINDOW, Space};

/// Why objects do not make a program, e.g. an undefined symbol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkError(String);

impl fmt::Display for LinkError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for LinkError {}

/// What a name stands for.
#[derive(Clone, Copy)]
struct Definition {
    /// In its own space.
    address: u64,
    space: Space,
}

/// What the names of all objects stand for.
#[derive(Default)]
struct Names {
    /// Of each object: its internal names.
    internal: Vec<HashMap<String, Definition>>,
    /// Names that all objects see, and whether a `.visible` definition may
    /// take the place of this one.
    visible: HashMap<String, (Definition, Linkage)>,
}

impl Names {
    fn find(&self, object: usize, name: &str) -> Option<Definition> {
        let internal = self.internal[object].get(name);
        internal.or_else(|| self.visible.get(name).map(|(definition, _)| definition)).copied()
    }

    /// The address that `symbol` of an object means.
    fn resolve(&self, object: usize, text: &Object, symbol: &Symbol) -> Result<u64, LinkError> {
        let Some(definition) = self.find(object, &symbol.name) else {
            return Err(LinkError(format!(
                "{}:{}: undefined symbol '{}'",
                text.name, symbol.line, symbol.name
            )));
        };
        let window = if symbol.generic { definition.space.window() } else { 0 };
        let address = definition.address.wrapping_add(window);
        Ok(address.wrapping_add(symbol.displacement as u64))
    }

    /// Adds a definition, in place of one that is weaker.
    fn define(&mut self, object: usize, name: &str, linkage: Linkage, definition: Definition) {
        if linkage == Linkage::Internal {
            self.internal[object].entry(name.to_owned()).or_insert(definition);
        } else {
            self.visible.insert(name.to_owned(), (definition, linkage));
        }
    }

    /// Whether an object's definition of `name` is the one that counts.
    fn admits(&self, text: &Object, name: &str, linkage: Linkage) -> Result<bool, LinkError> {
        match (linkage, self.visible.get(name)) {
            (Linkage::Visible, Some((_, Linkage::Visible))) => {
                Err(LinkError(format!("{}: second definition of '{name}'", text.name)))
            }
            (Linkage::Weak, Some(_)) | (Linkage::External, _) => Ok(false),
            _ => Ok(true),
        }
    }
}

/// A program in the making.
struct Linker<'a> {
    place: &'a mut dyn FnMut(u64, u64) -> Option<u64>,
    names: Names,
    program: Program,
    /// Which variable of which object is where.
    placed: Vec<(usize, usize, u64)>,
}

/// See [`Program::link`].
pub(crate) fn link(
    objects: Vec<Object>,
    place: &mut dyn FnMut(u64, u64) -> Option<u64>,
    memory: &dyn Memory,
) -> Result<Program, LinkError> {
    let mut linker =
        Linker { place, names: Names::default(), program: Program::default(), placed: Vec::new() };
    linker.names.internal.resize_with(objects.len(), HashMap::new);
    // What a weak definition must yield to comes first.
    for strong in [true, false] {
        for (number, object) in objects.iter().enumerate() {
            linker.variables(number, object, strong)?;
        }
    }
    linker.functions(&objects)?;
    linker.dynamic_shared(&objects);
    linker.aliases(&objects)?;
    linker.initialise(&objects, memory)?;
    linker.finish(objects)
}

impl Linker<'_> {
    /// Places the variables that are weak, or those that are not.
    fn variables(&mut self, number: usize, object: &Object, strong: bool) -> Result<(), LinkError> {
        for (index, variable) in object.variables.iter().enumerate() {
            let (name, linkage) = (&variable.name, variable.linkage);
            if (linkage != Linkage::Weak) != strong || !self.names.admits(object, name, linkage)? {
                continue;
            }
            let address = self.address(object, variable)?;
            if variable.space != Space::Shared {
                self.placed.push((number, index, address));
                self.program.placed.push((address, variable.size()));
                let entry = (address, variable.size());
                if linkage == Linkage::Internal {
                    self.program.variables.entry(name.clone()).or_insert(entry);
                } else {
                    self.program.variables.insert(name.clone(), entry);
                }
            }
            let definition = Definition { address, space: variable.space };
            self.names.define(number, name, linkage, definition);
        }
        Ok(())
    }

    fn address(&mut self, object: &Object, variable: &Variable) -> Result<u64, LinkError> {
        let (size, alignment) = (variable.size().max(1), variable.alignment.max(1));
        let place = match variable.space {
            Space::Shared => self.program.shared.place(size, alignment),
            _ => (self.place)(size, alignment),
        };
        place.ok_or_else(|| {
            let name = &variable.name;
            LinkError(format!("{}: no memory for '{name}' of {size} bytes", object.name))
        })
    }

    /// Gives each function an address, those that the driver supplies last.
    fn functions(&mut self, objects: &[Object]) -> Result<(), LinkError> {
        let mut address = CODE_WINDOW;
        let mut number = 0;
        for (index, object) in objects.iter().enumerate() {
            for function in &object.functions {
                let (name, linkage) = (&function.name, function.linkage);
                if linkage == Linkage::Internal || self.names.admits(object, name, linkage)? {
                    let definition = Definition { address, space: Space::Generic };
                    self.names.define(index, name, linkage, definition);
                }
                if function.is_entry {
                    self.program.entries.entry(name.clone()).or_insert(number);
                }
                address += CODE_STEP;
                number += 1;
            }
        }
        for builtin in Builtin::ALL {
            let definition = Definition { address, space: Space::Generic };
            let weak = (definition, Linkage::Weak);
            self.names.visible.entry(builtin.name().to_owned()).or_insert(weak);
            address += CODE_STEP;
        }
        Ok(())
    }

    /// `.extern .shared name[]`, that no object defines, is the memory whose
    /// size the launch gives.
    fn dynamic_shared(&mut self, objects: &[Object]) {
        let address = self.program.shared.dynamic();
        for object in objects {
            for variable in &object.variables {
                let undefined = variable.linkage == Linkage::External && variable.count == 0;
                if variable.space == Space::Shared && undefined {
                    let definition = Definition { address, space: Space::Shared };
                    let weak = (definition, Linkage::Weak);
                    self.names.visible.entry(variable.name.clone()).or_insert(weak);
                }
            }
        }
    }

    fn aliases(&mut self, objects: &[Object]) -> Result<(), LinkError> {
        for (number, object) in objects.iter().enumerate() {
            for alias in &object.aliases {
                let Some(definition) = self.names.find(number, &alias.target) else {
                    return Err(LinkError(format!(
                        "{}:{}: alias of undefined symbol '{}'",
                        object.name, alias.line, alias.target
                    )));
                };
                self.names.internal[number].insert(alias.name.clone(), definition);
                let weak = (definition, Linkage::Weak);
                self.names.visible.entry(alias.name.clone()).or_insert(weak);
            }
        }
        Ok(())
    }

    /// Writes the initial values.
    fn initialise(&self, objects: &[Object], memory: &dyn Memory) -> Result<(), LinkError> {
        for &(number, index, address) in &self.placed {
            let object = &objects[number];
            let variable = &object.variables[index];
            let size = variable.size() as usize;
            if size == 0 {
                continue;
            }
            let bytes = memory.translate(address, size, Access::Write).map_err(|refusal| {
                let name = &variable.name;
                LinkError(format!("{}: memory of '{name}': {}", object.name, refusal.0))
            })?;
            // SAFETY: the memory says that these bytes are mapped, and nobody
            // else knows the variable yet.
            unsafe { bytes.write_bytes(0, size) };
            let element = variable.element as usize;
            for (position, initial) in variable.initial.iter().enumerate() {
                let value = match initial {
                    Initial::Number(value) => *value,
                    Initial::Address(symbol) => self.names.resolve(number, object, symbol)?,
                };
                // SAFETY: as above; the parser takes no more initial values
                // than there are elements, of at most 8 bytes each.
                unsafe {
                    let source = value.to_le_bytes();
                    let destination = bytes.add(position * element);
                    destination.copy_from_nonoverlapping(source.as_ptr(), element);
                }
            }
        }
        Ok(())
    }

    /// Resolves the symbols of all functions.
    fn finish(mut self, mut objects: Vec<Object>) -> Result<Program, LinkError> {
        for (number, object) in objects.iter_mut().enumerate() {
            for mut function in std::mem::take(&mut object.functions) {
                for (register, symbol) in std::mem::take(&mut function.symbols) {
                    let address = self.names.resolve(number, object, &symbol)?;
                    function.constants.push((register, address));
                }
                function.object = number;
                self.program.functions.push(function);
            }
            let name = std::mem::take(&mut object.name);
            let files = std::mem::take(&mut object.files).into_iter().collect();
            self.program.texts.push(Text { name, files });
        }
        Ok(self.program)
    }
}
