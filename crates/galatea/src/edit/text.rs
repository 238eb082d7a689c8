//! Names in fields of fixed size.

use galatea_wire::Text;

use super::Refusal;

/// Puts another text into a field; returns whether it differs. Where the field held bytes after its NUL, those that the new text leaves
/// room for stay, so that a shorter name and back is the same field again.
pub(super) fn set_text<const N: usize>(
    field: &mut Text<N>,
    what: &'static str,
    new: &[u8],
) -> Result<bool, Refusal> {
    if field.bytes() == new {
        return Ok(false);
    }
    let fresh = Text::<N>::new(new).filter(|_| !new.contains(&0));
    let mut fresh = fresh.ok_or_else(|| Refusal::NoRoom {
        what,
        name: String::from_utf8_lossy(new).into_owned(),
        room: N,
    })?;
    if field.has_tail() {
        let kept = fresh.0.iter_mut().zip(field.0).skip(new.len() + 1);
        kept.for_each(|(new, old)| *new = old);
    }
    *field = fresh;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_and_back_is_the_same_field() {
        for (before, name) in [
            (*b"abc\0\0\0\0\0", "a"),
            (*b"abc\0\0\0\0\0", "abcdefg"),
            (*b"abc\0xyzw", "a"),
            (*b"abc\0xyzw", "xyz"),
        ] {
            let mut field = Text(before);
            assert!(set_text(&mut field, "name", name.as_bytes()).unwrap());
            assert_eq!(field.bytes(), name.as_bytes());
            assert!(set_text(&mut field, "name", b"abc").unwrap());
            assert_eq!(field.0, before);
            assert!(!set_text(&mut field, "name", b"abc").unwrap());
        }
        assert!(set_text(&mut Text(*b"ab"), "name", b"abc").is_err());
        assert!(set_text(&mut Text(*b"ab"), "name", b"a\0").is_err());
    }
}
