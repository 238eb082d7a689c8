//! Any bytes: read, check, mend, rebuild, inspect. Nothing may panic or hang.
#![no_main]

use galatea::kotor::bwm::{self, Walkmesh};
use galatea::kotor::surface::Walkability;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    // The magic is given, so that the fuzzer spends its time behind it.
    let mut bytes = bwm::MAGIC.to_vec();
    bytes.extend(data);
    let limits = Default::default();
    let (coverage, _) = bwm::inspect(&bytes, &limits);
    let inspector = galatea::wire::Inspector::new(&bytes, &coverage);
    assert_eq!(inspector.map().iter().map(|s| s.end - s.start).sum::<usize>(), bytes.len());
    if let Ok(mut mesh) = Walkmesh::read(&bytes, &limits) {
        mesh.check();
        mesh.fix(&|_| true);
        mesh.rebuild(&Walkability::default());
        mesh.translate([1.0, 2.0, 3.0]);
        let _ = mesh.weld(0.01, &Walkability::default());
        let _ = mesh.write();
    }
});
