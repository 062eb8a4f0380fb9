//! The programs whose start is measured, as CUDA source.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use warpsan_oracle::random::Random;

/// A program that prints a line as soon as it has done its first piece of work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartupProgram {
    /// The name of its file, without the ending.
    pub name: &'static str,
    /// Its source.
    pub text: String,
    /// Flags of nvcc.
    pub flags: &'static [&'static str],
}

/// A program that asks how many devices there are, has a kernel, and launches nothing.
pub fn trivial() -> StartupProgram {
    let text = "#include <cstdio>\n\
        __global__ void fill(int* data) { data[threadIdx.x] = threadIdx.x; }\n\
        int main() {\n    int count = 0;\n    cudaGetDeviceCount(&count);\n    std::puts(\"started\");\n}\n";
    StartupProgram {
        name: "trivial",
        text: text.to_owned(),
        flags: &["-std=c++17", "-arch=sm_90", "-cudart=static"],
    }
}

/// A program with so many kernels, each of so many instructions, that launches one of them. The instructions are
/// assembly in the source, since the compiler would take minutes to make as many by itself.
pub fn large(kernels: usize, instructions: usize) -> StartupProgram {
    let mut random = Random::new(1);
    let mut text = String::from("#include <cstdio>\n");
    for kernel in 0..kernels {
        let _ = writeln!(text, "__global__ void kernel_{kernel}(int* data) {{");
        text.push_str("    int x = data[threadIdx.x];\n    asm volatile(\n");
        for _ in 0..instructions {
            let (factor, summand) = (random.below(1 << 31), random.below(1 << 31));
            let _ = writeln!(text, "        \"mad.lo.s32 %0, %0, {factor}, {summand};\\n\\t\"");
        }
        text.push_str("        : \"+r\"(x));\n    data[threadIdx.x] = x;\n}\n");
    }
    let _ = write!(
        text,
        "int main() {{\n    int* data;\n    if (cudaMalloc(&data, 128) != cudaSuccess) return 1;\n\
         \x20   kernel_{}<<<1, 32>>>(data);\n    if (cudaDeviceSynchronize() != cudaSuccess) return 1;\n\
         \x20   std::puts(\"launched\");\n}}\n",
        kernels / 2
    );
    StartupProgram {
        name: "large",
        text,
        // Without compression the size is that of the code, and the assembler need not think.
        flags: &[
            "-std=c++17",
            "-arch=sm_90",
            "-cudart=static",
            "-compress-mode=none",
            "-Xptxas=-O0",
        ],
    }
}

/// The file of a program in this folder. It is left alone if it is there already, so that the compiler's cache holds.
pub fn write_source(program: &StartupProgram, folder: &Path) -> anyhow::Result<PathBuf> {
    let path = folder.join(program.name).with_extension("cu");
    let unwritten = || format!("cannot write {}", path.display());
    if fs::read_to_string(&path).is_ok_and(|text| text == program.text) {
        return Ok(path);
    }
    fs::create_dir_all(folder).with_context(unwritten)?;
    fs::write(&path, &program.text).with_context(unwritten)?;
    Ok(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_program_has_what_was_asked_for_and_is_always_the_same() {
        let program = large(5, 7);
        assert_eq!(program.text.matches("__global__").count(), 5);
        assert_eq!(program.text.matches("mad.lo.s32").count(), 35);
        assert!(program.text.contains("kernel_2<<<1, 32>>>"));
        assert_eq!(program, large(5, 7));
    }

    #[test]
    fn a_source_is_written_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = write_source(&trivial(), folder.path()).expect("it is written");
        let modified = || fs::metadata(&path).and_then(|data| data.modified()).expect("a time");
        let before = modified();
        write_source(&trivial(), folder.path()).expect("it is there");
        assert_eq!(modified(), before);
        assert_eq!(fs::read_to_string(&path).expect("it reads"), trivial().text);
    }
}
