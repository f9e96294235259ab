#pragma once

namespace swirl::bench {

/// Memory of this process that is in RAM (Linux).
double resident_mebibytes();

} // namespace swirl::bench
