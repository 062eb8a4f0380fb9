//! Calls: of functions, before they are expanded, of subroutines and of the system.

use super::{Anchor, Value};

/// What a call hands over: a variable of the caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Argument {
    /// What the offset is counted from.
    pub anchor: Anchor,
    /// Its first byte.
    pub offset: u64,
}

/// Who a call leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Callee {
    /// The function of this name, aliases followed.
    Function(Box<str>),
    /// The function that a pointer leads to, with size and alignment of its results and parameters.
    Pointer {
        /// The pointer.
        address: Value,
        /// Of each result.
        results: Box<[(u64, u64)]>,
        /// Of each parameter.
        parameters: Box<[(u64, u64)]>,
    },
    /// A function that the system provides.
    System(SystemFunction),
}

/// A call of a function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Who is called.
    pub callee: Callee,
    /// Where its results go.
    pub results: Box<[Argument]>,
    /// What it gets.
    pub arguments: Box<[Argument]>,
}

/// A call of a subroutine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubroutineCall {
    /// Who is called.
    pub target: CallTarget,
    /// Bytes that go from the caller's local memory to the frame of the called one.
    pub arguments: Vec<CallCopy>,
    /// Bytes that come back.
    pub results: Vec<CallCopy>,
    /// Bytes of the caller's frame that are in use: the called one's begins behind them.
    pub frame: u64,
    /// Registers and predicates of the caller that are in use.
    pub registers: u32,
    /// The same for predicates.
    pub predicates: u32,
}

/// Who is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallTarget {
    /// A number into [`Kernel::subroutines`](crate::Kernel::subroutines).
    Subroutine(u32),
    /// The one at this address.
    Pointer(Value),
}

/// Bytes that a call hands over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CallCopy {
    /// In the caller's local memory, counted like the other addresses of the caller.
    pub caller: u64,
    /// In the frame of the called one.
    pub callee: u64,
    /// How many.
    pub bytes: u64,
}

/// A call of a function that the system provides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemCall {
    /// Which one.
    pub function: SystemFunction,
    /// Where its arguments are in the caller's local memory.
    pub arguments: Vec<u64>,
    /// Where its result goes.
    pub result: Option<u64>,
    /// The places are counted from the frame of the subroutine that runs.
    pub in_frame: bool,
}

/// Functions that the system provides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SystemFunction {
    /// `vprintf(format, arguments)`
    Print,
    /// `malloc(bytes)`
    Allocate,
    /// `free(pointer)`
    Free,
    /// `__assertfail(message, file, line, function, character size)`
    AssertionFailed,
}
