//! The weight of a row, in one byte.

use tenter_ghap::Tier;

pub(super) fn of_tier(tier: &str) -> u8 {
    of_importance(f64::from(Tier::parse(tier).unwrap_or(Tier::Bronze).weight()))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it lies between 0 and 255 here, and a cast of what does not stops there"
)]
pub(crate) fn of_importance(importance: f64) -> u8 {
    (importance.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// The weight from 0 to 1.
pub(crate) fn share(weight: u8) -> f32 {
    f32::from(weight) / 255.0
}
