//! `-fplugin-arg-NAME-memory=MODE`, `…-dump=SUFFIX` and `…-dump-file=FILE`, which
//! the specs file makes of `-foffload-memory=` and `-fdump-tree-offmem`. The
//! dump has two because GCC cuts the end of a value that contains a `=`.

use std::ffi::{CStr, CString};

use offmem_abi::Mode;

use crate::bridge::{self, Place, plugin_name_args};

/// A `-fplugin-arg-NAME-KEY[=VALUE]`.
pub(crate) type Pair = (String, Option<String>);

/// What the user asked for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Arguments {
    pub(crate) mode: Mode,
    /// What followed `-fdump-tree-offmem`: "", "-details", "=FILE" ….
    pub(crate) dump: Option<CString>,
}

/// Why the command line is wrong.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    MissingValue,
    UnknownValue(String),
    UnknownKey(String),
}

impl Arguments {
    /// Reads the arguments; as everywhere in GCC, the last one wins.
    pub(crate) fn parse(pairs: &[Pair]) -> Result<Arguments, Problem> {
        let mut arguments = Arguments { mode: Mode::None, dump: None };
        for (key, value) in pairs {
            let value = value.as_deref().unwrap_or("");
            match key.as_str() {
                "memory" if value.is_empty() => return Err(Problem::MissingValue),
                "memory" => {
                    arguments.mode = Mode::from_name(value)
                        .ok_or_else(|| Problem::UnknownValue(value.to_owned()))?;
                }
                "dump" => arguments.dump = CString::new(value).ok(),
                "dump-file" => arguments.dump = CString::new(format!("={value}")).ok(),
                _ => return Err(Problem::UnknownKey(key.clone())),
            }
        }
        Ok(arguments)
    }
}

impl Problem {
    /// GCC's own words for the same mistake with one of its own options.
    pub(crate) fn report(&self) {
        match self {
            Problem::MissingValue => {
                bridge::error(Place::UNKNOWN, c"missing argument to %qs", &["-foffload-memory="]);
            }
            Problem::UnknownValue(value) => {
                let option = format!("-foffload-memory={value}");
                bridge::error(Place::UNKNOWN, c"unrecognized argument in option %qs", &[&option]);
                bridge::note(
                    Place::UNKNOWN,
                    c"valid arguments to %qs are: %s",
                    &["-foffload-memory=", &Mode::ALL.map(Mode::name).join(" ")],
                );
            }
            Problem::UnknownKey(key) => {
                bridge::error(
                    Place::UNKNOWN,
                    c"unrecognized argument %qs of plugin %qs",
                    &[key, "liboffmem"],
                );
            }
        }
    }
}

/// The arguments as GCC hands them over.
pub(crate) fn pairs(args: &plugin_name_args) -> Vec<Pair> {
    let count = usize::try_from(args.argc).unwrap_or(0);
    (0..count)
        .map(|i| {
            // SAFETY: `argv` has `argc` elements, and each key is a string.
            let (key, value) = unsafe {
                let argument = &*args.argv.add(i);
                (CStr::from_ptr(argument.key), argument.value)
            };
            let value = (!value.is_null()).then(|| {
                // SAFETY: a value that is not null is a string.
                unsafe { CStr::from_ptr(value) }.to_string_lossy().into_owned()
            });
            (key.to_string_lossy().into_owned(), value)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Arguments, Problem};
    use offmem_abi::Mode;

    fn parse(arguments: &[(&str, Option<&str>)]) -> Result<Arguments, Problem> {
        let owned: Vec<_> =
            arguments.iter().map(|(k, v)| ((*k).to_owned(), v.map(str::to_owned))).collect();
        Arguments::parse(&owned)
    }

    #[test]
    fn nothing_asks_for_nothing() {
        assert_eq!(parse(&[]), Ok(Arguments { mode: Mode::None, dump: None }));
    }

    #[test]
    fn the_last_mode_wins() {
        let arguments = parse(&[("memory", Some("none")), ("memory", Some("pinned"))]);
        assert_eq!(arguments.expect("both are valid").mode, Mode::Pinned);
    }

    #[test]
    fn wrong_values_are_told_apart() {
        assert_eq!(parse(&[("memory", None)]), Err(Problem::MissingValue));
        assert_eq!(parse(&[("memory", Some(""))]), Err(Problem::MissingValue));
        let fast = parse(&[("memory", Some("fast")), ("memory", Some("pinned"))]);
        assert_eq!(fast, Err(Problem::UnknownValue("fast".into())));
        assert_eq!(parse(&[("mode", Some("pinned"))]), Err(Problem::UnknownKey("mode".into())));
    }

    #[test]
    fn a_dump_keeps_its_suffix_or_file() {
        let dump = |key, value| parse(&[(key, value)]).expect("valid").dump;
        assert_eq!(dump("dump", None).as_deref(), Some(c""));
        assert_eq!(dump("dump", Some("-details")).as_deref(), Some(c"-details"));
        assert_eq!(dump("dump-file", Some("x.txt")).as_deref(), Some(c"=x.txt"));
    }
}
