//! Figures as images: the places that the layout found, drawn anew.
//!
//! Most figures of papers are drawings and no pictures, so they are rendered; this is a run of its own, with limits of its own,
//! so that a figure that takes too long costs no text.

use crate::papers::parse::document::Place;
use hayro::hayro_interpret::InterpreterSettings;
use hayro::hayro_syntax::Pdf;
use hayro::vello_cpu::color::palette::css::WHITE;
use hayro::vello_cpu::kurbo::Affine;
use hayro::vello_cpu::{Pixmap, RasterizerSettings, RenderContext, Resources, TargetInit};
use hayro::{RenderCache, RenderSettings, render_into};

/// Pixels of an inch of the page: figures are looked at on screens.
const RESOLUTION: f32 = 200.0;
/// The longest side of an image, in pixels.
const LONGEST: f32 = 2400.0;
/// Points of white around a figure.
const MARGIN: f32 = 3.0;

/// Cuts places out of a PDF; answers a PNG for each, or nothing where there is no such page.
#[must_use]
pub fn cut(bytes: Vec<u8>, places: &[Place]) -> Vec<Option<Vec<u8>>> {
    let Ok(pdf) = Pdf::new(bytes) else { return places.iter().map(|_| None).collect() };
    let cache = RenderCache::new();
    let settings = InterpreterSettings::default();
    places.iter().map(|place| draw(&pdf, &cache, &settings, place)).collect()
}

fn draw<'a>(pdf: &'a Pdf, cache: &RenderCache<'a>, settings: &InterpreterSettings, place: &Place) -> Option<Vec<u8>> {
    let page = pdf.pages().get(usize::try_from(place.page.checked_sub(1)?).ok()?)?;
    let (page_width, page_height) = page.render_dimensions();
    let [x0, y0, x1, y1] = place.bounds;
    let (x0, y0) = ((x0 - MARGIN).max(0.0), (y0 - MARGIN).max(0.0));
    let (x1, y1) = ((x1 + MARGIN).min(page_width), (y1 + MARGIN).min(page_height));
    let (width, height) = (x1 - x0, y1 - y0);
    if !(width > 1.0 && height > 1.0) {
        return None;
    }
    let scale = (RESOLUTION / 72.0).min(LONGEST / width.max(height));
    let pixels = |points: f32| (points * scale).ceil().clamp(1.0, LONGEST) as u16;
    let mut surface = RenderContext::new(pixels(width), pixels(height));
    let to_page = Affine::new(page.initial_transform(true).as_coeffs());
    let transform = Affine::scale(f64::from(scale)) * Affine::translate((-f64::from(x0), -f64::from(y0))) * to_page;
    render_into(page, cache, settings, &RenderSettings::default(), &mut surface, transform);
    surface.flush();
    let mut image = Pixmap::new(surface.width(), surface.height());
    let on_white = RasterizerSettings { target_init: TargetInit::Clear(WHITE), ..RasterizerSettings::default() };
    surface.render_with(&mut image, &mut Resources::default(), on_white);
    image.into_png().ok()
}
