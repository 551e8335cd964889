//! The registry under loom, which tries two threads in every order that
//! matters; and without each of its protections, to see that a model notices.

use std::env;
use std::process::{Command, Output};

use offmem_testsuite::{root, run, text};

/// `cargo test` of the crate's models with a feature, in a target folder of its own.
fn models(feature: &str) -> Output {
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["test", "-p", "offmem-registration", "--lib", "--release", "--features", feature])
        .arg("models::")
        .current_dir(root())
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env("RUSTFLAGS", "--cfg loom -C debug-assertions")
        .env("CARGO_PROFILE_RELEASE_LTO", "off")
        .env("CARGO_TARGET_DIR", root().join("target/loom"))
        .env("LOOM_MAX_PREEMPTIONS", "2");
    run(&mut cargo)
}

#[test]
fn models_hold_and_notice_each_protection_that_is_gone() {
    let output = models("");
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("test models::"), "{}", text(&output));
    for (feature, model) in [
        ("sabotage-recheck", "a_recycled_record_is_not_mistaken"),
        ("sabotage-busy", "what_is_in_use_is_not_evicted"),
        ("sabotage-wait", "nothing_stays_registered_after_a_removal"),
        ("sabotage-ghost", "a_copy_never_meets_an_edge_that_a_removal_made"),
    ] {
        let output = models(feature);
        let said = text(&output);
        assert!(!output.status.success(), "{feature}: {said}");
        assert!(said.contains(&format!("'models::{model}'")), "{feature}: {said}");
        assert!(said.contains("panicked at registration/src"), "{feature}: {said}");
    }
}
