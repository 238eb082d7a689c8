//! Options on textures that several verbs share.

use clap::Args;
use galatea::{ConvertOptions, Encoding};

/// How textures are written.
#[derive(Args)]
pub(crate) struct Written {
    /// How a texture stores its pixels: raw, grey, bc1, bc3, bc5, bc7, jpeg or palette [default: by format and alpha]
    #[arg(long, value_name = "ENCODING", value_parser = encoding)]
    encoding: Option<Encoding>,
    /// Spread an FTEX over so many FTEXS files, as MGSV does; without it all is in one file, as in PES
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = clap::value_parser!(u8).range(0..=5))]
    ftexs: u8,
}

fn encoding(text: &str) -> Result<Encoding, String> {
    let known = || Encoding::ALL.map(|(_, name)| name).join(", ");
    Encoding::named(text).ok_or_else(|| format!("can be {}", known()))
}

impl Written {
    pub(crate) fn options(&self) -> ConvertOptions {
        ConvertOptions { encoding: self.encoding, ftexs: self.ftexs, ..ConvertOptions::default() }
    }
}
