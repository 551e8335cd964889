use std::collections::HashSet;
use std::fs;

use offmem_testsuite::root;

/// The tests that may fail: of the lines `TEST: REASON`, each TEST, a file
/// below libgomp's testsuite. The reasons are for readers.
pub(crate) struct Known(HashSet<String>);

impl Known {
    /// Those of every program, and those with this kind of memory.
    pub(crate) fn read(memory: Option<&str>) -> Known {
        let read = |name: &str| {
            fs::read_to_string(root().join("testsuite/libgomp").join(name)).unwrap_or_default()
        };
        let with = |memory| read(&format!("known-failures-{memory}"));
        let text = read("known-failures") + &memory.map(with).unwrap_or_default();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        Known(lines.filter_map(|line| Some(line.split_once(": ")?.0.to_owned())).collect())
    }

    /// Whether the test of this line of a summary may fail.
    pub(crate) fn explains(&self, name: &str) -> bool {
        let test = name.split_whitespace().next().unwrap_or_default();
        // Common tests run from the folder of the language that includes them.
        let file = test.rsplit_once("/../").map_or(test, |(_, file)| file);
        self.0.contains(file)
    }
}
