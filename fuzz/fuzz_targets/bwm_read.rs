#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| galatea_fuzz::read("kotor-bwm", b"BWM V1.0", data));
