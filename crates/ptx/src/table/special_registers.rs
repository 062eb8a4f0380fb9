//! The special registers of PTX 9.1, chapter 10 of the manual.

/// One special register, or several that a number distinguishes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SpecialRegister {
    /// Its name with the percent sign. `#` stands for the number of one of several.
    pub name: &'static str,
    /// The section of the manual.
    pub section: &'static str,
    /// The type of it, or of its components, without the dot.
    pub ptx_type: &'static str,
    /// Whether it has the components `.x`, `.y`, `.z` and `.w`.
    pub components: bool,
    /// How many there are, numbered from 0.
    pub count: u32,
}

macro_rules! special_registers {
    ($($name:literal $section:literal $ptx_type:literal $components:literal $count:literal)*) => {
        /// All special registers, in the order of the manual.
        pub const SPECIAL_REGISTERS: &[SpecialRegister] = &[$(SpecialRegister {
            name: $name,
            section: $section,
            ptx_type: $ptx_type,
            components: $components,
            count: $count,
        }),*];
    };
}

special_registers! {
    "%tid" "10.1" "u32" true 1
    "%ntid" "10.2" "u32" true 1
    "%laneid" "10.3" "u32" false 1
    "%warpid" "10.4" "u32" false 1
    "%nwarpid" "10.5" "u32" false 1
    "%ctaid" "10.6" "u32" true 1
    "%nctaid" "10.7" "u32" true 1
    "%smid" "10.8" "u32" false 1
    "%nsmid" "10.9" "u32" false 1
    "%gridid" "10.10" "u64" false 1
    "%is_explicit_cluster" "10.11" "pred" false 1
    "%clusterid" "10.12" "u32" true 1
    "%nclusterid" "10.13" "u32" true 1
    "%cluster_ctaid" "10.14" "u32" true 1
    "%cluster_nctaid" "10.15" "u32" true 1
    "%cluster_ctarank" "10.16" "u32" false 1
    "%cluster_nctarank" "10.17" "u32" false 1
    "%lanemask_eq" "10.18" "u32" false 1
    "%lanemask_le" "10.19" "u32" false 1
    "%lanemask_lt" "10.20" "u32" false 1
    "%lanemask_ge" "10.21" "u32" false 1
    "%lanemask_gt" "10.22" "u32" false 1
    "%clock" "10.23" "u32" false 1
    "%clock_hi" "10.23" "u32" false 1
    "%clock64" "10.24" "u64" false 1
    "%pm#" "10.25" "u32" false 8
    "%pm#_64" "10.26" "u64" false 8
    "%envreg#" "10.27" "b32" false 32
    "%globaltimer" "10.28" "u64" false 1
    "%globaltimer_lo" "10.28" "u32" false 1
    "%globaltimer_hi" "10.28" "u32" false 1
    "%reserved_smem_offset_begin" "10.29" "b32" false 1
    "%reserved_smem_offset_end" "10.29" "b32" false 1
    "%reserved_smem_offset_cap" "10.29" "b32" false 1
    "%reserved_smem_offset_#" "10.29" "b32" false 2
    "%total_smem_size" "10.30" "u32" false 1
    "%aggr_smem_size" "10.31" "u32" false 1
    "%dynamic_smem_size" "10.32" "u32" false 1
    "%current_graph_exec" "10.33" "u64" false 1
}

/// The special register of this name, with its percent sign and without a component: `%tid`,
/// `%envreg7`.
pub fn special_register(name: &str) -> Option<&'static SpecialRegister> {
    SPECIAL_REGISTERS.iter().find(|register| register.is_named(name))
}

impl SpecialRegister {
    fn is_named(&self, name: &str) -> bool {
        let Some((before, after)) = self.name.split_once('#') else {
            return self.name == name;
        };
        let number = name.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
        let canonical = |number: &&str| *number == "0" || !number.starts_with(['0', '+']);
        number
            .filter(canonical)
            .and_then(|number| number.parse::<u32>().ok())
            .is_some_and(|number| number < self.count)
    }
}
