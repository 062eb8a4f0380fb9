//! What nodes of graphs do, and the structures by which programs describe it.

use crate::box_copy::{BoxCopy, box_asked};
use crate::call::Api;
use crate::copy::{checked_copy, side_of};
use crate::error::CudaError;
use crate::launch::{Launch, checked_launch};
use crate::launch_attributes::LaunchAttributes;
use crate::memory_types::{BoxCopyParameters, BoxSide, Extent, PitchedPointer, Position};
use crate::types::CudaDim3;
use crate::unsupported::refuse;
use std::ffi::{c_int, c_uint, c_void};
use std::sync::Arc;
use warpsan_runtime::{Pattern, QueuedLaunch, Side, Task, Transfer};

/// `cudaKernelNodeParams`, and its second version, which is laid out alike.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct KernelNodeParameters {
    pub(crate) function: *const c_void,
    pub(crate) grid: CudaDim3,
    pub(crate) block: CudaDim3,
    pub(crate) shared_bytes: c_uint,
    pub(crate) arguments: *const *const c_void,
    pub(crate) extra: *const *const c_void,
}

/// `cudaMemsetParams`, and its second version.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct FillNodeParameters {
    pub(crate) to: *mut c_void,
    pub(crate) pitch: usize,
    pub(crate) value: c_uint,
    pub(crate) element_bytes: c_uint,
    /// In elements.
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// `cudaHostFn_t`.
pub(crate) type HostFn = unsafe extern "C" fn(*mut c_void);

/// `cudaHostNodeParams`, and its second version.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(crate) struct HostNodeParameters {
    pub(crate) function: Option<HostFn>,
    pub(crate) data: *mut c_void,
}

/// What a node does.
#[derive(Clone)]
pub(crate) enum NodeWork {
    Kernel(KernelNode),
    Copy(CopyNode),
    Fill(FillNode),
    Host(HostNode),
    /// A graph that belongs to the node.
    Graph(usize),
    Empty,
    /// Waits for an event.
    Wait(usize),
    /// Records an event.
    Record(usize),
}

impl NodeWork {
    /// `cudaGraphNodeType`.
    pub(crate) fn kind(&self) -> c_int {
        match self {
            NodeWork::Kernel(_) => 0,
            NodeWork::Copy(_) => 1,
            NodeWork::Fill(_) => 2,
            NodeWork::Host(_) => 3,
            NodeWork::Graph(_) => 4,
            NodeWork::Empty => 5,
            NodeWork::Wait(_) => 6,
            NodeWork::Record(_) => 7,
        }
    }
}

impl NodeWork {
    /// Whether a node that can be launched may do something else instead: it is of the same kind, copies of several
    /// rows stay as they are, and fills of several rows keep their extents.
    pub(crate) fn can_become(&self, other: &NodeWork) -> bool {
        match (self, other) {
            (NodeWork::Copy(own), NodeWork::Copy(other)) => {
                own.transfers.len() == 1 && other.transfers.len() == 1
            }
            (NodeWork::Fill(own), NodeWork::Fill(other)) => {
                let (own, other) = (own.parameters(), other.parameters());
                let is_row = own.height == 1 && other.height == 1;
                is_row || (own.width, own.height) == (other.width, other.height)
            }
            _ => self.kind() == other.kind(),
        }
    }
}

#[derive(Clone)]
pub(crate) struct KernelNode {
    pub(crate) launch: QueuedLaunch,
    function: usize,
    grid: CudaDim3,
    block: CudaDim3,
    /// Where the program finds the arguments when it asks for them.
    arguments: Arc<[usize]>,
    /// The arguments that these addresses are of.
    _kept: Arc<[u8]>,
}

impl KernelNode {
    /// # Safety
    /// The parameters have one argument for each parameter of the kernel.
    pub(crate) unsafe fn new(
        api: &mut Api,
        parameters: &KernelNodeParameters,
    ) -> Result<KernelNode, CudaError> {
        if !parameters.extra.is_null() {
            return refuse(api, "a kernel node with arguments in one buffer");
        }
        let launch = Launch {
            function: parameters.function,
            grid: parameters.grid,
            block: parameters.block,
            arguments: parameters.arguments,
            shared_bytes: parameters.shared_bytes as usize,
            stream: std::ptr::null_mut(),
            attributes: LaunchAttributes::default(),
        };
        // SAFETY: passed on from the caller.
        let queued = unsafe { checked_launch(api, &launch) }?;
        KernelNode::of_launch(api, &launch, queued)
    }

    /// The node of a launch that was captured.
    pub(crate) fn of_launch(
        api: &mut Api,
        launch: &Launch,
        queued: QueuedLaunch,
    ) -> Result<KernelNode, CudaError> {
        let info = api.session()?.kernel_info(queued.kernel)?;
        let kept: Arc<[u8]> = queued.parameters.clone().into();
        let address = kept.as_ptr().expose_provenance();
        let arguments = info.parameters.iter().map(|parameter| address + parameter.offset);
        Ok(KernelNode {
            launch: queued,
            function: launch.function.expose_provenance(),
            grid: launch.grid,
            block: launch.block,
            arguments: arguments.collect(),
            _kept: kept,
        })
    }

    /// The description, as a program may ask for it.
    pub(crate) fn parameters(&self) -> KernelNodeParameters {
        KernelNodeParameters {
            function: std::ptr::with_exposed_provenance(self.function),
            grid: self.grid,
            block: self.block,
            shared_bytes: self.launch.dynamic_shared_bytes,
            arguments: self.arguments.as_ptr().cast(),
            extra: std::ptr::null(),
        }
    }
}

#[derive(Clone)]
pub(crate) struct CopyNode {
    pub(crate) transfers: Vec<Transfer>,
    parameters: CopyParameters,
}

/// The description of a copy, which is only given back.
#[derive(Clone, Copy)]
struct CopyParameters(BoxCopyParameters);

// SAFETY: the addresses in it are never followed.
unsafe impl Send for CopyParameters {}

impl CopyNode {
    /// A copy of a box.
    pub(crate) fn of_box(
        api: &mut Api,
        parameters: &BoxCopyParameters,
    ) -> Result<CopyNode, CudaError> {
        let BoxCopyParameters { from, to, extent, kind } = parameters;
        let asked: Option<BoxCopy> = box_asked(api, to, from, *extent, *kind)?;
        let transfers = match asked {
            Some(asked) => asked.rows(api)?,
            None => return Err(CudaError::INVALID_VALUE),
        };
        Ok(CopyNode { transfers, parameters: CopyParameters(*parameters) })
    }

    /// A copy of bytes that follow each other.
    pub(crate) fn of_bytes(
        api: &mut Api,
        (to, from): (*mut c_void, *const c_void),
        bytes: usize,
        kind: c_int,
    ) -> Result<CopyNode, CudaError> {
        let transfer = checked_copy(api, to, from, bytes, kind)?;
        Ok(CopyNode::of_transfers(vec![transfer.ok_or(CudaError::INVALID_VALUE)?]))
    }

    /// Copies that are described by their first row.
    pub(crate) fn of_transfers(transfers: Vec<Transfer>) -> CopyNode {
        let address = |side: &Side| match side {
            Side::Device(address) => address.0,
            Side::Registered(address) | Side::Host(address) => *address,
        };
        let (to, from, bytes) = match transfers.first() {
            Some(Transfer::Copy { to, from, bytes }) => (address(to), address(from), *bytes),
            _ => (0, 0, 0),
        };
        let bytes = bytes as usize;
        let side = |address: u64| BoxSide {
            array: std::ptr::null_mut(),
            position: Position { x: 0, y: 0, z: 0 },
            memory: PitchedPointer {
                address: std::ptr::with_exposed_provenance_mut(address as usize),
                pitch: bytes,
                row_bytes: bytes,
                rows: 1,
            },
        };
        let extent = Extent { width: bytes, height: transfers.len(), depth: 1 };
        let kind = crate::copy::DEFAULT_KIND;
        let parameters = BoxCopyParameters { from: side(from), to: side(to), extent, kind };
        CopyNode { transfers, parameters: CopyParameters(parameters) }
    }

    pub(crate) fn parameters(&self) -> BoxCopyParameters {
        self.parameters.0
    }
}

#[derive(Clone)]
pub(crate) struct FillNode {
    pub(crate) transfers: Vec<Transfer>,
    parameters: FillParameters,
}

/// The description of a fill, which is only given back.
#[derive(Clone, Copy)]
struct FillParameters(FillNodeParameters);

// SAFETY: the address in it is never followed.
unsafe impl Send for FillParameters {}

impl FillNode {
    pub(crate) fn new(
        api: &mut Api,
        parameters: &FillNodeParameters,
    ) -> Result<FillNode, CudaError> {
        let FillNodeParameters { to, pitch, value, element_bytes, width, height } = *parameters;
        let row = width.checked_mul(element_bytes as usize);
        let fits = |row: usize| height <= 1 || row <= pitch;
        let row = row.filter(|row| *row > 0 && height > 0 && fits(*row));
        let (Some(row), 1 | 2 | 4) = (row, element_bytes) else {
            return Err(CudaError::INVALID_VALUE);
        };
        let pattern = Pattern { value, bytes: element_bytes as u8 };
        let mut transfers = Vec::new();
        for index in 0..height {
            let offset = pitch.checked_mul(index).ok_or(CudaError::INVALID_VALUE)?;
            let to = side_of(api, to.wrapping_byte_add(offset), row)?;
            if matches!(to, Side::Host(_)) {
                return Err(CudaError::INVALID_VALUE);
            }
            transfers.push(Transfer::Fill { to, pattern, bytes: row as u64 });
        }
        Ok(FillNode { transfers, parameters: FillParameters(*parameters) })
    }

    /// Fills that were captured.
    pub(crate) fn of_transfers(transfers: Vec<Transfer>) -> FillNode {
        let (to, value, width) = match transfers.first() {
            Some(Transfer::Fill { to: Side::Device(to), pattern, bytes }) => {
                (to.0 as usize, pattern.value, *bytes as usize)
            }
            _ => (0, 0, 0),
        };
        let parameters = FillNodeParameters {
            to: std::ptr::with_exposed_provenance_mut(to),
            pitch: width,
            value,
            element_bytes: 1,
            width,
            height: transfers.len(),
        };
        FillNode { transfers, parameters: FillParameters(parameters) }
    }

    pub(crate) fn parameters(&self) -> FillNodeParameters {
        self.parameters.0
    }
}

#[derive(Clone)]
pub(crate) struct HostNode {
    function: HostFn,
    data: usize,
}

impl HostNode {
    pub(crate) fn new(parameters: &HostNodeParameters) -> Result<HostNode, CudaError> {
        let function = parameters.function.ok_or(CudaError::INVALID_VALUE)?;
        Ok(HostNode { function, data: parameters.data.expose_provenance() })
    }

    pub(crate) fn parameters(&self) -> HostNodeParameters {
        let data = std::ptr::with_exposed_provenance_mut(self.data);
        HostNodeParameters { function: Some(self.function), data }
    }

    pub(crate) fn task(&self) -> Task {
        let HostNode { function, data } = *self;
        Task::HostFunction(Arc::new(move || {
            // SAFETY: the program passes a function for this argument.
            unsafe { function(std::ptr::with_exposed_provenance_mut(data)) };
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::mem::{offset_of, size_of};

    /// Sizes and offsets as the C compiler gives them for the headers of 12.9 and 13.0.
    #[test]
    fn the_layouts_are_those_of_the_headers() {
        assert_eq!(size_of::<KernelNodeParameters>(), 56);
        assert_eq!(offset_of!(KernelNodeParameters, arguments), 40);
        assert_eq!(size_of::<FillNodeParameters>(), 40);
        assert_eq!(offset_of!(FillNodeParameters, width), 24);
        assert_eq!(size_of::<HostNodeParameters>(), 16);
    }
}
