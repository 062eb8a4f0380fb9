//! Gives the library its SONAME, by which the jump-table libraries find the one that is preloaded.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libwarpsan_rt.so");
}
