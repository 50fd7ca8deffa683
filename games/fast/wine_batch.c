/* Die Weinhändler, for Python. */
#include "unrecorded.h"

#include "wine.c"
#include "wine_observation.c"
#include "wine_options.c"

#define EXPORTED(name) wine_##name

#include "batch.h"
