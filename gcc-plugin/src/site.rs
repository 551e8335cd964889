//! The record that a redirected call carries: where it stands, what it maps.

use std::ffi::{CStr, CString};

use crate::bridge::{self, Call, Constant, Word};
use crate::language;

/// A call of libgomp's, as the user wrote it.
#[derive(Debug)]
pub(crate) struct Site {
    file: CString,
    line: usize,
    function: CString,
    names: Vec<Option<CString>>,
}

impl Site {
    pub(crate) fn of(call: &Call<'_>, hostaddrs: Option<u32>) -> Site {
        Site {
            file: call.file().to_owned(),
            line: call.line(),
            function: bridge::c_string(&source_name(
                &call.function(),
                language::fortran(&bridge::language()),
            )),
            names: hostaddrs.map(|argument| call.map_names(argument)).unwrap_or_default(),
        }
    }

    /// The words of `offmem_abi::Site`, in its order.
    pub(crate) fn emit(&self) -> Constant {
        let mut words = vec![
            Word::Text(&self.file),
            Word::Number(self.line),
            Word::Text(&self.function),
            Word::Number(self.names.len()),
        ];
        words.extend(self.names.iter().map(|name| match name {
            Some(name) => Word::Text(name),
            None => Word::Number(0),
        }));
        bridge::constant(&words)
    }

    /// The dump's line: `FILE:LINE: FUNCTION: FROM -> TO`.
    pub(crate) fn describe(&self, from: &str, to: &str) -> String {
        format!(
            "{}:{}: {}: {from} -> {to}",
            self.file.to_string_lossy(),
            self.line,
            self.function.to_string_lossy(),
        )
    }

    /// What follows where something is mapped: `(a, s->p, ?)`.
    pub(crate) fn variables(&self) -> String {
        let names: Vec<_> = self
            .names
            .iter()
            .map(|name| name.as_deref().map_or("?".into(), CStr::to_string_lossy))
            .collect();
        format!("({})", names.join(", "))
    }
}

/// The user's function: GCC outlines the bodies of constructs into
/// `NAME._omp_fn.N`, and a target inside a task stands in one of those;
/// gfortran's names are the linker's.
fn source_name(function: &str, fortran: bool) -> String {
    let function = function.split("._omp_").next().unwrap_or(function);
    if let Some((module, procedure)) =
        function.strip_prefix("__").and_then(|name| name.split_once("_MOD_"))
    {
        return format!("{module}::{procedure}");
    }
    match function.strip_suffix('_') {
        Some(procedure) if fortran && !procedure.ends_with('_') => procedure.to_owned(),
        _ => function.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Site, source_name};

    #[test]
    fn outlined_bodies_belong_to_their_function() {
        assert_eq!(source_name("jacobi_", false), "jacobi_");
        assert_eq!(source_name("jacobi._omp_fn.3", false), "jacobi");
        assert_eq!(source_name("main._omp_cpyfn.1", false), "main");
    }

    #[test]
    fn fortran_names_are_those_of_the_source() {
        assert_eq!(source_name("__solver_MOD_sweep._omp_fn.0", true), "solver::sweep");
        assert_eq!(source_name("sweep_", true), "sweep");
        assert_eq!(source_name("MAIN__", true), "MAIN__");
    }

    #[test]
    fn a_nameless_entry_is_a_question_mark() {
        let site = Site {
            file: c"jacobi.c".into(),
            line: 12,
            function: c"sweep".into(),
            names: vec![Some(c"a".into()), None, Some(c"s->p".into())],
        };
        assert_eq!(site.variables(), "(a, ?, s->p)");
        assert_eq!(
            site.describe("malloc", "offmem_malloc"),
            "jacobi.c:12: sweep: malloc -> offmem_malloc"
        );
    }
}
