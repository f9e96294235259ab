// The adaptor's function in C.

#include <swirl/distributed.h>
#include <swirl/distributed/c.hpp>
#include <swirl/distributed/mpi.hpp>
#include <swirl/error.hpp>

#include <memory>

swirl_status swirl_communicator_on_mpi(const void* mpi_communicator, swirl_communicator** communicator) {
    namespace distributed = swirl::distributed;
    return distributed::communicator_for_c(
        [mpi_communicator] {
            if (mpi_communicator == nullptr)
                throw swirl::UserError(
                    "argument 'mpi_communicator' is a null pointer\n  give the address of an MPI_Comm");
            return distributed::on_mpi(*static_cast<const MPI_Comm*>(mpi_communicator));
        },
        communicator);
}
