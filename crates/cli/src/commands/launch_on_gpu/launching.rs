//! The launches of a file, one after the other, with their buffers.

use super::device::{Device, DeviceError};
use super::{Ended, Files};
use crate::buffers;
use crate::launch_line::{Argument, Element, Initial, LaunchLine, Number, Scalar, launch_lines};
use anyhow::{Context, anyhow};
use std::fs::File;
use std::io::Write;
use warpsan_gpu::{CUdeviceptr, CUfunction};
use warpsan_ir::display_name;

/// Elements that are written to device memory at a time.
const AT_A_TIME: u64 = 1 << 20;

/// An array of a launch.
struct Buffer<'a> {
    address: CUdeviceptr,
    name: &'a str,
    element: Element,
    count: u64,
}

/// All launches under way.
struct Launches<'a> {
    device: Device,
    kernels: Vec<(String, CUfunction)>,
    printed: &'a buffers::Args,
    shown: File,
    /// Memory that is given back when all launches have ended: that waits for all of them, and would bring those of different
    /// streams into an order that they do not have.
    memory: Vec<CUdeviceptr>,
}

/// Launches everything, and waits for it.
pub(super) fn launch_all(files: &Files<'_>, printed: &buffers::Args) -> anyhow::Result<Ended> {
    let ptx = std::fs::read_to_string(files.ptx()).context("cannot read the PTX")?;
    let text = std::fs::read_to_string(files.launches()).context("cannot read the launches")?;
    let lines = launch_lines(&text).map_err(|(line, error)| anyhow!("line {line}: {error}"))?;
    let shown = File::create(files.buffers()).context("cannot keep what buffers hold")?;
    let device = match Device::load(&ptx) {
        Ok(device) => device,
        Err(error) => return Ok(error.into()),
    };
    let kernels = match device.kernels() {
        Ok(kernels) => kernels,
        Err(error) => return Ok(error.into()),
    };
    let mut launches = Launches { device, kernels, printed, shown, memory: Vec::new() };
    for (number, line) in lines.iter().enumerate() {
        match launches.launch(number, line)? {
            Ok(()) => {}
            Err(DeviceError::Refused(reason)) => {
                let launch = Some((line.line, line.kernel.clone()));
                return Ok(Ended::Refused { launch, reason });
            }
            Err(error) => return Ok(error.into()),
        }
    }
    Ok(launches.finish().map_or_else(Ended::from, |()| Ended::Done))
}

impl Launches<'_> {
    /// One launch. The outer error is one of files, the inner one of the launch or the device.
    fn launch(
        &mut self,
        number: usize,
        line: &LaunchLine,
    ) -> anyhow::Result<Result<(), DeviceError>> {
        let mut buffers = Vec::new();
        if let Err(error) = self.start(line, &mut buffers) {
            return Ok(Err(error));
        }
        self.show(number, line, &buffers)
    }

    fn start<'l>(
        &mut self,
        line: &'l LaunchLine,
        buffers: &mut Vec<Buffer<'l>>,
    ) -> Result<(), DeviceError> {
        let kernel = self.find_kernel(&line.kernel)?;
        let sizes = self.device.parameters(kernel)?;
        if sizes.len() != line.arguments.len() {
            return Err(DeviceError::Refused(format!(
                "the kernel takes {} arguments, {} are given",
                sizes.len(),
                line.arguments.len()
            )));
        }
        let mut parameters = Vec::new();
        for (size, argument) in sizes.iter().zip(&line.arguments) {
            let bytes = match argument {
                Argument::Array { name, element, count, initial } => {
                    let address = self.device.allocate(count * element.size() as u64)?;
                    self.memory.push(address);
                    self.fill(address, *element, *count, *initial)?;
                    buffers.push(Buffer { address, name, element: *element, count: *count });
                    address.to_le_bytes().to_vec()
                }
                Argument::Scalar { value, .. } => scalar(*value, *size)?,
            };
            if bytes.len() != *size {
                let (name, given) = (argument.name(), bytes.len());
                let reason = format!("`{name}` has {given} bytes, the parameter {size}");
                return Err(DeviceError::Refused(reason));
            }
            parameters.push(bytes);
        }
        self.device.launch(line, kernel, &mut parameters)
    }

    fn find_kernel(&self, name: &str) -> Result<CUfunction, DeviceError> {
        let is_it =
            |known: &&(String, CUfunction)| known.0 == name || display_name(&known.0) == name;
        let found: Vec<_> = self.kernels.iter().filter(is_it).collect();
        let refused = |reason: String| Err(DeviceError::Refused(reason));
        match found.as_slice() {
            [(_, kernel)] => Ok(*kernel),
            [] => {
                let known: Vec<_> =
                    self.kernels.iter().map(|known| display_name(&known.0)).collect();
                refused(format!("there is no such kernel; the file has: {}", known.join(", ")))
            }
            _ => {
                let names: Vec<_> = found.iter().map(|known| &known.0).collect();
                refused(format!("several kernels have this name; use the mangled one: {names:?}"))
            }
        }
    }

    /// Writes what an array holds at first, part by part: it may be large.
    fn fill(
        &self,
        address: CUdeviceptr,
        element: Element,
        count: u64,
        initial: Initial,
    ) -> Result<(), DeviceError> {
        let size = element.size() as u64;
        if initial == Initial::All(Number::Integer(0)) {
            return self.device.clear(address, count * size);
        }
        let mut start = 0;
        while start < count {
            let end = count.min(start + AT_A_TIME);
            let part = element.part_of_array(start..end, initial);
            self.device.write(address + start * size, &part)?;
            start = end;
        }
        Ok(())
    }

    /// Keeps the buffers that were asked for, which waits for the launch.
    fn show(
        &mut self,
        number: usize,
        line: &LaunchLine,
        buffers: &[Buffer<'_>],
    ) -> anyhow::Result<Result<(), DeviceError>> {
        for Buffer { address, name, element, count } in buffers {
            if !self.printed.has(name) {
                continue;
            }
            let shown = usize::try_from(self.printed.shown(*count))
                .map_err(|_| anyhow!("`{name}` is too large to print"))?;
            let mut bytes = vec![0; shown * element.size()];
            let read = self.device.synchronize();
            if let Err(error) = read.and_then(|()| self.device.read(&mut bytes, *address)) {
                return Ok(Err(error));
            }
            let launch = format!("launch {number} of `{}`", line.kernel);
            let text = buffers::show(&launch, name, *element, *count, &bytes);
            self.shown.write_all(text.as_bytes()).context("cannot keep what buffers hold")?;
        }
        Ok(Ok(()))
    }

    /// Waits for everything.
    fn finish(&mut self) -> Result<(), DeviceError> {
        self.device.synchronize()?;
        std::mem::take(&mut self.memory).into_iter().try_for_each(|one| self.device.free(one))
    }
}

fn scalar(value: Scalar, size: usize) -> Result<Vec<u8>, DeviceError> {
    value.bytes(size).map_err(|error| DeviceError::Refused(error.to_string()))
}
