//! The encoding file: which encoded file holds a content.

use galatea_wire::{Error, ErrorKind, Result};
use md5::{Digest, Md5};

use super::cursor::{Cursor, mismatch};

/// The encoding file of a storage.
#[derive(Debug, Clone)]
pub struct Encoding {
    bytes: Vec<u8>,
    /// Where the index of the pages begins, and how many there are.
    index: usize,
    pages: usize,
    page_size: usize,
}

/// What is known of a content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Encoded {
    /// Its bytes when unpacked.
    pub size: u64,
    /// The key of its first encoded form.
    pub ekey: [u8; 16],
}

const HEAD: usize = 22;
const INDEX_ROW: usize = 32;

impl Encoding {
    /// Reads the file: head, strings, then the pages by content with their index. The pages by encoded key are not needed.
    pub fn read(bytes: Vec<u8>) -> Result<Encoding> {
        let mut cursor = Cursor::new(&bytes, 0);
        if cursor.take(2, "magic")? != b"EN" {
            return Err(Error::at(ErrorKind::NotThisFormat, 0).within("encoding"));
        }
        cursor.expect(1, "version")?;
        cursor.expect(16, "ckey_size")?;
        cursor.expect(16, "ekey_size")?;
        let page_size = usize::from(cursor.u16("ckey_page")?) * 1024;
        cursor.u16("ekey_page")?;
        let pages = cursor.u32("ckey_pages")? as usize;
        cursor.u32("ekey_pages")?;
        cursor.expect(0, "unknown_0x11")?;
        let strings = cursor.u32("strings")? as usize;
        let index = HEAD + strings;
        let have = bytes.len().saturating_sub(index) as u64;
        let size = (INDEX_ROW + page_size) as u64;
        if page_size == 0 || (pages as u64).saturating_mul(size) > have {
            let kind = ErrorKind::Truncated { count: pages as u64, size, have };
            return Err(Error::at(kind, index).within("ckey pages"));
        }
        Ok(Encoding { bytes, index, pages, page_size })
    }

    /// Returns the number of pages by content.
    pub fn pages(&self) -> usize {
        self.pages
    }

    /// Returns a row of the index: the first key of a page, and the checksum of the page.
    fn row(&self, page: usize) -> Option<(&[u8], &[u8])> {
        self.bytes.get(self.index + page * INDEX_ROW..)?.get(..INDEX_ROW)?.split_at_checked(16)
    }

    /// Returns the rows of a page, whose checksum is compared: content key, size, first encoded key.
    pub fn page(&self, page: usize) -> Result<Vec<([u8; 16], Encoded)>> {
        let at = self.index + self.pages * INDEX_ROW + page * self.page_size;
        let within = |error: Error| error.within(format!("ckey pages[{page}]"));
        let bytes = self.bytes.get(at..).and_then(|rest| rest.get(..self.page_size));
        let (Some(bytes), Some((_, md5))) = (bytes, self.row(page)) else {
            return Err(within(mismatch(at, "page", format!("one of {}", self.pages), "another")));
        };
        if Md5::digest(bytes)[..] != *md5 {
            return Err(within(mismatch(
                at,
                "md5",
                "the checksum of the index",
                "another: the page is damaged",
            )));
        }
        let mut cursor = Cursor::new(bytes, 0);
        let mut rows = Vec::new();
        while cursor.at() < bytes.len() {
            let count = usize::from(cursor.u8("count")?);
            if count == 0 {
                break;
            }
            let size = cursor.number(5, "size").map_err(within)?;
            let ckey = cursor.array("ckey").map_err(within)?;
            let ekey = cursor.array("ekey").map_err(within)?;
            cursor.take((count - 1) * 16, "ekeys").map_err(within)?;
            rows.push((ckey, Encoded { size, ekey }));
        }
        Ok(rows)
    }

    /// Returns what is known of a content; `None` if it is not in the storage.
    pub fn find(&self, ckey: &[u8; 16]) -> Result<Option<Encoded>> {
        let (mut low, mut high) = (0, self.pages);
        while low < high {
            let middle = (low + high) / 2;
            match self.row(middle) {
                Some((first, _)) if first <= &ckey[..] => low = middle + 1,
                _ => high = middle,
            }
        }
        let Some(page) = low.checked_sub(1) else { return Ok(None) };
        Ok(self.page(page)?.into_iter().find(|(key, _)| key == ckey).map(|(_, found)| found))
    }
}
