/// What a constant of an instruction is counted from, until the kernel is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Nothing: it is final.
    Nothing,
    /// The function's local memory.
    Frame,
    /// A parameter of the function, return values first.
    Formal(u32),
    /// One of the function's shared variables.
    Shared(u32),
    /// The start of dynamic shared memory.
    DynamicShared,
    /// One of the function's global or constant variables.
    Symbol(u32),
    /// The place that pointers to one of the module's functions point to.
    Function(u32),
}
