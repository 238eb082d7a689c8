//! Scenes and queries that are the same for every implementation: a terrain, two storeys, a maze-like navmesh.

use galatea_walk::{Materials, Ray, Surface};

/// A SplitMix64 generator: the same numbers everywhere.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub(crate) fn unit(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1u64 << 24) as f32
    }

    pub(crate) fn range(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    pub(crate) fn below(&mut self, n: usize) -> usize {
        (self.next() % n.max(1) as u64) as usize
    }
}

pub(crate) fn height(x: f32, y: f32) -> f32 {
    let hills = 4.0 * (0.07 * x).sin() * (0.09 * y).cos();
    let bumps = 1.3 * (0.31 * x + 0.17 * y).sin();
    hills + bumps + 0.4 * (1.3 * x - 0.7 * y).sin()
}

pub(crate) type Triangles = (Vec<[f32; 3]>, Vec<[u32; 3]>);

/// A grid of quads whose diagonals alternate.
pub(crate) fn grid(nx: u32, ny: u32, step: f32, lift: f32) -> Triangles {
    let mut positions = Vec::new();
    for j in 0..=ny {
        for i in 0..=nx {
            let (x, y) = (i as f32 * step, j as f32 * step);
            positions.push([x, y, height(x, y) + lift]);
        }
    }
    let mut faces = Vec::new();
    for j in 0..ny {
        for i in 0..nx {
            let a = j * (nx + 1) + i;
            let (b, c, d) = (a + 1, a + nx + 1, a + nx + 2);
            if (i + j) % 2 == 0 {
                faces.extend([[a, b, d], [a, d, c]]);
            } else {
                faces.extend([[a, b, c], [b, d, c]]);
            }
        }
    }
    (positions, faces)
}

/// 10,000 triangles of rolling ground, 200 m by 100 m.
pub(crate) fn terrain() -> Triangles {
    grid(100, 50, 2.0, 0.0)
}

/// Two grounds of 5,000 triangles above each other.
pub(crate) fn storeys() -> Triangles {
    let (mut positions, mut faces) = grid(50, 50, 2.0, 0.0);
    let (above, more) = grid(50, 50, 2.0, 12.0);
    let n = positions.len() as u32;
    positions.extend(above);
    faces.extend(more.iter().map(|f| f.map(|v| v + n)));
    (positions, faces)
}

/// The terrain with 15 % of its quads and some walls taken away: the largest part that hangs together.
pub(crate) fn navmesh() -> Triangles {
    let (positions, all) = terrain();
    let mut random = Random(42);
    let mut open = Vec::new();
    for j in 0..50u32 {
        for i in 0..100u32 {
            let r = random.unit();
            let wall = (i % 12 == 6 && (j + i) % 25 > 3) || (j % 16 == 8 && (i + j) % 20 > 2);
            open.push(r >= 0.15 && !wall);
        }
    }
    let faces: Vec<[u32; 3]> = all.iter().enumerate().filter(|(k, _)| open[k / 2]).map(|(_, f)| *f).collect();
    let links = neighbours(&faces);
    let mut part = vec![usize::MAX; faces.len()];
    let mut sizes = Vec::new();
    for start in 0..faces.len() {
        if part[start] != usize::MAX {
            continue;
        }
        let mut todo = vec![start];
        part[start] = sizes.len();
        let mut size = 0;
        while let Some(face) = todo.pop() {
            size += 1;
            for next in links[face].into_iter().flatten() {
                if part[next] == usize::MAX {
                    part[next] = sizes.len();
                    todo.push(next);
                }
            }
        }
        sizes.push(size);
    }
    // The first of the largest.
    let largest = (0..sizes.len()).rev().max_by_key(|&i| sizes[i]).unwrap_or(0);
    let mut number = vec![u32::MAX; positions.len()];
    let mut out: Triangles = (Vec::new(), Vec::new());
    for (face, _) in faces.iter().zip(&part).filter(|(_, p)| **p == largest) {
        let face = face.map(|v| {
            if number[v as usize] == u32::MAX {
                number[v as usize] = out.0.len() as u32;
                out.0.push(positions[v as usize]);
            }
            number[v as usize]
        });
        out.1.push(face);
    }
    out
}

fn neighbours(faces: &[[u32; 3]]) -> Vec<[Option<usize>; 3]> {
    let mut seen = std::collections::HashMap::new();
    let mut out = vec![[None; 3]; faces.len()];
    for (k, face) in faces.iter().enumerate() {
        for e in 0..3 {
            let (a, b) = (face[e], face[(e + 1) % 3]);
            if let Some((l, g)) = seen.insert((a.min(b), a.max(b)), (k, e)) {
                out[k][e] = Some(l);
                let other: &mut [Option<usize>; 3] = &mut out[l];
                other[g] = Some(k);
            }
        }
    }
    out
}

/// Rays over a scene: `V`ertical, `O`blique, or lines of `S`ight at eye height.
pub(crate) fn rays(kind: char, count: usize, width: f32, depth: f32) -> Vec<Ray> {
    let mut g = Random(0xC0_FFEE ^ kind as u64);
    let ray = |origin: [f32; 3], target: [f32; 3], length: Option<f32>| {
        let d = [target[0] - origin[0], target[1] - origin[1], target[2] - origin[2]];
        let len = (d[0] * d[0] + d[1] * d[1] + d[2] * d[2]).sqrt().max(1e-6);
        Ray::new(origin, d.map(|c| c / len)).up_to(length.unwrap_or(len))
    };
    (0..count)
        .map(|_| match kind {
            'V' => {
                let origin = [g.range(0.0, width), g.range(0.0, depth), 50.0];
                Ray::new(origin, [0.0, 0.0, -1.0]).up_to(100.0)
            }
            'O' => {
                let origin = [g.range(0.0, width), g.range(0.0, depth), g.range(20.0, 45.0)];
                let target = [g.range(0.0, width), g.range(0.0, depth), -8.0];
                ray(origin, target, Some(1000.0))
            }
            _ => {
                let p = [0, 1, 2, 3].map(|k| g.range(0.0, if k % 2 == 0 { width } else { depth }));
                let eye = |x, y| [x, y, height(x, y) + 1.7];
                ray(eye(p[0], p[1]), eye(p[2], p[3]), None)
            }
        })
        .collect()
}

/// Pairs of points well inside faces, with the faces.
pub(crate) fn pairs((positions, faces): &Triangles, count: usize) -> Vec<[([f32; 2], u32); 2]> {
    let mut g = Random(7);
    let mut point = move || {
        let face = g.below(faces.len());
        let (mut a, mut b) = (g.range(0.1, 0.8), g.range(0.1, 0.8));
        if a + b > 0.9 {
            a *= 0.5;
            b *= 0.5;
        }
        let c = 1.0 - a - b;
        let at = |k: usize| {
            let corner = |q: usize| positions[faces[face][q] as usize][k];
            corner(0) * a + corner(1) * b + corner(2) * c
        };
        ([at(0), at(1)], face as u32)
    };
    (0..count).map(|_| [point(), point()]).collect()
}

/// All of it walkable.
pub(crate) fn surface((positions, faces): Triangles) -> Surface {
    let materials = vec![4; faces.len()];
    Surface { positions, faces, materials, walkable: Materials::KOTOR_WALKABLE, ..Surface::default() }
}
