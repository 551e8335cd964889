//! A CUDA driver in software: what `libcuda.so.1` is to a program, without a
//! GPU. See `README.md`.
//!
//! `api` holds the exported functions; each is a thin shell over the modules
//! beside it, which the tests call directly. Section names in quotation marks
//! are those of the *CUDA Driver API* reference.

#![cfg_attr(test, allow(clippy::unwrap_used, reason = "a test that cannot go on has failed"))]

mod api;
mod bounds;
mod caller;
mod context;
mod copy;
mod cost;
mod device;
mod driver;
mod event;
mod extent;
mod handle;
mod host;
mod injection;
mod launch;
mod machine;
mod managed;
mod mapping;
mod memory;
mod message;
mod module;
mod option;
mod pin;
mod rectangle;
mod registration;
mod residence;
mod rule;
mod side;
mod space;
mod statistics;
mod status;
mod stream;
mod transfer;
mod view;
