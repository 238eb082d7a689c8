#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| galatea_fuzz::native::read(
    "mdl",
    b"Version {\n\tFormatVersion 800,\n}\n",
    data
));
