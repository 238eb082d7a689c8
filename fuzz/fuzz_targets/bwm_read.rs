#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| galatea_fuzz::native::read("kotor-bwm", b"BWM V1.0", data));
