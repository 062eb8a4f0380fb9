//! Kernel-only sources: NVRTC, its cache, and the way through nvcc where NVRTC cannot go.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use warpsan_toolchain::{CompiledKernels, Error, KernelCompiler, KernelOptions};

use crate::support::Machine;
use crate::support::fake_toolkit::Layout;

fn machine() -> Machine {
    let machine = Machine::new();
    machine.add_toolkit("usual", Layout::Wheels, "99.1.2");
    machine.add_nvrtc("usual/lib");
    machine.write("src/k.cu", "#include \"h.h\"\nkernel\n");
    machine.write("src/h.h", "header\n");
    machine
}

fn try_compile(machine: &Machine, name: &str, flags: &[&str]) -> Result<CompiledKernels, Error> {
    let options = KernelOptions { flags: flags.iter().map(OsString::from).collect() };
    machine.toolchain().compile_kernels(&machine.path(name), &options)
}

fn compile(machine: &Machine, flags: &[&str]) -> CompiledKernels {
    try_compile(machine, "src/k.cu", flags).unwrap()
}

#[test]
fn nvrtc_gets_the_real_path_lines_an_architecture_and_all_folders() {
    let machine = machine();
    let compiled = compile(&machine, &["-D", "N=3", "-std=c++20", "-I", "/extra"]);
    assert_eq!(compiled.compiler, KernelCompiler::Nvrtc);
    let lines: Vec<&str> = compiled.ptx.lines().collect();
    let source = machine.path("src/k.cu");
    assert_eq!(lines[0], format!(".file 1 \"{}\"", source.display()));
    let folder = |name: &str| format!("-I{}", machine.path(name).display());
    let (own, cuda) = (folder("src"), folder("usual/include"));
    let expected =
        ["-arch=compute_90", "-lineinfo", "-DN=3", "-std=c++20", "-I/extra", &own, &cuda];
    assert_eq!(lines[1..8], expected);
    assert_eq!(machine.toolchain().nvrtc_version().unwrap(), "99.1");
}

#[test]
fn debug_code_and_a_chosen_architecture_replace_the_defaults() {
    let ptx = compile(&machine(), &["-G", "-arch", "compute_80"]).ptx;
    assert!(ptx.contains("-G\n-arch=compute_80\n"), "{ptx}");
    assert!(!ptx.contains("-lineinfo") && !ptx.contains("compute_90"), "{ptx}");
}

#[test]
fn the_same_kernels_are_compiled_once() {
    let machine = machine();
    let first = compile(&machine, &[]);
    let second = compile(&machine, &[]);
    assert!(!first.was_cached && second.was_cached);
    assert_eq!((first.ptx, first.log), (second.ptx, second.log));
    assert_eq!(machine.count("nvrtc.runs"), 1);
}

#[test]
fn a_change_of_source_header_flag_place_or_library_compiles_again() {
    let machine = machine();
    compile(&machine, &[]);
    assert!(!compile(&machine, &["-DX"]).was_cached);
    machine.write("src/h.h", "other header\n");
    assert!(!compile(&machine, &[]).was_cached);
    machine.write("src/k.cu", "#include \"h.h\"\nother kernel\n");
    assert!(!compile(&machine, &[]).was_cached);
    fs::copy(machine.path("src/k.cu"), machine.path("src/copy.cu")).unwrap();
    assert!(!try_compile(&machine, "src/copy.cu", &[]).unwrap().was_cached);
    let library = fs::File::options().write(true).open(machine.path("usual/lib/libnvrtc.so.13"));
    library.unwrap().set_modified(std::time::UNIX_EPOCH).unwrap();
    assert!(!compile(&machine, &[]).was_cached);
    assert!(compile(&machine, &[]).was_cached);
    assert_eq!(machine.count("nvrtc.runs"), 6);
}

#[test]
fn a_header_that_appears_compiles_again() {
    let machine = machine();
    let folder = machine.path("first");
    let flags = ["-I", folder.to_str().unwrap()];
    machine.write("src/k.cu", "#include <late.h>\n");
    compile(&machine, &flags);
    assert!(compile(&machine, &flags).was_cached);
    machine.write("first/late.h", "");
    assert!(!compile(&machine, &flags).was_cached);
}

#[test]
fn what_may_include_anything_is_compiled_each_time() {
    let machine = machine();
    machine.write("src/k.cu", "#define H \"h.h\"\n#include H\n");
    compile(&machine, &[]);
    assert!(!compile(&machine, &[]).was_cached);
}

#[test]
fn damaged_entries_are_compiled_again() {
    let machine = machine();
    let first = compile(&machine, &[]);
    let entries = machine.files_below("home/.cache/warpsan/compiled/entries");
    assert_eq!(entries.len(), 1);
    let text = fs::read_to_string(&entries[0]).unwrap();
    fs::write(&entries[0], text.replace("kernel", "kernal")).unwrap();
    let second = compile(&machine, &[]);
    assert!(!second.was_cached);
    assert_eq!(second.ptx, first.ptx);
    assert!(compile(&machine, &[]).was_cached);
}

#[test]
fn without_a_cache_kernels_still_compile() {
    let mut machine = machine();
    machine.set("HOME", "");
    assert!(!compile(&machine, &[]).was_cached);
    assert!(!compile(&machine, &[]).was_cached);
}

#[test]
fn errors_are_the_compilers_log_about_the_file_as_it_was_given() {
    let machine = machine();
    machine.write("src/bad.cu", "broken");
    let given = machine.path("src/./bad.cu");
    let error = try_compile(&machine, "src/./bad.cu", &[]).unwrap_err();
    let Error::DoesNotCompile { source_file, log } = &error else { panic!("{error}") };
    assert_eq!(source_file.as_os_str(), given.as_os_str());
    assert_eq!(*log, format!("{}(1): error: broken", given.display()));

    let error = try_compile(&machine, "src/k.cu", &["-unknown"]).unwrap_err().to_string();
    assert!(error.contains("unrecognized option -unknown"), "{error}");
    machine.write("src/crash.cu", "crash");
    let error = try_compile(&machine, "src/crash.cu", &[]).unwrap_err();
    assert!(matches!(error, Error::NvrtcUnusable { .. }), "{error}");
    machine.write("src/zero.cu", "\0");
    let error = try_compile(&machine, "src/zero.cu", &[]).unwrap_err();
    assert!(matches!(error, Error::UnusableSource { .. }), "{error}");
    let error = try_compile(&machine, "src/none.cu", &[]).unwrap_err().to_string();
    assert!(error.contains("none.cu"), "{error}");
}

#[test]
fn a_source_with_headers_of_the_host_goes_through_nvcc() {
    let machine = machine();
    machine.write("src/k.cu", "#include <host>\n");
    let error = try_compile(&machine, "src/k.cu", &[]).unwrap_err();
    assert!(matches!(error, Error::DoesNotCompile { .. }), "{error}");
    assert!(error.to_string().contains("g++"), "{error}");
    machine.add_host_compiler();
    let compiled = compile(&machine, &["-DX"]);
    assert_eq!(compiled.compiler, KernelCompiler::Nvcc);
    assert!(compiled.ptx.starts_with("#include <host>"), "{}", compiled.ptx);
    let ran = fs::read_to_string(machine.path("nvcc.runs")).unwrap();
    assert!(ran.contains("-DX -arch=compute_90 -ptx"), "{ran}");
}

#[test]
fn a_toolkit_without_nvrtc_uses_nvcc_or_says_what_is_missing() {
    let machine = machine();
    fs::remove_file(machine.path("usual/lib/libnvrtc.so.13")).unwrap();
    let error = try_compile(&machine, "src/k.cu", &[]).unwrap_err();
    assert!(matches!(error, Error::NvrtcMissing { .. }), "{error}");
    machine.add_host_compiler();
    assert_eq!(compile(&machine, &[]).compiler, KernelCompiler::Nvcc);
}

#[test]
fn a_library_that_is_no_nvrtc_is_named() {
    let machine = machine();
    machine.write("usual/lib/libnvrtc.so.13", "no library");
    let error = try_compile(&machine, "src/k.cu", &[]).unwrap_err();
    let Error::NvrtcUnusable { library, .. } = &error else { panic!("{error}") };
    assert_eq!(library.file_name(), Path::new("libnvrtc.so.13").file_name());
}
