//! The jump tables: `libcudart.so.12`, `libcudart.so.13` and `libcuda.so.1`.
//!
//! Such a library exports every name of the genuine one, under the symbol version that programs were
//! linked with; those of the driver have none. A Rust library cannot give its symbols versions, so a table is generated as assembly: each
//! name is one jump, to the function of `libwarpsan_rt.so` that answers it or to the one that
//! records that nothing does.

use super::libraries::{c_compiler, run_compiler};
use super::{Failure, read, write};
use object::{Object, ObjectSymbol};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Where names go that nothing answers.
const UNSUPPORTED: &str = "wsrt_unsupported";

/// Variants of an entry point for programs whose default stream is one for each thread. They say so, and do
/// the same.
const PER_THREAD_SUFFIXES: [&str; 2] = ["_ptsz", "_ptds"];

/// Says so, and leaves all arguments as they are.
const SAY_PER_THREAD: &str = "    pushq %rdi
    pushq %rsi
    pushq %rdx
    pushq %rcx
    pushq %r8
    pushq %r9
    subq $8, %rsp
    call *wsrt_per_thread_default@GOTPCREL(%rip)
    addq $8, %rsp
    popq %r9
    popq %r8
    popq %rcx
    popq %rdx
    popq %rsi
    popq %rdi
";

/// One library to generate.
pub(crate) struct Table<'a> {
    /// Its file name, which is its SONAME.
    pub(crate) library: &'a str,
    /// The version of cudart that it is, which distinguishes functions that differ; empty for
    /// the driver.
    pub(crate) version: &'a str,
    /// The list of its names.
    pub(crate) symbols: &'a Path,
}

/// Generates, assembles and links one table.
pub(crate) fn build(table: &Table<'_>, runtime: &Path, out: &Path) -> Result<PathBuf, Failure> {
    let Table { library, version, symbols } = *table;
    let names = symbol_names(symbols)?;
    let answered = exports(runtime)?;
    let assembly = out.join(format!("{library}.s"));
    let script = out.join(format!("{library}.map"));
    // The names of the driver have no versions.
    let symbol_version = if version.is_empty() { "" } else { library };
    write(&assembly, &assembly_of(&names, version, &answered))?;
    write(&script, &version_script(&names, symbol_version))?;
    // The runtime is found beside the table, should it not be loaded already.
    link(&assembly, &script, runtime, &out.join(library), "$ORIGIN")
}

/// The names of a list, for assembly that only one machine understands.
pub(crate) fn symbol_names(list: &Path) -> Result<Vec<String>, Failure> {
    let architecture = super::variable("CARGO_CFG_TARGET_ARCH")?;
    if architecture != "x86_64" {
        return Err(format!(
            "warpsan runs on x86_64 only; the jump tables of {architecture} are not written"
        ));
    }
    let names = String::from_utf8_lossy(&read(list)?).into_owned();
    Ok(names.lines().filter(|line| !line.is_empty()).map(str::to_owned).collect())
}

/// The functions of the runtime that answer entry points.
fn exports(runtime: &Path) -> Result<BTreeSet<String>, Failure> {
    let bytes = read(runtime)?;
    let file = object::File::parse(&*bytes)
        .map_err(|error| format!("cannot read {}: {error}", runtime.display()))?;
    let names: BTreeSet<String> = file
        .dynamic_symbols()
        .filter(|symbol| symbol.is_definition())
        .filter_map(|symbol| symbol.name().ok().map(str::to_owned))
        .filter(|name| name.starts_with("wsrt"))
        .collect();
    if names.contains(UNSUPPORTED) {
        Ok(names)
    } else {
        Err(format!("{} does not export {UNSUPPORTED}", runtime.display()))
    }
}

/// The function that answers a name: one of this version, or one that all versions share.
fn answer(name: &str, version: &str, answered: &BTreeSet<String>) -> Option<String> {
    let base = PER_THREAD_SUFFIXES.iter().find_map(|suffix| name.strip_suffix(suffix));
    [Some(name), base]
        .into_iter()
        .flatten()
        .flat_map(|name| [format!("wsrt{version}_{name}"), format!("wsrt_{name}")])
        .find(|function| answered.contains(function))
}

fn assembly_of(names: &[String], version: &str, answered: &BTreeSet<String>) -> String {
    let mut text = String::from("    .text\n");
    let mut strings = String::from("    .section .rodata.str1.1,\"aMS\",@progbits,1\n");
    for (index, name) in names.iter().enumerate() {
        let _ = write!(
            text,
            "    .globl {name}\n    .type {name}, @function\n    .balign 16\n{name}:\n    endbr64\n"
        );
        let own = answer(name, version, answered);
        if own.is_some() && PER_THREAD_SUFFIXES.iter().any(|suffix| name.ends_with(suffix)) {
            text.push_str(SAY_PER_THREAD);
        }
        let target = own.unwrap_or_else(|| {
            let _ = writeln!(strings, ".Lname{index}: .asciz \"{name}\"");
            let _ = writeln!(text, "    leaq .Lname{index}(%rip), %rdi");
            UNSUPPORTED.to_owned()
        });
        let _ = write!(text, "    jmp *{target}@GOTPCREL(%rip)\n    .size {name}, . - {name}\n\n");
    }
    // Without this note the linker would make the stack executable.
    format!("{text}{strings}    .section .note.GNU-stack,\"\",@progbits\n")
}

pub(crate) fn version_script(names: &[String], version: &str) -> String {
    let globals: String = names.iter().map(|name| format!("    {name};\n")).collect();
    format!("{version} {{\n  global:\n{globals}  local:\n    *;\n}};\n")
}

/// Assembles and links a library, which looks for the runtime in a folder.
pub(crate) fn link(
    assembly: &Path,
    script: &Path,
    runtime: &Path,
    library: &Path,
    runtime_folder: &str,
) -> Result<PathBuf, Failure> {
    let soname = library.file_name().unwrap_or_default().to_string_lossy();
    let mut command = c_compiler();
    command.args(["-shared", "-nostdlib", "-o"]).arg(library).arg(assembly).arg(runtime);
    command.arg(format!("-Wl,-soname,{soname}"));
    command.arg(format!("-Wl,--version-script={}", script.display()));
    command.arg(format!("-Wl,-rpath,{runtime_folder}"));
    // A name that the runtime does not have is an error now and not when a program starts.
    command.args(["-Wl,-z,defs", "-Wl,-z,now", "-Wl,--build-id=none"]);
    run_compiler(&mut command, &soname)?;
    Ok(library.to_owned())
}
