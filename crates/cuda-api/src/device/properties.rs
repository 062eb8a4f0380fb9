//! `cudaDeviceProp`, whose layout changed with CUDA 13: fields that had long been deprecated went,
//! and some of the reserved space got names.

use crate::device::limits as device;
use std::ffi::{c_char, c_int, c_uint};

/// A field that CUDA 12 has and CUDA 13 has not: a number there, and nothing here.
pub(crate) trait DeprecatedField {
    fn of(value: c_int) -> Self;
}

impl DeprecatedField for c_int {
    fn of(value: c_int) -> Self {
        value
    }
}

impl DeprecatedField for () {
    fn of(_value: c_int) -> Self {}
}

/// The properties of CUDA 12, where they are a number, and of CUDA 13, where they are nothing.
pub(crate) type DeviceProperties12 = DeviceProperties<c_int>;
pub(crate) type DeviceProperties13 = DeviceProperties<()>;

/// `cudaDeviceProp`.
#[repr(C)]
pub(crate) struct DeviceProperties<Deprecated> {
    name: [c_char; 256],
    uuid: [u8; 16],
    luid: [c_char; 8],
    luid_device_node_mask: c_uint,
    total_global_memory: usize,
    shared_memory_per_block: usize,
    registers_per_block: c_int,
    warp_size: c_int,
    memory_pitch: usize,
    max_threads_per_block: c_int,
    max_threads_dimensions: [c_int; 3],
    max_grid_size: [c_int; 3],
    clock_rate: Deprecated,
    total_constant_memory: usize,
    major: c_int,
    minor: c_int,
    texture_alignment: usize,
    texture_pitch_alignment: usize,
    device_overlap: Deprecated,
    multiprocessor_count: c_int,
    kernel_execution_timeout_enabled: Deprecated,
    integrated: c_int,
    can_map_host_memory: c_int,
    compute_mode: Deprecated,
    max_texture_1d: c_int,
    max_texture_1d_mipmap: c_int,
    max_texture_1d_linear: Deprecated,
    max_texture_2d: [c_int; 2],
    max_texture_2d_mipmap: [c_int; 2],
    max_texture_2d_linear: [c_int; 3],
    max_texture_2d_gather: [c_int; 2],
    max_texture_3d: [c_int; 3],
    max_texture_3d_alternate: [c_int; 3],
    max_texture_cubemap: c_int,
    max_texture_1d_layered: [c_int; 2],
    max_texture_2d_layered: [c_int; 3],
    max_texture_cubemap_layered: [c_int; 2],
    max_surface_1d: c_int,
    max_surface_2d: [c_int; 2],
    max_surface_3d: [c_int; 3],
    max_surface_1d_layered: [c_int; 2],
    max_surface_2d_layered: [c_int; 3],
    max_surface_cubemap: c_int,
    max_surface_cubemap_layered: [c_int; 2],
    surface_alignment: usize,
    concurrent_kernels: c_int,
    ecc_enabled: c_int,
    pci_bus_id: c_int,
    pci_device_id: c_int,
    pci_domain_id: c_int,
    tcc_driver: c_int,
    async_engine_count: c_int,
    unified_addressing: c_int,
    memory_clock_rate: Deprecated,
    memory_bus_width: c_int,
    l2_cache_size: c_int,
    persisting_l2_cache_max_size: c_int,
    max_threads_per_multiprocessor: c_int,
    stream_priorities_supported: c_int,
    global_l1_cache_supported: c_int,
    local_l1_cache_supported: c_int,
    shared_memory_per_multiprocessor: usize,
    registers_per_multiprocessor: c_int,
    managed_memory: c_int,
    is_multi_gpu_board: c_int,
    multi_gpu_board_group_id: c_int,
    host_native_atomic_supported: c_int,
    single_to_double_precision_performance_ratio: Deprecated,
    pageable_memory_access: c_int,
    concurrent_managed_access: c_int,
    compute_preemption_supported: c_int,
    can_use_host_pointer_for_registered_memory: c_int,
    cooperative_launch: c_int,
    cooperative_multi_device_launch: Deprecated,
    shared_memory_per_block_opt_in: usize,
    pageable_memory_access_uses_host_page_tables: c_int,
    direct_managed_memory_access_from_host: c_int,
    max_blocks_per_multiprocessor: c_int,
    access_policy_max_window_size: c_int,
    reserved_shared_memory_per_block: usize,
    host_register_supported: c_int,
    sparse_cuda_array_supported: c_int,
    host_register_read_only_supported: c_int,
    timeline_semaphore_interop_supported: c_int,
    memory_pools_supported: c_int,
    gpu_direct_rdma_supported: c_int,
    gpu_direct_rdma_flush_writes_options: c_uint,
    gpu_direct_rdma_writes_ordering: c_int,
    memory_pool_supported_handle_types: c_uint,
    deferred_mapping_cuda_array_supported: c_int,
    ipc_event_supported: c_int,
    cluster_launch: c_int,
    unified_function_pointers: c_int,
    /// Reserved in CUDA 12. In CUDA 13 the first seven are the NUMA configuration and node of the
    /// device, whether MPS is used, the NUMA node of the host, two PCI ids, and IPC between nodes.
    reserved: [c_int; 63],
}

impl<Deprecated: DeprecatedField> DeviceProperties<Deprecated> {
    /// The properties of our device, which has this much memory.
    pub(crate) fn new(total_global_memory: usize) -> Self {
        // SAFETY: every field is a number, an array of numbers, or nothing; zero is a value of all.
        let mut properties: Self = unsafe { std::mem::zeroed() };
        for (to, from) in properties.name.iter_mut().zip(device::NAME.bytes()) {
            *to = from as c_char;
        }
        properties.uuid = *device::UUID;
        properties.total_global_memory = total_global_memory;
        properties.shared_memory_per_block = device::SHARED_BYTES_PER_BLOCK;
        properties.registers_per_block = device::REGISTERS;
        properties.warp_size = device::WARP_SIZE;
        properties.memory_pitch = device::MAX_PITCH;
        properties.max_threads_per_block = device::MAX_THREADS_PER_BLOCK;
        properties.max_threads_dimensions = device::MAX_BLOCK;
        properties.max_grid_size = device::MAX_GRID;
        properties.clock_rate = Deprecated::of(device::CLOCK_KILOHERTZ);
        properties.total_constant_memory = device::CONSTANT_BYTES;
        (properties.major, properties.minor) = device::COMPUTE_CAPABILITY;
        properties.texture_alignment = device::TEXTURE_ALIGNMENT;
        properties.texture_pitch_alignment = device::TEXTURE_PITCH_ALIGNMENT;
        properties.device_overlap = Deprecated::of(1);
        properties.multiprocessor_count = device::MULTIPROCESSORS;
        properties.can_map_host_memory = 1;
        properties.set_texture_limits();
        properties.surface_alignment = device::TEXTURE_ALIGNMENT;
        properties.ecc_enabled = 1;
        properties.pci_bus_id = device::PCI_BUS;
        properties.pci_device_id = device::PCI_DEVICE;
        properties.pci_domain_id = device::PCI_DOMAIN;
        properties.concurrent_kernels = 1;
        properties.async_engine_count = device::ASYNC_ENGINES;
        properties.unified_addressing = 1;
        properties.memory_clock_rate = Deprecated::of(device::MEMORY_CLOCK_KILOHERTZ);
        properties.memory_bus_width = device::MEMORY_BUS_BITS;
        properties.l2_cache_size = device::L2_BYTES;
        properties.persisting_l2_cache_max_size = device::PERSISTING_L2_BYTES;
        properties.max_threads_per_multiprocessor = device::MAX_THREADS_PER_MULTIPROCESSOR;
        properties.stream_priorities_supported = 1;
        properties.global_l1_cache_supported = 1;
        properties.local_l1_cache_supported = 1;
        properties.shared_memory_per_multiprocessor = device::SHARED_BYTES_PER_MULTIPROCESSOR;
        properties.registers_per_multiprocessor = device::REGISTERS;
        properties.managed_memory = 1;
        properties.single_to_double_precision_performance_ratio = Deprecated::of(2);
        properties.concurrent_managed_access = 1;
        properties.compute_preemption_supported = 1;
        properties.can_use_host_pointer_for_registered_memory = 1;
        properties.cooperative_launch = 1;
        properties.shared_memory_per_block_opt_in = device::SHARED_BYTES_PER_BLOCK_OPT_IN;
        properties.max_blocks_per_multiprocessor = device::MAX_BLOCKS_PER_MULTIPROCESSOR;
        properties.reserved_shared_memory_per_block = device::SHARED_BYTES_RESERVED;
        properties.access_policy_max_window_size = device::ACCESS_POLICY_WINDOW_BYTES;
        properties.host_register_supported = 1;
        properties.host_register_read_only_supported = 1;
        properties.memory_pools_supported = 1;
        properties.cluster_launch = 1;
        properties.unified_function_pointers = 1;
        // In CUDA 13 this is the NUMA node of the device, which is none.
        properties.reserved[1] = -1;
        properties
    }

    /// The largest textures and surfaces.
    fn set_texture_limits(&mut self) {
        self.max_texture_1d = 131_072;
        self.max_texture_1d_mipmap = 32_768;
        self.max_texture_1d_linear = Deprecated::of(268_435_456);
        self.max_texture_2d = [131_072, 65_536];
        self.max_texture_2d_mipmap = [32_768, 32_768];
        self.max_texture_2d_linear = [131_072, 65_000, 2_097_120];
        self.max_texture_2d_gather = [32_768, 32_768];
        self.max_texture_3d = [16_384; 3];
        self.max_texture_3d_alternate = [8_192, 8_192, 32_768];
        self.max_texture_cubemap = 32_768;
        self.max_texture_1d_layered = [32_768, 2_048];
        self.max_texture_2d_layered = [32_768, 32_768, 2_048];
        self.max_texture_cubemap_layered = [32_768, 2_046];
        self.max_surface_1d = 32_768;
        self.max_surface_2d = [131_072, 65_536];
        self.max_surface_3d = [16_384; 3];
        self.max_surface_1d_layered = [32_768, 2_048];
        self.max_surface_2d_layered = [32_768, 32_768, 2_048];
        self.max_surface_cubemap = 32_768;
        self.max_surface_cubemap_layered = [32_768, 2_046];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    /// Sizes and offsets as the C compiler gives them for the header of 12.9.
    #[test]
    fn the_layout_of_12_is_that_of_its_header() {
        assert_eq!(size_of::<DeviceProperties12>(), 1032);
        assert_eq!(offset_of!(DeviceProperties12, total_global_memory), 288);
        assert_eq!(offset_of!(DeviceProperties12, multiprocessor_count), 388);
        assert_eq!(offset_of!(DeviceProperties12, max_texture_1d), 408);
        assert_eq!(offset_of!(DeviceProperties12, surface_alignment), 568);
        assert_eq!(offset_of!(DeviceProperties12, async_engine_count), 600);
        assert_eq!(offset_of!(DeviceProperties12, managed_memory), 652);
        assert_eq!(offset_of!(DeviceProperties12, cooperative_launch), 688);
        assert_eq!(offset_of!(DeviceProperties12, shared_memory_per_block_opt_in), 696);
        assert_eq!(offset_of!(DeviceProperties12, cluster_launch), 772);
        assert_eq!(offset_of!(DeviceProperties12, reserved), 780);
    }

    /// Sizes and offsets as the C compiler gives them for the header of 13.0.
    #[test]
    fn the_layout_of_13_is_that_of_its_header() {
        assert_eq!(size_of::<DeviceProperties13>(), 1008);
        assert_eq!(offset_of!(DeviceProperties13, total_global_memory), 288);
        assert_eq!(offset_of!(DeviceProperties13, multiprocessor_count), 384);
        assert_eq!(offset_of!(DeviceProperties13, max_texture_1d), 396);
        assert_eq!(offset_of!(DeviceProperties13, surface_alignment), 552);
        assert_eq!(offset_of!(DeviceProperties13, async_engine_count), 584);
        assert_eq!(offset_of!(DeviceProperties13, managed_memory), 636);
        assert_eq!(offset_of!(DeviceProperties13, cooperative_launch), 668);
        assert_eq!(offset_of!(DeviceProperties13, shared_memory_per_block_opt_in), 672);
        assert_eq!(offset_of!(DeviceProperties13, cluster_launch), 748);
        // The seven new fields come before what is still reserved there.
        assert_eq!(offset_of!(DeviceProperties13, reserved) + 7 * 4, 784);
    }

    #[test]
    fn both_layouts_carry_the_same_values() {
        let (old, new) = (DeviceProperties12::new(1 << 30), DeviceProperties13::new(1 << 30));
        assert_eq!(old.name, new.name);
        assert_eq!(old.multiprocessor_count, new.multiprocessor_count);
        assert_eq!(old.clock_rate, device::CLOCK_KILOHERTZ);
        assert_eq!(old.max_surface_cubemap_layered, new.max_surface_cubemap_layered);
        assert_eq!(old.cluster_launch, 1);
        assert_eq!(Some(new.l2_cache_size), crate::device::attributes::attribute(38));
    }
}
