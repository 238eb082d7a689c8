//! The endings of MGSV's files, which the upper bits of a path code tell.

use std::collections::HashMap;
use std::sync::LazyLock;

use galatea_fox::extension_code;

/// The endings that are known.
const KNOWN: &str = "1.ftexs 1.nav2 2.ftexs 3.ftexs 4.ftexs 5.ftexs 6.ftexs ag.evf aia aib aibc aig aigc aim aip ait atsh bnd bnk \
    cani cc.evf clo csnav dat des dnav dnav2 eng.lng ese evb evf fag fage fago fagp fagx fclo fcnp fcnpx fdes fdmg ffnt fmdl fmdlb \
    fmtt fnt fova fox fox2 fpk fpkd fpkl frdv fre.lng frig frt fsd fsm fsml fsop fstb ftex fv2 fx.evf fxp gani geom ger.lng gpfp \
    grxla grxoc gskl htre info ita.lng jpn.lng json lad ladb lani las lba lng lpsh lua mas mbl mog mtar mtl nav2 nta obr obrb \
    parts path pftxs ph phep phsd por.lng qar rbs rdb rdf rnav rus.lng sad sand sani sbp sd.evf sdf sim simep snav spa.lng spch \
    sub subp tgt tre2 txt uia uif uig uigb uil uilb utxl veh vfx vfxbin vfxdb vnav vo.evf vpc wem wmv xml";

/// Returns the ending that the upper bits of a path code mean.
pub(super) fn ending(hash: u64) -> Option<&'static str> {
    static CODES: LazyLock<HashMap<u64, &'static str>> = LazyLock::new(|| {
        KNOWN.split_whitespace().map(|ending| (extension_code(ending) & 0x1FFF, ending)).collect()
    });
    CODES.get(&(hash >> 51)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_real_files_are_known() {
        let codes =
            [("ftex", 0x2AD), ("1.ftexs", 0x1658), ("fmdl", 0x1094), ("fpk", 0xA45), ("fpkd", 0x1DAA)];
        for (expected, code) in codes {
            assert_eq!(ending(code << 51), Some(expected));
        }
    }

    #[test]
    fn no_two_endings_share_a_code() {
        let all: Vec<&str> = KNOWN.split_whitespace().collect();
        for name in &all {
            assert_eq!(ending(extension_code(name) << 51), Some(*name));
        }
    }
}
