//! Draws a frame with OpenGL, as `render` draws it on the CPU.
