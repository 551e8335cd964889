use std::fs;

use offmem_testsuite::root;

/// The failures that we know, each with its reason: lines of `TEST: REASON`,
/// where TEST is a file below libgomp's testsuite.
pub(crate) struct Known(Vec<(String, String)>);

impl Known {
    pub(crate) fn read() -> Known {
        let file = root().join("testsuite/libgomp/known-failures");
        let text = fs::read_to_string(file).unwrap_or_default();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let split = |line: &str| Some(line.split_once(": ")?).map(|(t, r)| (t.into(), r.into()));
        Known(lines.filter_map(split).collect())
    }

    /// Why this test may fail.
    pub(crate) fn reason(&self, name: &str) -> Option<&str> {
        let test = name.split_whitespace().next()?;
        // Common tests run from the folder of the language that includes them.
        let file = test.rsplit_once("/../").map_or(test, |(_, file)| file);
        self.0.iter().find(|(known, _)| known == file).map(|(_, reason)| reason.as_str())
    }
}
