#![no_main]
use galatea::archive::Kind;
libfuzzer_sys::fuzz_target!(|data: &[u8]| galatea_fuzz::archive::read(Kind::Erf, b"MOD V1.0", data));
