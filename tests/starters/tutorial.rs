//! The player of docs/students.md.
