//! The model APIs that tenter speaks.

/// A model API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// Anthropic's Messages.
    Anthropic,
    /// Google's Gemini.
    Gemini,
    /// OpenAI's Responses.
    OpenAiResponses,
    /// OpenAI's Chat Completions.
    OpenAiChat,
}

impl Api {
    /// Every API.
    pub const ALL: [Self; 4] = [Self::Anthropic, Self::Gemini, Self::OpenAiResponses, Self::OpenAiChat];

    /// The name on the command line and in recordings.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::OpenAiResponses => "openai-responses",
            Self::OpenAiChat => "openai-chat",
        }
    }
}
