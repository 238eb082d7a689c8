//! Any text: parse, print, parse again. Nothing may panic or hang, and the second text equals the first.
#![no_main]

use galatea_mdlx::{Limits, text};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let limits = Limits::default();
    text::detect(data);
    let Ok(model) = text::parse(data, &limits) else { return };
    let printed = text::print(&model).unwrap();
    // What is printed out in full may need more memory than a short text may ask for.
    if let Ok(again) = text::parse(&printed, &limits) {
        assert_eq!(text::print(&again).unwrap(), printed);
        assert_eq!(model.write().ok(), again.write().ok());
    }
});
