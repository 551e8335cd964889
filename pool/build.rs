//! Compiles the options of the allocator, which it reads from a C variable.

fn main() {
    println!("cargo:rerun-if-changed=src/options.c");
    cc::Build::new()
        .file("src/options.c")
        .flag("-fvisibility=hidden")
        .link_lib_modifier("+whole-archive")
        .compile("offmem-pool-options");
}
