//! KotOR walkmeshes.

use super::Motion;
use crate::kotor::bwm::Walkmesh;

pub(super) fn apply(walkmesh: &mut Walkmesh, motion: &Motion) {
    walkmesh.vertices.iter_mut().for_each(|vertex| *vertex = motion.point(*vertex));
    walkmesh.normals.iter_mut().for_each(|normal| *normal = motion.vector(*normal));
    // Places that were never set stay so.
    let places =
        walkmesh.relative_use.iter_mut().chain(&mut walkmesh.absolute_use).chain([&mut walkmesh.position]);
    places.filter(|place| **place != [0.0; 3]).for_each(|place| *place = motion.point(*place));
    if motion.is_mirror() {
        // The first edge becomes the last.
        let edge = |edge: u32| edge / 3 * 3 + (2 - edge % 3);
        walkmesh.faces.iter_mut().for_each(|[_, b, c]| std::mem::swap(b, c));
        for neighbours in &mut walkmesh.adjacency {
            neighbours.reverse();
            for neighbour in neighbours.iter_mut() {
                if let Ok(there) = u32::try_from(*neighbour) {
                    *neighbour = edge(there) as i32;
                }
            }
        }
        walkmesh.edges.iter_mut().for_each(|border| border.edge = edge(border.edge));
        // A loop goes around the other way now.
        let mut start = 0;
        for end in walkmesh.perimeters.iter().map(|end| *end as usize) {
            walkmesh.edges.get_mut(start..end).into_iter().for_each(<[_]>::reverse);
            start = end;
        }
    }
    walkmesh.derive_distances();
    if motion.is_move() {
        for node in &mut walkmesh.aabb {
            motion.aabb(&mut node.min, &mut node.max);
        }
    } else {
        walkmesh.derive_tree();
    }
}
