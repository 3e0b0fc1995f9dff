//! What holds of questions in a folder.
