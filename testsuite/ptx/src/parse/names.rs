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
    families: Vec<Family<'a>>,
    /// What the declarations of the open blocks hid.
    hidden: Vec<(&'a str, Option<Meaning>)>,
    /// Length of `hidden` and `families` where each open block began.
    blocks: Vec<(usize, usize)>,
}

/// Names declared at once, as `%r<100>` (PTX ISA 5.4.5).
struct Family<'a> {
    prefix: &'a str,
    /// What the first one stands for.
    first: Meaning,
    count: u32,
}

impl Family<'_> {
    fn member(&self, name: &str) -> Option<Meaning> {
        let index = name.strip_prefix(self.prefix)?.parse::<u32>().ok()?;
        (index < self.count).then(|| self.first.following(index))
    }
}

impl Meaning {
    /// Registers that the name takes.
    pub(super) fn registers(&self) -> u32 {
        match self {
            Meaning::Register { components, .. } => *components,
            Meaning::Parameter(parameter) => parameter.words(),
            Meaning::Local(_) => 0,
        }
    }

    /// The meaning of the name that is declared so many names later.
    fn following(self, index: u32) -> Meaning {
        let step = index * self.registers();
        match self {
            Meaning::Register { first, type_, components } => {
                Meaning::Register { first: Register(first.0 + step), type_, components }
            }
            Meaning::Parameter(parameter) => {
                let first = Register(parameter.first.0 + step);
                Meaning::Parameter(Parameter { first, ..parameter })
            }
            Meaning::Local(offset) => Meaning::Local(offset),
        }
    }
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
    pub(super) fn declare_family(&mut self, prefix: &'a str, first: Meaning, count: u32) {
        self.families.push(Family { prefix, first, count });
    }

    pub(super) fn meaning(&self, name: &str) -> Option<Meaning> {
        let single = self.meanings.get(name).copied();
        single.or_else(|| self.families.iter().rev().find_map(|family| family.member(name)))
    }
}
