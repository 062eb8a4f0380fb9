//! Fat binaries as nvcc hands them to the runtime.

use std::ffi::c_void;
use warpsan_runtime::machine::registry::RegisteredCode;
use warpsan_runtime::readable_bytes;

/// Magic number of the wrapper in `.nvFatBinSegment`.
const WRAPPER_MAGIC: u32 = 0x4662_43B1;
/// Magic number of a fat-binary container.
const CONTAINER_MAGIC: u32 = 0xBA55_ED50;

/// The wrapper that a program passes to `__cudaRegisterFatBinary`.
#[repr(C)]
struct Wrapper {
    magic: u32,
    version: u32,
    container: *const ContainerHeader,
    /// With [`VERSION_OF_LINKED_PROGRAM`]: the containers of the units, up to a null pointer.
    units: *const *const ContainerHeader,
}

/// The version of the wrapper of a program that was compiled with `-rdc=true`.
const VERSION_OF_LINKED_PROGRAM: u32 = 2;

/// The beginning of a fat-binary container; `size` counts what follows the header.
#[repr(C)]
pub(crate) struct ContainerHeader {
    magic: u32,
    _version: u16,
    header_size: u16,
    size: u64,
}

/// The code behind a wrapper.
///
/// # Safety
/// `wrapper` points to a fat-binary wrapper as nvcc emits it, or to anything readable that does
/// not start with its magic number; what it points to stays until it is unregistered.
pub(crate) unsafe fn code_of(wrapper: *const c_void) -> Option<RegisteredCode> {
    // SAFETY: the caller passes a wrapper, or something readable that is not one.
    let wrapper = unsafe { wrapper.cast::<Wrapper>().as_ref() }?;
    if wrapper.magic != WRAPPER_MAGIC {
        return None;
    }
    if wrapper.version == VERSION_OF_LINKED_PROGRAM && !wrapper.units.is_null() {
        // SAFETY: such a wrapper points to a list that ends with a null pointer.
        return Some(RegisteredCode::Units(unsafe { units_of(wrapper.units) }?));
    }
    // SAFETY: a wrapper points to a container or nowhere.
    unsafe { container_at(wrapper.container) }.map(RegisteredCode::Container)
}

/// The containers of a list that ends with a null pointer.
///
/// # Safety
/// The list does end so, and its pointers are to containers.
unsafe fn units_of(list: *const *const ContainerHeader) -> Option<Vec<&'static [u8]>> {
    let mut units = Vec::new();
    loop {
        // SAFETY: the null pointer at the end has not been seen yet.
        let unit = unsafe { *list.add(units.len()) };
        if unit.is_null() {
            return Some(units);
        }
        // SAFETY: the list has pointers to containers.
        units.push(unsafe { container_at(unit) }?);
    }
}

/// A container with the length that its header states, or what there is of it.
///
/// # Safety
/// `header` is null, or points to a container or to something readable that is none.
pub(crate) unsafe fn container_at(header: *const ContainerHeader) -> Option<&'static [u8]> {
    let start: *const u8 = header.cast();
    // SAFETY: passed on from the caller.
    let header = unsafe { header.as_ref() }?;
    if header.magic != CONTAINER_MAGIC {
        return None;
    }
    let length = u64::from(header.header_size).saturating_add(header.size);
    // A damaged header promises more than there is. What is there is reported as cut off when it is used.
    let length = readable_bytes(start.addr(), length);
    // SAFETY: so much can be read from there on, and stays mapped until the program unregisters it; after
    // that the registry does not touch it.
    Some(unsafe { std::slice::from_raw_parts(start, length) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(C)]
    struct Container {
        header: ContainerHeader,
        body: [u8; 8],
    }

    fn container(magic: u32) -> Container {
        Container {
            header: ContainerHeader { magic, _version: 1, header_size: 16, size: 8 },
            body: [7; 8],
        }
    }

    fn wrap(magic: u32, container: &Container) -> Wrapper {
        Wrapper {
            magic,
            version: 1,
            container: &raw const container.header,
            units: std::ptr::null(),
        }
    }

    #[test]
    fn the_container_behind_a_wrapper_has_the_length_of_its_header() {
        let container = container(CONTAINER_MAGIC);
        let wrapper = wrap(WRAPPER_MAGIC, &container);
        // SAFETY: both structures live to the end of the test.
        let code = unsafe { code_of((&raw const wrapper).cast()) };
        let Some(RegisteredCode::Container(image)) = code else { panic!("a container") };
        assert_eq!(image.len(), 24);
        assert_eq!(image[16..], [7; 8]);
    }

    #[test]
    fn a_header_that_promises_more_than_there_is_is_not_believed() {
        for size in [1 << 40, 1 << 62, u64::MAX] {
            let mut container = container(CONTAINER_MAGIC);
            container.header.size = size;
            // SAFETY: the container lives to the end of the test.
            let found = unsafe { container_at(&raw const container.header) }.expect("a container");
            assert!((24..1 << 40).contains(&found.len()), "{}", found.len());
        }
    }

    #[test]
    fn what_is_no_fat_binary_is_refused() {
        let container = container(0x1234);
        let wrapper = wrap(WRAPPER_MAGIC, &container);
        // SAFETY: both structures live to the end of the test.
        assert!(unsafe { code_of((&raw const wrapper).cast()) }.is_none());
        let wrapper = wrap(0x1234, &container);
        // SAFETY: as above.
        assert!(unsafe { code_of((&raw const wrapper).cast()) }.is_none());
        // SAFETY: a null pointer is allowed.
        assert!(unsafe { code_of(std::ptr::null()) }.is_none());
    }
    #[test]
    fn a_linked_program_has_the_containers_of_its_units() {
        let (first, second) = (container(CONTAINER_MAGIC), container(CONTAINER_MAGIC));
        let list = [&raw const first.header, &raw const second.header, std::ptr::null()];
        let mut wrapper = wrap(WRAPPER_MAGIC, &first);
        wrapper.version = VERSION_OF_LINKED_PROGRAM;
        wrapper.units = list.as_ptr();
        // SAFETY: everything lives to the end of the test, and the list ends with a null pointer.
        let code = unsafe { code_of((&raw const wrapper).cast()) };
        let Some(RegisteredCode::Units(units)) = code else { panic!("units") };
        assert_eq!(units.len(), 2);
        assert_eq!(units[1].as_ptr(), (&raw const second).cast());
    }
}
