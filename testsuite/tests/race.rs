//! The registry's tests under ThreadSanitizer, where a nightly Rust is around.

use std::process::Command;

use offmem_testsuite::{root, run, skipped, text};

#[test]
fn the_registry_has_no_data_race() {
    let toolchains = Command::new("rustup").args(["toolchain", "list"]).output();
    if !toolchains.is_ok_and(|output| text(&output).contains("nightly-x86_64")) {
        return skipped("ThreadSanitizer: no nightly Rust");
    }
    let output = run(Command::new("rustup")
        .args(["run", "nightly", "cargo", "test", "-p", "offmem-registration", "--lib", "stress::"])
        .args(["--target", "x86_64-unknown-linux-gnu", "--", "--test-threads=1"])
        .current_dir(root())
        .env_remove("CARGO")
        .env_remove("RUSTC")
        .env_remove("RUSTUP_TOOLCHAIN")
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("RUSTFLAGS", "-Zsanitizer=thread -Cunsafe-allow-abi-mismatch=sanitizer")
        .env("TSAN_OPTIONS", "exitcode=0")
        .env("CARGO_TARGET_DIR", root().join("target/race")));
    let said = text(&output);
    assert!(output.status.success(), "{said}");
    // The standard library is not instrumented, so the test harness itself is
    // reported, too; what is ours is named so.
    let ours = said
        .lines()
        .find(|line| line.starts_with("SUMMARY: Thread") && line.contains("registration"));
    assert_eq!(ours, None, "{said}");
}
