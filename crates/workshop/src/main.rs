//! The program `galatea-workshop`: `galatea-workshop [PATH...]` opens files, folders, archives and folders of games.

fn main() -> std::process::ExitCode {
    galatea_workshop::main()
}
