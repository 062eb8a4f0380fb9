//! Puts the libraries of a checked process into the `warpsan` binary, where the feature `embed-libraries` asks for them.

#[cfg(feature = "embed-libraries")]
#[path = "build/embedding.rs"]
mod embedding;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    #[cfg(feature = "embed-libraries")]
    embedding::run();
}
