// Matrix multiplication on a GPU: cuBLAS.

#include "base/error.hpp"
#include "bench/gpu.hpp"
#include "bench/product_data.hpp"
#include "gemm/gpu/model/model.hpp"
#include "peers/cublas.hpp"
#include "plan/schedule.hpp"
#include "search/timer/cpu/timing.hpp"

namespace swirl::bench {
namespace {

/// Constructed before the measurement, which copies its arrays.
struct HasProduct {
    explicit HasProduct(const MatrixProduct& product) : data_(product) {}
    ProductData data_;
};

class GpuProduct : private HasProduct, public GpuMeasurement {
public:
    GpuProduct(const MatrixProduct& product, const Options& options, const GpuInUse& gpu)
        : HasProduct(product),
          GpuMeasurement(options, gpu, {data_.arrays()[0], data_.arrays()[1], data_.arrays()[2]}) {}

    Work plan_swirl(const swirl::Options& planning) override {
        const SwirlPlan made = swirl_plan(data_.product(), planning);
        return work(made.plan.schedule(), 0, [this, made](std::size_t execution) {
            const Pointers at = pointers(execution);
            made.plan.execute(1, at.a, at.b, 0, at.c, made.stream, made.workspace);
        });
    }

    Work plan_peer(const std::string& name) override {
        if (const std::string reason = peers::cublas_absent_because(); !reason.empty())
            throw Unavailable("{}", reason);
        const peers::GpuMatrixCall call =
            peers::gpu_call_of(data_.product(), options_.planning.accuracy, name == "cublas-emulated");
        const auto plan = std::make_shared<const peers::CublasPlan>(call, gpu_.device, gpu_.stream.handle());
        return work(peers::cublas_version() + ", " + plan->routine(), 0, [this, plan](std::size_t execution) {
            const Pointers at = pointers(execution);
            plan->execute(at.a, at.b, at.c);
        });
    }

    std::vector<std::string> best_schedules(std::size_t count) const override {
        std::vector<std::string> result;
        for (const gemm::GpuGemmSchedule& schedule :
             gemm::gpu_schedules(data_.product(), gpu_.device.target(), count, options_.planning.accuracy))
            result.push_back(to_string(planning::Schedule(gpu_.device.target().name, schedule)));
        return result;
    }

    void reset() override {
        data_.erase_result();
        upload();
    }
    double distance() override {
        download();
        return data_.distance();
    }
    double tolerance() const override { return data_.tolerance(options_.planning.accuracy); }

    double flops() const override { return data_.flops(); }
    Floors floors(double) const override { return floors_for(search::compulsory_bytes(data_.product())); }

private:
    struct Pointers {
        const void* a;
        const void* b;
        void* c;
    };
    Pointers pointers(std::size_t execution) const {
        const auto host = data_.arrays();
        return {address(host[0].data(), execution), address(host[1].data(), execution),
                address(host[2].data(), execution)};
    }
};

} // namespace

std::unique_ptr<Measurement> measurement_on_gpu(const MatrixProduct& product, const Options& options,
                                                const GpuInUse& gpu) {
    return std::make_unique<GpuProduct>(product, options, gpu);
}

} // namespace swirl::bench
