#![no_main]
libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    if let Ok(loaded) = galatea::gltf::read(data, &Default::default(), &mut |_| None) {
        let _ = galatea::gltf::write_glb(&loaded.scene, &Default::default());
    }
});
