/* Edel, Stein & Reich and its version for two, for Python. */
#include "unrecorded.h"

#include "gems.c"
#include "gems_observation.c"
#include "gems_options.c"

#define EXPORTED(name) gems_##name

#include "batch.h"
