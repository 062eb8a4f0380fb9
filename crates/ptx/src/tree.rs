//! The syntax tree. Nodes and lists lie in an [`Arena`](crate::Arena), names are slices of the text, and nothing
//! owns anything, so a tree is cheap to build, to walk and to drop.

use crate::Span;
use crate::number::Number;
use crate::table::Row;

/// One PTX module: its directives in the order of the text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Module<'a> {
    /// Everything at the module's scope.
    pub items: &'a [Item<'a>],
}

/// Something at the module's scope.
#[derive(Debug, Clone, Copy)]
pub enum Item<'a> {
    /// `.version 9.0`
    Version(Version),
    /// `.target sm_90, debug`
    Target(&'a [&'a str]),
    /// `.address_size 64`
    AddressSize(u32),
    /// `.file 1 "a.cu"`
    File(&'a File<'a>),
    /// `.section .debug_info { … }`
    Section(&'a Section<'a>),
    /// A `.loc` outside of a function.
    Location(&'a Location<'a>),
    /// `.pragma "a", "b";` with the quotes.
    Pragma(&'a [&'a str]),
    /// `.alias new, old;`
    Alias(&'a Alias<'a>),
    /// A variable.
    Variable(&'a Variable<'a>),
    /// A kernel or function, or the declaration of one.
    Function(&'a Function<'a>),
    /// Debug data in the form of PTX 1 (`@@dwarf …`), kept as text.
    OldDebugData(&'a str),
}

/// A version of PTX.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    /// In front of the dot.
    pub major: u32,
    /// Behind it.
    pub minor: u32,
}

/// A source file that `.loc` names by its number.
#[derive(Debug, Clone, Copy)]
pub struct File<'a> {
    /// Its number.
    pub number: u32,
    /// Its path, without the quotes.
    pub path: &'a str,
    /// Time and size, which old compilers add.
    pub details: Option<(Number<'a>, Number<'a>)>,
}

/// `.alias new, old;`
#[derive(Debug, Clone, Copy)]
pub struct Alias<'a> {
    /// The new name.
    pub name: &'a str,
    /// The function it stands for.
    pub target: &'a str,
}

/// A section of debug data.
#[derive(Debug, Clone, Copy)]
pub struct Section<'a> {
    /// The name with its dot.
    pub name: &'a str,
    /// Labels and data.
    pub items: &'a [SectionItem<'a>],
}

/// A piece of a section.
#[derive(Debug, Clone, Copy)]
pub enum SectionItem<'a> {
    /// `name:`
    Label(&'a str),
    /// `.b8 1, 2, 3`
    Data {
        /// `.b8`, `.b16`, `.b32` or `.b64`.
        width: &'a str,
        /// The values.
        values: &'a [SectionValue<'a>],
    },
}

/// A value of a section.
#[derive(Debug, Clone, Copy)]
pub enum SectionValue<'a> {
    /// A number.
    Number(Number<'a>),
    /// A label or the name of a section, and what is added.
    Label(&'a str, i64),
    /// The distance of two labels.
    Difference(&'a (&'a str, &'a str)),
}

/// Who may see a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Linkage {
    /// This module only.
    Local,
    /// `.visible`
    Visible,
    /// `.extern`: it is defined elsewhere.
    Extern,
    /// `.weak`
    Weak,
    /// `.common`
    Common,
}

/// A `.entry` or `.func`.
#[derive(Debug, Clone, Copy)]
pub struct Function<'a> {
    /// Its name.
    pub name: &'a str,
    /// Who sees it.
    pub linkage: Linkage,
    /// A kernel (`.entry`), not a function.
    pub is_kernel: bool,
    /// The text of `.attribute( … )` in front of the name.
    pub attributes: &'a [&'a str],
    /// Return parameters of a function.
    pub returns: &'a [Variable<'a>],
    /// Its parameters, if there is a list.
    pub parameters: Option<&'a [Variable<'a>]>,
    /// `.maxntid` and the like.
    pub directives: &'a [FunctionDirective<'a>],
    /// The statements; none for a declaration.
    pub body: Option<&'a [Statement<'a>]>,
    /// The whole text of the function's head.
    pub span: Span,
}

impl<'a> Function<'a> {
    /// The parameters; nothing where there is no list.
    pub fn parameters(&self) -> &'a [Variable<'a>] {
        self.parameters.unwrap_or_default()
    }
}

/// A directive between the head of a function and its body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FunctionDirective<'a> {
    /// The directive with its dot.
    pub name: &'a str,
    /// Its numbers or strings, as they are written.
    pub values: &'a [&'a str],
}

/// A variable in some state space, or a parameter.
#[derive(Debug, Clone, Copy)]
pub struct Variable<'a> {
    /// Its name; `_` for an unnamed parameter of a prototype.
    pub name: &'a str,
    /// Who sees it.
    pub linkage: Linkage,
    /// The state space with its dot.
    pub space: &'a str,
    /// The type with its dot.
    pub data_type: &'a str,
    /// `.align`, where it is given.
    pub alignment: Option<u64>,
    /// The text of `.attribute( … )`.
    pub attributes: &'a [&'a str],
    /// Elements of `.v2`, `.v4` and `.v8`; 1 otherwise.
    pub vector: u32,
    /// What a pointer parameter points to: words such as `.ptr`, `.global` and `.align 4`.
    pub pointer: Option<&'a Pointer<'a>>,
    /// The array's extents; an open one is none. Empty for a scalar.
    pub extents: &'a [Option<u64>],
    /// The initial value.
    pub initial: Option<&'a Operand<'a>>,
    /// Where it is declared.
    pub span: Span,
}

impl Variable<'_> {
    /// Whether an attribute has this word, for example `.managed`.
    pub fn has_attribute(&self, word: &str) -> bool {
        self.attributes.iter().any(|text| text.contains(word))
    }
}

/// `.ptr .space .align n` of a kernel's parameter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer<'a> {
    /// The state space, where it is given.
    pub space: Option<&'a str>,
    /// The alignment, where it is given.
    pub alignment: Option<u64>,
}

/// `.reg .type name;` or `.reg .type name<count>;`
#[derive(Debug, Clone, Copy)]
pub struct RegisterDeclaration<'a> {
    /// The type with its dot.
    pub data_type: &'a str,
    /// Elements of `.v2` and `.v4`; 1 otherwise.
    pub vector: u32,
    /// `.align`, where it is given.
    pub alignment: Option<u64>,
    /// Names; with a count, `name0` to `name(count-1)` are declared.
    pub names: &'a [(&'a str, Option<u32>)],
    /// Where it is declared.
    pub span: Span,
}

/// A place in a source file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// The number of the `.file`.
    pub file: u32,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
}

/// A `.loc` directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location<'a> {
    /// The place of what follows.
    pub place: Place,
    /// For inlined code: which function, and where it was inlined.
    pub inlined: Option<Inlined<'a>>,
}

/// `function_name label+offset, inlined_at file line column`
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inlined<'a> {
    /// The label of the function's name in `.debug_str`.
    pub function: &'a str,
    /// Bytes behind the label.
    pub offset: u64,
    /// Where it was inlined.
    pub at: Place,
}

/// One statement of a body.
#[derive(Debug, Clone, Copy)]
pub enum Statement<'a> {
    /// `name:`
    Label(&'a Label<'a>),
    /// A source line for what follows.
    Location(&'a Location<'a>),
    /// Register declarations.
    Registers(&'a RegisterDeclaration<'a>),
    /// A variable of the function's scope.
    Variable(&'a Variable<'a>),
    /// An instruction.
    Instruction(&'a Instruction<'a>),
    /// `{ … }`: a scope of its own.
    Block(&'a Block<'a>),
    /// `name: .branchtargets a, b;` and `name: .calltargets f, g;`
    Targets(&'a Targets<'a>),
    /// `name: .callprototype …;`
    CallPrototype(&'a CallPrototype<'a>),
    /// `.pragma "a";` with the quotes.
    Pragma(&'a Pragma<'a>),
}

/// A label.
#[derive(Debug, Clone, Copy)]
pub struct Label<'a> {
    /// Its name.
    pub name: &'a str,
    /// Where it stands.
    pub span: Span,
}

/// Statements with a scope of their own.
#[derive(Debug, Clone, Copy)]
pub struct Block<'a> {
    /// The statements.
    pub statements: &'a [Statement<'a>],
}

/// Strings for the assembler.
#[derive(Debug, Clone, Copy)]
pub struct Pragma<'a> {
    /// The strings with their quotes.
    pub strings: &'a [&'a str],
}

/// A list of places that an indirect branch or call can lead to.
#[derive(Debug, Clone, Copy)]
pub struct Targets<'a> {
    /// The list's label.
    pub label: &'a str,
    /// Functions (`.calltargets`), not labels (`.branchtargets`).
    pub are_functions: bool,
    /// Their names.
    pub names: &'a [&'a str],
}

/// The signature of what an indirect call calls.
#[derive(Debug, Clone, Copy)]
pub struct CallPrototype<'a> {
    /// The prototype's label.
    pub label: &'a str,
    /// Return parameters.
    pub returns: &'a [Variable<'a>],
    /// The word in the place of the name, usually `_`.
    pub name: &'a str,
    /// Parameters, if there is a list.
    pub parameters: Option<&'a [Variable<'a>]>,
    /// `.noreturn` and the like.
    pub directives: &'a [FunctionDirective<'a>],
}

/// `@p` or `@!p`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guard<'a> {
    /// The predicate register.
    pub register: &'a str,
    /// Whether the instruction runs where it is false.
    pub negated: bool,
}

/// The name of an instruction with its modifiers. A module has each distinct one once.
#[derive(Debug, Clone, Copy)]
pub struct Mnemonic<'a> {
    /// The whole of it, without blanks.
    pub text: &'a str,
    /// The first word.
    pub opcode: &'a str,
    /// The words after it, without their dots, in order.
    pub modifiers: &'a [&'a str],
    /// The row of the instruction table that it fits; none for an unknown instruction.
    pub row: Option<&'static Row>,
}

/// An instruction in its general form.
#[derive(Debug, Clone, Copy)]
pub struct Instruction<'a> {
    /// The guard.
    pub guard: Option<&'a Guard<'a>>,
    /// Opcode and modifiers.
    pub mnemonic: &'a Mnemonic<'a>,
    /// The operands.
    pub operands: &'a [Operand<'a>],
    /// From the guard or opcode to before the `;`.
    pub span: Span,
}

impl<'a> Instruction<'a> {
    /// The first word.
    pub fn opcode(&self) -> &'a str {
        self.mnemonic.opcode
    }

    /// The words after it, without their dots, in order.
    pub fn modifiers(&self) -> &'a [&'a str] {
        self.mnemonic.modifiers
    }
}

/// `[base+offset]`, for textures and tensors with further operands: `[base, {x, y}]`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Address<'a> {
    /// What it is counted from.
    pub base: AddressBase<'a>,
    /// Bytes to add.
    pub offset: i64,
    /// Whether an offset is written. The assembler makes other code of `[a+0]` than of `[a]`.
    pub has_offset: bool,
    /// What stands behind a comma inside of the brackets.
    pub further: &'a [Operand<'a>],
    /// `.unified` behind the brackets.
    pub is_unified: bool,
}

/// What an address is counted from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AddressBase<'a> {
    /// A register or a variable.
    Name(&'a str),
    /// A number: the offset is the address.
    Absolute,
}

/// An operand.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Operand<'a> {
    /// A register, variable, label, function or special register; `%tid.x` keeps its dot.
    Name(&'a str),
    /// `name+3` outside of brackets.
    NameOffset(&'a (&'a str, i64)),
    /// An integer.
    Integer(Number<'a>),
    /// A constant expression that is more than one number.
    Expression(&'a Expression<'a>),
    /// A floating-point literal.
    Float(Number<'a>),
    /// `[base+offset]`
    Address(&'a Address<'a>),
    /// `{a, b, …}`
    Vector(&'a [Operand<'a>]),
    /// `a|b`
    Pair(&'a (Operand<'a>, Operand<'a>)),
    /// `!p`
    Not(&'a str),
    /// `-a` in front of a register.
    Negated(&'a str),
    /// `(a, b, …)` of a call.
    List(&'a [Operand<'a>]),
    /// `generic(a)` or `generic(a)+4` of an initial value.
    Generic(&'a Operand<'a>),
    /// `0xFF00(a)`: some bits of an address, in an initial value.
    Mask(&'a (Number<'a>, Operand<'a>)),
    /// `key = value` of a sampler's initial value.
    Setting(&'a (&'a str, Operand<'a>)),
    /// A string, with its quotes.
    Text(&'a str),
    /// `_`: the result is not wanted.
    Ignored,
}

/// A constant expression with its value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Expression<'a> {
    /// As it is written.
    pub text: &'a str,
    /// What it comes to, in two's complement.
    pub value: u64,
}

impl<'a> Module<'a> {
    /// `.version`
    pub fn version(&self) -> Option<Version> {
        self.items.iter().find_map(|item| match item {
            Item::Version(version) => Some(*version),
            _ => None,
        })
    }

    /// The words of `.target`, for example `sm_90` and `debug`.
    pub fn target(&self) -> &'a [&'a str] {
        let target = self.items.iter().find_map(|item| match item {
            Item::Target(words) => Some(*words),
            _ => None,
        });
        target.unwrap_or_default()
    }

    /// Variables of the module's scope, in the order of the text.
    pub fn variables(&self) -> impl Iterator<Item = &'a Variable<'a>> + use<'a> {
        self.items.iter().filter_map(|item| match item {
            Item::Variable(variable) => Some(*variable),
            _ => None,
        })
    }

    /// Kernels and functions, declarations included, in the order of the text.
    pub fn functions(&self) -> impl Iterator<Item = &'a Function<'a>> + use<'a> {
        self.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(*function),
            _ => None,
        })
    }

    /// The instructions of all functions, inner scopes included, in the order of the text.
    pub fn instructions(&self) -> impl Iterator<Item = &'a Instruction<'a>> + use<'a> {
        let bodies = self.functions().filter_map(|function| function.body);
        bodies.flat_map(Instructions::of)
    }
}

/// The instructions of a body, inner scopes included.
#[derive(Debug)]
pub struct Instructions<'a> {
    open: Vec<std::slice::Iter<'a, Statement<'a>>>,
}

impl<'a> Instructions<'a> {
    /// Those of these statements.
    pub fn of(statements: &'a [Statement<'a>]) -> Instructions<'a> {
        Instructions { open: vec![statements.iter()] }
    }
}

impl<'a> Iterator for Instructions<'a> {
    type Item = &'a Instruction<'a>;

    fn next(&mut self) -> Option<&'a Instruction<'a>> {
        loop {
            match self.open.last_mut()?.next() {
                None => {
                    self.open.pop();
                }
                Some(Statement::Instruction(instruction)) => return Some(instruction),
                Some(Statement::Block(block)) => self.open.push(block.statements.iter()),
                Some(_) => {}
            }
        }
    }
}
