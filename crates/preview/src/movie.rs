//! Moving images: APNG, GIF and WebP.

use crate::{Image, RenderError};

/// Maximum number of frames of a moving image.
const MOST: usize = 3600;

/// The file format of a moving image.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Movie {
    /// PNG with frames: lossless, transparent.
    #[default]
    Apng,
    /// GIF: 256 colors for each frame.
    Gif,
    /// WebP: lossless, transparent, smaller than APNG.
    Webp,
}

impl Movie {
    /// Returns the format with a file extension, in any case.
    ///
    /// ```
    /// use galatea_preview::Movie;
    /// assert_eq!(Movie::by_extension("GIF"), Some(Movie::Gif));
    /// assert_eq!(Movie::by_extension("jpg"), None);
    /// ```
    pub fn by_extension(extension: &str) -> Option<Movie> {
        match extension.to_ascii_lowercase().as_str() {
            "png" | "apng" => Some(Movie::Apng),
            "gif" => Some(Movie::Gif),
            "webp" => Some(Movie::Webp),
            _ => None,
        }
    }

    /// Returns the file extension.
    pub fn extension(self) -> &'static str {
        match self {
            Movie::Apng => "png",
            Movie::Gif => "gif",
            Movie::Webp => "webp",
        }
    }

    /// Encodes frames of the same size. The image plays `loops` times, or for ever if it is 0. A single frame becomes a plain
    /// image.
    ///
    /// ```
    /// use galatea_preview::{Image, Movie};
    /// let frames = [Image::new(4, 4, [255, 0, 0, 255]), Image::new(4, 4, [0, 0, 255, 255])];
    /// assert!(Movie::Gif.encode(&frames, 10.0, 0)?.starts_with(b"GIF89a"));
    /// assert!(Movie::Webp.encode(&frames, 10.0, 0)?.starts_with(b"RIFF"));
    /// # Ok::<(), galatea_preview::RenderError>(())
    /// ```
    pub fn encode(
        self,
        frames: &[Image],
        frames_per_second: f32,
        loops: u16,
    ) -> Result<Vec<u8>, RenderError> {
        let first = frames.first().ok_or(RenderError("no frames".into()))?;
        if frames.iter().any(|f| (f.width, f.height) != (first.width, first.height)) {
            return Err(RenderError("the frames have different sizes".into()));
        }
        if frames.len() > MOST {
            return Err(RenderError(format!("moving images are limited to {MOST} frames").into()));
        }
        let seconds = 1.0 / f64::from(frames_per_second.clamp(1.0, 100.0));
        match self {
            Movie::Apng => apng(first, frames, seconds, loops),
            Movie::Gif => gif(first, frames, seconds, loops),
            Movie::Webp => webp(first, frames, seconds, loops),
        }
    }
}

fn apng(first: &Image, frames: &[Image], seconds: f64, loops: u16) -> Result<Vec<u8>, RenderError> {
    let fail = |e: png::EncodingError| RenderError(e.to_string().into());
    let mut out = Vec::new();
    let mut encoder = png::Encoder::new(&mut out, first.width, first.height);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::Balanced);
    if frames.len() > 1 {
        let count = u32::try_from(frames.len()).map_err(|_| RenderError("too many frames".into()))?;
        encoder.set_animated(count, u32::from(loops)).map_err(fail)?;
        encoder.set_frame_delay((seconds * 1000.0).round() as u16, 1000).map_err(fail)?;
    }
    let mut writer = encoder.write_header().map_err(fail)?;
    for frame in frames {
        writer.write_image_data(&frame.pixels).map_err(fail)?;
    }
    writer.finish().map_err(fail)?;
    Ok(out)
}

fn gif(first: &Image, frames: &[Image], seconds: f64, loops: u16) -> Result<Vec<u8>, RenderError> {
    let fail = |e: gif::EncodingError| RenderError(e.to_string().into());
    let side = |n: u32| u16::try_from(n).map_err(|_| RenderError("too large for a GIF".into()));
    let (width, height) = (side(first.width)?, side(first.height)?);
    let mut out = Vec::new();
    let mut encoder = gif::Encoder::new(&mut out, width, height, &[]).map_err(fail)?;
    encoder
        .set_repeat(if loops == 0 { gif::Repeat::Infinite } else { gif::Repeat::Finite(loops) })
        .map_err(fail)?;
    for image in frames {
        let mut pixels = image.pixels.clone();
        let mut frame = gif::Frame::from_rgba_speed(width, height, &mut pixels, 10);
        frame.delay = (seconds * 100.0).round() as u16;
        frame.dispose = gif::DisposalMethod::Background;
        encoder.write_frame(&frame).map_err(fail)?;
    }
    drop(encoder);
    Ok(out)
}

/// Encodes a WebP: each frame is encoded on its own, and its bitstream goes into a chunk of the animation.
fn webp(first: &Image, frames: &[Image], seconds: f64, loops: u16) -> Result<Vec<u8>, RenderError> {
    let mut streams = Vec::with_capacity(frames.len());
    for frame in frames {
        let mut file = Vec::new();
        image_webp::WebPEncoder::new(&mut file)
            .encode(&frame.pixels, frame.width, frame.height, image_webp::ColorType::Rgba8)
            .map_err(|e| RenderError(e.to_string().into()))?;
        if frames.len() == 1 {
            return Ok(file);
        }
        streams.push(file);
    }
    let three = |n: u32| {
        let [a, b, c, _] = n.to_le_bytes();
        [a, b, c]
    };
    let mut body = b"WEBP".to_vec();
    // Flags: animation and alpha.
    let mut head = vec![0x12, 0, 0, 0];
    head.extend(three(first.width - 1));
    head.extend(three(first.height - 1));
    chunk(&mut body, b"VP8X", &head);
    let mut anim = vec![0; 4];
    anim.extend(loops.to_le_bytes());
    chunk(&mut body, b"ANIM", &anim);
    for file in streams {
        let mut frame = [0u8; 6].to_vec();
        frame.extend(three(first.width - 1));
        frame.extend(three(first.height - 1));
        frame.extend(three((seconds * 1000.0).round() as u32));
        // The frame replaces what is below it.
        frame.push(2);
        // The chunks of the file follow its header of 12 bytes.
        frame.extend_from_slice(file.get(12..).unwrap_or_default());
        chunk(&mut body, b"ANMF", &frame);
    }
    let mut out = b"RIFF".to_vec();
    out.extend((body.len() as u32).to_le_bytes());
    out.extend(body);
    Ok(out)
}

/// Adds a RIFF chunk, padded to an even length.
fn chunk(out: &mut Vec<u8>, name: &[u8; 4], bytes: &[u8]) {
    out.extend_from_slice(name);
    out.extend((bytes.len() as u32).to_le_bytes());
    out.extend_from_slice(bytes);
    if bytes.len() % 2 == 1 {
        out.push(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames() -> Vec<Image> {
        [[255, 0, 0, 255], [0, 255, 0, 128], [0, 0, 255, 0]].map(|color| Image::new(5, 3, color)).to_vec()
    }

    #[test]
    fn a_webp_holds_all_frames_with_their_times() {
        let bytes = Movie::Webp.encode(&frames(), 10.0, 3).unwrap_or_default();
        let mut decoder = image_webp::WebPDecoder::new(std::io::Cursor::new(&bytes)).ok();
        let decoder = decoder.as_mut();
        let (size, count, animated) =
            decoder.map(|d| (d.dimensions(), d.num_frames(), d.is_animated())).unwrap_or_default();
        assert_eq!((size, count, animated), ((5, 3), 3, true));
        let mut decoder = image_webp::WebPDecoder::new(std::io::Cursor::new(&bytes)).ok();
        let mut pixels = vec![0; 5 * 3 * 4];
        let delay = decoder.as_mut().and_then(|d| d.read_frame(&mut pixels).ok());
        assert_eq!((delay, pixels.get(..4)), (Some(100), Some(&[255, 0, 0, 255][..])));
    }

    #[test]
    fn a_gif_holds_all_frames() {
        let bytes = Movie::Gif.encode(&frames(), 20.0, 0).unwrap_or_default();
        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(&bytes[..]).ok();
        let mut count = 0;
        while let Some(frame) = decoder.as_mut().and_then(|d| d.read_next_frame().ok().flatten()) {
            assert_eq!((frame.delay, frame.width, frame.height), (5, 5, 3));
            count += 1;
        }
        assert_eq!(count, 3);
    }

    #[test]
    fn frames_of_different_sizes_are_refused() {
        let mut frames = frames();
        frames.push(Image::new(1, 1, [0; 4]));
        for movie in [Movie::Apng, Movie::Gif, Movie::Webp] {
            assert!(movie.encode(&frames, 10.0, 0).is_err() && movie.encode(&[], 10.0, 0).is_err());
        }
    }
}
