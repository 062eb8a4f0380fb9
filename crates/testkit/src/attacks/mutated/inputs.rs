//! What is mutated: kernels with all that synchronises, their traces and schedules, fat binaries around PTX, and a
//! program that loads such a fat binary. No CUDA compiler is needed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use warpsan_model::Dim3;
use warpsan_oracle::synchronised::{GLOBAL_BYTES, SynchronisedKernel};

/// The files that cases are made of.
#[derive(Debug)]
pub struct Inputs {
    /// PTX with a line in front that says how to launch it.
    pub(super) texts: Vec<String>,
    /// What `warpsan record` wrote of them.
    pub(super) traces: Vec<Vec<u8>>,
    /// Files of PTX, with what `--record-schedule` wrote for each.
    pub(super) schedules: Vec<(PathBuf, Vec<u8>)>,
    pub(super) fat_binaries: Vec<Vec<u8>>,
    /// The program that loads a fat binary and runs its kernel, if programs are run.
    pub(super) program: Option<PathBuf>,
    /// The files lie there, as long as this lives.
    _folder: tempfile::TempDir,
}

/// Kernels that are mutated.
const KERNELS: u64 = 24;
/// The kernel of the fat binaries, which `loader.c` launches.
const FILL: &str = ".version 8.0\n.target sm_80\n.address_size 64\n\
    .visible .entry k(.param .u64 p)\n{\n\t.reg .b32 %r<3>;\n\t.reg .b64 %rd<4>;\n\
    \tld.param.u64 %rd1, [p];\n\tcvta.to.global.u64 %rd1, %rd1;\n\tmov.u32 %r1, %tid.x;\n\
    \tmul.wide.u32 %rd2, %r1, 4;\n\tadd.s64 %rd3, %rd1, %rd2;\n\tadd.s32 %r2, %r1, 1;\n\
    \tst.global.u32 [%rd3], %r2;\n\tret;\n}\n";

impl Inputs {
    /// Makes all inputs; `with_programs` if fat binaries are executed, too.
    pub fn make(warpsan: &Path, with_programs: bool) -> anyhow::Result<Inputs> {
        let folder = tempfile::tempdir().context("cannot make a folder")?;
        let (mut texts, mut traces, mut schedules) = (Vec::new(), Vec::new(), Vec::new());
        for seed in 0..KERNELS {
            let text = launched(&SynchronisedKernel::mixed(seed));
            let file = folder.path().join(format!("{seed}.ptx"));
            let (trace, schedule) = (file.with_extension("trace"), file.with_extension("schedule"));
            std::fs::write(&file, &text).context("cannot write a kernel")?;
            call(warpsan, &["record", "--quiet", "-o"], &[&trace, &file])?;
            call(warpsan, &["check", "--quiet", "--record-schedule"], &[&schedule, &file])?;
            let read = |file: &Path| {
                std::fs::read(file).with_context(|| format!("cannot read {}", file.display()))
            };
            traces.push(read(&trace)?);
            schedules.push((file, read(&schedule)?));
            texts.push(text);
        }
        let program = with_programs.then(|| compile_loader(folder.path())).transpose()?;
        let fat_binaries = fat_binaries();
        Ok(Inputs { texts, traces, schedules, fat_binaries, program, _folder: folder })
    }
}

/// The text of a kernel, with its launch.
fn launched(kernel: &SynchronisedKernel) -> String {
    let extent = |Dim3 { x, y, z }: Dim3| format!("{x}x{y}x{z}");
    let geometry = kernel.extents.geometry();
    let (grid, block) = (extent(geometry.grid), extent(geometry.block));
    let cluster = match kernel.extents.cluster {
        1 => String::new(),
        _ => format!(", cluster={}", extent(kernel.extents.clusters())),
    };
    let words = GLOBAL_BYTES / 4;
    let text = kernel.text();
    format!("//@ launch: k<<<{grid}, {block}{cluster}>>>(p: u32[{words}], z = 0)\n{text}")
}

/// Runs `warpsan` on a kernel that may have races, and fails if it cannot do its work.
fn call(warpsan: &Path, words: &[&str], files: &[&Path]) -> anyhow::Result<()> {
    let mut command = Command::new(warpsan);
    let ended = command.args(words).args(files).stdin(Stdio::null()).output();
    let ended = ended.with_context(|| format!("cannot run {}", warpsan.display()))?;
    if !matches!(ended.status.code(), Some(0 | 1 | 3)) {
        bail!("{command:?}: {}: {}", ended.status, String::from_utf8_lossy(&ended.stderr));
    }
    Ok(())
}

/// The program that loads a fat binary, made by the compiler of the host.
fn compile_loader(folder: &Path) -> anyhow::Result<PathBuf> {
    let (source, program) = (folder.join("loader.c"), folder.join("loader"));
    std::fs::write(&source, include_str!("loader.c")).context("cannot write a source")?;
    let mut command = Command::new("cc");
    command.arg("-O1").arg("-o").arg(&program).arg(&source).arg("-ldl");
    let ended = command.output().context("cannot run the C compiler `cc`")?;
    if !ended.status.success() {
        bail!("{command:?}: {}", String::from_utf8_lossy(&ended.stderr));
    }
    Ok(program)
}

/// Containers with the kernel: as it is, compressed, and with more beside it.
fn fat_binaries() -> Vec<Vec<u8>> {
    let text = FILL.as_bytes();
    let lz4 = lz4_flex::block::compress(text);
    let plain = entry(1, 0x11, text, 0);
    let compressed = entry(1, 0x11 | 0x2000, &lz4, text.len() as u64);
    let mut elf = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0x33, 8];
    elf.resize(256, 0);
    (elf[16], elf[18]) = (2, 190);
    let machine_code = entry(2, 0x11, &elf, 0);
    [
        vec![plain.clone()],
        vec![compressed.clone()],
        vec![machine_code.clone(), plain],
        vec![compressed, machine_code],
    ]
    .iter()
    .map(|entries| container(&entries.concat()))
    .collect()
}

fn container(entries: &[u8]) -> Vec<u8> {
    let mut bytes = 0xBA55_ED50_u32.to_le_bytes().to_vec();
    bytes.extend_from_slice(&[1, 0, 16, 0]);
    bytes.extend_from_slice(&(entries.len() as u64).to_le_bytes());
    bytes.extend_from_slice(entries);
    bytes
}

/// An entry without texts. `size` is that of the decompressed data, or 0.
fn entry(kind: u16, flags: u64, data: &[u8], size: u64) -> Vec<u8> {
    let mut padded = data.to_vec();
    padded.resize(data.len().next_multiple_of(8), 0);
    let mut bytes = kind.to_le_bytes().to_vec();
    bytes.extend_from_slice(&0x101_u16.to_le_bytes());
    bytes.extend_from_slice(&64_u32.to_le_bytes());
    bytes.extend_from_slice(&(padded.len() as u64).to_le_bytes());
    let stored = if size == 0 { 0 } else { data.len() as u32 };
    bytes.extend_from_slice(&stored.to_le_bytes());
    bytes.extend_from_slice(&[0, 0, 0, 0, 0, 0, 8, 0]);
    bytes.extend_from_slice(&80_u32.to_le_bytes());
    bytes.extend_from_slice(&[0; 8]);
    bytes.extend_from_slice(&flags.to_le_bytes());
    bytes.extend_from_slice(&[0; 8]);
    bytes.extend_from_slice(&size.to_le_bytes());
    bytes.extend_from_slice(&padded);
    bytes
}
