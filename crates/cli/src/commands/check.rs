//! `warpsan check FILE`: the kernels of one file, launched as the file itself says.

use crate::launch_line::{Argument, Initial, LaunchLine, Scalar, launch_lines};
use crate::output::{self, Stream};
use anyhow::{Context, anyhow, bail};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use warpsan_ir::display_name;
use warpsan_ptx::Document;
use warpsan_runtime::{
    KernelId, LaunchRequest, ModuleId, ModuleImage, ParameterInfo, RuntimeError, Session,
};
use warpsan_toolchain::KernelOptions;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// A CUDA file with kernels only, or a PTX file
    file: PathBuf,

    /// A launch, in place of the file's `//@ launch:` lines, as in
    /// 'reduce<<<4, 256>>>(in: f32[1024] = iota, out: f32[4], n = 1024)'
    #[arg(long, value_name = "LAUNCH")]
    launch: Vec<String>,

    #[command(flatten)]
    output: output::Args,

    /// Flags for the compiler, after `--`
    #[arg(last = true, value_name = "FLAG")]
    flags: Vec<OsString>,
}

pub(crate) fn run(args: &Args, global: &crate::Global) -> anyhow::Result<ExitCode> {
    let file = &args.file;
    let text =
        std::fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let launches = launches(args, &text)?;
    args.output.check_output()?;
    let ptx = match file.extension().and_then(|extension| extension.to_str()) {
        Some("ptx") => text,
        Some("cu") => compile(args, global)?,
        _ => bail!("{} is neither a .cu nor a .ptx file", file.display()),
    };
    let document = Document::parse(ptx);
    if !document.errors().is_empty() {
        super::ptx::errors::show(&file.display().to_string(), &document)?;
        return Ok(ExitCode::from(crate::exit::FAILURE));
    }
    let mut session = Session::in_memory(args.output.options())?;
    let module = session.load_module(ModuleImage::Ptx(document.text()));
    let kernels = session
        .kernel_names(module)
        .with_context(|| format!("{} cannot be checked", file.display()))?;
    for launch in &launches {
        let wrong =
            || format!("{}:{}: the launch of `{}`", file.display(), launch.line, launch.kernel);
        launch_one(&mut session, module, &kernels, launch).with_context(wrong)?;
    }
    let report = args.output.report(vec![session.into_report()]);
    let again = format!("warpsan check --seed {} {}", args.output.seed(), file.display());
    let verdict = args.output.give_out(report, Stream::Output, &again)?;
    Ok(ExitCode::from(crate::exit::of_verdict(verdict)))
}

fn launches(args: &Args, text: &str) -> anyhow::Result<Vec<LaunchLine>> {
    let file = args.file.display();
    let launches = if args.launch.is_empty() {
        launch_lines(text).map_err(|(line, error)| anyhow!("{file}:{line}: {error}"))?
    } else {
        let parse = |launch: &String| {
            LaunchLine::parse(launch, 0).map_err(|error| anyhow!("--launch {launch}: {error}"))
        };
        args.launch.iter().map(parse).collect::<Result<_, _>>()?
    };
    if launches.is_empty() {
        bail!(
            "{file} does not say how to launch its kernels; add a line like\n  \
             //@ launch: kernel<<<4, 256>>>(in: f32[1024] = iota, n = 1024)\n\
             or give it with --launch; a program with `main` is checked by `warpsan run {file}`"
        );
    }
    Ok(launches)
}

fn compile(args: &Args, global: &crate::Global) -> anyhow::Result<String> {
    let toolchain = crate::consent::toolchain(global)?;
    let options = KernelOptions { flags: args.flags.clone() };
    Ok(toolchain.compile_kernels(&args.file, &options)?.ptx)
}

/// Runs one launch. What the kernel did wrong, and what is not supported, is in the report; only a
/// launch line that does not fit the file is an error here.
fn launch_one(
    session: &mut Session,
    module: ModuleId,
    kernels: &[String],
    launch: &LaunchLine,
) -> anyhow::Result<()> {
    let kernel = find_kernel(session, module, kernels, &launch.kernel)?;
    let info = match session.kernel_info(kernel) {
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
    let mut taken = Vec::new();
    for (place, argument) in info.parameters.iter().zip(&launch.arguments) {
        let bytes = argument_bytes(session, argument, place, &mut taken)?;
        parameters[place.offset..place.offset + place.size].copy_from_slice(&bytes);
    }
    let result = session.launch(&LaunchRequest {
        kernel,
        grid: launch.grid,
        block: launch.block,
        dynamic_shared_bytes: launch.dynamic_shared_bytes,
        parameters: &parameters,
        cooperative: false,
    });
    for address in taken {
        session.free(address)?;
    }
    match result {
        Err(error @ (RuntimeError::InvalidConfiguration(_) | RuntimeError::InvalidValue(_))) => {
            Err(error.into())
        }
        _ => Ok(()),
    }
}

fn find_kernel(
    session: &mut Session,
    module: ModuleId,
    kernels: &[String],
    name: &str,
) -> anyhow::Result<KernelId> {
    let found: Vec<_> =
        kernels.iter().filter(|kernel| *kernel == name || display_name(kernel) == name).collect();
    match found.as_slice() {
        [kernel] => Ok(session.kernel(module, kernel)?),
        [] => {
            let known: Vec<_> = kernels.iter().map(|kernel| display_name(kernel)).collect();
            bail!("there is no such kernel; the file has: {}", known.join(", "))
        }
        _ => bail!("several kernels have this name; use the mangled one: {found:?}"),
    }
}

fn argument_bytes(
    session: &mut Session,
    argument: &Argument,
    place: &ParameterInfo,
    taken: &mut Vec<warpsan_runtime::DeviceAddress>,
) -> anyhow::Result<Vec<u8>> {
    let bytes = match argument {
        Argument::Array { name, element, count, initial } => {
            let data: Vec<u8> = (0..*count)
                .flat_map(|index| {
                    element.bytes(match initial {
                        Initial::Iota => index as f64,
                        Initial::All(value) => *value,
                    })
                })
                .collect();
            let address = session.allocate_named(data.len() as u64, name)?;
            session.copy_to_device(address, &data)?;
            taken.push(address);
            address.0.to_le_bytes().to_vec()
        }
        Argument::Scalar { value, .. } => scalar_bytes(*value, place.size)?,
    };
    if bytes.len() != place.size {
        bail!("`{}` has {} bytes, the parameter {}", argument.name(), bytes.len(), place.size);
    }
    Ok(bytes)
}

fn scalar_bytes(value: Scalar, size: usize) -> anyhow::Result<Vec<u8>> {
    Ok(match (value, size) {
        (Scalar::Typed(element, value), _) => element.bytes(value),
        (Scalar::Integer(value), 1 | 2 | 4 | 8) => value.to_le_bytes()[..size].to_vec(),
        (Scalar::Float(value), 4) => (value as f32).to_le_bytes().to_vec(),
        (Scalar::Float(value), 8) => value.to_le_bytes().to_vec(),
        _ => bail!("a parameter of {size} bytes cannot be given as a number"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_the_size_of_their_parameter() {
        assert_eq!(scalar_bytes(Scalar::Integer(-1), 4).unwrap(), [255; 4]);
        assert_eq!(scalar_bytes(Scalar::Float(1.0), 4).unwrap(), 1f32.to_le_bytes());
        assert_eq!(scalar_bytes(Scalar::Float(1.0), 8).unwrap(), 1f64.to_le_bytes());
        assert!(scalar_bytes(Scalar::Integer(1), 12).is_err());
    }
}
