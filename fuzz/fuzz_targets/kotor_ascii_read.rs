#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| galatea_fuzz::read("kotor-mdl-ascii", b"newmodel a\n", data));
