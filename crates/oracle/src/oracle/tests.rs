//! Each sentence of the race model on a few events.

mod asynchronous;
mod barriers;
mod kinds;
mod observation;
mod patterns;
mod story;
