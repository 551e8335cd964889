//! Compiles the bridge against the headers of the GCC named by `GCC`.

use std::path::PathBuf;
use std::process::Command;
use std::{env, process};

fn main() {
    let sources = ["bridge.cc", "constructs.cc", "requires.cc"];
    for file in sources.into_iter().chain(["bridge.h", "gcc-compat.h"]) {
        println!("cargo:rerun-if-changed=bridge/{file}");
    }
    println!("cargo:rerun-if-env-changed=GCC");

    let gcc = env::var("GCC").unwrap_or_else(|_| "gcc".into());
    cc::Build::new()
        .cpp(true)
        .cpp_link_stdlib(None)
        .files(sources.map(|file| format!("bridge/{file}")))
        .flag("-isystem")
        .flag(headers(&gcc))
        // GCC itself is built so, and exports no type information.
        .flag("-fno-rtti")
        .flag("-fno-exceptions")
        .flag("-Wextra")
        .compile("bridge");
}

/// The folder of `gcc`'s plugin headers.
fn headers(gcc: &str) -> PathBuf {
    let plugin = match Command::new(gcc).arg("-print-file-name=plugin").output() {
        Ok(output) if output.status.success() => {
            String::from_utf8_lossy(&output.stdout).trim().to_owned()
        }
        Ok(output) => fail(&format!("'{gcc} -print-file-name=plugin' failed: {}", output.status)),
        Err(error) => fail(&format!("cannot run '{gcc}': {error} (set GCC to another compiler)")),
    };
    let headers = PathBuf::from(plugin).join("include");
    if !headers.join("gcc-plugin.h").is_file() {
        fail(&format!(
            "'{gcc}' has no plugin headers in '{}' (on Debian: gcc-N-plugin-dev)",
            headers.display()
        ));
    }
    headers
}

fn fail(message: &str) -> ! {
    println!("cargo::error={message}");
    process::exit(1);
}
