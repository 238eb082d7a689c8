//! The comparison of an optimized model with the original: faces, then the poses of all animations.

use super::vertices::bits_of;
use super::{COLOR, Kotor, ROUNDING};
use crate::kotor::mdl::{Animation, Model};
use crate::optimize::run::Compared;
use crate::optimize::{Difference, measure};

/// The moments of each animation at which poses are compared.
const INSTANTS: u16 = 24;
/// Degrees by which equal rotations differ when they are computed in another order.
const TURN: f32 = 0.01;

fn differ<T>(of: &Kotor, clip: Option<String>, what: String) -> Result<T, Difference> {
    Err(Difference { clip, what, tolerance: of.tolerance })
}

/// Compares an optimized model with the original.
pub(super) fn compare(of: &Kotor, model: &Model) -> Result<Compared, Difference> {
    faces(of, model)?;
    let mut found = Compared::default();
    if of.original.animations.len() != model.animations.len() {
        return differ(of, None, "animations are missing".to_owned());
    }
    for (old, new) in of.original.animations.iter().zip(&model.animations) {
        animation(of, model, old, new, &mut found)?;
    }
    if model.animations.is_empty() {
        found.poses = 1;
    }
    Ok(found)
}

fn animation(
    of: &Kotor,
    model: &Model,
    old: &Animation,
    new: &Animation,
    found: &mut Compared,
) -> Result<(), Difference> {
    let clip = || Some(old.name.lossy().into_owned());
    for instant in 0..INSTANTS {
        let time = old.length * f32::from(instant) / f32::from(INSTANTS);
        let before = of.original.in_model(&of.original.pose(Some(old), time));
        let after = model.in_model(&model.pose(Some(new), time));
        for (index, (a, b)) in before.iter().zip(&after).enumerate() {
            let turned = measure::angle(a.orientation, b.orientation);
            let reach = of.reach.get(index).copied().unwrap_or(0.0);
            let noise = 1e-5 * (1.0 + a.position.iter().map(|v| v.abs()).sum::<f32>() + reach);
            // A node moves what it draws itself; its children are compared on their own.
            let own = of.original.nodes.get(index).is_some_and(|node| node.mesh.is_some());
            let drawn = if own { reach * (turned + (a.scale - b.scale).abs()) } else { 0.0 };
            let far = (measure::distance(a.position, b.position) + drawn - noise).max(0.0) / of.size;
            found.position = found.position.max(far);
            found.angle = found.angle.max(turned.to_degrees());
            let name = || {
                let node = of.original.nodes.get(index);
                node.map_or(String::new(), |node| galatea_wire::escape_bytes(of.original.name_of(node)))
            };
            if far > of.tolerance.position {
                return differ(of, clip(), format!("\"{}\" is {far:.5} of the size elsewhere", name()));
            }
            if turned.to_degrees() > of.tolerance.angle + TURN {
                return differ(
                    of,
                    clip(),
                    format!("\"{}\" is turned by {:.3} degrees", name(), turned.to_degrees()),
                );
            }
        }
        others(of, old, new, time)?;
        found.poses += 1;
    }
    Ok(())
}

/// Compares controllers that are no places: colors, and what emitters do.
fn others(of: &Kotor, old: &Animation, new: &Animation, time: f32) -> Result<(), Difference> {
    for a in old.nodes.iter().filter(|node| !node.controllers.is_empty()) {
        let same = |b: &&crate::kotor::mdl::Node| (b.number, b.name) == (a.number, a.name);
        let Some(b) = new.nodes.iter().find(same) else {
            return differ(of, Some(old.name.lossy().into_owned()), "a node is missing".to_owned());
        };
        for (index, controller) in a.controllers.list().iter().enumerate() {
            if matches!(controller.kind, 8 | 20 | 36) {
                continue;
            }
            let [x, y] =
                [a, b].map(|node| node.controllers.track(index).and_then(|track| track.sample(time)));
            let near = |(x, y): (&f32, &f32)| {
                (x - y).abs() <= COLOR + ROUNDING * x.abs() || x.to_bits() == y.to_bits()
            };
            let same = match (x, y) {
                (Some(x), Some(y)) => x.iter().zip(&y).all(near),
                (x, y) => x.is_none() && y.is_none(),
            };
            if !same {
                let what = format!("controller {} has another value", controller.kind);
                return differ(of, Some(old.name.lossy().into_owned()), what);
            }
        }
    }
    Ok(())
}

/// Compares every corner of every face.
fn faces(of: &Kotor, model: &Model) -> Result<(), Difference> {
    if of.original.nodes.len() != model.nodes.len() {
        return differ(of, None, "nodes are missing".to_owned());
    }
    for (index, (a, b)) in of.original.nodes.iter().zip(&model.nodes).enumerate() {
        let (Some(a), Some(b)) = (a.mesh.as_deref(), b.mesh.as_deref()) else {
            if a.mesh.is_some() != b.mesh.is_some() {
                return differ(of, None, format!("the mesh of node {index} is missing"));
            }
            continue;
        };
        let corners = |mesh: &crate::kotor::mdl::Mesh, face: usize| {
            mesh.faces.get(face).map(|face| face.vertices.map(|corner| bits_of(mesh, usize::from(corner))))
        };
        let mut wanted = (0..a.faces.len()).filter_map(|face| corners(a, face));
        for have in (0..b.faces.len()).filter_map(|face| corners(b, face)) {
            let found =
                if of.degenerate { wanted.any(|want| want == have) } else { wanted.next() == Some(have) };
            if !found {
                return differ(of, None, format!("a face of node {index} is another one"));
            }
        }
        if !of.degenerate && wanted.next().is_some() {
            return differ(of, None, format!("a face of node {index} is missing"));
        }
    }
    Ok(())
}
