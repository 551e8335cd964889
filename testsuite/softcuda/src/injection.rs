//! Calls that fail on demand: `SOFTCUDA_FAIL=cuMemHostRegister:3=2,cuMemAlloc_v2:*=2`.

use crate::status::{Outcome, Status};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};

/// Which calls of which functions fail, and how often each was called.
#[derive(Debug, Default)]
pub(crate) struct Failures(HashMap<String, Plan>);

#[derive(Debug, Default)]
struct Plan {
    calls: AtomicU64,
    failures: Vec<(When, Status)>,
}

#[derive(Debug, PartialEq)]
enum When {
    Always,
    /// From 1.
    Call(u64),
}

impl Failures {
    /// Reads `FUNCTION:CALL=ERROR,…`, where CALL counts from 1 or is `*`, and
    /// ERROR is a number or name of a `CUresult`.
    pub(crate) fn parse(text: &str) -> Result<Failures, String> {
        let mut failures = Failures::default();
        for item in text.split(',').filter(|item| !item.is_empty()) {
            let (function, when, status) =
                Self::item(item).ok_or_else(|| format!("'{item}' is not FUNCTION:CALL=ERROR"))?;
            failures.0.entry(function.to_owned()).or_default().failures.push((when, status));
        }
        Ok(failures)
    }

    fn item(item: &str) -> Option<(&str, When, Status)> {
        let (function, rest) = item.split_once(':')?;
        let (when, status) = rest.split_once('=')?;
        let when = match when {
            "*" => When::Always,
            number => When::Call(number.parse().ok().filter(|&call| call > 0)?),
        };
        Some((function, when, Status::parse(status)?))
    }

    /// The functions named, for a check that they exist.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Counts a call of `function`, which may be one that has to fail. The
    /// version suffix counts: `cuMemAlloc` does not stand for `cuMemAlloc_v2`,
    /// but `cuMemHostRegister` has two names of one function, so a plan
    /// without a suffix also covers `_v2` if it has no plan of its own.
    pub(crate) fn call(&self, function: &str) -> Outcome {
        if self.0.is_empty() {
            return Ok(());
        }
        let plan = self.0.get(function).or_else(|| self.0.get(function.strip_suffix("_v2")?));
        let Some(plan) = plan else { return Ok(()) };
        let call = plan.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let fails = |when: &When| matches!(when, When::Always) || *when == When::Call(call);
        match plan.failures.iter().find(|(when, _)| fails(when)) {
            Some(&(_, status)) => Err(status),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_call_fails() {
        let failures = Failures::parse("cuMemHostRegister:3=2,cuMemAlloc_v2:*=OUT_OF_MEMORY");
        let failures = failures.unwrap();
        let outcomes: Vec<_> = (0..4).map(|_| failures.call("cuMemHostRegister_v2")).collect();
        assert_eq!(outcomes, [Ok(()), Ok(()), Err(Status::OUT_OF_MEMORY), Ok(())]);
        assert_eq!(failures.call("cuMemAlloc_v2"), Err(Status::OUT_OF_MEMORY));
        assert_eq!(failures.call("cuMemAlloc_v2"), Err(Status::OUT_OF_MEMORY));
        assert_eq!(failures.call("cuMemFree_v2"), Ok(()));
    }

    #[test]
    fn nonsense_is_refused() {
        for text in
            ["cuInit", "cuInit:1", "cuInit:0=2", "cuInit:x=2", "cuInit:1=0", "cuInit:1=4711"]
        {
            assert!(Failures::parse(text).is_err(), "{text}");
        }
    }
}
