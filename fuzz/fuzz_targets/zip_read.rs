#![no_main]
use galatea::archive::Kind;
libfuzzer_sys::fuzz_target!(|data: &[u8]| galatea_fuzz::archive::read(Kind::Zip, b"PK\x03\x04", data));
