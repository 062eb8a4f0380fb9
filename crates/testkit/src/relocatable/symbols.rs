//! The names that host code asks the driver for.

use anyhow::Context;
use object::elf::FileHeader64;
use object::read::elf::ElfFile;
use object::{Endianness, Object, ObjectSection, ObjectSymbol, SymbolKind};
use std::collections::BTreeMap;

/// A section of this name belongs to the kernel behind the dot.
const PARAMETERS: &str = ".nv.constant0.";

/// Kernels and variables of a cubin, and how often it has each; variables with their sizes.
pub(super) fn kernels_and_variables(cubin: &[u8]) -> anyhow::Result<BTreeMap<String, usize>> {
    let unreadable = "a cubin cannot be read";
    let file = ElfFile::<FileHeader64<Endianness>>::parse(cubin).context(unreadable)?;
    let mut found = BTreeMap::new();
    let mut add = |text: String| *found.entry(text).or_default() += 1;
    for section in file.sections() {
        if let Some(kernel) = section.name().context(unreadable)?.strip_prefix(PARAMETERS) {
            add(format!("kernel {}", name_in_unit(kernel)));
        }
    }
    for symbol in file.symbols() {
        if symbol.kind() == SymbolKind::Data && !symbol.is_undefined() {
            let name = symbol.name().context(unreadable)?;
            add(format!("variable {} of {} bytes", name_in_unit(name), symbol.size()));
        }
    }
    Ok(found)
}

/// What the unit calls a name that our linker changed, because nvlink distinguishes such names in another way.
fn name_in_unit(name: &str) -> &str {
    match name.rsplit_once("$unit") {
        Some((before, number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => before,
        _ => name,
    }
}

/// What one has and the other has not, or not as often.
pub(super) fn differences(
    ours: &BTreeMap<String, usize>,
    nvlinks: &BTreeMap<String, usize>,
) -> Vec<String> {
    let missing = |from: &BTreeMap<String, usize>, what: &BTreeMap<String, usize>, who: &str| {
        let lacks = |(name, count): &(&String, &usize)| from.get(*name).is_none_or(|n| n < *count);
        let names: Vec<_> = what.iter().filter(lacks).collect();
        names.into_iter().map(|(name, _)| format!("{who} has no {name}")).collect::<Vec<_>>()
    };
    let mut all = missing(ours, nvlinks, "our cubin");
    all.extend(missing(nvlinks, ours, "nvlink's cubin"));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_name_counts_as_the_original() {
        assert_eq!(name_in_unit("$str$1$unit2"), "$str$1");
        assert_eq!(name_in_unit("$str$unit"), "$str");
        assert_eq!(name_in_unit("a$unity"), "a$unity");
    }

    #[test]
    fn what_one_of_them_lacks_is_said() {
        let map = |list: &[(&str, usize)]| {
            list.iter().map(|(name, count)| (name.to_string(), *count)).collect()
        };
        let (ours, nvlinks) = (map(&[("a", 1), ("b", 1)]), map(&[("a", 2), ("c", 1)]));
        assert_eq!(
            differences(&ours, &nvlinks),
            ["our cubin has no a", "our cubin has no c", "nvlink's cubin has no b"]
        );
        assert!(differences(&ours, &ours).is_empty());
    }
}
