//! What is special about functions of the device's C library.

/// Whether a function reads strings by aligned words, newlib's way: the last
/// word may reach past the end of the string's object. No hardware minds,
/// since an aligned word never leaves a page.
pub(super) fn reads_whole_words(function: &str) -> bool {
    matches!(
        function,
        "memccpy"
            | "memchr"
            | "rawmemchr"
            | "stpcpy"
            | "stpncpy"
            | "strcat"
            | "strchr"
            | "strcmp"
            | "strcpy"
            | "strlen"
            | "strncat"
            | "strncmp"
            | "strncpy"
    )
}
