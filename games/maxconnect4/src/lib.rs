//! Max-Connect4.
