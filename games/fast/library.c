/* Which sources this library was compiled from. */

__attribute__((visibility("default"))) const char *sources_digest(void) { return SOURCES_DIGEST; }
