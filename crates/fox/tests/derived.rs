//! Derived fields of real files, thrown away and computed again.

use galatea_fox::{Agreement, Fmdl};
use galatea_wire::Limits;

/// Written by FMDL Studio with constants where the game's compiler computes.
const NOT_KONAMI: &[&str] = &["epl.fmdl", "sna0_arm0_cov.fmdl"];

#[test]
fn derived_fields_of_the_games_files_can_be_computed() {
    let Some(dir) = galatea_trial::corpus("fmdl") else { return };
    let mut sum = Agreement::default();
    for path in galatea_trial::files(&dir, &[".fmdl"]) {
        if NOT_KONAMI.iter().any(|name| path.ends_with(name)) {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let model = Fmdl::read(&bytes, &Limits::default()).unwrap();
        sum += model.agreement();
        let mut again = model.clone();
        again.rederive();
        let d = again.derive();
        assert!(again.bounds.same_bits(&d.bounds), "{}", path.display());
    }
    for (name, held, of) in sum.lines() {
        println!("{name}: {held} of {of}");
    }
    let share = |(held, of): (usize, usize)| held as f64 / of as f64;
    assert!(sum.run_boxes.1 > 400 && sum.bone_boxes.1 > 2000, "{sum:?}");
    assert_eq!(share(sum.model_boxes), 1.0);
    assert_eq!(share(sum.run_boxes), 1.0);
    assert!(share(sum.bone_boxes) > 0.98, "{sum:?}");
    assert_eq!(share(sum.usage_masks), 1.0);
    assert_eq!(share(sum.max_weights), 1.0);
    assert_eq!(share(sum.max_weights_not_above), 1.0);
    assert!(share(sum.areas) > 0.99, "{sum:?}");
    assert!(share(sum.texel_densities) > 0.94, "{sum:?}");
}
