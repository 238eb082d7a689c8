#![no_main]
use galatea::archive::Kind;
libfuzzer_sys::fuzz_target!(|data: &[u8]| galatea_fuzz::archive::read(Kind::Pftxs, b"PFTX\0\0\0\x40\x10\0\0\0\x01\0\0\0TEXL", data));
