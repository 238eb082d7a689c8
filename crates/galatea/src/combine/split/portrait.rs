//! Portraits of Warcraft III: what the camera sees of a model.

use glam::Vec3;

use crate::combine::warcraft::cut;
use crate::combine::{CombineError, Combined};
use crate::mdlx::Model;
use crate::mdlx::play::{Moment, Player};

/// Moments of each sequence at which the camera looks.
const MOMENTS: u32 = 8;

/// How much wider than the camera's view what is kept is.
const MARGIN: f32 = 1.3;

pub(super) fn make(model: &mut Model, out: &mut Combined) -> Result<(), CombineError> {
    if model.geosets.is_empty() {
        return Err(CombineError::Nothing { what: "has no geosets to show".to_owned() }.of(0));
    }
    let mut new = model.portrait();
    let seen = seen(&new);
    let all: usize = new.geosets.iter().map(|geoset| geoset.triangles().len()).sum();
    let mut kept = 0;
    let mut gone = vec![false; new.geosets.len()];
    for ((geoset, seen), gone) in new.geosets.iter_mut().zip(&seen).zip(&mut gone) {
        let inside = |corner: &u16| seen.get(usize::from(*corner)).copied().unwrap_or(false);
        let triangles: Vec<[u16; 3]> =
            geoset.triangles().into_iter().filter(|triangle| triangle.iter().any(inside)).collect();
        kept += triangles.len();
        *gone = triangles.is_empty();
        if triangles.len() < geoset.triangles().len() {
            *geoset = cut::with_triangles(geoset, &triangles);
        }
    }
    if kept == 0 {
        let what = "its camera sees nothing of it".to_owned();
        return Err(CombineError::Nothing { what }.of(0));
    }
    crate::combine::warcraft::without_geosets(&mut new, &gone);
    out.done.push(format!(
        "{kept} of {all} triangles, {} sequences, {} cameras",
        new.sequences.len(),
        new.cameras.len()
    ));
    *model = new;
    Ok(())
}

/// Tells of each vertex of each geoset whether a camera ever sees it.
fn seen(model: &Model) -> Vec<Vec<bool>> {
    let player = Player::new(model);
    let mut out: Vec<Vec<bool>> =
        model.geosets.iter().map(|geoset| vec![false; geoset.vertices.len()]).collect();
    for (number, sequence) in model.sequences.iter().enumerate() {
        let length = f64::from(sequence.end.saturating_sub(sequence.start));
        for step in 0..MOMENTS {
            let elapsed = length * f64::from(step) / f64::from(MOMENTS);
            let pose = player.pose(&Moment::in_sequence(model, number, elapsed), None);
            for (geoset, seen) in model.geosets.iter().zip(&mut out) {
                for ((place, _), seen) in player.vertices(geoset, &pose).into_iter().zip(seen) {
                    *seen |= pose.cameras.iter().any(|camera| {
                        let [field_of_view, ..] = camera.lens;
                        let ahead = (camera.target - camera.position).normalize_or(Vec3::NEG_X);
                        let to = Vec3::from(place) - camera.position;
                        // The field of view is that of the diagonal.
                        to.dot(ahead) > 0.0
                            && to.angle_between(ahead) < (field_of_view / 2.0 * MARGIN).min(1.5)
                    });
                }
            }
        }
    }
    out
}
