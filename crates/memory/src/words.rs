//! The fixed words of memories and of searching, spelled as MCP clients spell them.

use tenter_ghap::spelled_words;

spelled_words! {
    /// What a memory is.
    MemoryCategory, "category" {
        /// How a user wants it.
        Preference = "preference",
        /// What is so.
        Fact = "fact",
        /// What happened.
        Event = "event",
        /// How something is done.
        Workflow = "workflow",
        /// What one must know next to.
        Context = "context",
        /// What went wrong.
        Error = "error",
        /// What was decided, and why.
        Decision = "decision",
    }
}

spelled_words! {
    /// Which indexed text of an experience is searched.
    Axis, "axis" {
        /// All of it.
        Full = "full",
        /// How it was gone about, and whether that helped.
        Strategy = "strategy",
        /// What was not expected.
        Surprise = "surprise",
        /// Why the prediction was wrong.
        RootCause = "root_cause",
    }
}

spelled_words! {
    /// How it is searched.
    SearchMode, "search mode" {
        /// By meaning.
        Semantic = "semantic",
        /// By words.
        Keyword = "keyword",
        /// By both.
        Hybrid = "hybrid",
    }
}
