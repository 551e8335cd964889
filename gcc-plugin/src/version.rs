//! A plugin works with exactly the GCC it was compiled for: an ABI mismatch
//! must never compile anything.

use std::ffi::{CStr, c_char};

use crate::bridge::plugin_gcc_version;

/// The five fields that name a GCC build, as `plugin_default_version_check` compares them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Version {
    basever: String,
    datestamp: String,
    devphase: String,
    revision: String,
    configuration: String,
}

impl Version {
    pub(crate) fn new(version: &plugin_gcc_version) -> Version {
        let text = |field: *const c_char| {
            // SAFETY: GCC's fields are null-terminated constants.
            unsafe { CStr::from_ptr(field) }.to_string_lossy().into_owned()
        };
        Version {
            basever: text(version.basever),
            datestamp: text(version.datestamp),
            devphase: text(version.devphase),
            revision: text(version.revision),
            configuration: text(version.configuration_arguments),
        }
    }

    fn fields(&self) -> [(&'static str, &str); 5] {
        [
            ("version", &self.basever),
            ("date", &self.datestamp),
            ("phase", &self.devphase),
            ("revision", &self.revision),
            ("configuration", &self.configuration),
        ]
    }
}

/// Why a plugin cannot be loaded, for one error and its notes.
#[derive(Debug)]
pub(crate) struct Difference {
    pub(crate) summary: String,
    pub(crate) notes: Vec<String>,
}

/// What tells `built_for` from `running`; `None` where they are the same build.
pub(crate) fn difference(built_for: &Version, running: &Version) -> Option<Difference> {
    if built_for == running {
        return None;
    }
    let notes =
        built_for.fields().into_iter().zip(running.fields()).map(|((name, built), (_, now))| {
            let mark = if built == now { "same" } else { "differs" };
            format!("{name} {mark}: built for '{built}', loaded by '{now}'")
        });
    Some(Difference {
        summary: format!(
            "the offmem plugin was built for GCC {} {}, and this is GCC {} {}; \
             install the one built for this compiler",
            built_for.basever, built_for.datestamp, running.basever, running.datestamp
        ),
        notes: notes.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::{Version, difference};

    fn debian() -> Version {
        Version {
            basever: "12.2.0".into(),
            datestamp: "20220819".into(),
            devphase: String::new(),
            revision: String::new(),
            configuration: "../src/configure --enable-languages=c".into(),
        }
    }

    #[test]
    fn the_same_build_is_accepted() {
        assert!(difference(&debian(), &debian()).is_none());
    }

    #[test]
    fn a_difference_shows_every_field_of_both() {
        let running = Version { datestamp: "20230601".into(), ..debian() };
        let difference = difference(&debian(), &running).expect("another date");
        insta::assert_snapshot!(format!("{}\n{}", difference.summary, difference.notes.join("\n")));
    }

    #[test]
    fn each_field_alone_is_a_difference() {
        for change in [
            |v: &mut Version| v.basever.push('1'),
            |v: &mut Version| v.datestamp.push('1'),
            |v: &mut Version| v.devphase.push('1'),
            |v: &mut Version| v.revision.push('1'),
            |v: &mut Version| v.configuration.push('1'),
        ] {
            let mut running = debian();
            change(&mut running);
            assert!(difference(&debian(), &running).is_some(), "{running:?}");
        }
    }
}
