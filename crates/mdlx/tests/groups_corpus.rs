//! How far vertices of Reforged models move from their place when skin weights become matrix groups.
#![allow(clippy::unwrap_used, clippy::indexing_slicing)] // A test that meets the unexpected has to fail.

mod real;

use std::collections::{HashMap, HashSet};

use galatea_mdlx::play::{Moment, Player, Pose};
use galatea_mdlx::{Geoset, GroupWeights, Model};
use galatea_robustness::listed;
use glam::{Mat4, Vec3};

type Row = Vec<(u32, f32)>;

/// Equal shares as they were made before: the heaviest bones with the smallest sum of errors, and fewer of them if a geoset would need
/// more than 256 groups.
fn before(rows: &[Row]) -> Vec<Vec<u32>> {
    let sorted = |row: &Row| {
        let mut row = row.clone();
        row.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        row
    };
    let count = |row: &Row| {
        let total: f32 = row.iter().map(|(_, w)| w).sum();
        let error = |n: usize| -> f32 {
            let inside = row.iter().take(n).map(|(_, w)| (w - total / n as f32).abs());
            inside.chain(row.iter().skip(n).map(|(_, w)| *w)).sum()
        };
        (1..=row.len()).min_by(|a, b| error(*a).total_cmp(&error(*b))).unwrap_or(0)
    };
    for most in (1..=4).rev() {
        let groups: Vec<Vec<u32>> = rows
            .iter()
            .map(|row| {
                let row = sorted(row);
                let mut bones: Vec<u32> = row.iter().take(count(&row).min(most)).map(|(b, _)| *b).collect();
                bones.sort_unstable();
                bones
            })
            .collect();
        if groups.iter().collect::<HashSet<_>>().len() <= 256 || most == 1 {
            return groups;
        }
    }
    Vec::new()
}

fn rows(geoset: &Geoset) -> Vec<Row> {
    let row = |skin: &galatea_mdlx::SkinWeight| {
        let mut out: HashMap<u32, f32> = HashMap::new();
        for (bone, weight) in skin.bones.iter().zip(skin.weights).filter(|(_, w)| *w > 0) {
            *out.entry(u32::from(*bone)).or_default() += f32::from(weight);
        }
        out.into_iter().collect()
    };
    geoset.skin.iter().flatten().map(row).collect()
}

/// The matrices of the nodes in a pose, by object id.
fn matrices(model: &Model, pose: &Pose) -> HashMap<u32, Mat4> {
    model.nodes().zip(&pose.nodes).map(|((_, _, node), pose)| (node.object_id, pose.matrix)).collect()
}

fn moved(place: Vec3, weights: impl Iterator<Item = (u32, f32)>, matrices: &HashMap<u32, Mat4>) -> Vec3 {
    let (mut sum, mut total) = (Vec3::ZERO, 0.0);
    for (matrix, weight) in weights.filter_map(|(id, w)| Some((matrices.get(&id)?, w))) {
        sum += matrix.transform_point3(place) * weight;
        total += weight;
    }
    if total > 0.0 { sum / total } else { place }
}

#[test]
#[ignore = "needs the corpus"]
fn groups_follow_the_weights() {
    let models = listed(&["mdx/v1000", "mdx/v1100"], &[".mdx"]);
    let mut sums = [0.0f64; 3];
    let (mut files, mut count) = (0, 0usize);
    for (_, model) in models.read(real::binary) {
        let skinned =
            |g: &&Geoset| g.lod <= 0 && g.skin.as_ref().is_some_and(|s| s.len() == g.vertices.len());
        let moves = model.sequences.iter().any(|s| s.end > s.start);
        if files == 50 || !moves || !model.geosets.iter().any(|g| skinned(&g)) {
            continue;
        }
        files += 1;
        let vertices = model.geosets.iter().flat_map(|g| &g.vertices).map(|v| Vec3::from(*v));
        let size = vertices.fold(0.0f32, |far, v| far.max(v.length())).max(1e-3);
        let player = Player::new(&model);
        for geoset in model.geosets.iter().filter(skinned) {
            let rows = rows(geoset);
            let fit = |how: GroupWeights| rows.iter().map(|row| how.fit(row).0).collect::<Vec<_>>();
            let ways = [before(&rows), fit(GroupWeights::Equal), fit(GroupWeights::Shares)];
            for (index, sequence) in model.sequences.iter().enumerate() {
                let length = f64::from(sequence.end.saturating_sub(sequence.start));
                for part in [0.25, 0.5, 0.75] {
                    let moment = Moment::in_sequence(&model, index, length * part);
                    let matrices = matrices(&model, &player.pose(&moment, None));
                    for (i, row) in rows.iter().enumerate().step_by(7) {
                        let place = Vec3::from(geoset.vertices[i]);
                        let want = moved(place, row.iter().copied(), &matrices);
                        for (sum, way) in sums.iter_mut().zip(&ways) {
                            let have = moved(place, way[i].iter().map(|b| (*b, 1.0)), &matrices);
                            *sum += f64::from(have.distance(want) / size);
                        }
                        count += 1;
                    }
                }
            }
        }
    }
    let [before, equal, shares] = sums.map(|sum| sum / count as f64);
    println!(
        "{files} models, {count} places; mean error as a share of the size: before {before:.6}, equal {equal:.6}, shares {shares:.6}"
    );
    assert!(files >= 50 && equal <= before && shares <= before / 2.0);
}
