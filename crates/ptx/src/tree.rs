use std::collections::BTreeMap;
use std::ops::Range;

/// A range of bytes of the PTX text.
pub type Span = Range<usize>;

/// One PTX module. All names are slices of the text.
#[derive(Debug, Default)]
pub struct Module<'s> {
    /// `.version`, as major and minor number.
    pub version: Option<(u32, u32)>,
    /// The words of `.target`, for example `sm_90` and `debug`.
    pub target: Vec<&'s str>,
    /// Variables of the module's scope.
    pub variables: Vec<Variable<'s>>,
    /// Kernels and functions, declarations included, in the order of the text.
    pub functions: Vec<Function<'s>>,
    /// `.alias new, old`.
    pub aliases: BTreeMap<&'s str, &'s str>,
    /// `.file` entries by their number.
    pub files: BTreeMap<u32, &'s str>,
    /// Labelled strings of `.debug_str`, which `.loc … function_name` refers to.
    pub debug_strings: BTreeMap<&'s str, String>,
}

/// A `.entry` or `.func`.
#[derive(Debug)]
pub struct Function<'s> {
    /// Its name.
    pub name: &'s str,
    /// A kernel (`.entry`), not a function.
    pub is_kernel: bool,
    /// Return parameters of a function.
    pub returns: Vec<Variable<'s>>,
    /// Its parameters.
    pub parameters: Vec<Variable<'s>>,
    /// `.maxntid`, `.reqntid` and the like, with their numbers.
    pub performance: Vec<Performance<'s>>,
    /// The statements; none for a declaration.
    pub body: Option<Vec<Statement<'s>>>,
    /// The whole text of the function's head.
    pub span: Span,
}

/// A performance-tuning directive of a kernel.
#[derive(Debug, PartialEq, Eq)]
pub struct Performance<'s> {
    /// The directive with its dot.
    pub directive: &'s str,
    /// Its numbers.
    pub numbers: Vec<u64>,
}

/// A variable in some state space, or a parameter.
#[derive(Debug, Clone)]
pub struct Variable<'s> {
    /// Its name; empty for an unnamed parameter of a prototype.
    pub name: &'s str,
    /// The state space with its dot.
    pub space: &'s str,
    /// The type with its dot.
    pub data_type: &'s str,
    /// `.align`, where it is given.
    pub alignment: Option<u64>,
    /// Elements of `.v2`/`.v4`; 1 otherwise.
    pub vector: u32,
    /// The array's extents; an open one is 0. Empty for a scalar.
    pub extents: Vec<u64>,
    /// The flattened initialiser.
    pub initial: Vec<Operand<'s>>,
    /// The initialiser has braces inside of braces, which flattening loses.
    pub nested_initial: bool,
    /// Defined in another module.
    pub external: bool,
    /// The host may use it too (`.attribute(.managed)`).
    pub managed: bool,
    /// Where it is declared.
    pub span: Span,
}

/// `.reg .type name;` or `.reg .type name<count>;`
#[derive(Debug)]
pub struct RegisterDeclaration<'s> {
    /// The type with its dot.
    pub data_type: &'s str,
    /// Elements of `.v2`/`.v4`; 1 otherwise.
    pub vector: u32,
    /// Names; with a count, `name0` to `name(count-1)` are declared.
    pub names: Vec<(&'s str, Option<u32>)>,
    /// Where it is declared.
    pub span: Span,
}

/// A `.loc` directive.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location<'s> {
    /// The number of the `.file`.
    pub file: u32,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// For inlined code: the label of the function's name, and where it was inlined (file, line, column).
    pub inlined: Option<(&'s str, (u32, u32, u32))>,
}

/// One statement of a body.
#[derive(Debug)]
pub enum Statement<'s> {
    /// `name:`
    Label(&'s str),
    /// A source line for what follows.
    Location(Location<'s>),
    /// Register declarations.
    Registers(RegisterDeclaration<'s>),
    /// A variable of the function's scope.
    Variable(Variable<'s>),
    /// An instruction.
    Instruction(Instruction<'s>),
    /// `{ … }`: a scope of its own.
    Block(Vec<Statement<'s>>),
    /// `name: .branchtargets a, b;`
    BranchTargets(&'s str, Vec<&'s str>),
    /// `name: .callprototype …;`
    CallPrototype(&'s str),
}

/// `@p` or `@!p`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard<'s> {
    /// The predicate register.
    pub register: &'s str,
    /// Whether the instruction runs where it is false.
    pub negated: bool,
}

/// An instruction in its general form.
#[derive(Debug)]
pub struct Instruction<'s> {
    /// The guard.
    pub guard: Option<Guard<'s>>,
    /// The first word.
    pub opcode: &'s str,
    /// The words after it, without their dots, in order.
    pub modifiers: Vec<&'s str>,
    /// The operands.
    pub operands: Vec<Operand<'s>>,
    /// From the guard or opcode to before the `;`.
    pub span: Span,
}

/// What an address is counted from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AddressBase<'s> {
    /// A register or a variable.
    Name(&'s str),
    /// A number.
    Absolute,
}

/// An operand.
#[derive(Debug, Clone, PartialEq)]
pub enum Operand<'s> {
    /// A register, variable, label, function or special register; `%tid.x` keeps its dot.
    Name(&'s str),
    /// `name+3` outside of brackets.
    NameOffset(&'s str, i64),
    /// An integer, in two's complement.
    Integer(u64),
    /// A single-precision literal, as bits.
    Float32(u32),
    /// A double-precision literal, as bits.
    Float64(u64),
    /// `[base+offset]`
    Address {
        /// What it is counted from.
        base: AddressBase<'s>,
        /// Bytes to add.
        offset: i64,
    },
    /// `{a, b, …}`
    Vector(Vec<Operand<'s>>),
    /// `a|b`
    Pair(Box<Operand<'s>>, Box<Operand<'s>>),
    /// `!p`
    Not(&'s str),
    /// `(a, b, …)` of a call.
    List(Vec<Operand<'s>>),
    /// `_`: the result is not wanted.
    Ignored,
}
