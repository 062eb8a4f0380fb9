//! Instrumented kernels are loaded and made a [`Variant`], and find the variables of their originals.

use super::compiler::Compiled;
use super::device::Device;
use super::error::EngineError;
use super::identity::Identity;
use super::instrumented::Ready;
use super::variants::{Key, Variant};
use super::{Engine, Prepared};
use crate::CUstream;
use crate::driver::Driver;
use crate::driver_types::{CUfunction, CUfunctionAttribute, CUmodule};
use crate::hooks::{Allocation, AllocationKind, CodeContainer};
use std::ffi::{CString, c_int, c_void};
use std::sync::Arc;
use warpsan_instrument::{VARIABLE_TABLE, VariableUse};

/// Loads a variant.
pub(super) fn load(
    engine: &Engine,
    ready: Ready,
    identity: &Identity,
    key: &Key,
    number: u32,
    device: &mut Device,
) -> Result<Variant, EngineError> {
    let (module, function) = load_module(engine, &ready.code, &identity.name)?;
    let placed = place_variables(engine, identity, module, &ready.variables, device);
    let (constants, variables) = match placed {
        Ok(placed) => placed,
        Err(error) => {
            // SAFETY: a module that nobody knows.
            unsafe { engine.driver.cuModuleUnload(module) };
            return Err(error);
        }
    };
    report_cost(engine, identity, key, function, &ready);
    Ok(Variant {
        context: key.context,
        number,
        plan: key.plan,
        module,
        function,
        original: key.function,
        original_is_kernel: identity.by_kernel,
        container: identity.container,
        uses: ready.uses,
        parameters: ready.parameters,
        constants,
        variables,
        copies: ready.copies,
        sites: Arc::new(ready.sites),
        accesses: ready.accesses.into(),
        infos: ready.infos.into(),
        paths: Arc::new(ready.paths),
        facts: Arc::new(ready.facts),
    })
}

/// Loads a module, and finds a kernel of it.
pub(super) fn load_module(
    engine: &Engine,
    compiled: &Compiled,
    name: &str,
) -> Result<(CUmodule, CUfunction), EngineError> {
    let driver = engine.driver;
    let mut module = CUmodule::NULL;
    let result = match compiled {
        // SAFETY: an image that says how long it is.
        Compiled::Cubin(bytes) => unsafe {
            driver.cuModuleLoadData(&mut module, bytes.as_ptr().cast::<c_void>())
        },
        Compiled::Text(text) => {
            let text = CString::new(text.as_str()).map_err(|_| EngineError::ZeroInPtx)?;
            // SAFETY: text that ends with a zero.
            unsafe { driver.cuModuleLoadData(&mut module, text.as_ptr().cast::<c_void>()) }
        }
    };
    driver.check("cuModuleLoadData", result).map_err(EngineError::NotLoaded)?;
    Ok((module, function_of(engine, module, name)?))
}

/// A kernel of a module of ours.
pub(super) fn function_of(
    engine: &Engine,
    module: CUmodule,
    name: &str,
) -> Result<CUfunction, EngineError> {
    let name = CString::new(name).map_err(|_| EngineError::ZeroInName)?;
    let mut function = CUfunction::NULL;
    // SAFETY: a module of ours and a name.
    let result = unsafe { engine.driver.cuModuleGetFunction(&mut function, module, name.as_ptr()) };
    engine.driver.check("cuModuleGetFunction", result)?;
    Ok(function)
}

/// Constants, and other variables, as [`Variant`] has them.
type PlacedVariables = (Vec<(u64, u64, u64)>, Vec<(String, u64, u64)>);

/// Makes the variables of the original module known to the variant, and gives them metadata.
fn place_variables(
    engine: &Engine,
    identity: &Identity,
    module: CUmodule,
    variables: &[VariableUse],
    device: &mut Device,
) -> Result<PlacedVariables, EngineError> {
    let mut constants = Vec::new();
    let mut variables_of_original = Vec::new();
    let mut addresses = Vec::new();
    for variable in variables {
        let original = original_place(engine, identity, &variable.name);
        if variable.constant {
            if let (Some((from, bytes)), Some((to, _))) =
                (original, place_in(engine.driver, module, &variable.name))
            {
                constants.push((from, to, bytes as u64));
            }
            continue;
        }
        match original {
            Some((address, bytes)) => {
                let allocation = Allocation {
                    address,
                    bytes: bytes as u64,
                    kind: AllocationKind::Device,
                    stream: CUstream::NULL,
                };
                engine.listener.allocated(&allocation, Some(&variable.name));
                device.shadow.cover(engine, address, bytes as u64);
                variables_of_original.push((variable.name.clone(), address, bytes as u64));
                addresses.push(Some(address));
            }
            None if variable.has_copy => addresses.push(None),
            None => {
                return Err(EngineError::NoVariable(variable.name.clone()));
            }
        }
    }
    if addresses.iter().any(Option::is_some) {
        let (table, _) =
            place_in(engine.driver, module, VARIABLE_TABLE).ok_or(EngineError::NoVariableTable)?;
        for (index, address) in addresses.iter().enumerate() {
            if let Some(address) = address {
                engine.write(table + index as u64 * 8, &[*address], device.stream)?;
            }
        }
    }
    Ok((constants, variables_of_original))
}

fn original_place(engine: &Engine, identity: &Identity, name: &str) -> Option<(u64, usize)> {
    match identity.container {
        CodeContainer::Module(module) => place_in(engine.driver, module, name),
        CodeContainer::Library(library) => {
            let name = CString::new(name).ok()?;
            let (mut address, mut bytes) = (0, 0);
            // SAFETY: places for two numbers, a library of the program and a name.
            let found = unsafe {
                engine.driver.cuLibraryGetGlobal(&mut address, &mut bytes, library, name.as_ptr())
            };
            if found.is_success() {
                return Some((address, bytes));
            }
            // SAFETY: the same.
            let managed = unsafe {
                engine.driver.cuLibraryGetManaged(&mut address, &mut bytes, library, name.as_ptr())
            };
            managed.is_success().then_some((address, bytes))
        }
    }
}

fn place_in(driver: &Driver, module: CUmodule, name: &str) -> Option<(u64, usize)> {
    let name = CString::new(name).ok()?;
    let (mut address, mut bytes) = (0, 0);
    // SAFETY: places for two numbers, a module and a name.
    let found =
        unsafe { driver.cuModuleGetGlobal_v2(&mut address, &mut bytes, module, name.as_ptr()) };
    found.is_success().then_some((address, bytes))
}

/// Reports what instrumentation costs.
fn report_cost(
    engine: &Engine,
    identity: &Identity,
    key: &Key,
    function: CUfunction,
    ready: &Ready,
) {
    let both = |attribute| {
        [identity.function, function].map(|one| attribute_of(engine.driver, one, attribute))
    };
    let threads = key.block.iter().product::<u32>();
    let occupancy =
        [identity.function, function].map(|one| blocks_at_once(engine.driver, one, threads, 0));
    engine.listener.prepared(&Prepared {
        kernel: identity.name.clone(),
        cost: ready.cost,
        registers: both(CUfunctionAttribute::NUM_REGS),
        occupancy,
        local_bytes: both(CUfunctionAttribute::LOCAL_SIZE_BYTES),
        code_bytes: ready.code.bytes(),
        has_line_information: ready.has_line_information,
    });
}

/// Blocks of so many threads that fit on a multiprocessor; 0 if the driver does not say.
pub(super) fn blocks_at_once(
    driver: &Driver,
    function: CUfunction,
    threads: u32,
    shared_bytes: u32,
) -> i32 {
    let mut blocks = 0;
    let (threads, shared) = (threads as c_int, shared_bytes as usize);
    // SAFETY: a place for a number, a function of the current context.
    unsafe {
        driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&mut blocks, function, threads, shared)
    };
    blocks
}

/// An attribute of a function; 0 if the driver does not say.
pub(super) fn attribute_of(
    driver: &Driver,
    function: CUfunction,
    attribute: CUfunctionAttribute,
) -> c_int {
    let mut value = 0;
    // SAFETY: a place for a number.
    match unsafe { driver.cuFuncGetAttribute(&mut value, attribute, function) }.ok() {
        Ok(()) => value,
        Err(_) => 0,
    }
}
