//! A CUDA driver in software: what `libcuda.so.1` is to a program, without a
//! GPU. See `README.md`.

mod cost;
mod host;
mod injection;
mod mapping;
mod memory;
mod message;
mod option;
mod pin;
mod rule;
mod statistics;
mod status;
mod transfer;
