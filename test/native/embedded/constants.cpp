// In C++ the header's numbers can be used where the compiler must know a value.
#include <lockkeeper.h>

static_assert(LK_FOREVER > LK_NUMBER_MAX, "a duration without an end");
static_assert(LK_SNAPSHOT_FORMAT == 0x32534b4c, "LKS2");
