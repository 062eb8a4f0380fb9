//! One file: compiled, its launches run, and a report of it.

use super::Args;
use super::explore::explore;
use crate::buffers;
use crate::launch_line::{Argument, Element, Initial, LaunchLine, Number};
use crate::merging;
use crate::output::Stream;
use crate::output_file::Beside;
use crate::progress::{LaunchProgress, Terminal};
use crate::seeds::Seeds;
use crate::voice::Voice;
use anyhow::{Context, anyhow, bail};
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use warpsan_ir::display_name;
use warpsan_ptx::Document;
use warpsan_report::Report;
use warpsan_runtime::{
    DeviceAddress, Engine, KernelId, ModuleId, ModuleImage, Options, ParameterInfo, ProcessReport,
    QueuedLaunch, RuntimeError, Session,
};
use warpsan_toolchain::{KernelOptions, Toolchain};

/// Elements that are written to device memory at a time.
const AT_A_TIME: u64 = 1 << 20;

/// What all files of a command share.
pub(super) struct Surroundings<'a> {
    pub(super) args: &'a Args,
    pub(super) trace: Option<&'a Path>,
    pub(super) options: &'a Options,
    pub(super) seeds: Seeds,
    /// There, if a file has to be compiled.
    pub(super) toolchain: Option<Toolchain>,
    pub(super) terminal: Terminal,
}

/// A file that was read.
#[derive(Debug)]
pub(super) struct FileToCheck {
    pub(super) path: PathBuf,
    pub(super) text: String,
    /// CUDA, not PTX.
    pub(super) is_source: bool,
    pub(super) launches: Vec<LaunchLine>,
}

/// What came of a file.
pub(super) enum Checked {
    Report(Box<Report>),
    /// Its PTX has errors, which were shown.
    Unreadable,
}

/// A launch under way.
struct Running<'a> {
    session: Session,
    module: ModuleId,
    kernels: Vec<String>,
    progress: Option<LaunchProgress>,
    args: &'a Args,
    voice: &'a mut Voice,
    /// Launches so far.
    count: usize,
}

/// An array of a launch in device memory.
struct Buffer<'a> {
    address: DeviceAddress,
    name: &'a str,
    element: Element,
    count: u64,
}

impl FileToCheck {
    /// Runs all launches with all seeds.
    pub(super) fn check(
        &self,
        surroundings: &Surroundings<'_>,
        options: &Options,
        voice: &mut Voice,
    ) -> anyhow::Result<Checked> {
        let Some(ptx) = self.ptx(surroundings, voice)? else { return Ok(Checked::Unreadable) };
        let (args, seeds) = (surroundings.args, surroundings.seeds);
        let mut report = args.output.report(options, Vec::new());
        report.name = Some(self.path.display().to_string());
        if options.engine == Engine::Gpu {
            self.check_on_gpu(&ptx, surroundings, options, voice, &mut report)?;
        } else if seeds.count() == 1 {
            merging::add_process(&mut report, self.run(&ptx, surroundings, options, voice)?);
        } else {
            self.explore(&ptx, surroundings, options, voice, &mut report)?;
        }
        // Of several files, some may well have none of the kernels that are asked for.
        if args.files.len() == 1 {
            report.not_covered.extend(args.output.launches.nothing_left(&report.summary));
        }
        Ok(Checked::Report(Box::new(report)))
    }

    /// Runs all launches with each seed.
    fn explore(
        &self,
        ptx: &str,
        surroundings: &Surroundings<'_>,
        options: &Options,
        voice: &mut Voice,
        report: &mut Report,
    ) -> anyhow::Result<()> {
        let seeds = surroundings.seeds;
        let progress = surroundings.terminal.seeds(&self.path.display().to_string(), seeds.count());
        // What the first seed says is said; the others would say much the same.
        let first_voice = Mutex::new(voice);
        let run = |seed: u64, jobs: usize| {
            let options = Options { seed, jobs, ..options.clone() };
            if seed == surroundings.options.seed {
                let mut voice = first_voice.lock().unwrap_or_else(PoisonError::into_inner);
                self.run(ptx, surroundings, &options, &mut voice)
            } else {
                self.run(ptx, surroundings, &options, &mut Voice::Silent)
            }
        };
        explore(seeds, options.jobs, run, |process| {
            merging::add_process(report, process);
            if let Some(progress) = &progress {
                progress.done();
            }
        })?;
        seeds.name_in(report, seeds.count());
        // It is one, however often it was begun anew.
        report.summary.processes = 1;
        Ok(())
    }

    /// The file's PTX, in which there is no error. Errors are shown.
    fn ptx(
        &self,
        surroundings: &Surroundings<'_>,
        voice: &mut Voice,
    ) -> anyhow::Result<Option<String>> {
        let (args, file) = (surroundings.args, &self.path);
        let ptx = match (self.is_source, &surroundings.toolchain) {
            (true, Some(toolchain)) => {
                let options = KernelOptions { flags: args.flags.clone() };
                toolchain.compile_kernels(file, &options)?.ptx
            }
            _ => self.text.clone(),
        };
        let document = Document::parse(ptx);
        if !document.errors().is_empty() {
            let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            let name = file.display().to_string();
            let errors = crate::commands::ptx::errors::render(&name, &document, color);
            voice.say(Stream::Error, errors.as_bytes())?;
            return Ok(None);
        }
        Ok(Some(document.text().to_string()))
    }

    /// Runs all launches with one seed.
    fn run(
        &self,
        ptx: &str,
        surroundings: &Surroundings<'_>,
        options: &Options,
        voice: &mut Voice,
    ) -> anyhow::Result<ProcessReport> {
        let (args, file) = (surroundings.args, &self.path);
        let mut session = Session::in_memory(options.clone())?;
        let trace = surroundings.trace;
        let unwritten = || format!("cannot write the trace to {}", trace.unwrap_or(file).display());
        let beside = trace.map(Beside::new).transpose().with_context(unwritten)?;
        if let Some(beside) = &beside {
            let header = args.trace_header(options, file);
            session.record(beside.path(), &header).with_context(unwritten)?;
        }
        let is_alone = surroundings.seeds.count() == 1;
        let progress = surroundings.terminal.session().filter(|_| is_alone);
        if let Some(progress) = &progress {
            session.set_progress(progress.listener());
        }
        let module = session.load_module(ModuleImage::Ptx(ptx));
        let kernels = session
            .kernel_names(module)
            .with_context(|| format!("{} cannot be checked", file.display()))?;
        let mut running = Running { session, module, kernels, progress, args, voice, count: 0 };
        for launch in &self.launches {
            let wrong =
                || format!("{}:{}: the launch of `{}`", file.display(), launch.line, launch.kernel);
            running.launch(launch).with_context(wrong)?;
        }
        let mut session = running.session;
        session.end_recording().with_context(unwritten)?;
        beside.map_or(Ok(()), Beside::keep).with_context(unwritten)?;
        Ok(session.into_report())
    }
}

impl Running<'_> {
    /// Runs one launch. What the kernel did wrong, and what is not supported, is in the report; only
    /// a launch line that does not fit the file is an error here.
    fn launch(&mut self, launch: &LaunchLine) -> anyhow::Result<()> {
        let number = self.count;
        self.count += 1;
        let kernel = self.find_kernel(&launch.kernel)?;
        let info = match self.session.kernel_info(kernel) {
            Ok(info) => info,
            Err(RuntimeError::NotSupported(_)) => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        if info.parameters.len() != launch.arguments.len() {
            bail!(
                "the kernel takes {} arguments, {} are given",
                info.parameters.len(),
                launch.arguments.len()
            );
        }
        let mut parameters = vec![0; info.parameter_bytes];
        let mut buffers = Vec::new();
        for (place, argument) in info.parameters.iter().zip(&launch.arguments) {
            let bytes = self.argument_bytes(argument, place, &mut buffers)?;
            parameters[place.offset..place.offset + place.size].copy_from_slice(&bytes);
        }
        let stream = launch.stream.map_or(warpsan_runtime::Stream::Legacy, |number| {
            warpsan_runtime::Stream::Blocking(u64::from(number))
        });
        let queued = QueuedLaunch {
            dynamic_shared_bytes: launch.dynamic_shared_bytes,
            cooperative: launch.cooperative,
            cluster: launch.cluster,
            ..QueuedLaunch::new(kernel, launch.grid, launch.block, parameters)
        };
        let result = self.session.launch(stream, &queued);
        if let Some(progress) = &self.progress {
            progress.launch_ended();
        }
        let printed = self.session.take_printed();
        self.voice.say(Stream::Error, &printed)?;
        if let Err(
            error @ (RuntimeError::InvalidConfiguration(_) | RuntimeError::InvalidValue(_)),
        ) = result
        {
            return Err(error.into());
        }
        self.print(&format!("launch {number} of `{}`", launch.kernel), &buffers)?;
        for buffer in buffers {
            self.session.free(buffer.address)?;
        }
        Ok(())
    }

    fn find_kernel(&mut self, name: &str) -> anyhow::Result<KernelId> {
        let is_it = |kernel: &&String| *kernel == name || display_name(kernel) == name;
        let found: Vec<_> = self.kernels.iter().filter(is_it).collect();
        match found.as_slice() {
            [kernel] => Ok(self.session.kernel(self.module, kernel)?),
            [] => {
                let known: Vec<_> =
                    self.kernels.iter().map(|kernel| display_name(kernel)).collect();
                bail!("there is no such kernel; the file has: {}", known.join(", "))
            }
            _ => bail!("several kernels have this name; use the mangled one: {found:?}"),
        }
    }

    fn argument_bytes<'a>(
        &mut self,
        argument: &'a Argument,
        place: &ParameterInfo,
        buffers: &mut Vec<Buffer<'a>>,
    ) -> anyhow::Result<Vec<u8>> {
        let bytes = match argument {
            Argument::Array { name, element, count, initial } => {
                let size = element.size() as u64;
                let address = self.session.allocate_named(count * size, name)?;
                self.fill(address, *element, *count, *initial)?;
                buffers.push(Buffer { address, name, element: *element, count: *count });
                address.0.to_le_bytes().to_vec()
            }
            Argument::Scalar { value, .. } => value.bytes(place.size)?,
        };
        if bytes.len() != place.size {
            bail!("`{}` has {} bytes, the parameter {}", argument.name(), bytes.len(), place.size);
        }
        Ok(bytes)
    }

    /// Writes what an array holds at first, part by part: it may be large.
    fn fill(
        &mut self,
        address: DeviceAddress,
        element: Element,
        count: u64,
        initial: Initial,
    ) -> anyhow::Result<()> {
        let size = element.size() as u64;
        if initial == Initial::All(Number::Integer(0)) {
            return Ok(self.session.fill(address, 0, count * size)?);
        }
        let mut start = 0;
        while start < count {
            let end = count.min(start + AT_A_TIME);
            let part = element.part_of_array(start..end, initial);
            self.session.copy_to_device(DeviceAddress(address.0 + start * size), &part)?;
            start = end;
        }
        Ok(())
    }

    /// Prints the buffers that were asked for.
    fn print(&mut self, launch: &str, buffers: &[Buffer<'_>]) -> anyhow::Result<()> {
        let stream = self.args.output.form.beside_report();
        for Buffer { address, name, element, count } in buffers {
            if self.args.buffers.has(name) {
                let shown = usize::try_from(self.args.buffers.shown(*count))
                    .map_err(|_| anyhow!("`{name}` is too large to print"))?;
                let mut bytes = vec![0; shown * element.size()];
                self.session.copy_from_device(&mut bytes, *address)?;
                let text = buffers::show(launch, name, *element, *count, &bytes);
                self.voice.say(stream, text.as_bytes())?;
            }
        }
        Ok(())
    }
}
