//! The programs as executables.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::Context;
use warpsan_toolchain::Toolchain;

use super::Program;

/// What every program is compiled with, besides line information and the shared runtime, which the
/// toolchain chooses by itself.
const FLAGS: [&str; 2] = ["-std=c++17", "-arch=sm_90"];

/// The executable of a program: compiled, or taken from the toolchain's cache, which knows the content of
/// all files that it was made of.
pub fn compile(toolchain: &Toolchain, program: &Program) -> anyhow::Result<PathBuf> {
    let flags = FLAGS.iter().map(OsString::from).chain(program.flags.iter().map(OsString::from));
    let flags: Vec<OsString> = flags.collect();
    let compiled = toolchain.compile_program(&program.source, &flags);
    Ok(compiled.context("it cannot be compiled")?.path)
}
