#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| galatea_fuzz::native::read(
    "kotor-bwm-ascii",
    b"node trimesh a_wg\n",
    data
));
