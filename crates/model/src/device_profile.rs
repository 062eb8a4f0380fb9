//! What the emulated device is: every limit that programs can ask for, or run into.

use crate::WARP_LANES;

/// The limits and sizes of a device. Sizes are in bytes, and arrays are x, y, z.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceProfile {
    /// Major and minor number of the compute capability.
    pub compute_capability: (u32, u32),
    /// Multiprocessors of the device.
    pub multiprocessors: u32,
    /// Multiprocessors of each group that a cluster cannot leave. Their sum is `multiprocessors`.
    pub multiprocessor_groups: [u32; 8],
    /// Threads of a warp.
    pub warp_size: u32,

    /// Threads of a block, whatever its shape.
    pub max_threads_per_block: u32,
    /// Threads of a block in each dimension.
    pub max_block: [u32; 3],
    /// Blocks of a grid in each dimension.
    pub max_grid: [u32; 3],
    /// Blocks of a cluster that every device of the architecture can run.
    pub max_portable_cluster: u32,
    /// Blocks of a cluster that this device can run, for kernels that allow it.
    pub max_cluster: u32,

    /// Threads that a multiprocessor holds at the same time.
    pub max_threads_per_multiprocessor: u32,
    /// Blocks that a multiprocessor holds at the same time.
    pub max_blocks_per_multiprocessor: u32,
    /// Blocks of clusters that a multiprocessor holds at the same time.
    pub max_cluster_blocks_per_multiprocessor: u32,

    /// Registers of 32 bits of a multiprocessor; one block can have them all.
    pub registers: u32,
    /// Registers of 32 bits of a thread.
    pub max_registers_per_thread: u32,
    /// Registers are given to a warp in multiples of this.
    pub register_granularity: u32,

    /// Shared memory that a block gets without asking.
    pub shared_bytes_per_block: u64,
    /// Shared memory that a block gets after its kernel has opted in.
    pub shared_bytes_per_block_opt_in: u64,
    /// Shared memory of a multiprocessor.
    pub shared_bytes_per_multiprocessor: u64,
    /// Shared memory of a block that the system keeps for itself.
    pub shared_bytes_reserved: u64,
    /// Shared memory is given to a block in multiples of this.
    pub shared_granularity: u64,
    /// Local memory of a thread, which holds its stack.
    pub local_bytes_per_thread: u64,
    /// Constant memory of a module.
    pub constant_bytes: u64,
    /// Parameters of a kernel.
    pub parameter_bytes: u64,
    /// Memory of the device.
    pub memory_bytes: u64,
    /// The L2 cache.
    pub l2_bytes: u64,
    /// The part of the L2 cache that can be set aside for accesses that persist.
    pub persisting_l2_bytes: u64,
    /// The largest window of addresses that an access policy can name.
    pub access_policy_window_bytes: u64,

    /// Bytes between two rows of a copy.
    pub max_pitch: u64,
    /// Alignment of a texture.
    pub texture_alignment: u64,
    /// Alignment of the rows of a texture.
    pub texture_pitch_alignment: u64,

    /// Clock rate of the multiprocessors.
    pub clock_kilohertz: u32,
    /// Clock rate of the memory.
    pub memory_clock_kilohertz: u32,
    /// Width of the bus to the memory.
    pub memory_bus_bits: u32,
    /// Copies that can run beside kernels.
    pub async_engines: u32,
}

impl DeviceProfile {
    /// The compute capability as one number, as in `sm_90`.
    pub const fn architecture(&self) -> u32 {
        self.compute_capability.0 * 10 + self.compute_capability.1
    }

    /// Blocks that the device holds at the same time.
    pub const fn max_resident_blocks(&self) -> u32 {
        self.multiprocessors * self.max_blocks_per_multiprocessor
    }
}

/// The device that the CPU engine stands for, of the class of an H100 and an H200: programs take their current
/// paths on it.
pub const EMULATED_DEVICE: DeviceProfile = DeviceProfile {
    compute_capability: (9, 0),
    multiprocessors: 132,
    multiprocessor_groups: [18, 18, 18, 16, 16, 16, 16, 14],
    warp_size: WARP_LANES,

    max_threads_per_block: 1024,
    max_block: [1024, 1024, 64],
    max_grid: [(1 << 31) - 1, 65_535, 65_535],
    max_portable_cluster: 8,
    max_cluster: 16,

    max_threads_per_multiprocessor: 2048,
    max_blocks_per_multiprocessor: 32,
    max_cluster_blocks_per_multiprocessor: 8,

    registers: 65_536,
    max_registers_per_thread: 255,
    register_granularity: 256,

    shared_bytes_per_block: 48 << 10,
    shared_bytes_per_block_opt_in: 227 << 10,
    shared_bytes_per_multiprocessor: 228 << 10,
    shared_bytes_reserved: 1 << 10,
    shared_granularity: 128,
    local_bytes_per_thread: 512 << 10,
    constant_bytes: 64 << 10,
    parameter_bytes: 32_764,
    memory_bytes: 80 << 30,
    l2_bytes: 60 << 20,
    persisting_l2_bytes: 39_321_600,
    access_policy_window_bytes: 128 << 20,

    max_pitch: (1 << 31) - 1,
    texture_alignment: 512,
    texture_pitch_alignment: 32,

    clock_kilohertz: 1_980_000,
    memory_clock_kilohertz: 3_201_000,
    memory_bus_bits: 6016,
    async_engines: 3,
};

#[cfg(test)]
mod tests {
    use super::EMULATED_DEVICE;

    #[test]
    fn the_limits_of_the_emulated_device_fit_one_another() {
        let device = EMULATED_DEVICE;
        assert_eq!(device.multiprocessor_groups.iter().sum::<u32>(), device.multiprocessors);
        assert_eq!(
            device.shared_bytes_per_block_opt_in + device.shared_bytes_reserved,
            device.shared_bytes_per_multiprocessor
        );
        assert!(device.max_block.iter().all(|size| *size <= device.max_threads_per_block));
        assert!(device.max_threads_per_block <= device.max_threads_per_multiprocessor);
        assert!(device.max_portable_cluster <= device.max_cluster);
        assert!(device.multiprocessor_groups.iter().any(|group| *group >= device.max_cluster));
        assert!(device.persisting_l2_bytes <= device.l2_bytes);
    }

    #[test]
    fn derived_numbers_are_those_of_an_h200() {
        assert_eq!(EMULATED_DEVICE.architecture(), 90);
        assert_eq!(EMULATED_DEVICE.max_resident_blocks(), 4224);
    }
}
