//! Attacks: input and surroundings that no honest program has. Nothing may abort, hang or take too much, and nothing that
//! is broken may be called clean.

pub mod mutated;
mod observed;
pub mod programs;
mod surroundings;
