//! The directives of PTX 9.1: chapter 11 of the manual, and the ones that declare variables and
//! their properties, chapter 5.

/// One directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Directive {
    /// Its name with the dot, or `@@dwarf`.
    pub name: &'static str,
    /// The section of the manual.
    pub section: &'static str,
    /// What it is for and how it is written.
    pub usage: &'static str,
}

macro_rules! directives {
    ($($name:literal $section:literal $usage:literal)*) => {
        /// All directives, by name.
        pub const DIRECTIVES: &[Directive] =
            &[$(Directive { name: $name, section: $section, usage: $usage }),*];
    };
}

directives! {
    ".abi_preserve" "11.4.8" "general registers that callers preserve: .abi_preserve 8"
    ".abi_preserve_control" "11.4.9" "control registers that callers preserve: .abi_preserve_control 4"
    ".address_size" "11.1.3" "the size of addresses in the module: .address_size 64"
    ".alias" "11.2.3" "another name for a function: .alias g, f;"
    ".align" "5.4.5" "the alignment of a variable in bytes: .global .align 16 .b8 v[64];"
    ".attribute" "5.4.8" "attributes of a variable or function: .global .attribute(.managed) .s32 v;"
    ".blocksareclusters" "11.8.1" "the blocks of a launch are clusters: .blocksareclusters"
    ".branchtargets" "11.3.1" "where an indirect branch may go: ts: .branchtargets a, b;"
    ".callprototype" "11.3.3" "the parameters of an indirect call: p: .callprototype _ (.param .b32 _);"
    ".calltargets" "11.3.2" "the functions an indirect call may reach: ts: .calltargets f, g;"
    ".common" "11.6.4" "a variable that several modules may declare: .common .global .b32 v;"
    ".const" "5.1.3" "a variable in constant memory: .const .b32 v = 1;"
    ".entry" "11.2.1" "a kernel: .entry k (.param .u64 p) { ... }"
    ".explicitcluster" "11.7.2" "a launch must give the shape of clusters: .explicitcluster"
    ".extern" "11.6.1" "a symbol of another module: .extern .func f;"
    ".file" "11.5.3" "a source file and its number: .file 1 \"a.cu\""
    ".func" "11.2.2" "a function: .func (.param .b32 r) f (.param .b32 a) { ... }"
    ".global" "5.1.4" "a variable in global memory: .global .b32 v;"
    ".loc" "11.5.4" "the source line of what follows: .loc 1 12 0"
    ".local" "5.1.5" "a variable of one thread: .local .align 8 .b8 v[16];"
    ".maxclusterrank" "11.7.3" "the largest number of blocks in a cluster: .maxclusterrank 8"
    ".maxnctapersm" "11.4.5" "blocks on a multiprocessor, deprecated: .maxnctapersm 4"
    ".maxnreg" "11.4.1" "the largest number of registers of a thread: .maxnreg 64"
    ".maxntid" "11.4.2" "the largest shape of a block: .maxntid 256, 1, 1"
    ".minnctapersm" "11.4.4" "the least blocks on a multiprocessor: .minnctapersm 2"
    ".noreturn" "11.4.6" "the function does not return: .func f .noreturn;"
    ".param" "5.1.6" "a parameter: .param .u64 p"
    ".pragma" "11.4.7" "strings for the compiler behind PTX: .pragma \"nounroll\";"
    ".ptr" "5.1.6.3" "a parameter is a pointer: .param .u64 .ptr .global .align 8 p"
    ".reg" "5.1.1" "registers: .reg .b32 %r<8>;"
    ".reqnctapercluster" "11.7.1" "the shape of a cluster: .reqnctapercluster 2, 1, 1"
    ".reqntid" "11.4.3" "the shape of a block: .reqntid 256, 1, 1"
    ".section" "11.5.2" "debugging data: .section .debug_str { .b8 0 }"
    ".shared" "5.1.7" "a variable of a block: .shared .b32 v;"
    ".sreg" "5.1.2" "special registers, which are declared already: .sreg .u32 %laneid;"
    ".target" "11.1.2" "the architecture that the module needs: .target sm_90"
    ".tex" "5.1.8" "a texture, deprecated: .tex .u32 t;"
    ".version" "11.1.1" "the version of PTX: .version 9.1"
    ".visible" "11.6.2" "a symbol that other modules see: .visible .entry k { ... }"
    ".weak" "11.6.3" "a symbol that others may replace: .weak .func f { ... }"
    "@@dwarf" "11.5.1" "debugging data of the old kind: @@dwarf .byte 0x01"
}

/// The directive of this name, with its dot.
pub fn directive(name: &str) -> Option<&'static Directive> {
    let index = DIRECTIVES.binary_search_by(|directive| directive.name.cmp(name)).ok()?;
    Some(&DIRECTIVES[index])
}
