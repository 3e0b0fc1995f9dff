//! Enums whose variants have one spelling each in hook files, replies and records.

/// Defines such enums, one row per variant, with the list of all variants and both directions of the spelling.
macro_rules! spelled {
    ($(
        $(#[$attribute:meta])*
        pub enum $name:ident { $( $(#[$variant_attribute:meta])* $variant:ident = $spelling:literal, )+ }
    )+) => { $(
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[cfg_attr(feature = "cache", derive(serde::Serialize, serde::Deserialize))]
        pub enum $name {
            $( $(#[$variant_attribute])* #[doc = concat!("Spelled `", $spelling, "`.")] $variant, )+
        }

        impl $name {
            /// All of them, in order.
            pub const ALL: [Self; [$($spelling),+].len()] = [$(Self::$variant),+];

            /// The spelling in hook files, replies and records.
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $spelling, )+ }
            }

            /// Reads that spelling.
            pub fn parse(text: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|known| known.as_str() == text)
            }
        }
    )+ };
}

pub(crate) use spelled;
