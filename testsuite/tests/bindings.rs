//! The plugin's `src/bindings.rs` is what bindgen makes of `bridge/bridge.h`. It
//! is kept in git so that building needs no libclang; `OFFMEM_BLESS=1` writes
//! it anew. The test is not the plugin's own, which needs it to compile.

use std::{env, fs, path::Path, process::Command};

#[test]
fn bindings_are_those_of_the_header() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gcc-plugin");
    let generated = bindgen::Builder::default()
        .header(root.join("bridge/bridge.h").to_str().expect("a path in UTF-8"))
        // GCC's stddef.h, so that libclang is enough and clang is not needed.
        .clang_arg(format!("-isystem{}", gcc_include()))
        .allowlist_file(".*/bridge\\.h")
        .prepend_enum_name(false)
        .layout_tests(false)
        .generate_comments(false)
        .formatter(bindgen::Formatter::Prettyplease)
        .disable_header_comment()
        .raw_line("// Made by testsuite/tests/bindings.rs from bridge/bridge.h.")
        .generate()
        .expect("bindgen reads bridge.h")
        .to_string();
    let committed = root.join("src/bindings.rs");
    if env::var_os("OFFMEM_BLESS").is_some() {
        fs::write(&committed, &generated).expect("bindings.rs can be written");
    }
    let current = fs::read_to_string(&committed).expect("bindings.rs can be read");
    assert!(current == generated, "bindings.rs is old: run this test with OFFMEM_BLESS=1");
}

fn gcc_include() -> String {
    let gcc = env::var("GCC").unwrap_or_else(|_| "gcc".into());
    let output = Command::new(gcc).arg("-print-file-name=include").output().expect("GCC runs");
    String::from_utf8(output.stdout).expect("a path in UTF-8").trim().to_owned()
}
