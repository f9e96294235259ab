#include "impulse.h"

/* Whether the library that is linked into this one works. */
int plugin_works(void);
int plugin_works(void) { return spectrum_is_flat(); }
