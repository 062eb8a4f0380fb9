//! Accesses: each is compared with the history as far as the order does not order it, and becomes part of the history.
//!
//! `weak` and `strong` are the algorithm for one event; `lines` and `observe` compare with one line and with one
//! location. `together` is for lanes that use one counter in one instruction. `reductions` and `noted` are shorter ways for what comes in great number and races with nothing.

mod lines;
mod moral_strength;
mod noted;
mod observe;
mod pairs;
mod pass;
mod reductions;
mod stored;
mod strong;
mod together;
mod weak;
