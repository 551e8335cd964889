//! Pointers that a program passes. It vouches for them, as for those that it
//! gives to the real driver; null is the only one that can be told.

use crate::status::{Outcome, Status};
use std::ffi::{CStr, c_char};
use std::fmt;

/// Where to put a result.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Stores a result that the program must want.
    pub(super) fn put(self, value: T) -> Outcome {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: not null, and the program says that there is room.
        unsafe { self.0.write(value) };
        Ok(())
    }

    /// Stores a result if the program wants it.
    pub(super) fn put_if_wanted(self, value: T) {
        // Not wanting it is no error.
        let _ = self.put(value);
    }

    /// Stores as many of `values` as there is room for.
    pub(super) fn put_all(self, room: usize, values: impl IntoIterator<Item = T>) -> Outcome {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        for (index, value) in values.into_iter().take(room).enumerate() {
            // SAFETY: the program says that there is room for so many.
            unsafe { self.0.add(index).write(value) };
        }
        Ok(())
    }

    /// The same room for values of another type.
    pub(super) fn cast<U>(self) -> Out<U> {
        Out(self.0.cast())
    }

    /// The room at an address.
    pub(super) fn at(address: usize) -> Out<T> {
        Out(address as *mut T)
    }
}

impl<T> fmt::Debug for Out<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Values to read.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct In<T>(*const T);

impl<T: Copy> In<T> {
    /// Whether there is nothing.
    pub(super) fn is_null(self) -> bool {
        self.0.is_null()
    }

    /// The values at an address.
    pub(super) fn at(address: usize) -> In<T> {
        In(address as *const T)
    }

    /// The only value.
    pub(super) fn get(self) -> Outcome<T> {
        self.nth(0)
    }

    /// A value of several.
    pub(super) fn nth(self, index: usize) -> Outcome<T> {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: not null, and the program says that there are so many.
        Ok(unsafe { self.0.add(index).read_unaligned() })
    }
}

impl In<u8> {
    /// Fills a slice.
    pub(super) fn read(self, bytes: &mut [u8]) {
        if !self.0.is_null() {
            // SAFETY: not null, the program says that there are so many bytes,
            // and a slice of ours is not among them.
            unsafe { self.0.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
        }
    }

    /// `size` bytes.
    pub(super) fn bytes(self, size: usize) -> Outcome<Vec<u8>> {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        let mut bytes = vec![0; size];
        self.read(&mut bytes);
        Ok(bytes)
    }

    /// The bytes before the first that is zero.
    pub(super) fn text(self) -> Outcome<Vec<u8>> {
        Text(self.0.cast()).bytes()
    }
}

impl<T> fmt::Debug for In<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A string that ends with a zero.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub(super) struct Text(*const c_char);

impl Text {
    /// The string.
    pub(super) fn get(self) -> Outcome<String> {
        self.bytes().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }

    fn bytes(self) -> Outcome<Vec<u8>> {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: not null, and the program says that it ends with a zero.
        Ok(unsafe { CStr::from_ptr(self.0) }.to_bytes().to_owned())
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.get() {
            Ok(text) => text.fmt(f),
            Err(_) => f.write_str("NULL"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_is_an_error_and_not_a_fault() {
        assert_eq!(Out::<i32>::at(0).put(1), Err(Status::INVALID_VALUE));
        Out::<i32>::at(0).put_if_wanted(1);
        assert_eq!(In::<i32>::at(0).get(), Err(Status::INVALID_VALUE));
        assert_eq!(In::<u8>::at(0).bytes(3), Err(Status::INVALID_VALUE));
        assert_eq!(Text(std::ptr::null()).get(), Err(Status::INVALID_VALUE));
    }

    #[test]
    fn values_go_both_ways() {
        let mut values = [0u32; 3];
        let out = Out(values.as_mut_ptr());
        out.put_all(2, [7, 8, 9]).unwrap();
        assert_eq!(In(values.as_ptr()).nth(1), Ok(8));
        assert_eq!(values, [7, 8, 0]);
        assert_eq!(Text(c"name".as_ptr()).get().unwrap(), "name");
    }
}
