//! `warpsan ptx`: files of every form that nvcc writes, listed and printed.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::build::nvcc;
use crate::support::command::{Ended, run, warpsan};
use crate::support::{fresh_folder, program};

/// Builds a file from `units.cu` or `parts.cu` with these flags.
fn build(folder: &Path, name: &str, flags: &[&str], sources: &[&str]) -> PathBuf {
    let output = folder.join(name);
    let out = output.to_string_lossy();
    let sources: Vec<PathBuf> = sources.iter().map(|source| program(source)).collect();
    let sources: Vec<&Path> = sources.iter().map(PathBuf::as_path).collect();
    nvcc(&[flags, &["-o", &out]].concat(), &sources);
    output
}

fn ptx(flags: &[&str], file: &Path) -> Ended {
    run(warpsan(["ptx"]).args(flags).arg(file))
}

/// The list of a file that is all right.
fn list(file: &Path) -> Value {
    let ended = ptx(&["--format", "json"], file);
    ended.expect_code(0);
    serde_json::from_slice(&ended.stdout).expect("the list is JSON")
}

fn images(list: &Value) -> &[Value] {
    list["images"].as_array().expect("a list has images")
}

/// Kind and architecture of each image that is no placeholder.
fn kinds(list: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    images(list)
        .iter()
        .filter(|image| image["functions"] != Value::Array(Vec::new()))
        .map(|image| format!("{} {}", text(&image["kind"]), text(&image["architecture"])))
        .collect()
}

/// The kernels of all images of a kind, demangled, in the order of their names.
fn kernels(list: &Value, kind: &str) -> Vec<String> {
    let functions = images(list)
        .iter()
        .filter(|image| image["kind"] == kind)
        .filter_map(|image| image["functions"].as_array())
        .flatten();
    let mut names: Vec<String> = functions
        .filter(|function| function["kind"] == "kernel")
        .map(|function| function["name"].as_str().unwrap_or_default().to_owned())
        .collect();
    names.sort();
    names.dedup();
    names
}

fn printed(flags: &[&str], file: &Path) -> String {
    let ended = ptx(&[flags, &["--print"]].concat(), file);
    ended.expect_code(0);
    String::from_utf8(ended.stdout).expect("PTX is text")
}

#[test]
fn a_program_for_many_architectures_lists_every_image() {
    let folder = fresh_folder("ptx-many");
    let flags = [
        "-gencode=arch=compute_75,code=sm_75",
        "-gencode=arch=compute_80,code=[sm_80,compute_80]",
        "-gencode=arch=compute_90a,code=[sm_90a,compute_90a]",
        "-gencode=arch=compute_100f,code=[sm_100f,compute_100f]",
    ];
    let file = build(&folder, "many", &flags, &["units.cu"]);
    let listed = list(&file);
    assert_eq!(
        kinds(&listed),
        [
            "elf sm_75",
            "elf sm_80",
            "ptx sm_80",
            "elf sm_90a",
            "ptx sm_90a",
            "elf sm_100f",
            "ptx sm_100f"
        ]
    );
    for kind in ["ptx", "elf"] {
        assert_eq!(kernels(&listed, kind), ["fill<float>", "fill<int>", "plain"], "{kind}");
    }
    let unknown = images(&listed)
        .iter()
        .filter_map(|image| image["unknown_instructions"].as_array())
        .flatten()
        .count();
    assert_eq!(unknown, 0);

    let text = ptx(&[], &file);
    let shown = String::from_utf8_lossy(&text.expect_code(0).stdout).into_owned();
    for expected in ["sm_100f", "zstd", "fill<int>", "instructions", "bytes of code"] {
        assert!(shown.contains(expected), "{expected} is missing in:\n{shown}");
    }

    // What is chosen is what the architecture's name in the text says.
    for (device, target, warns) in [
        ("sm_80", ".target sm_80", false),
        ("sm_90", ".target sm_90a", false),
        ("sm_103", ".target sm_100f", false),
        ("sm_89", ".target sm_80", false),
        ("sm_120", ".target sm_80", false),
    ] {
        let ended = ptx(&["--print", "--arch", device], &file);
        let text = String::from_utf8_lossy(&ended.expect_code(0).stdout).into_owned();
        assert!(text.contains(&format!("{target}\n")), "{device}: {text}");
        assert_eq!(text.matches(".version").count(), 1, "{device}");
        assert_eq!(ended.stderr.contains("warning"), warns, "{device}: {}", ended.stderr);
    }
    ptx(&["--print", "--arch", "sm_75"], &file).expect_code(2).expect_stderr(&[
        "which does not run on sm_75",
        "code=compute_75",
        "no PTX to print",
    ]);

    // Several images have headings; one is printed as it is.
    let all = printed(&[], &file);
    let headings: Vec<&str> = all.lines().filter(|line| line.starts_with("// image ")).collect();
    assert_eq!(headings.len(), 3, "{headings:?}");
    assert!(headings[1].contains("PTX 9.0 for sm_90a"), "{headings:?}");
    let number = images(&listed)
        .iter()
        .find(|image| image["architecture"] == "sm_90a" && image["kind"] == "ptx");
    let number = number.expect("there is one")["image"].to_string();
    assert_eq!(printed(&["--image", &number], &file), printed(&["--arch", "sm_90"], &file));
    ptx(&["--print", "--image", "1"], &file).expect_code(2).expect_stderr(&["is machine code"]);
    ptx(&["--image", "99"], &file).expect_code(2).expect_stderr(&["has no image 99"]);
}

#[test]
fn every_compression_gives_the_same_text() {
    let folder = fresh_folder("ptx-compression");
    let mut texts = Vec::new();
    for (mode, compression) in
        [("none", "none"), ("speed", "LZ4"), ("size", "zstd"), ("default", "zstd")]
    {
        let compress = format!("--compress-mode={mode}");
        let flags = ["-fatbin", "-gencode=arch=compute_90,code=[sm_90,compute_90]", &compress];
        let file = build(&folder, &format!("{mode}.fatbin"), &flags, &["units.cu"]);
        let listed = list(&file);
        assert_eq!(kinds(&listed), ["elf sm_90", "ptx sm_90"], "{mode}");
        assert_eq!(images(&listed)[1]["compression"], compression, "{mode}");
        texts.push(printed(&[], &file));
    }
    assert!(texts[0].contains(".visible .entry plain"), "{}", texts[0]);
    assert!(!texts[0].contains('\0'));
    for text in &texts[1..] {
        assert_eq!(*text, texts[0]);
    }
    // The text by itself is a file like all others.
    let file = folder.join("printed.ptx");
    std::fs::write(&file, &texts[0]).expect("a file can be written");
    assert_eq!(printed(&[], &file), texts[0]);
    assert_eq!(kernels(&list(&file), "ptx"), ["fill<float>", "fill<int>", "plain"]);
    // So is the text that warpsan writes.
    let again = ptx(&["--reprint"], &file);
    let file = folder.join("reprinted.ptx");
    std::fs::write(&file, &again.expect_code(0).stdout).expect("a file can be written");
    assert_eq!(kernels(&list(&file), "ptx"), ["fill<float>", "fill<int>", "plain"]);
    let assembled = build_ptx(&folder, &file);
    assert_eq!(kernels(&list(&assembled), "elf"), ["fill<float>", "fill<int>", "plain"]);
}

/// Compiles PTX to machine code.
fn build_ptx(folder: &Path, file: &Path) -> PathBuf {
    let output = folder.join("assembled.cubin");
    nvcc(&["-cubin", "-arch=sm_90", "-o", &output.to_string_lossy()], &[file]);
    output
}

#[test]
fn a_relocatable_program_keeps_the_ptx_of_its_parts() {
    let folder = fresh_folder("ptx-rdc");
    let sources = ["units.cu", "parts.cu"];
    let file = build(&folder, "rdc", &["-rdc=true", "-arch=sm_90", "-lineinfo"], &sources);
    let listed = list(&file);
    let relocatable: Vec<&Value> =
        images(&listed).iter().filter(|image| image["relocatable"] == true).collect();
    assert_eq!(relocatable.len(), 4, "{listed:#}");
    assert_eq!(kernels(&listed, "ptx"), ["fill<float>", "fill<int>", "part", "plain"]);
    let ended = ptx(&["--arch", "sm_90", "--print"], &file);
    ended.expect_code(0);
    assert_eq!(ended.stderr, "", "the linked machine code needs no PTX of its own");
    let text = String::from_utf8_lossy(&ended.stdout).into_owned();
    assert_eq!(text.lines().filter(|line| line.starts_with("// image ")).count(), 2);
    assert!(text.contains("parts.cu"), "the heading names the source");
}

#[test]
fn objects_libraries_and_machine_code_are_read() {
    let folder = fresh_folder("ptx-forms");
    let kernels_of = ["fill<float>", "fill<int>", "plain"];
    let object = build(&folder, "units.o", &["-c", "-arch=sm_90", "-G"], &["units.cu"]);
    let listed = list(&object);
    assert_eq!(listed["format"], "object file");
    assert_eq!(kernels(&listed, "ptx"), kernels_of);
    assert_eq!(images(&listed)[0]["debug"], true);
    let options = images(&listed)[1]["options"].as_str().unwrap_or_default().to_owned();
    assert!(options.contains("-g"), "{options}");

    let library = build(&folder, "units.a", &["-lib", "-arch=sm_90"], &["units.cu"]);
    let listed = list(&library);
    assert_eq!(listed["format"], "static library");
    assert_eq!(kernels(&listed, "ptx"), kernels_of);
    assert!(images(&listed)[0]["member"].is_string());

    let shared = ["-shared", "-Xcompiler", "-fPIC", "-arch=sm_90"];
    let shared = build(&folder, "libunits.so", &shared, &["units.cu"]);
    assert_eq!(kernels(&list(&shared), "ptx"), kernels_of);

    let cubin = build(&folder, "units.cubin", &["-cubin", "-arch=sm_90a"], &["units.cu"]);
    let listed = list(&cubin);
    assert_eq!(kinds(&listed), ["elf sm_90a"]);
    assert_eq!(kernels(&listed, "elf"), kernels_of);
    ptx(&["--print"], &cubin).expect_code(2).expect_stderr(&["is machine code"]);
    ptx(&[], &cubin).expect_code(0).expect_stderr(&["-gencode arch=compute_90a,code=compute_90a"]);
}

#[test]
fn missing_and_older_ptx_is_reported() {
    let folder = fresh_folder("ptx-missing");
    let only_code = ["-gencode=arch=compute_90,code=sm_90"];
    let file = build(&folder, "code", &only_code, &["units.cu"]);
    let flag = "-gencode arch=compute_90,code=compute_90";
    ptx(&[], &file).expect_code(0).expect_stderr(&["no PTX", flag]);
    ptx(&["--print"], &file).expect_code(2).expect_stderr(&["no PTX", flag]);
    let older = ["-gencode=arch=compute_90,code=sm_90", "-gencode=arch=compute_80,code=compute_80"];
    let file = build(&folder, "older", &older, &["units.cu"]);
    ptx(&["--arch", "sm_90"], &file).expect_code(0).expect_stderr(&[
        "machine code for sm_90",
        "PTX is for sm_80",
        "__CUDA_ARCH__",
        flag,
    ]);
    let ended = ptx(&["--arch", "sm_80"], &file);
    assert_eq!(ended.expect_code(0).stderr, "", "on sm_80 the PTX is what runs");
}

#[test]
fn broken_ptx_is_shown_with_a_caret() {
    let folder = fresh_folder("ptx-broken");
    let file = folder.join("broken.ptx");
    let text = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n\
                \tmov.u32 \t%r1 %tid.x;\n\tadd.s32 %r1, %r2, ;\n\tfrobnicate.all %r1;\n\tret;\n}\n";
    std::fs::write(&file, text).expect("a file can be written");
    for command in ["ptx", "check"] {
        let flags: &[&str] = if command == "check" { &["--launch", "k<<<1, 64>>>()"] } else { &[] };
        run(warpsan([command]).args(flags).arg(&file)).expect_code(2).expect_stderr(&[
            "broken.ptx:6:",
            "mov.u32",
            "^^^^^^",
            "broken.ptx:7:",
            "2 errors in the PTX, the first in line 6",
        ]);
    }
    let listed = ptx(&[], &file);
    let shown = String::from_utf8_lossy(&listed.stdout).into_owned();
    assert!(shown.contains("unknown instruction `frobnicate.all`, first in line 8"), "{shown}");
    ptx(&["--reprint"], &file).expect_code(2).expect_stderr(&["broken.ptx:6:"]);
    assert_eq!(printed(&[], &file), text, "what is stored can be printed all the same");
}

#[test]
fn damaged_files_are_refused_with_their_place() {
    let folder = fresh_folder("ptx-damaged");
    let whole = build(&folder, "whole.fatbin", &["-fatbin", "-arch=sm_90"], &["units.cu"]);
    let bytes = std::fs::read(&whole).expect("the file can be read");
    let damaged = folder.join("damaged.fatbin");
    let cut = &bytes[..bytes.len() - 100];
    std::fs::write(&damaged, cut).expect("a file can be written");
    ptx(&[], &damaged).expect_code(2).expect_stderr(&["damaged.fatbin", "cut off at byte 0x"]);
    let mut garbled = bytes.clone();
    let end = garbled.len() - 40;
    garbled[end - 100..end].fill(0xaa);
    std::fs::write(&damaged, &garbled).expect("a file can be written");
    ptx(&["--print"], &damaged).expect_code(2).expect_stderr(&["zstd data at byte 0x"]);
    let notes = folder.join("notes.txt");
    std::fs::write(&notes, "hello").expect("a file can be written");
    ptx(&[], &notes).expect_code(2).expect_stderr(&["notes.txt", "no file with CUDA code"]);
    ptx(&[], Path::new("no/such/file")).expect_code(2).expect_stderr(&["no/such/file"]);
}
