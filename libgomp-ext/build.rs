//! Names the shared library and compiles what Rust cannot define.

fn main() {
    println!("cargo:rerun-if-changed=src/entry/variadic.c");
    println!("cargo:rerun-if-changed=src/entry/operators.c");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libgomp-offmem.so.1");
    // Hooks, handlers and registrations stay to the end of the process, and so
    // must what they lead to.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    cc::Build::new().file("src/entry/variadic.c").flag("-Wextra").compile("variadic");
    // Exceptions pass through.
    let mut operators = cc::Build::new();
    operators.file("src/entry/operators.c").flags(["-Wextra", "-fexceptions"]);
    operators.compile("operators");
}
