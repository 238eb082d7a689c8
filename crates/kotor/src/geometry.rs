//! Planes of triangles, and the axes of the games.

/// The rotation from Z up, as in the games, to Y up: 90 degrees about X.
pub(crate) const AXES: [f32; 4] =
    [-std::f32::consts::FRAC_1_SQRT_2, 0.0, 0.0, std::f32::consts::FRAC_1_SQRT_2];

/// Returns the unit normal of a triangle, counter-clockwise; zero for a triangle without area.
pub fn normal([a, b, c]: [[f32; 3]; 3]) -> [f32; 3] {
    let wide = |v: [f32; 3]| v.map(f64::from);
    let (a, b, c) = (wide(a), wide(b), wide(c));
    let sub = |[ax, ay, az]: [f64; 3], [bx, by, bz]: [f64; 3]| [ax - bx, ay - by, az - bz];
    let ([ux, uy, uz], [vx, vy, vz]) = (sub(b, a), sub(c, a));
    let [x, y, z] = [uy * vz - uz * vy, uz * vx - ux * vz, ux * vy - uy * vx];
    let length = (x * x + y * y + z * z).sqrt();
    if length > 0.0 { [x / length, y / length, z / length].map(|v| v as f32) } else { [0.0; 3] }
}

/// Returns the distance of a face's plane, given its normal and first corner: minus their dot product.
pub fn plane(normal: [f32; 3], corner: [f32; 3]) -> f32 {
    let product: f64 = normal.iter().zip(&corner).map(|(n, v)| f64::from(*n) * f64::from(*v)).sum();
    -product as f32
}
