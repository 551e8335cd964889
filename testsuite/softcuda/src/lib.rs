//! CUDA in software.
