//! Traces of real programs.

use crate::Trace;

macro_rules! recorded {
    ($($program:literal)*) => {
        [$((
            concat!($program, ", recorded"),
            include_str!(concat!("../../traces/", $program, ".trace")),
        )),*]
    };
}

/// Name and text of each: the copies that a program of the testsuite or of the
/// examples made on softcuda, by `testsuite/traces/record`.
const RECORDED: [(&str, &str); 7] = recorded! {
    "dot" "histogram" "host-threads" "jacobi" "malloc-free-loop" "stencil-swap" "stream"
};

/// Every trace: generated and recorded.
///
/// # Panics
/// If a recorded one cannot be read.
pub fn corpus() -> Vec<Trace> {
    let mut traces = crate::generated();
    for (name, text) in RECORDED {
        traces.push(Trace::parse(name, text).unwrap_or_else(|error| panic!("{error}")));
    }
    traces
}
