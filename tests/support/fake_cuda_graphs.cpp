// Graphs of the fake driver: captured work runs immediately, and launching a graph does nothing.

#include "support/fake_cuda_call.hpp"

namespace {

using namespace swirl::runtime::cuda;
using namespace swirl::support::driver;

} // namespace

EXPORT Result cuStreamBeginCapture_v2(Stream, int) {
    return Call("cuStreamBeginCapture", Call::context)([] { fake().is_capturing = true; });
}
EXPORT Result cuStreamEndCapture(Stream, void** graph) {
    return Call("cuStreamEndCapture", Call::context)([=] {
        fake().is_capturing = false;
        *graph = handle<void*>(9);
    });
}
EXPORT Result cuGraphInstantiateWithFlags(void** ready, void*, unsigned long long) {
    return Call("cuGraphInstantiate", Call::context)([=] { *ready = handle<void*>(10); });
}
EXPORT Result cuGraphUpload(void*, Stream) {
    return Call("cuGraphUpload", Call::context)([] {});
}
EXPORT Result cuGraphLaunch(void*, Stream) {
    return Call("cuGraphLaunch", Call::context)([] {});
}
EXPORT Result cuGraphDestroy(void*) {
    return Call("cuGraphDestroy", Call::context)([] {});
}
EXPORT Result cuGraphExecDestroy(void*) {
    return Call("cuGraphExecDestroy", Call::context)([] {});
}
