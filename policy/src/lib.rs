//! When registering a block of host memory pays, and how much of it may be
//! registered. Arithmetic only: no driver, no clock.
