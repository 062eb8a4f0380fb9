//! Both programs of a pair, step by step as nvcc would do it.

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
    pub fn new(toolkit: &'t Toolkit, output: &Path) -> Result<Linker<'t>, String> {
        let version = toolkit.version().map_err(|error| error.to_string())?;
        let version = version.split('.').map(str::to_owned).collect();
        fs::create_dir_all(output)
            .map_err(|error| format!("cannot create {}: {error}", output.display()))?;
        Ok(Linker { toolkit, version, output: output.to_path_buf() })
    }

    /// Builds both programs.
    pub fn build(&self, program: &Program) -> Result<Built, String> {
        let folder =
            tempfile::tempdir().map_err(|error| format!("no temporary folder: {error}"))?;
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
        let read = |path: &Path| fs::read(path).map_err(|error| unreadable(path, &error));
        let nvlinks = kernels_and_variables(&read(&nvlinks)?)?;
        let ours = kernels_and_variables(&read(&ours)?)?;
        Ok(Built {
            units: objects.len(),
            kernels_and_variables: ours.values().sum(),
            differences: differences(&ours, &nvlinks),
            remarks,
        })
    }

    fn compile(&self, source: &Path, flags: &[String], folder: &Path) -> Result<PathBuf, String> {
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
    ) -> Result<(PathBuf, Vec<String>), String> {
        let mut documents = Vec::new();
        for object in objects {
            let document = Document::parse(ptx_of(object)?);
            if let Some(error) = document.errors().first() {
                let message = error.message_with_line(document.text());
                return Err(format!("the PTX of {}: {message}", object.display()));
            }
            let name = object.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            documents.push((name, document));
        }
        let units: Vec<Unit<'_>> = documents
            .iter()
            .map(|(name, document)| Unit { name, module: document.module() })
            .collect();
        let linked = link(&units).map_err(|error| error.to_string())?;
        let missing = linked.of_device_runtime.iter();
        let remarks = missing.map(|function| {
            format!("{} uses {} of the device runtime", function.unit, function.name)
        });
        let remarks = remarks.collect();
        let (text, cubin) = (folder.join("ours.ptx"), folder.join("ours.cubin"));
        fs::write(&text, linked.text).map_err(|error| format!("cannot write the PTX: {error}"))?;
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
    ) -> Result<(), String> {
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
fn ptx_of(object: &Path) -> Result<String, String> {
    let wrong = |what: String| format!("{}: {what}", object.display());
    let bytes = fs::read(object).map_err(|error| unreadable(object, &error))?;
    let file = FatFile::open(&bytes).map_err(|error| wrong(error.to_string()))?;
    let mut texts = file.images.iter().filter(|image| image.kind == ImageKind::Ptx);
    match (texts.next(), texts.next()) {
        (Some(image), None) => {
            image.text().map(|text| text.into_owned()).map_err(|error| wrong(error.to_string()))
        }
        (None, _) => Err(wrong("it has no PTX".to_owned())),
        (Some(_), Some(_)) => Err(wrong("it has more than one PTX image".to_owned())),
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> String {
    format!("cannot read {}: {error}", path.display())
}

/// Runs a step, which must succeed.
fn run(command: &mut Command) -> Result<(), String> {
    let program = command.get_program().to_owned();
    let name = Path::new(&program).file_name().unwrap_or(OsStr::new("a tool")).to_string_lossy();
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| format!("{name} could not be started: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    Err(format!("{name} failed: {}", said.concat().trim()))
}
