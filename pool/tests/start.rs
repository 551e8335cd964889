//! Threads whose first blocks are the first of all: once in each process.

#![allow(missing_docs)]

mod common;

use std::env;
use std::process::Command;
use std::sync::Barrier;
use std::thread;

use common::Pages;
use offmem_pool as pool;

static PAGES: Pages = Pages::new();

#[test]
fn threads_that_come_together_all_get_blocks() {
    if env::var_os("FIRST").is_some() {
        return allocate_together();
    }
    for _ in 0..100 {
        let mut again = Command::new(env::current_exe().expect("this program"));
        let output = again.env("FIRST", "1").output().expect("it runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    }
}

fn allocate_together() {
    const THREADS: usize = 16;
    let together = Barrier::new(THREADS);
    pool::begin(&PAGES);
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                together.wait();
                assert!(pool::owns(pool::allocate(100, pool::ALIGN).addr()));
            });
        }
    });
}
