//! Programs that prove offmem, and the harness that runs them.
