#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| galatea_fuzz::native::text_roundtrip(
    "kotor-mdl-ascii",
    b"newmodel a\n",
    data
));
