#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| galatea_fuzz::table::gff(data));
