//! Which image runs on a device, and whether its PTX is at hand.

use crate::cubin::{has_code, machine_functions};
use crate::{Architecture, FatFile, Image, ImageKind, Place};
use std::collections::{BTreeSet, HashSet};
use std::fmt;

/// What is chosen of one container, which is one module for the driver.
#[derive(Debug, Clone)]
pub struct Choice<'c, 'd> {
    /// The PTX to read: the newest that the device can run, as the driver would compile it.
    pub ptx: Option<&'c Image<'d>>,
    /// The machine code that would run on the device. The driver takes it before any PTX.
    pub machine_code: Option<&'c Image<'d>>,
    /// What a reader of the PTX should know.
    pub warnings: Vec<ChoiceWarning>,
}

/// Why the PTX that was chosen, if any, may not be what runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChoiceWarning {
    /// The machine code was compiled for another architecture than the PTX, so code that depends on
    /// `__CUDA_ARCH__` may differ.
    OtherArchitecture {
        /// The device.
        device: Architecture,
        /// That of the PTX.
        ptx: Architecture,
        /// That of the machine code.
        machine_code: Architecture,
    },
    /// There is PTX, but none that the device can run.
    NoPtxForDevice {
        /// The device.
        device: Architecture,
        /// What there is PTX for.
        available: BTreeSet<Architecture>,
    },
    /// There is machine code, or code for link-time optimisation, and no PTX.
    NoPtx {
        /// The device.
        device: Architecture,
        /// What there is other code for.
        available: BTreeSet<Architecture>,
        /// Whether it was compiled with `-rdc=true`.
        relocatable: bool,
        /// Whether it was compiled for link-time optimisation.
        link_time: bool,
    },
}

/// Chooses among the images of one container, as the driver does for a device: machine code before
/// PTX, and of each the greatest architecture that the device can run. Of equal ones, the first.
pub fn choose<'c, 'd: 'c>(
    images: impl IntoIterator<Item = &'c Image<'d>> + Clone,
    device: Architecture,
) -> Choice<'c, 'd> {
    let of_kind =
        |kind: ImageKind| images.clone().into_iter().filter(move |image| image.kind == kind);
    let ptx = first_greatest(
        of_kind(ImageKind::Ptx).filter(|image| image.architecture.ptx_runs_on(device)),
    );
    let machine_code = first_greatest(
        of_kind(ImageKind::Elf).filter(|image| image.architecture.machine_code_runs_on(device)),
    );
    let mut choice = Choice { ptx, machine_code, warnings: Vec::new() };
    let available = |kind| of_kind(kind).map(|image| image.architecture).collect::<BTreeSet<_>>();
    match (ptx, machine_code) {
        (Some(ptx), Some(code)) if ptx.architecture != code.architecture => {
            choice.warnings.push(ChoiceWarning::OtherArchitecture {
                device,
                ptx: ptx.architecture,
                machine_code: code.architecture,
            });
        }
        (Some(_), _) => {}
        (None, _) => {
            let texts = available(ImageKind::Ptx);
            let codes = available(ImageKind::Elf);
            let link_time = available(ImageKind::LtoIr);
            if !texts.is_empty() {
                choice.warnings.push(ChoiceWarning::NoPtxForDevice { device, available: texts });
            } else if !(codes.is_empty() && link_time.is_empty()) {
                choice.warnings.push(ChoiceWarning::NoPtx {
                    device,
                    relocatable: images.clone().into_iter().any(Image::is_relocatable),
                    link_time: !link_time.is_empty(),
                    available: &codes | &link_time,
                });
            }
        }
    }
    choice
}

fn first_greatest<'c, 'd: 'c>(
    images: impl Iterator<Item = &'c Image<'d>>,
) -> Option<&'c Image<'d>> {
    images.fold(None, |best: Option<&Image<'d>>, image| match best {
        Some(best) if best.architecture >= image.architecture => Some(best),
        _ => Some(image),
    })
}

impl<'d> FatFile<'d> {
    /// Chooses in each container of the file.
    ///
    /// Not listed are containers with nothing to choose from: those whose machine code is empty,
    /// which nvcc puts into every program, and, where the parts of a program that was compiled with
    /// `-rdc=true` are at hand, the machine code that was linked from them.
    pub fn choose(&self, device: Architecture) -> Vec<Choice<'_, 'd>> {
        self.images
            .chunk_by(|one, other| one.container == other.container)
            .filter(|images| !is_placeholder(images) && !self.is_linked_from_parts(images))
            .map(|images| choose(images, device))
            .collect()
    }

    /// Whether a container is machine code that was linked from the parts that the file keeps, too:
    /// then all its kernels are theirs.
    fn is_linked_from_parts(&self, images: &[Image<'d>]) -> bool {
        let [code, ..] = images else { return false };
        let only_code = images.iter().all(|image| image.kind == ImageKind::Elf);
        if !only_code || code.place != Place::Executable {
            return false;
        }
        let parts = || self.images.iter().filter(|image| image.place == Place::Relocatable);
        if parts().next().is_none() {
            return false;
        }
        let names_of_parts: HashSet<String> = parts()
            .filter(|part| part.kind == ImageKind::Elf && part.architecture == code.architecture)
            .flat_map(kernel_names)
            .collect();
        names_of_parts.is_empty()
            || kernel_names(code).iter().all(|name| names_of_parts.contains(name))
    }
}

fn kernel_names(image: &Image<'_>) -> Vec<String> {
    let functions =
        image.likely_bytes().and_then(|bytes| machine_functions(&bytes)).unwrap_or_default();
    functions.into_iter().filter(|function| function.is_kernel).map(|kernel| kernel.name).collect()
}

/// Whether a container holds machine code without code, and nothing else. What cannot be read is not
/// taken for empty.
fn is_placeholder(images: &[Image<'_>]) -> bool {
    images.iter().all(|image| image.kind == ImageKind::Elf)
        && images.iter().all(|image| {
            image.likely_bytes().is_ok_and(|bytes| has_code(&bytes).is_ok_and(|has_code| !has_code))
        })
}

impl fmt::Display for ChoiceWarning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ChoiceWarning::OtherArchitecture { device, ptx, machine_code } => write!(
                formatter,
                "on {device} the machine code for {machine_code} would run, but the PTX is for \
                 {ptx}: code that depends on __CUDA_ARCH__ may differ (compile with {})",
                machine_code.nvcc_ptx_flag()
            ),
            ChoiceWarning::NoPtxForDevice { device, available } => write!(
                formatter,
                "the PTX is for {} only, which does not run on {device}; compile with {}",
                list(available),
                device.nvcc_ptx_flag()
            ),
            ChoiceWarning::NoPtx { device, available, relocatable, link_time } => {
                let own = available.iter().rfind(|known| known.number == device.number);
                let what = match link_time {
                    true => "code for link-time optimisation",
                    false => "machine code",
                };
                write!(
                    formatter,
                    "there is {what} for {} and no PTX; compile with {}",
                    list(available),
                    // Code with a suffix may not compile without.
                    own.unwrap_or(device).nvcc_ptx_flag()
                )?;
                if *relocatable {
                    formatter.write_str(
                        " in every object: with -rdc=true the PTX stays in the section \
                         __nv_relfatbin of each",
                    )?;
                }
                Ok(())
            }
        }
    }
}

fn list(architectures: &BTreeSet<Architecture>) -> String {
    let names: Vec<_> = architectures.iter().map(Architecture::to_string).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests;
