//! Machine code: for which architecture it is, and which kernels it has. The code itself is not read.

use crate::region::Region;
use crate::{Architecture, FatbinError, Suffix};
use object::elf;
use object::read::elf::{ElfFile64, Sym};
use object::{LittleEndian, Object, ObjectSection, ObjectSymbol};

/// The number of CUDA in the `e_machine` field of ELF files.
pub(crate) const MACHINE_CUDA: u16 = 190;
/// Set in `st_other` of a kernel's symbol.
const SYMBOL_IS_KERNEL: u8 = 0x10;
/// The attribute of `.nv.compat` that says whether the code has suffix `a`.
const ATTRIBUTE_SPECIFIC: u8 = 9;

/// Names of functions may have so many times the bytes of the file together: names may share their ends, but a
/// hundred thousand that share a megabyte are a fault.
const MOST_NAMES: usize = 4;

/// A function of a cubin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MachineFunction {
    /// Its name, mangled. A function that belongs to one kernel is called `$kernel$function`.
    pub name: String,
    /// Whether the host can launch it.
    pub is_kernel: bool,
    /// The size of its code in bytes.
    pub size: u64,
}

/// The functions of a cubin in the order of its symbol table: all that it defines.
pub fn machine_functions(cubin: &[u8]) -> Result<Vec<MachineFunction>, FatbinError> {
    let file = parse(Region::whole(cubin))?;
    let mut functions = Vec::new();
    let mut room = cubin.len().saturating_mul(MOST_NAMES);
    for symbol in file.symbols() {
        let raw = symbol.elf_symbol();
        if raw.st_type() != elf::STT_FUNC || symbol.is_undefined() {
            continue;
        }
        let name = symbol.name_bytes().unwrap_or(b"?");
        let Some(left) = room.checked_sub(name.len()) else {
            let reason = "the names of its functions are longer than the file".to_string();
            return Err(FatbinError::Elf { at: 0, reason });
        };
        room = left;
        functions.push(MachineFunction {
            name: String::from_utf8_lossy(name).into_owned(),
            is_kernel: raw.st_other().0 & SYMBOL_IS_KERNEL != 0,
            size: symbol.size(),
        });
    }
    Ok(functions)
}

/// Whether a cubin has any code. nvcc puts one without into every program, as a place for what the
/// device linker might have to add.
pub(crate) fn has_code(cubin: &[u8]) -> Result<bool, FatbinError> {
    let file = parse(Region::whole(cubin))?;
    let code = |name: &[u8]| name.starts_with(b".text.");
    Ok(file.sections().any(|section| section.name_bytes().is_ok_and(code)))
}

/// What the header of a cubin says.
#[derive(Debug, Clone, Copy)]
pub(crate) struct CubinHeader {
    pub(crate) architecture: Architecture,
    pub(crate) abi_version: u8,
    pub(crate) wide_addresses: bool,
}

/// The architecture of a cubin in a file of its own. It says nothing about suffix `f`.
///
/// Where it is depends on the version of the ABI. Up to 7 (the default before CUDA 13), the lowest
/// byte of `e_flags` is the number and 0x800 is suffix `a`. From 8 on the number is 8 bits further
/// up, and suffix `a` is 0x8 or, since CUDA 13, an attribute.
pub(crate) fn cubin_header(region: Region<'_>) -> Result<CubinHeader, FatbinError> {
    let what = "the header of an ELF file";
    let flags = region.u32(48, what)?;
    let abi_version = region.part(8, 1, what)?.bytes[0];
    let (number, specific) = match abi_version {
        0..=7 => (flags & 0xff, flags & 0x800 != 0),
        _ => ((flags >> 8) & 0xffff, flags & 0x8 != 0 || has_specific_attribute(region)?),
    };
    let suffix = if specific { Suffix::Specific } else { Suffix::None };
    let wide_addresses = region.part(4, 1, what)?.bytes[0] == elf::ELFCLASS64.0;
    Ok(CubinHeader { architecture: Architecture { number, suffix }, abi_version, wide_addresses })
}

fn has_specific_attribute(region: Region<'_>) -> Result<bool, FatbinError> {
    let file = parse(region)?;
    let Some(section) = file.section_by_name(".nv.compat") else { return Ok(false) };
    let broken = |error: object::Error| elf_error(region, error);
    let mut attributes = section.data().map_err(broken)?;
    // An attribute has a form, a number and two bytes, which are its value or the length of more.
    while let [form, number, low, high, rest @ ..] = attributes {
        if *number == ATTRIBUTE_SPECIFIC {
            return Ok(*low != 0);
        }
        let length = if *form == 4 { usize::from(u16::from_le_bytes([*low, *high])) } else { 0 };
        attributes = rest.get(length..).unwrap_or_default();
    }
    Ok(false)
}

fn parse(region: Region<'_>) -> Result<ElfFile64<'_, LittleEndian>, FatbinError> {
    ElfFile64::parse(region.bytes).map_err(|error| elf_error(region, error))
}

fn elf_error(region: Region<'_>, error: object::Error) -> FatbinError {
    FatbinError::Elf { at: region.base, reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::handmade::{cubin_header, elf};

    /// A cubin whose symbols are functions that all have the name of the first.
    fn cubin(symbols: usize, name: &str) -> Vec<u8> {
        let mut all = vec![("", SYMBOL_IS_KERNEL); symbols];
        all[0].0 = name;
        let mut file = elf(&cubin_header(90), &[(".text.k", &[0; 8])], &all);
        let first = [1, 0, 0, 0, 0x12, SYMBOL_IS_KERNEL, 1, 0];
        let at = file.windows(8).position(|bytes| bytes == first).expect("the first symbol");
        for number in 0..symbols {
            file[at + 24 * number..][..4].copy_from_slice(&1u32.to_le_bytes());
        }
        file
    }

    #[test]
    fn names_take_no_more_memory_than_a_few_times_the_file() {
        let few = machine_functions(&cubin(3, "kernel")).unwrap();
        assert_eq!(few.len(), 3);
        assert!(few.iter().all(|function| function.name == "kernel" && function.is_kernel));
        let file = cubin(10_000, &"k".repeat(1 << 20));
        let error = machine_functions(&file).unwrap_err();
        assert!(error.to_string().contains("longer than the file"), "{error}");
    }
}
