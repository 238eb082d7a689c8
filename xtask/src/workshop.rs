//! `cargo xtask workshop`: the real window on a display without a screen, driven by real keys and clicks.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use clap::Args;
use galatea::texture::{Image, Texture};
use galatea::{Input, Limits};

use crate::{Outcome, cargo, root, run, target};

/// What has to be installed, as Debian calls it.
const PACKAGES: [&str; 7] =
    ["xvfb", "x11-utils", "xdotool", "imagemagick", "libgl1-mesa-dri", "libegl1", "libxkbcommon-x11-0"];
/// Width and height of the window.
const SIZE: [u32; 2] = [1400, 900];
/// Seconds that the window has for anything: software OpenGL on a busy machine is slow.
const PATIENCE: Duration = Duration::from_secs(60);

#[derive(Args)]
pub(crate) struct Options {
    /// Build as the window is shipped; otherwise as tests are built
    #[arg(long)]
    release: bool,
    /// Write the images of the docs, too
    #[arg(long)]
    docs: bool,
    /// The number of the display
    #[arg(long, default_value_t = 97)]
    display: u32,
}

impl Options {
    pub(crate) fn run(&self) -> Outcome {
        install()?;
        let mut build = vec!["build", "--package", "galatea-workshop"];
        build.extend(self.release.then_some("--release"));
        run(&mut cargo(&build), "the build of the window")?;
        let keep = target().join("workshop");
        let _ = fs::remove_dir_all(&keep);
        let files = keep.join("files");
        copy_examples(&files)?;
        let mut screen = Screen::start(self.display, &keep)?;
        let program = target().join(if self.release { "release" } else { "debug" }).join("galatea-workshop");
        screen.open(&program, &files)?;
        every_example(&mut screen, &files)?;
        tour(&mut screen, &files)?;
        fix_save_undo(&mut screen, &files)?;
        vanishing(&mut screen, &files)?;
        if self.docs {
            screen.write_docs()?;
        }
        println!("{} screenshots in {}", screen.shots, keep.display());
        Ok(())
    }
}

/// Installs what is missing.
fn install() -> Outcome {
    let there = |program: &str| {
        Command::new("which").arg(program).stdout(Stdio::null()).status().is_ok_and(|s| s.success())
    };
    if ["Xvfb", "xdotool", "import", "xdpyinfo"].iter().all(|program| there(program)) {
        return Ok(());
    }
    let mut command = Command::new("apt-get");
    command.args(["install", "--yes", "--no-install-recommends"]).args(PACKAGES).stdout(Stdio::null());
    run(&mut command, "apt-get install")
}

/// Copies the examples to a folder of their own, with a walkmesh that has a finding.
fn copy_examples(to: &Path) -> Outcome {
    fs::create_dir_all(to).map_err(|e| format!("{}: {e}", to.display()))?;
    let examples = root().join("examples");
    let entries = fs::read_dir(&examples).map_err(|e| format!("{}: {e}", examples.display()))?;
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()) {
        let name = path.file_name().unwrap_or_default();
        fs::copy(&path, to.join(name)).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    let whole = to.join("room.wok");
    let mut bytes = fs::read(&whole).map_err(|e| format!("{}: {e}", whole.display()))?;
    let at = adjacency(&bytes).ok_or("the walkmesh of the examples has no neighbors")?;
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= 1;
    }
    fs::write(to.join("a_damaged.wok"), bytes).map_err(|e| e.to_string())
}

/// Returns where the neighbors of a walkmesh begin.
fn adjacency(bytes: &[u8]) -> Option<usize> {
    let inspections = galatea::inspect(&Input::new(bytes), &Limits::default())?;
    let inspector = galatea::wire::Inspector::new(bytes, &inspections.first()?.coverage);
    let span =
        inspector.map().into_iter().find(|s| s.owner.as_deref().is_some_and(|o| o.contains("adjacen")));
    Some(span?.start)
}

/// A display without a screen, with the window on it.
struct Screen {
    keep: PathBuf,
    display: String,
    server: Child,
    program: Option<Child>,
    window: String,
    shots: usize,
}

impl Drop for Screen {
    fn drop(&mut self) {
        for child in self.program.iter_mut().chain([&mut self.server]) {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

impl Screen {
    fn start(number: u32, keep: &Path) -> Result<Screen, String> {
        let display = format!(":{number}");
        let size = format!("{}x{}x24", SIZE[0], SIZE[1]);
        let mut server = Command::new("Xvfb");
        server.args([&display, "-screen", "0", &size, "-nolisten", "tcp"]).stderr(Stdio::null());
        let server = server.spawn().map_err(|e| format!("Xvfb could not be started: {e}"))?;
        let (keep, window) = (keep.to_path_buf(), String::new());
        let screen = Screen { keep, display, server, program: None, window, shots: 0 };
        screen.wait("the display", || {
            let mut info = Command::new("xdpyinfo");
            info.env("DISPLAY", &screen.display).stdout(Stdio::null()).stderr(Stdio::null());
            info.status().is_ok_and(|status| status.success())
        })?;
        Ok(screen)
    }

    fn wait(&self, what: &str, done: impl Fn() -> bool) -> Outcome {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if done() {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Err(format!("{what}: nothing happened in {} s", PATIENCE.as_secs()))
    }

    fn tool(&self, arguments: &[&str]) -> Option<String> {
        let output = Command::new("xdotool").env("DISPLAY", &self.display).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }

    fn open(&mut self, program: &Path, path: &Path) -> Outcome {
        let home = self.keep.join("home");
        fs::create_dir_all(&home).map_err(|e| e.to_string())?;
        let log = fs::File::create(self.keep.join("window.log")).map_err(|e| e.to_string())?;
        let mut command = Command::new(program);
        command.arg(path).env("DISPLAY", &self.display).env("HOME", &home).env("LIBGL_ALWAYS_SOFTWARE", "1");
        for variable in ["XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "WAYLAND_DISPLAY"] {
            command.env_remove(variable);
        }
        let child = command.stderr(log).spawn().map_err(|e| format!("{}: {e}", program.display()))?;
        self.program = Some(child);
        let find = ["search", "--onlyvisible", "--name", "Galatea"];
        self.wait("the window", || self.tool(&find).is_some_and(|found| !found.is_empty()))?;
        self.window = self.tool(&find).and_then(|w| Some(w.lines().next()?.to_owned())).unwrap_or_default();
        let [width, height] = SIZE.map(|size| size.to_string());
        self.tool(&["windowmove", &self.window, "0", "0"]);
        self.tool(&["windowsize", &self.window, &width, &height]);
        self.tool(&["windowfocus", &self.window]);
        Ok(())
    }

    fn title(&self) -> String {
        self.tool(&["getwindowname", &self.window]).unwrap_or_default()
    }

    /// Waits until the title has this in it: the name of the file, and a star for unsaved changes.
    fn titled(&self, part: &str, has: bool) -> Outcome {
        let done =
            self.wait(&format!("a title with \"{part}\": {has}"), || self.title().contains(part) == has);
        done.map_err(|error| format!("{error}; it is \"{}\"", self.title()))
    }

    fn key(&self, keys: &str) {
        self.tool(&["key", "--clearmodifiers", keys]);
        self.rest(300);
    }

    fn typed(&self, text: &str) {
        self.tool(&["type", "--delay", "20", text]);
        self.rest(300);
    }

    fn click(&self, x: u32, y: u32) {
        self.tool(&["mousemove", &x.to_string(), &y.to_string()]);
        self.rest(200);
        self.tool(&["click", "1"]);
        self.rest(400);
    }

    fn rest(&self, milliseconds: u64) {
        std::thread::sleep(Duration::from_millis(milliseconds));
    }

    fn is_alive(&mut self) -> Outcome {
        match self.program.as_mut().map(Child::try_wait) {
            Some(Ok(None)) => Ok(()),
            _ => Err(format!("the window is gone; {}", self.keep.join("window.log").display())),
        }
    }

    /// Keeps what is on the display under a name, and returns it.
    fn shot(&mut self, name: &str) -> Result<Image, String> {
        self.is_alive()?;
        let path = self.keep.join(format!("{name}.png"));
        let mut import = Command::new("import");
        import.env("DISPLAY", &self.display).args(["-window", "root", "-depth", "8"]).arg(&path);
        run(&mut import, "import")?;
        self.shots += 1;
        let bytes = fs::read(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let texture = Texture::read(&bytes, &Limits::default()).map_err(|e| e.to_string())?;
        texture.decode_best(&Limits::default()).map_err(|e| e.to_string())
    }

    fn write_docs(&self) -> Outcome {
        for name in ["statue", "findings", "bytes", "walk", "beacon"] {
            let from = self.keep.join(format!("doc-{name}.png"));
            let to = root().join(format!("docs/images/workshop-{name}.png"));
            let mut convert = Command::new("convert");
            convert.arg(from).args(["-resize", "1000x", "-colors", "200", "-strip"]).arg(to);
            run(&mut convert, "convert")?;
        }
        Ok(())
    }
}

/// The part of the window where the model is: left, top, right, bottom.
const VIEWPORT: [u32; 4] = [330, 160, 1000, 500];

/// Returns how many pixels of the viewport differ between two images.
fn apart(a: &Image, b: &Image) -> usize {
    let [left, top, right, bottom] = VIEWPORT;
    let all = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
    all.filter(|(x, y)| a.pixel(*x, *y) != b.pixel(*x, *y)).count()
}

/// Returns how many colors the viewport has.
fn colors(image: &Image) -> usize {
    let [left, top, right, bottom] = VIEWPORT;
    let all = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
    let set: std::collections::HashSet<_> = all.filter_map(|(x, y)| image.pixel(x, y)).collect();
    set.len()
}

/// Opens every example with the arrow keys.
fn every_example(screen: &mut Screen, files: &Path) -> Outcome {
    let entries = fs::read_dir(files).map_err(|e| e.to_string())?.flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    // The MDX of a KotOR model belongs to its MDL.
    names.retain(|name| name != "statue.mdx");
    for (number, name) in names.iter().enumerate() {
        if number > 0 {
            screen.key("Down");
        }
        screen.titled(name, true)?;
        screen.rest(700);
        let image = screen.shot(&format!("example-{name}"))?;
        let colors = colors(&image);
        println!("{name}: {colors} colors in the viewport");
        if colors < 12 {
            return Err(format!("{name}: only {colors} colors in the viewport"));
        }
    }
    Ok(())
}

/// Opens a file of the folder by its path.
fn open(screen: &Screen, files: &Path, name: &str) -> Outcome {
    screen.key("ctrl+o");
    screen.key("ctrl+a");
    screen.typed(&files.join(name).display().to_string());
    screen.key("Return");
    screen.titled(name, true)?;
    screen.rest(700);
    Ok(())
}

/// Plays, selects and shows every panel.
fn tour(screen: &mut Screen, files: &Path) -> Outcome {
    open(screen, files, "beacon.mdx")?;
    let before = screen.shot("plays-1")?;
    screen.rest(500);
    let after = screen.shot("doc-beacon")?;
    moved("beacon.mdx plays", &before, &after)?;
    screen.key("space");
    screen.rest(300);
    let (first, second) = (screen.shot("paused-1")?, screen.shot("paused-2")?);
    if apart(&first, &second) > 0 {
        return Err("the beacon moves although it is paused".into());
    }
    open(screen, files, "statue.mdl")?;
    let before = screen.shot("unselected")?;
    let [left, top, right, bottom] = VIEWPORT;
    screen.click((left + right) / 2, (top + bottom) / 2);
    let after = screen.shot("doc-statue")?;
    moved("a click selects a node", &before, &after)?;
    for (key, name) in
        [("F2", "textures"), ("F3", "change"), ("F4", "walk-off"), ("F7", "doc-bytes"), ("F8", "log")]
    {
        screen.key(key);
        screen.rest(400);
        screen.shot(name)?;
    }
    screen.key("F1");
    screen.key("F6");
    for (key, name) in [("1", "skeleton"), ("2", "wire"), ("n", "normals"), ("u", "uv")] {
        let before = screen.shot("tool")?;
        screen.key(key);
        screen.rest(400);
        let after = screen.shot(name)?;
        moved(name, &before, &after)?;
    }
    for key in ["1", "2", "m"] {
        screen.key(key);
    }
    screen.key("question");
    screen.rest(300);
    screen.shot("keys")?;
    screen.key("Escape");
    walk(screen, files)
}

fn walk(screen: &mut Screen, files: &Path) -> Outcome {
    open(screen, files, "room.wok")?;
    screen.key("F4");
    let before = screen.shot("walk-1")?;
    screen.key("g");
    screen.rest(600);
    let [left, top, right, bottom] = VIEWPORT;
    let (x, y) = ((left + right) / 2, (top + bottom) / 2);
    screen.click(x - 90, y + 40);
    screen.click(x + 110, y + 50);
    let after = screen.shot("doc-walk")?;
    moved("two clicks on the floor show a path", &before, &after)?;
    screen.key("g");
    screen.key("F1");
    Ok(())
}

fn moved(what: &str, before: &Image, after: &Image) -> Outcome {
    let count = apart(before, after);
    println!("{what}: {count} pixels differ");
    if count < 40 { Err(format!("{what}: only {count} pixels differ")) } else { Ok(()) }
}

/// Fixes a finding, saves, and undoes it.
fn fix_save_undo(screen: &mut Screen, files: &Path) -> Outcome {
    let (damaged, whole) = (files.join("a_damaged.wok"), files.join("room.wok"));
    open(screen, files, "a_damaged.wok")?;
    screen.key("alt+Down");
    screen.rest(300);
    screen.shot("doc-findings")?;
    screen.key("ctrl+period");
    screen.rest(700);
    screen.shot("proposal")?;
    screen.key("Return");
    screen.titled("a_damaged.wok *", true)?;
    screen.shot("fixed")?;
    screen.key("ctrl+s");
    screen.titled("*", false)?;
    let same = || fs::read(&damaged).ok() == fs::read(&whole).ok();
    screen.wait("the file on disk", same)?;
    screen.key("ctrl+z");
    screen.titled("a_damaged.wok *", true)?;
    screen.shot("undone")?;
    screen.key("ctrl+shift+z");
    screen.titled("*", false)?;
    println!("a finding was fixed, saved and undone");
    Ok(())
}

/// A file that vanishes while it is open, and one that changes.
fn vanishing(screen: &mut Screen, files: &Path) -> Outcome {
    open(screen, files, "statue_800.mdx")?;
    let path = files.join("statue_800.mdx");
    let bytes = fs::read(&path).map_err(|e| e.to_string())?;
    fs::remove_file(&path).map_err(|e| e.to_string())?;
    screen.rest(2500);
    screen.shot("vanished")?;
    fs::write(&path, &bytes).map_err(|e| e.to_string())?;
    screen.rest(2500);
    screen.shot("back")?;
    let beacon = fs::read(files.join("beacon.mdx")).map_err(|e| e.to_string())?;
    let before = screen.shot("before-change")?;
    fs::write(&path, beacon).map_err(|e| e.to_string())?;
    screen.rest(3500);
    let after = screen.shot("changed")?;
    moved("a file that changed is read again", &before, &after)
}
