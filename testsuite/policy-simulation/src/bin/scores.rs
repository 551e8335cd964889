//! Plays every trace on every machine and prints what came of it.

use policy_simulation::{Summary, corpus, scores, table};
use std::io::{self, Write};

fn main() -> io::Result<()> {
    let scores = scores(&corpus());
    writeln!(io::stdout(), "{}{:?}", table(&scores), Summary::of(&scores))
}
