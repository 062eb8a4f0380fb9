//! The libraries for programs with threads: one for each detector, one that records, and stubs by whose names programs ask for the compilers' runtimes.

use super::libraries::{self, Nested};
use super::{Failure, keep, write};
use std::path::{Path, PathBuf};

/// Features of the library's crate: a detector each, and what writes traces.
const LIBRARIES: [&str; 4] = ["slimfast", "fasttrack", "empty", "record"];
/// The compilers' runtimes: gcc 12 and later, gcc 11, clang.
const RUNTIMES: [&str; 3] = ["libtsan.so.2", "libtsan.so.0", "libclang_rt.tsan-x86_64.so"];

/// Builds all of them below `out/threads`.
pub(crate) fn build(nested: &Nested, out: &Path) -> Result<Vec<PathBuf>, Failure> {
    let folder = out.join("threads");
    std::fs::create_dir_all(&folder)
        .map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let mut built = Vec::new();
    for feature in LIBRARIES {
        let arguments =
            ["--package", "warpsan-thread-abi", "--no-default-features", "--features", feature];
        let release = nested.build(&arguments, &["libwarpsan_threads.d"])?;
        let library = release.join("libwarpsan_threads.so");
        built.push(keep(&library, &folder.join(format!("{feature}.so")))?);
    }
    for runtime in RUNTIMES {
        built.push(stub(runtime, &folder)?);
    }
    Ok(built)
}

/// A library with a name and nothing else. It needs what the compilers' runtime needs, since programs rely on that.
fn stub(name: &str, folder: &Path) -> Result<PathBuf, Failure> {
    let source = folder.join("stub.s");
    write(&source, "    .section .note.GNU-stack,\"\",@progbits\n")?;
    let library = folder.join(name);
    let mut command = libraries::c_compiler();
    command.args(["-shared", "-nostdlib", "-o"]).arg(&library).arg(&source);
    command.arg(format!("-Wl,-soname,{name}"));
    command.args(["-Wl,--no-as-needed", "-lm", "-lresolv", "-Wl,--build-id=none"]);
    libraries::run_compiler(&mut command, name)?;
    Ok(library)
}
