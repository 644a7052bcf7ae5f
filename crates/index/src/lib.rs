//! From the buffer to the index, and search in it. HTTP is unknown here.
