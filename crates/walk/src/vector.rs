//! Vector operations in f64, in a fixed order, so that results are the same on every platform.

/// A point or direction in space.
pub(crate) type V3 = [f64; 3];
/// A point or direction in the plan (x, y).
pub(crate) type V2 = [f64; 2];

#[inline]
pub(crate) fn v3(p: [f32; 3]) -> V3 {
    [f64::from(p[0]), f64::from(p[1]), f64::from(p[2])]
}

#[inline]
pub(crate) fn plan(p: [f32; 3]) -> V2 {
    [f64::from(p[0]), f64::from(p[1])]
}

#[inline]
pub(crate) fn f32s(p: V3) -> [f32; 3] {
    [p[0] as f32, p[1] as f32, p[2] as f32]
}

#[inline]
pub(crate) fn sub3(a: V3, b: V3) -> V3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline]
pub(crate) fn add_scaled3(a: V3, d: V3, t: f64) -> V3 {
    [a[0] + d[0] * t, a[1] + d[1] * t, a[2] + d[2] * t]
}

#[inline]
pub(crate) fn dot3(a: V3, b: V3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
pub(crate) fn cross3(a: V3, b: V3) -> V3 {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[inline]
pub(crate) fn add2(a: V2, b: V2) -> V2 {
    [a[0] + b[0], a[1] + b[1]]
}

#[inline]
pub(crate) fn sub2(a: V2, b: V2) -> V2 {
    [a[0] - b[0], a[1] - b[1]]
}

#[inline]
pub(crate) fn lerp2(a: V2, b: V2, t: f64) -> V2 {
    [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t]
}

#[inline]
pub(crate) fn dot2(a: V2, b: V2) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

#[inline]
pub(crate) fn cross2(a: V2, b: V2) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

/// Returns twice the signed area of the triangle: positive if `c` is to the left of the line from `a` to `b`.
#[inline]
pub(crate) fn orient(a: V2, b: V2, c: V2) -> f64 {
    cross2(sub2(b, a), sub2(c, a))
}

#[inline]
pub(crate) fn distance2(a: V2, b: V2) -> f64 {
    let d = sub2(b, a);
    dot2(d, d).sqrt()
}

/// Returns the parameter (0 to 1) of the point of the segment nearest to `p`, and its squared distance.
#[inline]
pub(crate) fn nearest_on_segment(p: V2, a: V2, b: V2) -> (f64, f64) {
    let d = sub2(b, a);
    let len = dot2(d, d);
    let t = if len > 0.0 { (dot2(sub2(p, a), d) / len).clamp(0.0, 1.0) } else { 0.0 };
    let e = sub2(p, lerp2(a, b, t));
    (t, dot2(e, e))
}

/// Returns the point of the triangle nearest to `p` (Ericson's regions, in f64).
pub(crate) fn nearest_on_triangle(p: V3, [a, b, c]: [V3; 3]) -> V3 {
    let (ab, ac, ap) = (sub3(b, a), sub3(c, a), sub3(p, a));
    let (d1, d2) = (dot3(ab, ap), dot3(ac, ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = sub3(p, b);
    let (d3, d4) = (dot3(ab, bp), dot3(ac, bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3 {
        return add_scaled3(a, ab, d1 / (d1 - d3));
    }
    let cp = sub3(p, c);
    let (d5, d6) = (dot3(ab, cp), dot3(ac, cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 && d2 > d6 {
        return add_scaled3(a, ac, d2 / (d2 - d6));
    }
    let va = d3 * d6 - d5 * d4;
    let (bc1, bc2) = (d4 - d3, d5 - d6);
    if va <= 0.0 && bc1 >= 0.0 && bc2 >= 0.0 && bc1 + bc2 > 0.0 {
        return add_scaled3(b, sub3(c, b), bc1 / (bc1 + bc2));
    }
    let sum = va + vb + vc;
    if sum > 0.0 { add_scaled3(add_scaled3(a, ab, vb / sum), ac, vc / sum) } else { a }
}

/// Returns the item at an index that has already been checked; the default if it is out of range.
#[inline]
pub(crate) fn at<T: Copy + Default>(items: &[T], index: usize) -> T {
    items.get(index).copied().unwrap_or_default()
}

/// Writes an item at an index that has already been checked.
#[inline]
pub(crate) fn put<T>(items: &mut [T], index: usize, value: T) {
    if let Some(slot) = items.get_mut(index) {
        *slot = value;
    }
}
