//! A launch's parameters with one more.

use crate::driver_structures::KernelNodeParamsV1;
use crate::hooks::LaunchCall;
use std::ffi::c_void;
use warpsan_instrument::{CONTEXT_BYTES, LaunchContext};

/// The parameters of an instrumented launch, for as long as the real call needs them.
pub(super) struct Arguments {
    pointers: Vec<*mut c_void>,
    buffer: Vec<u8>,
    bytes: usize,
    list: [*mut c_void; 5],
    _context: Box<LaunchContext>,
}

/// Marks in a list of launch parameters.
const BUFFER_POINTER: *mut c_void = std::ptr::without_provenance_mut(1);
const BUFFER_SIZE: *mut c_void = std::ptr::without_provenance_mut(2);

impl Arguments {
    /// The original's parameters (places and sizes as its PTX has them), and the context behind them.
    ///
    /// # Safety
    /// The call's pointers lead to as many parameters as the kernel has.
    pub(super) unsafe fn of(
        call: &LaunchCall,
        parameters: &[(usize, usize)],
        context: LaunchContext,
    ) -> Option<Arguments> {
        let mut context = Box::new(context);
        let place: *mut LaunchContext = &mut *context;
        let mut arguments = Arguments {
            pointers: Vec::new(),
            buffer: Vec::new(),
            bytes: 0,
            list: [std::ptr::null_mut(); 5],
            _context: context,
        };
        if call.extra.is_null() {
            if call.parameters.is_null() && !parameters.is_empty() {
                return None;
            }
            for index in 0..parameters.len() {
                // SAFETY: there is a pointer for each parameter.
                arguments.pointers.push(unsafe { *call.parameters.add(index) });
            }
            arguments.pointers.push(place.cast());
            return Some(arguments);
        }
        // SAFETY: a list that ends with a null.
        let (start, bytes) = unsafe { buffer_of(call.extra) }?;
        // SAFETY: so many bytes are there.
        arguments.buffer.extend_from_slice(unsafe { std::slice::from_raw_parts(start, bytes) });
        arguments.buffer.resize(context_offset(parameters), 0);
        // SAFETY: the context is plain bytes.
        let context =
            unsafe { std::slice::from_raw_parts(place.cast::<u8>(), CONTEXT_BYTES as usize) };
        arguments.buffer.extend_from_slice(context);
        arguments.bytes = arguments.buffer.len();
        Some(arguments)
    }

    /// Makes the call use them. They must outlive it.
    pub(super) fn put(&mut self, call: &mut LaunchCall) {
        if self.buffer.is_empty() {
            call.parameters = self.pointers.as_mut_ptr();
            call.extra = std::ptr::null_mut();
            return;
        }
        let bytes: *mut usize = &mut self.bytes;
        self.list = [
            BUFFER_POINTER,
            self.buffer.as_mut_ptr().cast(),
            BUFFER_SIZE,
            bytes.cast(),
            std::ptr::null_mut(),
        ];
        call.parameters = std::ptr::null_mut();
        call.extra = self.list.as_mut_ptr();
    }
}

/// The bytes of a launch's parameters, as its kernel's parameter block has them.
///
/// # Safety
/// The call's pointers lead to as many parameters as the kernel has.
pub(super) unsafe fn bytes_of(call: &LaunchCall, parameters: &[(usize, usize)]) -> Option<Vec<u8>> {
    if !call.extra.is_null() {
        // SAFETY: a list that ends with a null.
        let (start, bytes) = unsafe { buffer_of(call.extra) }?;
        // SAFETY: so many bytes are there.
        return Some(unsafe { std::slice::from_raw_parts(start, bytes) }.to_vec());
    }
    if call.parameters.is_null() && !parameters.is_empty() {
        return None;
    }
    let mut block = Vec::new();
    for (index, (offset, bytes)) in parameters.iter().enumerate() {
        // SAFETY: there is a pointer for each parameter.
        let place = unsafe { *call.parameters.add(index) };
        block.resize(*offset, 0);
        // SAFETY: it leads to so many bytes.
        block.extend_from_slice(unsafe { std::slice::from_raw_parts(place.cast::<u8>(), *bytes) });
    }
    Some(block)
}

/// Where the context stands behind the original's parameters.
fn context_offset(parameters: &[(usize, usize)]) -> usize {
    parameters.last().map_or(0, |(offset, size)| offset + size).next_multiple_of(8)
}

/// The context of a node whose kernel is one of ours.
///
/// # Safety
/// The node's pointers lead to the parameters of an instrumented kernel, the original's being these.
pub(super) unsafe fn context_of(
    node: &KernelNodeParamsV1,
    parameters: &[(usize, usize)],
) -> Option<LaunchContext> {
    if !node.parameters.is_null() {
        // SAFETY: there is a pointer for each parameter, and one for the context.
        let place = unsafe { *node.parameters.add(parameters.len()) };
        // SAFETY: it leads to a context.
        return (!place.is_null())
            .then(|| unsafe { place.cast::<LaunchContext>().read_unaligned() });
    }
    if node.extra.is_null() {
        return None;
    }
    // SAFETY: a list that ends with a null.
    let (start, bytes) = unsafe { buffer_of(node.extra) }?;
    let offset = context_offset(parameters);
    // SAFETY: so many bytes are there.
    (bytes >= offset + CONTEXT_BYTES as usize)
        .then(|| unsafe { start.add(offset).cast::<LaunchContext>().read_unaligned() })
}

/// # Safety
/// A list of pairs that ends with a null.
unsafe fn buffer_of(extra: *mut *mut c_void) -> Option<(*const u8, usize)> {
    let (mut start, mut bytes) = (std::ptr::null::<u8>(), None);
    let mut at = extra;
    // SAFETY: not behind the end.
    while let key = unsafe { *at }
        && !key.is_null()
    {
        // SAFETY: each key has a value.
        let value = unsafe { *at.add(1) };
        match key {
            BUFFER_POINTER => start = value.cast_const().cast(),
            // SAFETY: it leads to the size.
            BUFFER_SIZE => bytes = Some(unsafe { *value.cast::<usize>() }),
            _ => return None,
        }
        // SAFETY: the next pair or the end.
        at = unsafe { at.add(2) };
    }
    let bytes = bytes?;
    (!start.is_null() || bytes == 0).then_some((start, bytes))
}
