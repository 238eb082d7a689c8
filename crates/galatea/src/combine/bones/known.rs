//! Parts of bodies by the names that known skeletons have for them: KotOR's supermodels (`lforearm_g`), Blizzard's models (`Bone_Arm2_L`,
//! `Bip01 L Forearm`), those of map makers (`BoneArmLowerL`, `UpArmR`), Reforged (`L_lwr_arm_bind_jnt`).

/// A side of the body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// Words that say nothing about the part.
const NOISE: &[&str] = &[
    "bone", "bones", "bip", "biped", "jnt", "joint", "bind", "g", "b", "def", "rig", "anim", "new", "of",
    "the", "main",
];

/// Words that make a node something other than the part it is at.
const OTHERS: &[&str] = &[
    "twist",
    "ik",
    "nub",
    "end",
    "ref",
    "mount",
    "hook",
    "socket",
    "weapon",
    "conjure",
    "sprite",
    "overhead",
    "origin",
    "lookat",
    "target",
    "dummy",
    "cloth",
    "cape",
    "hair",
    "armor",
    "pad",
    "shoulderpad",
    "attach",
    "point",
    "impact",
];

/// Parts without a side, by the words that mean them. Longer lists first.
const MIDDLE: &[(&[&str], &str)] = &[
    (&["torso", "upr"], "chest"),
    (&["torsoupr"], "chest"),
    (&["upper", "body"], "chest"),
    (&["rootdummy"], "root"),
    (&["root"], "root"),
    (&["pelvis"], "pelvis"),
    (&["hips"], "pelvis"),
    (&["hip"], "pelvis"),
    (&["waist"], "pelvis"),
    (&["chest"], "chest"),
    (&["ribcage"], "chest"),
    (&["spine"], "spine"),
    (&["torso"], "spine"),
    (&["belly"], "spine"),
    (&["neck"], "neck"),
    (&["head"], "head"),
    (&["hd"], "head"),
    (&["jaw"], "jaw"),
    (&["chin"], "jaw"),
    (&["tail"], "tail"),
];

/// Parts that there are on both sides.
const SIDED: &[(&[&str], &str)] = &[
    (&["upper", "arm"], "upper arm"),
    (&["arm", "upper"], "upper arm"),
    (&["upr", "arm"], "upper arm"),
    (&["up", "arm"], "upper arm"),
    (&["arm", "1"], "upper arm"),
    (&["upperarm"], "upper arm"),
    (&["uparm"], "upper arm"),
    (&["uarm"], "upper arm"),
    (&["bicep"], "upper arm"),
    (&["lower", "arm"], "forearm"),
    (&["arm", "lower"], "forearm"),
    (&["lwr", "arm"], "forearm"),
    (&["low", "arm"], "forearm"),
    (&["fore", "arm"], "forearm"),
    (&["arm", "2"], "forearm"),
    (&["forearm"], "forearm"),
    (&["lowarm"], "forearm"),
    (&["farm"], "forearm"),
    (&["elbow"], "forearm"),
    (&["arm"], "upper arm"),
    (&["hand"], "hand"),
    (&["wrist"], "hand"),
    (&["upper", "leg"], "thigh"),
    (&["leg", "upper"], "thigh"),
    (&["up", "leg"], "thigh"),
    (&["leg", "1"], "thigh"),
    (&["upleg"], "thigh"),
    (&["thigh"], "thigh"),
    (&["lower", "leg"], "shin"),
    (&["leg", "lower"], "shin"),
    (&["low", "leg"], "shin"),
    (&["leg", "2"], "shin"),
    (&["shin"], "shin"),
    (&["calf"], "shin"),
    (&["calve"], "shin"),
    (&["knee"], "shin"),
    (&["lowleg"], "shin"),
    (&["foot"], "foot"),
    (&["ankle"], "foot"),
    (&["toes"], "toe"),
    (&["toe"], "toe"),
    (&["clavicle"], "collar"),
    (&["collar"], "collar"),
    (&["shoulder"], "collar"),
    (&["shld"], "collar"),
    (&["thumb"], "thumb"),
    (&["tmb"], "thumb"),
    (&["index"], "index finger"),
    (&["ind"], "index finger"),
    (&["middle"], "middle finger"),
    (&["mid"], "middle finger"),
    (&["ring"], "ring finger"),
    (&["rng"], "ring finger"),
    (&["pinky"], "little finger"),
    (&["pnk"], "little finger"),
    (&["finger"], "finger"),
    (&["eyelid"], "eyelid"),
    (&["eye"], "eye"),
    (&["ear"], "ear"),
    (&["wing"], "wing"),
];

/// Splits a name into lower-case words and numbers: at what is neither letter nor digit, at capitals and at numbers.
fn words(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut last = ' ';
    let chars: Vec<char> = name.chars().collect();
    for (at, c) in chars.iter().copied().enumerate() {
        if c.is_alphanumeric() {
            let next_is_lower = chars.get(at + 1).is_some_and(|c| c.is_lowercase());
            let border = !last.is_alphanumeric()
                || last.is_ascii_digit() != c.is_ascii_digit()
                || last.is_lowercase() && c.is_uppercase()
                || last.is_uppercase() && c.is_uppercase() && next_is_lower;
            if border {
                out.push(String::new());
            }
            out.last_mut().into_iter().for_each(|word| word.extend(c.to_lowercase()));
        }
        last = c;
    }
    for word in &mut out {
        // `Arm01` and `Arm1` are the same.
        if let Ok(number) = word.parse::<u32>() {
            *word = number.to_string();
        }
    }
    out
}

fn is_part(words: &[String], table: &[(&[&str], &'static str)]) -> Option<(&'static str, usize)> {
    let found = |(parts, name): &(&[&str], &'static str)| {
        // Another word before makes it another thing: a gold bag has a root of its own.
        let own = words.get(..parts.len())?;
        own.iter().zip(*parts).all(|(a, b)| a == b).then_some((*name, parts.len()))
    };
    table.iter().find_map(found)
}

/// Returns the part of the body that a bone of this name is, such as `left upper arm` or `head`; `None` if the name tells nothing.
///
/// A side is a word of its own (`L`, `Left`) or the first letter of the part (`lforearm`).
pub(crate) fn part(name: &str) -> Option<String> {
    counted_part(name).map(|(part, _)| part)
}

/// Returns the part, and whether the name is that of a numbered copy, such as `Bone_Head01`.
pub(crate) fn counted_part(name: &str) -> Option<(String, bool)> {
    let mut words = words(name);
    let mut side = None;
    let side_of = |word: &str| match word {
        "l" | "left" => Some(Side::Left),
        "r" | "right" => Some(Side::Right),
        _ => None,
    };
    words.retain(|word| match side_of(word) {
        Some(found) => {
            side = Some(found);
            false
        }
        None => !NOISE.contains(&word.as_str()),
    });
    if words.first().is_some_and(|word| word == "1") && name.to_ascii_lowercase().starts_with("bip") {
        words.remove(0);
    }
    if words.iter().any(|word| OTHERS.contains(&word.as_str())) {
        return None;
    }
    if side.is_none() {
        // `lforearm`, `RTHIGH`.
        let first = words.first_mut()?;
        let known = |rest: &str| SIDED.iter().any(|(parts, _)| *parts == [rest]);
        for (letter, found) in [('l', Side::Left), ('r', Side::Right)] {
            if let Some(rest) = first.strip_prefix(letter).filter(|rest| known(rest)).map(str::to_owned) {
                *first = rest;
                side = Some(found);
                break;
            }
        }
    }
    let (part, end) = match side {
        Some(side) => {
            let (part, end) = is_part(&words, SIDED)?;
            let side = if side == Side::Left { "left" } else { "right" };
            (format!("{side} {part}"), end)
        }
        None => is_part(&words, MIDDLE).map(|(part, end)| (part.to_owned(), end))?,
    };
    // What is behind the part is its number, or makes it something else.
    let rest = words.get(end..).unwrap_or(&[]);
    let counted = ["finger", "thumb", "tail", "wing", "ear", "spine"].iter().any(|word| part.ends_with(word));
    match rest {
        [] => Some((part, false)),
        numbers if numbers.iter().all(|word| word.parse::<u32>().is_ok()) => {
            // Copies of a bone are numbered, too: which of them is meant is found by the tree.
            Some(if counted { (format!("{part} {}", numbers.join(" ")), false) } else { (part, true) })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_skeletons_name_the_same_parts() {
        for (want, names) in [
            (
                "left upper arm",
                &[
                    "Bone_Arm1_L",
                    "BoneArmUpperL",
                    "Bip01 L UpperArm",
                    "lbicep_g",
                    "UpArmL",
                    "L_upr_arm_bind_jnt",
                ][..],
            ),
            (
                "right forearm",
                &["Bone_Arm2_R", "BoneArmLowerR", "Bip01 R Forearm", "rforearm_g", "R_lwr_arm_bind_jnt"],
            ),
            ("right hand", &["Bone_Hand_R", "rhand_g", "Bip01 R Hand", "HandRight", "Bone_Hand_R01"]),
            ("left thigh", &["Bone_Leg1_L", "lthigh_g", "Bip01 L Thigh", "BoneLegUpperL"]),
            ("left shin", &["Bone_Leg2_L", "lshin_g", "Bip01 L Calf"]),
            ("left foot", &["Bone_Foot_L", "FootL", "FootLeft", "lfoot_g", "Bip01 L Foot"]),
            ("chest", &["Bone_Chest", "torsoUpr_g", "Chest", "bone_chest"]),
            ("pelvis", &["Bone_Pelvis", "pelvis_g", "Bip01 Pelvis", "Hips", "pelvis_bind_jnt"]),
            ("head", &["Bone_Head", "head_g", "Bip01 Head", "Bone_Head01"]),
            ("root", &["Bone_Root", "rootdummy", "Root", "bone_root"]),
            ("spine 2", &["spine_02_bind_jnt", "Bip01 Spine2"]),
        ] {
            for name in names {
                assert_eq!(part(name).as_deref(), Some(want), "{name}");
            }
        }
        for name in [
            "Hand Right Ref",
            "L_lwr_arm_twist_01_bind_jnt",
            "headhook",
            "Mesh05",
            "Object03",
            "",
            "lhandconjure",
            "GoldBag Root",
            "Bone_Portrait_Jaw",
            "Bip01",
        ] {
            assert_eq!(part(name), None, "{name}");
        }
    }
}
