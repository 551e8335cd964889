//! What the names of a function body mean, block by block.

use std::collections::HashMap;

use crate::function::Parameter;
use crate::instruction::Register;
use crate::types::Type;

/// What a name of a function body stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Meaning {
    /// `.reg`; the components of a vector follow each other.
    Register { first: Register, type_: Type, components: u32 },
    /// `.param`.
    Parameter(Parameter),
    /// `.local`: offset in the frame.
    Local(u32),
}

/// The names in scope (PTX ISA 4.4 and 11.3).
#[derive(Default)]
pub(super) struct Names<'a> {
    meanings: HashMap<&'a str, Meaning>,
    /// `name<count>` registers: name, first register, count.
    families: Vec<Family<'a>>,
    /// What the declarations of the open blocks hid.
    hidden: Vec<(&'a str, Option<Meaning>)>,
    /// Length of `hidden` and `families` where each open block began.
    blocks: Vec<(usize, usize)>,
}

/// Registers declared at once, as `%r<100>` (PTX ISA 5.4.5).
struct Family<'a> {
    prefix: &'a str,
    first: Register,
    type_: Type,
    count: u32,
}

impl<'a> Names<'a> {
    pub(super) fn open_block(&mut self) {
        self.blocks.push((self.hidden.len(), self.families.len()));
    }

    /// Forgets what was declared since the block was opened; false if none is
    /// open.
    pub(super) fn close_block(&mut self) -> bool {
        let Some((hidden, families)) = self.blocks.pop() else {
            return false;
        };
        self.families.truncate(families);
        for (name, meaning) in self.hidden.drain(hidden..).rev() {
            match meaning {
                Some(meaning) => self.meanings.insert(name, meaning),
                None => self.meanings.remove(name),
            };
        }
        true
    }

    pub(super) fn in_block(&self) -> bool {
        !self.blocks.is_empty()
    }

    pub(super) fn declare(&mut self, name: &'a str, meaning: Meaning) {
        let hidden = self.meanings.insert(name, meaning);
        if self.in_block() {
            self.hidden.push((name, hidden));
        }
    }

    /// Declares `prefix0` to `prefix{count - 1}`.
    pub(super) fn declare_family(
        &mut self,
        prefix: &'a str,
        first: Register,
        type_: Type,
        count: u32,
    ) {
        self.families.push(Family { prefix, first, type_, count });
    }

    pub(super) fn meaning(&self, name: &str) -> Option<Meaning> {
        self.meanings.get(name).copied().or_else(|| {
            self.families.iter().rev().find_map(|family| {
                let index = name.strip_prefix(family.prefix)?.parse::<u32>().ok()?;
                (index < family.count).then(|| Meaning::Register {
                    first: Register(family.first.0 + index),
                    type_: family.type_,
                    components: 1,
                })
            })
        })
    }
}
