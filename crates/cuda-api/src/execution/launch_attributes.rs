//! Attributes of a launch.

use crate::types::{LaunchAttribute, LaunchConfig};
use std::ffi::c_int;
use warpsan_runtime::Dim3;
use warpsan_runtime::machine::error::CudaError;
use warpsan_runtime::machine::launches::LaunchAttributes;
use warpsan_runtime::machine::state::Machine;

/// The attributes of a configuration.
///
/// # Safety
/// `config.attributes` points to `config.attribute_count` attributes, if there are any.
pub(crate) unsafe fn attributes_of(config: &LaunchConfig) -> Result<&[LaunchAttribute], CudaError> {
    match config.attribute_count as usize {
        0 => Ok(&[]),
        _ if config.attributes.is_null() => Err(CudaError::INVALID_VALUE),
        // SAFETY: not null, and as long as the caller says.
        count => Ok(unsafe { std::slice::from_raw_parts(config.attributes, count) }),
    }
}

const COOPERATIVE: c_int = 2;
const CLUSTER_DIMENSION: c_int = 4;
const PROGRAMMATIC_STREAM_SERIALIZATION: c_int = 6;
const PROGRAMMATIC_EVENT: c_int = 7;
const MEMORY_SYNCHRONISATION_DOMAIN: c_int = 10;
const LAUNCH_COMPLETION_EVENT: c_int = 12;
const DEVICE_UPDATABLE_NODE: c_int = 13;
/// The greatest number that CUDA 13.0 gives an attribute.
const LAST_ATTRIBUTE: c_int = 16;

/// Reads the attributes that change what a launch means. The others are hints about scheduling,
/// priorities and caches; memory synchronisation domains only make fences cheaper.
pub(crate) fn read_attributes(
    machine: &mut Machine,
    attributes: &[LaunchAttribute],
) -> Result<LaunchAttributes, CudaError> {
    let mut read = LaunchAttributes::default();
    for attribute in attributes {
        let words = &attribute.value.words;
        match attribute.id {
            COOPERATIVE => read.cooperative = words[0] != 0,
            CLUSTER_DIMENSION => {
                let [x, y, z] = [words[0], words[1], words[2]];
                read.cluster = Some(Dim3 { x, y, z });
            }
            PROGRAMMATIC_STREAM_SERIALIZATION => read.overlaps = words[0] != 0,
            PROGRAMMATIC_EVENT => {
                return machine.refuse("cudaLaunchKernelExC with a programmatic event");
            }
            MEMORY_SYNCHRONISATION_DOMAIN if words[0] > 1 => {
                return Err(CudaError::INVALID_VALUE);
            }
            LAUNCH_COMPLETION_EVENT => {
                return machine.refuse("cudaLaunchKernelExC with a launch completion event");
            }
            DEVICE_UPDATABLE_NODE if words[0] != 0 => {
                return machine.refuse("cudaLaunchKernelExC with a device-updatable node");
            }
            ..0 => return Err(CudaError::INVALID_VALUE),
            0..=LAST_ATTRIBUTE => {}
            // It may be one of a later CUDA, and change what the launch means.
            _ => return machine.refuse("cudaLaunchKernelExC with an attribute of a later CUDA"),
        }
    }
    Ok(read)
}

/// The clusters that attributes ask for, where nothing else about them matters.
pub(crate) fn cluster_of(attributes: &[LaunchAttribute]) -> Option<Dim3> {
    let is_cluster = |attribute: &&LaunchAttribute| attribute.id == CLUSTER_DIMENSION;
    let words = &attributes.iter().rfind(is_cluster)?.value.words;
    Some(Dim3 { x: words[0], y: words[1], z: words[2] })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::LaunchAttributeValue;
    use warpsan_runtime::{Options, Session};

    fn attribute(id: c_int, words: [u32; 3]) -> LaunchAttribute {
        let mut value = LaunchAttributeValue { words: [0; 16] };
        value.words[..3].copy_from_slice(&words);
        LaunchAttribute { id, padding: [0; 4], value }
    }

    #[test]
    fn hints_are_taken_and_unknown_attributes_are_not() {
        let session = Session::in_memory(Options::default()).expect("a session");
        let mut machine = Machine::with_session(session);
        let mut read = |attribute| read_attributes(&mut machine, &[attribute]);
        let nothing = LaunchAttributes::default();
        for hint in [0, 1, 3, 5, 8, 9, 11, 14, 16] {
            assert_eq!(read(attribute(hint, [1, 0, 0])), Ok(nothing), "attribute {hint}");
        }
        assert_eq!(read(attribute(10, [1, 0, 0])), Ok(nothing));
        assert_eq!(read(attribute(10, [9, 0, 0])), Err(CudaError::INVALID_VALUE));
        assert_eq!(read(attribute(-1, [0, 0, 0])), Err(CudaError::INVALID_VALUE));
        assert_eq!(read(attribute(99, [0, 0, 0])), Err(CudaError(801)));
        let report = machine.into_session().expect("a session").into_report();
        assert_eq!(report.not_covered.len(), 1);
        assert!(report.not_covered[0].what.contains("an attribute of a later CUDA"));
    }

    #[test]
    fn clusters_and_cooperation_are_read() {
        let attributes =
            [attribute(COOPERATIVE, [1, 0, 0]), attribute(CLUSTER_DIMENSION, [4, 2, 1])];
        let read = read_attributes(&mut Machine::default(), &attributes).expect("read");
        assert!(read.cooperative);
        assert_eq!(read.cluster, Some(Dim3 { x: 4, y: 2, z: 1 }));
        assert_eq!(cluster_of(&attributes), read.cluster);
    }
}
