//! Inflating entries, whose unpacked size is known and limited.

use galatea_wire::{ErrorKind, Limits, zlib};

/// Unpacks a stream to exactly `size` bytes; never more, whatever the data wants.
pub(crate) fn inflate(packed: &[u8], size: u64, head: bool, limits: &Limits) -> Result<Vec<u8>, ErrorKind> {
    if size > limits.entry {
        return Err(ErrorKind::Limit("bytes of an entry"));
    }
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    if head { zlib::inflate(packed, size) } else { zlib::inflate_raw(packed, size) }
}
