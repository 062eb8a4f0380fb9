//! Why a kernel cannot be instrumented. Each `Display` is the sentence that reports show.

use crate::template::TemplateError;
use warpsan_ir::LowerError;
use warpsan_ptx::Instruction;

/// Why a kernel cannot be instrumented, and runs as it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The module has no function of its name.
    #[error("its module has no PTX for it")]
    NoPtx,
    /// The module has its declaration only.
    #[error("its module only declares it")]
    OnlyDeclared,
    /// Nobody knows what it calls.
    #[error("it calls functions through pointers")]
    CallThroughPointer,
    /// A call whose operands do not name the function.
    #[error("a call of `{0}` that names nothing")]
    CallWithoutName(String),
    /// The kernel or a function that it calls has no meaning.
    #[error("{}", sentence_of(.0))]
    NotLowered(LowerError),
    /// So many sites do not fit into metadata.
    #[error("it has {0} accesses, more than can be distinguished")]
    TooManySites(usize),
    /// Who gets the address may not be instrumented.
    #[error("it takes the address of `{0}`, a function")]
    AddressOfFunction(String),
    /// A variable that other modules cannot reach.
    #[error("it uses `{0}`, which only its own module can")]
    BoundVariable(String),
    /// A region cannot be run again.
    #[error("its threads have local memory, which is not set back for the second pass of a region")]
    LocalMemoryInRegions,
    /// hb's entries are for kernels whose blocks are not ordered.
    #[error("its blocks may meet")]
    BlocksMeet,
    /// hb's entries are for kernels whose intervals are those of all threads.
    #[error("its threads may not all come to its barriers together")]
    BarriersOfSome,
    /// hb's entries: what a thread keeps of its copies is in the kernel's own frame.
    #[error("it calls functions, and copies asynchronously")]
    CopiesBesideCalls,
    /// hb's entries do not have what fences and atomics make of volatile accesses.
    #[error(
        "it has volatile accesses of shared memory beside fences, atomics or asynchronous copies"
    )]
    VolatileBeside,
    /// hb's entries: a slot is given back by the kernel itself.
    #[error(
        "its shared memory does not fit with its entries, and a function that it calls ends threads"
    )]
    EndsInFunction,
    /// hb's entries distinguish barriers of tiles of one size.
    #[error(
        "it has barriers of parts of a warp that are not known to be tiles of one size, or has them beside atomics or volatile accesses of \
         shared memory, or asynchronous copies"
    )]
    PartsOfWarps,
    /// hb's entries are behind a block's own shared memory.
    #[error("it uses the system's part of shared memory, as groups of several warps do")]
    ReservedShared,
    /// hb's entries do not have the sizes of atomics.
    #[error("its atomics of shared memory have several sizes")]
    AtomicsOfSeveralSizes,
    /// There is one register for addresses of variables.
    #[error("an instruction that names two variables")]
    TwoVariables,
    /// The checks themselves cannot be read, which is a bug of warpsan.
    #[error("{0}")]
    DeviceLibrary(TemplateError),
    /// One instruction is the reason.
    #[error("it has `{instruction}`, {reason}")]
    Instruction {
        /// Its mnemonic, or its text.
        instruction: String,
        /// What is wrong with it.
        reason: InstructionRefusal,
    },
}

/// Why an instruction cannot be instrumented.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InstructionRefusal {
    /// It has no row in the table of instructions, or no operation.
    #[error("whose meaning is not known")]
    UnknownMeaning,
    /// There are no checks for matrices in global memory.
    #[error("which accesses global memory as a matrix")]
    GlobalMatrix,
    /// There is no record for this matrix access.
    #[error("which accesses memory as a matrix")]
    Matrix,
    /// There is no check or record for it.
    #[error("an asynchronous bulk operation")]
    BulkOperation,
    /// It cannot be shipped.
    #[error("a bulk copy to other blocks")]
    BulkCopyBetweenBlocks,
    /// An operand is missing.
    #[error("without an address")]
    NoAddress,
    /// An operand is missing.
    #[error("without two addresses")]
    NotTwoAddresses,
    /// An operand is missing.
    #[error("with fewer addresses than it has")]
    TooFewAddresses,
    /// An operand is missing.
    #[error("without operands")]
    NoOperands,
    /// An operand is of the wrong kind.
    #[error("whose count is no register")]
    CountIsNoRegister,
    /// An operand is of the wrong kind.
    #[error("whose result is no register")]
    ResultIsNoRegister,
    /// It would change its own guard before the check is complete.
    #[error("whose guard is its result")]
    GuardIsResult,
    /// CURD's sets know barriers only.
    #[error("and CURD's sets know no {0}")]
    BeyondSets(&'static str),
    /// hb's entries do not know it.
    #[error("and hb on the device knows no {0}")]
    BeyondEntries(&'static str),
    /// LD's copies know loads, stores and barriers of whole blocks.
    #[error("{0}, which cannot run on private copies")]
    BeyondCopies(&'static str),
    /// There is no record for it.
    #[error("{0}")]
    NotShipped(&'static str),
    /// The condition under which a speculated load counts cannot be written.
    #[error("a speculated load whose condition has {0}")]
    Condition(ConditionRefusal),
}

/// What of the condition of a speculated load cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConditionRefusal {
    /// The load has none.
    #[error("not known")]
    Unknown,
    /// Its predicate is missing.
    #[error("a condition that is none")]
    NoPredicate,
    /// The text has no such instruction.
    #[error("an instruction that is not in its text")]
    NotInText,
    /// The text has no name for a register.
    #[error("a register that has no name at the load")]
    NamelessRegister,
    /// An operation that has no instruction.
    #[error("a step that has no text")]
    NoText,
    /// An instruction whose operands cannot be renamed.
    #[error("`{0}`, which cannot be repeated")]
    NotRepeatable(String),
    /// An operand of an instruction that computes it.
    #[error("{0}")]
    Operand(Box<Refusal>),
}

impl Refusal {
    /// An instruction is the reason.
    pub(crate) fn because_of(instruction: &Instruction<'_>, reason: InstructionRefusal) -> Refusal {
        Refusal::Instruction { instruction: instruction.mnemonic.text.to_owned(), reason }
    }
}

fn sentence_of(error: &LowerError) -> String {
    match error {
        LowerError::Unsupported(unsupported) => unsupported.what.clone(),
        LowerError::Invalid(_) => error.to_string(),
    }
}
