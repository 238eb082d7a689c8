//! The exports of the module, in plain numbers.
//!
//! A host asks for a buffer with [`galatea_request`], writes names or bytes into it, and calls a function that uses them. Each
//! of those returns 0 and leaves its result in the response, or 1 and leaves a message there.

#![expect(unsafe_code, reason = "an exported symbol needs `#[unsafe(no_mangle)]`; there is no unsafe block")]

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::{Failure, Session};

struct State {
    session: Option<Session>,
    request: Vec<u8>,
    response: Vec<u8>,
}

static STATE: Mutex<State> = Mutex::new(State { session: None, request: Vec::new(), response: Vec::new() });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// Runs a call on the session and the request, and keeps what it gives.
    fn call(&mut self, body: impl FnOnce(&mut Session, Vec<u8>) -> Result<Vec<u8>, Failure>) -> u32 {
        let request = std::mem::take(&mut self.request);
        let result = body(self.session.get_or_insert_default(), request);
        let failed = result.is_err();
        self.response = result.unwrap_or_else(String::into_bytes);
        failed.into()
    }
}

fn text(bytes: Vec<u8>) -> Result<String, Failure> {
    String::from_utf8(bytes).map_err(|_| "a name is not UTF-8".to_owned())
}

/// Makes a buffer of this many bytes for the next call. Returns its address, or 0 if there is not enough memory.
#[unsafe(no_mangle)]
pub extern "C" fn galatea_request(len: usize) -> *mut u8 {
    let mut buffer = Vec::new();
    if buffer.try_reserve_exact(len).is_err() {
        return std::ptr::null_mut();
    }
    buffer.resize(len, 0);
    let mut state = state();
    state.request = buffer;
    state.request.as_mut_ptr()
}

/// Returns the address of the response.
#[unsafe(no_mangle)]
pub extern "C" fn galatea_response() -> *const u8 {
    state().response.as_ptr()
}

/// Returns the length of the response.
#[unsafe(no_mangle)]
pub extern "C" fn galatea_response_len() -> usize {
    state().response.len()
}

/// Forgets all files and the opened document.
#[unsafe(no_mangle)]
pub extern "C" fn galatea_reset() {
    let mut state = state();
    state.session = None;
    state.request = Vec::new();
    state.response = Vec::new();
}

/// Adds a file: its name, which has this many bytes, and after it its content.
#[unsafe(no_mangle)]
pub extern "C" fn galatea_put(name_len: usize) -> u32 {
    state().call(|session, mut request| {
        let content = request.split_off(name_len.min(request.len()));
        session.put(&text(request)?, content);
        Ok(Vec::new())
    })
}

/// Opens the file whose name is the request.
#[unsafe(no_mangle)]
pub extern "C" fn galatea_open() -> u32 {
    state().call(|session, request| session.open(&text(request)?).map(|()| Vec::new()))
}

/// Gives the figures of the opened document as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn galatea_info() -> u32 {
    state().call(|session, _| session.info().map(String::into_bytes))
}

/// Gives the findings in the opened document as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn galatea_check() -> u32 {
    state().call(|session, _| session.check().map(String::into_bytes))
}

/// Converts the opened document to the format whose name is the request; gives the list of new files as JSON.
#[unsafe(no_mangle)]
pub extern "C" fn galatea_convert() -> u32 {
    state().call(|session, request| session.convert(&text(request)?).map(String::into_bytes))
}

/// Gives a file of the last conversion, by its place in the list.
#[unsafe(no_mangle)]
pub extern "C" fn galatea_file(index: usize) -> u32 {
    state().call(|session, _| session.file(index).map(<[u8]>::to_vec))
}

/// Draws the opened document; gives a PNG.
#[unsafe(no_mangle)]
pub extern "C" fn galatea_render(width: u32, height: u32) -> u32 {
    state().call(|session, _| session.render(width, height))
}
