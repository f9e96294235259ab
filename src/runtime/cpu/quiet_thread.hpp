#pragma once

#include <pthread.h>

/// Threads that the program does not notice.
namespace swirl::runtime {

/// Starts a thread that receives no signals: these are for the program's own threads. False: this process can start no more
/// threads.
bool start_quiet_thread(pthread_t& thread, void* (*run)(void*), void* argument);

/// From now on the calling thread runs only where no other thread of the machine wants a processor; where the system refuses
/// that, with the lowest priority.
void yield_to_all_others();

} // namespace swirl::runtime
