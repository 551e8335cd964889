/// Whether this compiler's front end (`lang_hooks.name`) is one whose
/// directives we know: C, C++, Fortran, and lto1, which finishes their work.
pub(crate) fn supported(name: &str) -> bool {
    let Some(language) = name.strip_prefix("GNU ") else {
        return false;
    };
    // With the standard's year: "C17", "C2Y", "C++20", "Fortran2018".
    let end = language.find(|c: char| c.is_ascii_digit()).unwrap_or(language.len());
    matches!(&language[..end], "C" | "C++" | "Fortran" | "GIMPLE")
}

/// Whether this compiler is gfortran's.
pub(crate) fn fortran(name: &str) -> bool {
    name.starts_with("GNU Fortran")
}

#[cfg(test)]
mod tests {
    use super::supported;

    #[test]
    fn c_cxx_fortran_and_lto() {
        for name in ["GNU C17", "GNU C89", "GNU C2X", "GNU C++98", "GNU C++23", "GNU Fortran"] {
            assert!(supported(name), "{name}");
        }
        for name in ["GNU Fortran2018", "GNU GIMPLE"] {
            assert!(supported(name), "{name}");
        }
    }

    #[test]
    fn no_other() {
        for name in ["GNU Objective-C", "GNU Objective-C++", "GNU Ada", "GNU D", "GNU Go", ""] {
            assert!(!supported(name), "{name}");
        }
    }
}
