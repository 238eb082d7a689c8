//! Coverage and depth of triangles.

use super::*;

const PAINT: Paint<'static> = Paint::PLAIN;

/// Returns a triangle over the whole image in one color.
fn cover(red: f32) -> [Corner; 3] {
    let values = [1.0, 1.0, 1.0, red, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    [[-1.0, -1.0, 1.0], [3.0, -1.0, 1.0], [-1.0, 3.0, 1.0]].map(|clip| Corner { clip, values })
}

fn drawn(raster: &Raster<'_>) -> usize {
    raster.overwritten().iter().filter(|overwritten| !**overwritten).count()
}

#[test]
fn copies_of_a_triangle_are_drawn_once_and_the_last_one_wins() {
    let mut raster = Raster::new(8, 8, 1);
    for i in 0..1000 {
        raster.triangle(cover(if i % 7 == 3 { 0.5 } else { 0.25 }), PAINT, true, 0.1);
    }
    assert!(drawn(&raster) < 300, "{}", drawn(&raster));
    let mut raster = Raster::new(8, 8, 1);
    for red in [0.25, 0.25, 0.5, 0.25, 0.25] {
        raster.triangle(cover(red), PAINT, true, 0.1);
    }
    assert_eq!(drawn(&raster), 3);
    assert!(raster.draw([0.0; 4]).pixels.as_chunks().0.iter().all(|pixel| *pixel == [128, 0, 0, 255]));
}

#[test]
fn corners_at_any_distance_stay_within_fixed_point_numbers() {
    let places = [0.5, -3e7, 1e18, -2e30, 7e37];
    let range = (2.0 * GUARD * SUB) as i64;
    let values = cover(0.25)[0].values;
    for case in 0..places.len().pow(6) {
        let place = |digit: u32| places[case / places.len().pow(digit) % places.len()];
        let corners = [[place(0), place(1), 1.0], [place(2), place(3), 1.0], [place(4), place(5), 0.5]];
        let mut raster = Raster::new(8, 8, 1);
        raster.triangle(corners.map(|clip| Corner { clip, values }), PAINT, false, 0.1);
        for triangle in &raster.triangles {
            assert!(
                triangle.fixed.iter().flatten().all(|v| v.abs() <= range),
                "{corners:?}: {:?}",
                triangle.fixed
            );
        }
    }
}

#[test]
fn copies_that_let_light_through_or_differ_in_paint_are_all_drawn() {
    let mut raster = Raster::new(8, 8, 1);
    for _ in 0..3 {
        raster.triangle(cover(0.25), Paint { blend: Blend::Add, ..PAINT }, true, 0.1);
    }
    assert_eq!(drawn(&raster), 3);
    // Light of the square root of three quarters, over nothing.
    assert!(raster.draw([0.0, 0.0, 0.0, 1.0]).pixels.as_chunks::<4>().0.iter().all(|pixel| pixel[0] == 221));
    let mut raster = Raster::new(8, 8, 1);
    for emissive in [[0.0; 3], [0.5; 3], [0.25; 3]] {
        raster.triangle(cover(0.25), Paint { emissive, ..PAINT }, true, 0.1);
    }
    assert_eq!(drawn(&raster), 3);
}
