//! Where the device is: its name on the PCI bus.

use crate::answer::answer;
use crate::call::call_without_device;
use crate::device::limits::{PCI_BUS, PCI_DEVICE, PCI_DOMAIN, check_device};
use std::ffi::{CStr, c_char, c_int};
use warpsan_runtime::machine::error::CudaError;

/// The device as `domain:bus:device.function`, in hexadecimal.
pub(crate) fn bus_name() -> String {
    format!("{PCI_DOMAIN:04x}:{PCI_BUS:02x}:{PCI_DEVICE:02x}.0")
}

/// Writes a string with its end to a place of the program.
///
/// # Safety
/// `place` is null or has room for `length` characters.
pub(crate) unsafe fn answer_text(
    place: *mut c_char,
    length: c_int,
    text: &str,
) -> Result<(), CudaError> {
    let room = usize::try_from(length).unwrap_or(0);
    if place.is_null() || room <= text.len() {
        return Err(CudaError::INVALID_VALUE);
    }
    // SAFETY: there is room for the text and one more character.
    unsafe {
        place.copy_from_nonoverlapping(text.as_ptr().cast(), text.len());
        place.add(text.len()).write(0);
    }
    Ok(())
}

/// The device of a name on the bus, which may leave out the domain and the function.
fn device_of(name: &str) -> Result<c_int, CudaError> {
    let number = |text: &str| i64::from_str_radix(text, 16).map_err(|_| CudaError::INVALID_VALUE);
    let (place, function) = name.split_once('.').unwrap_or((name, "0"));
    let parts: Vec<&str> = place.split(':').collect();
    let (domain, bus, device) = match parts[..] {
        [domain, bus, device] => (number(domain)?, number(bus)?, number(device)?),
        [bus, device] => (0, number(bus)?, number(device)?),
        _ => return Err(CudaError::INVALID_VALUE),
    };
    let wanted = (domain, bus, device, number(function)?);
    let ours = (i64::from(PCI_DOMAIN), i64::from(PCI_BUS), i64::from(PCI_DEVICE), 0);
    if wanted == ours { Ok(0) } else { Err(CudaError::INVALID_DEVICE) }
}

#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn wsrt_cudaDeviceGetPCIBusId(
    name: *mut c_char,
    length: c_int,
    device: c_int,
) -> CudaError {
    call_without_device("cudaDeviceGetPCIBusId", |_| {
        check_device(device)?;
        // SAFETY: the program passes a place for so many characters.
        unsafe { answer_text(name, length, &bus_name()) }
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn wsrt_cudaDeviceGetByPCIBusId(
    device: *mut c_int,
    name: *const c_char,
) -> CudaError {
    call_without_device("cudaDeviceGetByPCIBusId", |_| {
        if name.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        // SAFETY: not null, so the program passes a string.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        // SAFETY: the program passes a place for a number.
        unsafe { answer(device, device_of(&name)?) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_device_is_found_by_its_own_name_and_by_no_other() {
        assert_eq!(device_of(&bus_name()), Ok(0));
        assert_eq!(device_of("01:00"), Ok(0));
        assert_eq!(device_of("0000:99:00.0"), Err(CudaError::INVALID_DEVICE));
        assert_eq!(device_of("garbage"), Err(CudaError::INVALID_VALUE));
    }

    #[test]
    fn a_name_needs_room_for_its_end() {
        let mut place = [1; 16];
        // SAFETY: the place has 16 characters.
        assert!(unsafe { answer_text(place.as_mut_ptr(), 12, "0000:01:00.0") }.is_err());
        // SAFETY: as above.
        assert!(unsafe { answer_text(place.as_mut_ptr(), 13, "0000:01:00.0") }.is_ok());
        assert_eq!((place[11], place[12]), (b'0' as c_char, 0));
    }
}
