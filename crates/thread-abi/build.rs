//! How the library is linked.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let flags = [
        "-soname,libwarpsan_threads.so",
        // What we call by a name that we export is our own, whatever the program defines under it.
        "-Bsymbolic",
        // Our constructor comes before the program's .preinit_array, where clang's static runtime would start.
        "-z,initfirst",
        "-z,nodelete",
        // No lazy binding: a resolver that runs within a handler of a signal could not be deferred.
        "-z,now",
    ];
    for flag in flags {
        println!("cargo::rustc-cdylib-link-arg=-Wl,{flag}");
    }
}
