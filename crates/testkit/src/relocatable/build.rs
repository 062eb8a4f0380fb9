//! Both programs of a pair, step by step as nvcc would do it.

use anyhow::Context;

use super::Program;
use super::symbols::{differences, kernels_and_variables};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use warpsan_fatbin::{FatFile, ImageKind};
use warpsan_ir::link::{Unit, link};
use warpsan_ptx::Document;
use warpsan_toolchain::Toolkit;

/// The architecture that programs are built for, as a number.
const ARCHITECTURE: &str = "90";

/// Links programs both ways.
#[derive(Debug)]
pub struct Linker<'t> {
    toolkit: &'t Toolkit,
    /// The version of the toolkit, in its parts.
    version: Vec<String>,
    output: PathBuf,
}

/// A pair of programs.
#[derive(Clone, Debug)]
pub struct Built {
    /// How many units it has.
    pub units: usize,
    /// How many kernels and variables the linked machine code has.
    pub kernels_and_variables: usize,
    /// Kernels and variables that only one of the two has.
    pub differences: Vec<String>,
    /// What our linker said about the units.
    pub remarks: Vec<String>,
}

impl<'t> Linker<'t> {
    /// The programs go into the folder `output`, as `name.nvlink` and `name.ours`.
    pub fn new(toolkit: &'t Toolkit, output: &Path) -> anyhow::Result<Linker<'t>> {
        let version = toolkit.version()?;
        let version = version.split('.').map(str::to_owned).collect();
        fs::create_dir_all(output)
            .with_context(|| format!("cannot create {}", output.display()))?;
        Ok(Linker { toolkit, version, output: output.to_path_buf() })
    }

    /// Builds both programs.
    pub fn build(&self, program: &Program) -> anyhow::Result<Built> {
        let folder = tempfile::tempdir().context("no temporary folder")?;
        let folder = folder.path();
        let mut objects = Vec::new();
        for source in &program.sources {
            objects.push(self.compile(source, &program.flags, folder)?);
        }
        let registration = folder.join("registration.c");
        let nvlinks = folder.join("nvlink.cubin");
        let mut nvlink = self.tool("nvlink");
        nvlink.arg("-m64").arg(format!("--arch=sm_{ARCHITECTURE}"));
        nvlink.arg(format!("--register-link-binaries={}", registration.display()));
        nvlink.args(self.library_flags()).arg("-cpu-arch=X86_64").args(&objects);
        run(nvlink.arg("-lcudadevrt").arg("-o").arg(&nvlinks))?;
        let (ours, remarks) = self.link_ptx(&objects, folder)?;
        for (kind, cubin) in [("nvlink", &nvlinks), ("ours", &ours)] {
            let target = self.output.join(format!("{}.{kind}", program.name));
            self.executable(kind, cubin, &registration, &objects, &target)?;
        }
        let nvlinks = kernels_and_variables(&read(&nvlinks)?)?;
        let ours = kernels_and_variables(&read(&ours)?)?;
        Ok(Built {
            units: objects.len(),
            kernels_and_variables: ours.values().sum(),
            differences: differences(&ours, &nvlinks),
            remarks,
        })
    }

    fn compile(&self, source: &Path, flags: &[String], folder: &Path) -> anyhow::Result<PathBuf> {
        let name = source.file_stem().unwrap_or_default();
        let object = folder.join(name).with_extension("o");
        let mut nvcc = Command::new(self.toolkit.nvcc());
        nvcc.args(["-rdc=true", "-dc", "-lineinfo"]).arg(format!("-arch=sm_{ARCHITECTURE}"));
        run(nvcc.args(flags).arg(source).arg("-o").arg(&object))?;
        Ok(object)
    }

    /// The PTX of all objects as one cubin.
    fn link_ptx(
        &self,
        objects: &[PathBuf],
        folder: &Path,
    ) -> anyhow::Result<(PathBuf, Vec<String>)> {
        let mut documents = Vec::new();
        for object in objects {
            let document = Document::parse(ptx_of(object)?);
            if let Some(error) = document.errors().first() {
                let message = error.message_with_line(document.text());
                anyhow::bail!("the PTX of {}: {message}", object.display());
            }
            let name = object.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            documents.push((name, document));
        }
        let units: Vec<Unit<'_>> = documents
            .iter()
            .map(|(name, document)| Unit { name, module: document.module() })
            .collect();
        let linked = link(&units)?;
        let missing = linked.of_device_runtime.iter();
        let remarks = missing.map(|function| {
            format!("{} uses {} of the device runtime", function.unit, function.name)
        });
        let remarks = remarks.collect();
        let (text, cubin) = (folder.join("ours.ptx"), folder.join("ours.cubin"));
        fs::write(&text, linked.text).context("cannot write the PTX")?;
        let mut ptxas = self.tool("ptxas");
        ptxas.arg(format!("-arch=sm_{ARCHITECTURE}")).arg("-lineinfo");
        run(ptxas.arg(&text).arg("-o").arg(&cubin))?;
        Ok((cubin, remarks))
    }

    /// The program with this linked machine code.
    fn executable(
        &self,
        kind: &str,
        cubin: &Path,
        registration: &Path,
        objects: &[PathBuf],
        target: &Path,
    ) -> anyhow::Result<()> {
        let embedded = cubin.with_file_name(format!("{kind}.fatbin.c"));
        let stub = cubin.with_file_name(format!("{kind}.stub.o"));
        let image = format!("--image3=kind=elf,sm={ARCHITECTURE},file={}", cubin.display());
        let mut fatbinary = self.tool("fatbinary");
        fatbinary.args(["-64", "-link"]).arg(image);
        run(fatbinary.arg(format!("--embedded-fatbin={}", embedded.display())))?;
        let mut compile = Command::new("g++");
        compile.args(["-c", "-x", "c++", "-m64", "-Wno-psabi"]);
        compile.arg(format!("-DFATBINFILE=\"{}\"", embedded.display()));
        compile.arg(format!("-DREGISTERLINKBINARYFILE=\"{}\"", registration.display()));
        compile.args(["-D__NV_EXTRA_INITIALIZATION=", "-D__NV_EXTRA_FINALIZATION="]);
        compile.arg("-D__CUDA_INCLUDE_COMPILER_INTERNAL_HEADERS__");
        for (name, number) in ["MAJOR", "MINOR", "BUILD"].iter().zip(&self.version) {
            compile.arg(format!("-D__CUDACC_VER_{name}__={number}"));
            compile.arg(format!("-D__CUDA_API_VER_{name}__={number}"));
        }
        for folder in self.toolkit.include_folders() {
            compile.arg(format!("-I{}", folder.display()));
        }
        run(compile.arg(self.toolkit.root().join("bin/crt/link.stub")).arg("-o").arg(&stub))?;
        let mut link = Command::new("g++");
        link.args(["-m64", "-Wl,--start-group"]).arg(&stub).args(objects);
        link.args(self.library_flags());
        link.args(["-lcudadevrt", "-lcudart_static", "-lrt", "-lpthread", "-ldl"]);
        // Without symbols for debuggers, since the programs travel to another machine.
        run(link.args(["-Wl,--end-group", "-Wl,--strip-debug", "-o"]).arg(target))
    }

    fn tool(&self, name: &str) -> Command {
        Command::new(self.toolkit.root().join("bin").join(name))
    }

    fn library_flags(&self) -> Vec<String> {
        let folders = self.toolkit.library_folders();
        folders.iter().map(|folder| format!("-L{}", folder.display())).collect()
    }
}

/// The PTX of the unit in an object.
fn ptx_of(object: &Path) -> anyhow::Result<String> {
    let name = || object.display().to_string();
    let bytes = read(object)?;
    let file = FatFile::open(&bytes).with_context(name)?;
    let mut texts = file.images.iter().filter(|image| image.kind == ImageKind::Ptx);
    match (texts.next(), texts.next()) {
        (Some(image), None) => Ok(image.text().with_context(name)?.into_owned()),
        (None, _) => anyhow::bail!("{}: it has no PTX", name()),
        (Some(_), Some(_)) => anyhow::bail!("{}: it has more than one PTX image", name()),
    }
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Runs a step, which must succeed.
fn run(command: &mut Command) -> anyhow::Result<()> {
    let program = command.get_program().to_owned();
    let name = Path::new(&program).file_name().unwrap_or(OsStr::new("a tool")).to_string_lossy();
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("{name} could not be started"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    anyhow::bail!("{name} failed: {}", said.concat().trim())
}
