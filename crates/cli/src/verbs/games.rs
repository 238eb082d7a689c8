//! `galatea games`: the games on this machine, and the option that names one.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use clap::Args;
use galatea::disk::Games;
use serde_json::json;

use crate::Exit;
use crate::batch;
use crate::terminal::{Table, complain, show};

/// The game that files belong to.
#[derive(Args)]
pub(crate) struct GameDir {
    /// The folder of the game, for textures, supermodels and rooms [default: above the input, $GALATEA_KOTOR, _WC3, _TPP or _PES, or
    /// what `galatea games` finds]
    #[arg(long, value_name = "DIR")]
    game_dir: Option<PathBuf>,
    #[arg(skip)]
    opened: OnceLock<Arc<Games>>,
}

impl GameDir {
    /// Returns the games that inputs may belong to; fails if there is none in the folder that was named.
    pub(crate) fn games(&self) -> Result<Arc<Games>, String> {
        if let Some(games) = self.opened.get() {
            return Ok(Arc::clone(games));
        }
        let games = Games::new(self.game_dir.as_deref()).ok_or_else(|| {
            let folder = self.game_dir.as_deref().map(show).unwrap_or_default();
            format!("{folder}: no game that is known; it needs chitin.key, War3.mpq, .build.info, master/chunk0.dat or Data/dt00_x64.cpk")
        })?;
        let games = Arc::clone(self.opened.get_or_init(|| Arc::new(games)));
        batch::use_games(&games);
        Ok(games)
    }
}

#[derive(Args)]
pub(crate) struct Options {
    #[command(flatten)]
    game: GameDir,
    /// One JSON object per game, one line each
    #[arg(long)]
    json: bool,
}

impl Options {
    pub(crate) fn run(&self) -> io::Result<Exit> {
        let games = match self.game.games() {
            Ok(games) => games,
            Err(error) => {
                complain(format_args!("{error}"));
                return Ok(Exit::Usage);
            }
        };
        let mut out = io::stdout().lock();
        let mut table = Table::new(&["game", "found by", "folder"]);
        let list = games.list();
        for game in &list {
            let (name, folder) = (game.id.name(), show(&game.root));
            if self.json {
                let store = games.store(game.id.rules(), &game.root);
                let layers =
                    store.map_or_else(Vec::new, |store| store.layers().map(|layer| layer.label()).collect());
                writeln!(
                    out,
                    "{}",
                    json!({ "game": name, "found": game.found, "folder": folder, "layers": layers })
                )?;
            } else {
                table.row(vec![name.into(), game.found.clone(), folder], &mut out)?;
            }
        }
        table.finish(&mut out)?;
        if list.is_empty() && !self.json {
            writeln!(
                out,
                "no games found; name a folder with --game-dir, or set $GALATEA_KOTOR, _WC3, _TPP or _PES"
            )?;
        }
        Ok(Exit::Fine)
    }
}
