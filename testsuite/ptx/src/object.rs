//! One PTX text.

use std::fmt;

use crate::function::{Alias, Function, Variable};
use crate::parse;

/// One PTX text (what `cuLinkAddData` gets), parsed.
pub struct Object {
    pub(crate) name: String,
    pub(crate) functions: Vec<Function>,
    pub(crate) variables: Vec<Variable>,
    pub(crate) aliases: Vec<Alias>,
    /// `.file` directives: number and path.
    pub(crate) files: Vec<(u32, String)>,
}

impl Object {
    /// Parses `text`; `name` is for messages only. NUL bytes count as space.
    ///
    /// # Errors
    /// If the text holds anything that GCC does not emit: there are no
    /// instructions that parse and then do nothing.
    pub fn parse(name: &str, text: &str) -> Result<Object, ParseError> {
        let mut object = Object {
            name: name.to_owned(),
            functions: Vec::new(),
            variables: Vec::new(),
            aliases: Vec::new(),
            files: Vec::new(),
        };
        match parse::module(text, &mut object) {
            Ok(()) => Ok(object),
            Err(flaw) => {
                Err(ParseError { object: object.name, line: flaw.line, reason: flaw.reason })
            }
        }
    }
}

/// Why a text is not PTX as GCC emits it. Displays as `OBJECT:LINE: reason`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Name given to [`Object::parse`].
    pub object: String,
    /// Line of the text, from 1.
    pub line: u32,
    /// What is wrong there.
    pub reason: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.object, self.line, self.reason)
    }
}

impl std::error::Error for ParseError {}
