//! Calls that fail on demand: `SOFTCUDA_FAIL=cuMemHostRegister:3=2,cuMemAlloc_v2:*=2`.

use crate::caller;
use crate::status::{Outcome, Status};
use std::sync::atomic::{AtomicU64, Ordering};

/// Which calls of which functions fail, and how often each was called.
#[derive(Debug, Default)]
pub(crate) struct Failures(Vec<Plan>);

#[derive(Debug)]
struct Plan {
    function: String,
    /// Only its calls count.
    library: Option<String>,
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
    /// ERROR is a number or name of a `CUresult`; with `FUNCTION@LIBRARY` only
    /// that library's calls count and fail.
    pub(crate) fn parse(text: &str) -> Result<Failures, String> {
        let mut failures = Failures::default();
        for item in text.split(',').filter(|item| !item.is_empty()) {
            let (who, when, status) = Self::item(item)
                .ok_or_else(|| format!("'{item}' is not FUNCTION[@LIBRARY]:CALL=ERROR"))?;
            failures.plan(who).failures.push((when, status));
        }
        Ok(failures)
    }

    fn item(item: &str) -> Option<(&str, When, Status)> {
        let (who, rest) = item.split_once(':')?;
        let (when, status) = rest.split_once('=')?;
        let when = match when {
            "*" => When::Always,
            number => When::Call(number.parse().ok().filter(|&call| call > 0)?),
        };
        Some((who, when, Status::parse(status)?))
    }

    /// The plan of `FUNCTION` or `FUNCTION@LIBRARY`, made if there is none.
    fn plan(&mut self, who: &str) -> &mut Plan {
        let (function, library) = match who.split_once('@') {
            Some((function, library)) => (function, Some(library)),
            None => (who, None),
        };
        let is_it = |plan: &Plan| plan.function == function && plan.library.as_deref() == library;
        let at = self.0.iter().position(is_it).unwrap_or_else(|| {
            self.0.push(Plan {
                function: function.to_owned(),
                library: library.map(str::to_owned),
                calls: AtomicU64::new(0),
                failures: Vec::new(),
            });
            self.0.len() - 1
        });
        &mut self.0[at]
    }

    /// The functions named, for a check that they exist.
    pub(crate) fn functions(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|plan| plan.function.as_str())
    }

    /// Counts a call of `function`, which may be one that has to fail. The
    /// version suffix counts: `cuMemAlloc` does not stand for `cuMemAlloc_v2`,
    /// but `cuMemHostRegister` has two names of one function, so a plan
    /// without a suffix also covers `_v2` if it has no plan of its own.
    pub(crate) fn call(&self, function: &str) -> Outcome {
        if self.0.is_empty() {
            return Ok(());
        }
        self.call_by(function, caller::library)
    }

    fn call_by(&self, function: &str, caller: impl FnOnce() -> Option<String>) -> Outcome {
        let names = |name: &str| self.0.iter().any(|plan| plan.function == name);
        let name = match function.strip_suffix("_v2") {
            Some(short) if !names(function) => short,
            _ => function,
        };
        let plans: Vec<_> = self.0.iter().filter(|plan| plan.function == name).collect();
        let asks = plans.iter().any(|plan| plan.library.is_some());
        let caller = if asks { caller() } else { None };
        let counts = |plan: &&&Plan| plan.library.is_none() || plan.library == caller;
        // All of them count the call.
        let statuses: Vec<_> = plans.iter().filter(counts).filter_map(|plan| plan.call()).collect();
        statuses.first().map_or(Ok(()), |&status| Err(status))
    }
}

impl Plan {
    /// Counts a call, and gives its error if it has to fail.
    fn call(&self) -> Option<Status> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed) + 1;
        let fails = |when: &When| matches!(when, When::Always) || *when == When::Call(call);
        self.failures.iter().find(|(when, _)| fails(when)).map(|&(_, status)| status)
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
    fn only_the_named_librarys_calls_count() {
        let failures = Failures::parse("cuCtxGetDevice@libours:2=2").unwrap();
        let callers = ["libours", "libother", "libours", "libours"];
        let call = |caller: &str| failures.call_by("cuCtxGetDevice", || Some(caller.to_owned()));
        let outcomes: Vec<_> = callers.into_iter().map(call).collect();
        assert_eq!(outcomes, [Ok(()), Ok(()), Err(Status::OUT_OF_MEMORY), Ok(())]);
        assert_eq!(failures.call_by("cuCtxGetDevice", || None), Ok(()));
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
