//! What each instruction does, by the PTX ISA; one module for each chapter.

mod atomic;
mod barrier;
mod call;
mod collective;
mod compare;
mod convert;
mod divergence;
mod fault;
mod float;
mod integer;
mod link;
mod logic;
mod machine;
mod movement;
mod mutation;
mod parse_error;
mod printf;
mod table;
mod threads;
