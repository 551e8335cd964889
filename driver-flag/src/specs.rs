//! The specs file: GCC's own specs and what teaches it the option.
//!
//! gcc reads a file named `specs` instead of its built-in start-up
//! (`init_spec` in gcc.cc), so a file with our additions alone would lose what
//! that adds at run time: `--build-id`, `--eh-frame-hdr` and `libgcc_s`.

use std::path::Path;

use offmem_abi::Mode;

use crate::Failure;

/// What the specs refer to, by absolute path.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    /// The compiler's `liboffmem.so`; beside it stand the files `offmem-link-MODE`.
    pub(crate) plugin: &'a Path,
    /// `libgomp-offmem.so`; by default the linker searches for it.
    pub(crate) runtime: Option<&'a Path>,
}

/// First line of every file that we make, by which `make install` knows it.
const MARK: &str = "# Made by 'offmem specs': GCC's own specs and -foffload-memory=.";

/// The complete specs file for a GCC whose built-in specs are `built_in`.
pub(crate) fn complete(built_in: &str, parts: &Parts<'_>) -> Result<String, Failure> {
    let specs = append(built_in, "self_spec", &self_spec(parts))?;
    let specs = insert_before_objects(&specs, &link_spec(parts))?;
    Ok(format!("{MARK}\n\n{specs}"))
}

/// The compiler's side. `self_spec` is the one spec that may rewrite the
/// command line before anything else reads it.
fn self_spec(parts: &Parts<'_>) -> String {
    let plugin = escape(parts.plugin);
    [
        // Each compiler has its own build of the plugin.
        "%<fplugin=liboffmem.so",
        &format!("%{{foffload-memory=*:-fplugin={plugin} -fplugin-arg-liboffmem-memory=%*"),
        // GCC would look for this pass before it loads the plugin.
        "%{fdump-tree-offmem:-fplugin-arg-liboffmem-dump}",
        "%{fdump-tree-offmem-*:-fplugin-arg-liboffmem-dump=-%*}",
        "%{fdump-tree-offmem=*:-fplugin-arg-liboffmem-dump-file=%*}",
        "%<fdump-tree-offmem*}",
        "%<foffload-memory=*",
    ]
    .join(" ")
}

/// The linker's side: the runtime, before every object and library, so that
/// it comes first in lookup order (but for a sanitizer's).
fn link_spec(parts: &Parts<'_>) -> String {
    let memory = "fplugin-arg-liboffmem-memory=";
    let on = format!("{memory}{}|{memory}{}", Mode::Pinned.name(), Mode::Unified.name());
    let link = escape(&parts.plugin.with_file_name("offmem-link-"));
    let runtime = parts.runtime.map_or_else(|| "-lgomp-offmem".to_owned(), escape);
    let unknown: String =
        Mode::ALL.iter().map(|mode| format!("%{{!{memory}{}:", mode.name())).collect();
    let values = Mode::ALL.map(Mode::name).join(" ");
    [
        &format!("%{{!r:%{{{memory}*:"),
        // The compiler says it better, but only the linker may be at work. (A
        // semicolon would end the spec.)
        &format!("{unknown}%eunrecognized argument in option '-foffload-memory=', valid arguments are: {values}}}}}}}"),
        &format!("%{{{on}:%{{static|static-pie:%e'-foffload-memory=' needs a dynamically linked program: its runtime is a shared library}}}}"),
        &format!("%{{{on}:%{{m32|mx32:%e'-foffload-memory=' needs programs with 64-bit pointers}}}}"),
        // The last option on the line wins: its file's is the state in which
        // the runtime is linked, always or (after none) as needed, which
        // before any object is never. With every call redirected, nothing
        // else refers to libgomp, whose registration of device code is
        // wanted late.
        &format!("--push-state %{{{memory}*:@{link}%*}} {runtime} %{{fopenmp|fopenacc:-lgomp}} --pop-state}}}}"),
    ]
    .map(String::as_str)
    .join(" ")
}

/// A path as one word of a spec.
fn escape(path: &Path) -> String {
    let mut word = String::new();
    for c in path.to_string_lossy().chars() {
        match c {
            '%' => word.push('%'),
            ' ' | '\t' | '\\' | '{' | '}' | '|' | ';' => word.push('\\'),
            _ => {}
        }
        word.push(c);
    }
    word
}

/// Adds to the spec called `name`.
fn append(specs: &str, name: &str, addition: &str) -> Result<String, Failure> {
    let end = value(specs, name)?.end;
    Ok(format!("{} {addition}{}", &specs[..end], &specs[end..]))
}

/// Adds to `link_command`, before the objects and libraries of the user.
fn insert_before_objects(specs: &str, addition: &str) -> Result<String, Failure> {
    let link = value(specs, "link_command")?;
    let objects = specs[link.clone()].find(" %o ").ok_or_else(|| {
        Failure("this GCC's link_command has no %o: its specs are unknown".into())
    })?;
    let at = link.start + objects;
    Ok(format!("{} {addition}{}", &specs[..at], &specs[at..]))
}

/// Where the value of `*name:` stands: up to the empty line that ends it.
fn value(specs: &str, name: &str) -> Result<std::ops::Range<usize>, Failure> {
    let header = format!("*{name}:\n");
    let start = if specs.starts_with(&header) {
        Some(header.len())
    } else {
        specs.find(&format!("\n{header}")).map(|at| at + 1 + header.len())
    };
    let start = start.ok_or_else(|| Failure(format!("this GCC's specs have no {name}")))?;
    let length = specs[start..].find('\n').unwrap_or(specs.len() - start);
    Ok(start..start + length)
}

#[cfg(test)]
mod tests {
    use super::{MARK, Parts, complete, escape, link_spec, self_spec};
    use std::path::Path;

    fn parts() -> Parts<'static> {
        Parts { plugin: Path::new("/usr/lib/gcc/x/12/plugin/liboffmem.so"), runtime: None }
    }

    #[test]
    fn compiler_side() {
        insta::assert_snapshot!(self_spec(&parts()));
    }

    #[test]
    fn linker_side() {
        insta::assert_snapshot!(link_spec(&parts()));
    }

    #[test]
    fn braces_are_balanced() {
        for spec in [self_spec(&parts()), link_spec(&parts())] {
            assert_eq!(spec.matches('{').count(), spec.matches('}').count(), "{spec}");
        }
    }

    #[test]
    fn everything_of_gccs_stays() {
        let built_in = "*asm:\n%{m32:--32}\n\n*self_spec:\n\n\n*link_command:\n%{o*} %S %o %E \n\n";
        let specs = complete(built_in, &parts()).expect("known specs");
        let without = specs
            .replace(&format!("{MARK}\n\n"), "")
            .replace(&format!(" {}", self_spec(&parts())), "")
            .replace(&format!(" {}", link_spec(&parts())), "");
        assert_eq!(without, built_in);
        assert!(specs.contains(&format!("%S {} %o", link_spec(&parts()))));
    }

    #[test]
    fn unknown_specs_are_refused() {
        for built_in in ["", "*self_spec:\n\n\n", "*self_spec:\n\n\n*link_command:\n%{o*}\n\n"] {
            assert!(complete(built_in, &parts()).is_err(), "{built_in}");
        }
    }

    #[test]
    fn odd_paths_stay_one_word() {
        assert_eq!(escape(Path::new("/a b/100%/{x}")), r"/a\ b/100%%/\{x\}");
    }
}
