//! Tells what a file without a name is by its first bytes.

/// First bytes and the extension, with its dot.
const STARTS: [(&[u8], &str); 17] = [
    (b"MDLX", ".mdx"),
    (b"BLP", ".blp"),
    (b"DDS ", ".dds"),
    (b"RIFF", ".wav"),
    (b"ID3", ".mp3"),
    (b"fLaC", ".flac"),
    (b"W3E!", ".w3e"),
    (b"W3do", ".doo"),
    (b"MP3W", ".wpm"),
    (b"WTG!", ".wtg"),
    (b"HM3W", ".w3x"),
    (b"MPQ\x1A", ".mpq"),
    (b"ID;", ".slk"),
    (b"globals", ".j"),
    (b"function", ".j"),
    (b"\x89PNG", ".png"),
    (b"\xFF\xFB", ".mp3"),
];

/// Returns a number for the kind of file; 0 if it is not known.
pub(crate) fn kind(bytes: &[u8]) -> u32 {
    STARTS.iter().position(|(start, _)| bytes.starts_with(start)).map_or(0, |at| at as u32 + 1)
}

/// Returns the extension of a kind, with its dot; empty if the kind is not known.
pub(crate) fn extension(kind: u32) -> &'static str {
    let known = (kind as usize).checked_sub(1).and_then(|at| STARTS.get(at));
    known.map_or("", |(_, extension)| *extension)
}
