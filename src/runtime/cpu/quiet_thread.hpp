#pragma once

#include <pthread.h>

/// Threads that the program does not notice.
namespace swirl::runtime {

/// Starts a thread that receives no signals: these are for the program's own threads. False: this process can start no
/// more threads.
bool start_quiet_thread(pthread_t& thread, void* (*run)(void*), void* argument);

/// From now on the calling thread has the lowest ordinary priority: where others want its processor, it gets about
/// 1.5% of the time. Not SCHED_IDLE, which leaves it 0.3%: other threads may wait for a lock that it holds.
void take_lowest_priority();

} // namespace swirl::runtime
