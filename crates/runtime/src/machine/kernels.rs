//! What is known of kernels, and what a program has set for them.

use super::error::CudaError;
use super::registry::{Function, FunctionSettings};
use super::state::Machine;
use crate::{DeviceAddress, KernelInfo};
use std::ffi::c_int;
use warpsan_model::EMULATED_DEVICE;

/// `cudaFuncAttribute`.
const MAX_DYNAMIC_SHARED_BYTES: c_int = 8;
const PREFERRED_SHARED_CARVEOUT: c_int = 9;
const REQUIRED_CLUSTER_WIDTH: c_int = 11;
const REQUIRED_CLUSTER_DEPTH: c_int = 13;
const NON_PORTABLE_CLUSTER_ALLOWED: c_int = 14;
const CLUSTER_SCHEDULING_POLICY: c_int = 15;

impl Machine {
    /// What is known of a kernel, and what the program has set for it.
    pub fn kernel_and_settings(
        &mut self,
        function: usize,
    ) -> Result<(KernelInfo, FunctionSettings), CudaError> {
        self.check_registered(function)?;
        let (session, registry) = self.session_and_registry()?;
        let kernel = registry.kernel(session, function)?;
        let info = session.kernel_info(kernel)?;
        Ok((info, registry.function(function)?.settings))
    }

    /// Refuses a kernel or variable whose code the program has unregistered.
    fn check_registered(&mut self, host: usize) -> Result<(), CudaError> {
        let Some(name) = self.registry.unregistered(host) else { return Ok(()) };
        let name = name.to_string();
        Err(self.session()?.code_is_gone(&name).into())
    }

    /// A kernel that is registered.
    pub fn function(&mut self, host: usize) -> Result<&mut Function, CudaError> {
        self.check_registered(host)?;
        self.registry.function(host)
    }

    /// Address and size of the device variable behind a host address.
    pub fn variable(&mut self, host: usize) -> Result<(DeviceAddress, u64), CudaError> {
        self.check_registered(host)?;
        let (session, registry) = self.session_and_registry()?;
        registry.variable(session, host)
    }

    /// Sets an attribute of a kernel.
    pub fn set_kernel_attribute(
        &mut self,
        function: usize,
        attribute: c_int,
        value: c_int,
    ) -> Result<(), CudaError> {
        let (info, settings) = self.kernel_and_settings(function)?;
        self.registry.function(function)?.settings = changed(&info, settings, attribute, value)?;
        Ok(())
    }
}

/// The dynamic shared memory that a launch of a kernel may have.
pub fn allowed_dynamic_shared_bytes(info: &KernelInfo, settings: &FunctionSettings) -> usize {
    let usual = EMULATED_DEVICE.shared_bytes_per_block as usize;
    let usual = usual.saturating_sub(info.static_shared_bytes);
    settings.max_dynamic_shared_bytes.map_or(usual, |bytes| bytes as usize)
}

/// The settings after one of them was changed.
fn changed(
    info: &KernelInfo,
    mut settings: FunctionSettings,
    attribute: c_int,
    value: c_int,
) -> Result<FunctionSettings, CudaError> {
    let refused = Err(CudaError::INVALID_VALUE);
    match attribute {
        MAX_DYNAMIC_SHARED_BYTES => {
            let bytes = u32::try_from(value).map_err(|_| CudaError::INVALID_VALUE)?;
            let most = EMULATED_DEVICE.shared_bytes_per_block_opt_in as usize;
            if info.static_shared_bytes + bytes as usize > most {
                return refused;
            }
            settings.max_dynamic_shared_bytes = Some(bytes);
        }
        PREFERRED_SHARED_CARVEOUT if (-1..=100).contains(&value) => {
            settings.preferred_shared_carveout = value;
        }
        REQUIRED_CLUSTER_WIDTH..=REQUIRED_CLUSTER_DEPTH => {
            let dimension = (attribute - REQUIRED_CLUSTER_WIDTH) as usize;
            // What a kernel was compiled for cannot be changed any more.
            let compiled = info.cluster.map(|cluster| [cluster.x, cluster.y, cluster.z][dimension]);
            if value < 0 || compiled.is_some_and(|extent| extent as c_int != value) {
                return refused;
            }
            settings.required_cluster[dimension] = value;
        }
        NON_PORTABLE_CLUSTER_ALLOWED => settings.non_portable_cluster_allowed = value,
        CLUSTER_SCHEDULING_POLICY if (0..=2).contains(&value) => {
            settings.cluster_scheduling_policy = value;
        }
        _ => return refused,
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dim3;

    fn info(static_shared_bytes: usize, cluster: Option<Dim3>) -> KernelInfo {
        KernelInfo { cluster, ..KernelInfo::that_needs(10, static_shared_bytes) }
    }

    /// Answers as an H200 gave them.
    #[test]
    fn attributes_take_what_the_device_takes() {
        let plain = info(0, None);
        let clustered = info(0, Some(Dim3 { x: 2, y: 1, z: 1 }));
        let takes = |info: &KernelInfo, attribute, value| {
            changed(info, FunctionSettings::default(), attribute, value).is_ok()
        };
        assert!(takes(&plain, MAX_DYNAMIC_SHARED_BYTES, 232_448));
        assert!(!takes(&plain, MAX_DYNAMIC_SHARED_BYTES, 232_449));
        assert!(!takes(&info(1, None), MAX_DYNAMIC_SHARED_BYTES, 232_448));
        assert!(takes(&plain, PREFERRED_SHARED_CARVEOUT, -1));
        assert!(!takes(&plain, PREFERRED_SHARED_CARVEOUT, 101));
        assert!(takes(&clustered, REQUIRED_CLUSTER_WIDTH, 2));
        assert!(!takes(&clustered, REQUIRED_CLUSTER_WIDTH, 3));
        assert!(takes(&plain, REQUIRED_CLUSTER_WIDTH, 3));
        assert!(!takes(&plain, 10, 1), "whether clusters are needed can only be read");
        assert!(!takes(&plain, 16, 1));
    }

    #[test]
    fn dynamic_shared_memory_is_what_is_left_or_what_was_asked_for() {
        let plain = info(512, None);
        let usual = FunctionSettings::default();
        assert_eq!(allowed_dynamic_shared_bytes(&plain, &usual), 48_640);
        let more = changed(&plain, usual, MAX_DYNAMIC_SHARED_BYTES, 98_304).expect("allowed");
        assert_eq!(allowed_dynamic_shared_bytes(&plain, &more), 98_304);
    }
}
