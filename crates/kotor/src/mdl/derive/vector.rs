//! Vectors and rotations in double precision.

/// A vector.
pub(crate) type V = [f64; 3];

pub(crate) fn v([x, y, z]: [f32; 3]) -> V {
    [f64::from(x), f64::from(y), f64::from(z)]
}

pub(crate) fn f([x, y, z]: V) -> [f32; 3] {
    [x as f32, y as f32, z as f32]
}

pub(crate) fn add(a: V, b: V) -> V {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

pub(crate) fn sub(a: V, b: V) -> V {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn scale(a: V, s: f64) -> V {
    [a[0] * s, a[1] * s, a[2] * s]
}

pub(crate) fn dot(a: V, b: V) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: V, b: V) -> V {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

pub(crate) fn length(a: V) -> f64 {
    dot(a, a).sqrt()
}

/// Returns the normalized vector; zero stays zero.
pub(crate) fn normalize(a: V) -> V {
    let len = length(a);
    if len > 0.0 { scale(a, 1.0 / len) } else { a }
}

/// Returns the angle between two vectors, in radians; 0 if one is zero.
pub(crate) fn angle(a: V, b: V) -> f64 {
    let lengths = length(a) * length(b);
    if lengths > 0.0 { (dot(a, b) / lengths).clamp(-1.0, 1.0).acos() } else { 0.0 }
}

/// A rotation w, x, y, z.
pub(crate) type Q = [f64; 4];

pub(crate) fn q(r: [f32; 4]) -> Q {
    r.map(f64::from)
}

/// Returns the rotation that applies `b`, then `a`.
pub(crate) fn qmul(a: Q, b: Q) -> Q {
    let ([aw, ax, ay, az], [bw, bx, by, bz]) = (a, b);
    [
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    ]
}

/// Returns the inverse of a unit rotation.
pub(crate) fn conjugate([w, x, y, z]: Q) -> Q {
    [w, -x, -y, -z]
}

/// Returns the normalized rotation; the identity for zero.
pub(crate) fn qnormalize(r: Q) -> Q {
    let len = r.iter().map(|c| c * c).sum::<f64>().sqrt();
    if len > 0.0 { r.map(|c| c / len) } else { [1.0, 0.0, 0.0, 0.0] }
}

pub(crate) fn rotate(r: Q, p: V) -> V {
    let [w, x, y, z] = r;
    let u = [x, y, z];
    let t = scale(cross(u, p), 2.0);
    add(add(p, scale(t, w)), cross(u, t))
}

/// A rigid transform: rotation, then translation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Rigid {
    pub(crate) rotation: Q,
    pub(crate) translation: V,
}

impl Rigid {
    pub(crate) const IDENTITY: Rigid = Rigid { rotation: [1.0, 0.0, 0.0, 0.0], translation: [0.0; 3] };

    /// Returns the transform that applies `inner`, then this.
    pub(crate) fn then(self, inner: Rigid) -> Rigid {
        Rigid {
            rotation: qmul(self.rotation, inner.rotation),
            translation: add(rotate(self.rotation, inner.translation), self.translation),
        }
    }

    pub(crate) fn inverse(self) -> Rigid {
        let rotation = conjugate(self.rotation);
        Rigid { rotation, translation: scale(rotate(rotation, self.translation), -1.0) }
    }
}
