#![no_main]
use galatea::archive::Kind;
libfuzzer_sys::fuzz_target!(|data: &[u8]| galatea_fuzz::archive::read(Kind::Fpk, b"foxfpk\0win", data));
