"""Work that is done after the answer, by worker processes that take it from Redis."""
