#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace swirl {

/// A constant list shared by its owners, or none. A list that takes long to compute is computed on first access to its
/// contents, by any thread, and never otherwise. One that takes much memory is a function, evaluated for each access.
template <class T> class SharedList {
    struct State;

public:
    using List = std::vector<T>;

    SharedList() = default;
    SharedList(std::shared_ptr<const List> contents) {
        if (!contents) return;
        state_ = std::make_shared<State>();
        state_->size = contents->size();
        state_->contents = std::move(contents);
    }
    /// A list of `size` elements.
    static SharedList computed_by(std::size_t size, std::function<List()> compute) {
        SharedList list;
        list.state_ = std::make_shared<State>();
        list.state_->size = size;
        list.state_->compute = std::move(compute);
        return list;
    }
    /// A list of `size` elements, element i being evaluate(i), which several threads may call at once.
    static SharedList evaluated_by(std::size_t size, std::function<T(std::size_t)> evaluate) {
        SharedList list;
        list.state_ = std::make_shared<State>();
        list.state_->size = size;
        list.state_->compute = [size, evaluate] {
            List contents;
            contents.reserve(size);
            for (std::size_t i = 0; i < size; ++i) contents.push_back(evaluate(i));
            return contents;
        };
        list.state_->evaluate = std::move(evaluate);
        return list;
    }

    explicit operator bool() const { return state_ != nullptr; }
    bool operator==(std::nullptr_t) const { return state_ == nullptr; }
    /// Computed and evaluated lists equal only themselves: a comparison does not force computation.
    bool operator==(const SharedList& other) const {
        if (state_ == other.state_) return true;
        if (!state_ || !other.state_ || state_->size != other.state_->size) return false;
        return !is_computed() && !other.is_computed() && *state_->contents == *other.state_->contents;
    }

    std::size_t size() const { return state_ ? state_->size : 0; }
    bool is_computed() const { return state_ && state_->compute; }
    /// Equal for all owners of the list.
    const void* identity() const { return state_.get(); }

    /// Element i < size(), without computing the others where a function gives it.
    T at(std::size_t i) const { return state_->evaluate ? state_->evaluate(i) : contents().at(i); }

    /// All elements in memory.
    const List& operator*() const { return contents(); }
    const List* operator->() const { return &contents(); }

    /// Does not keep the list alive; `lock` returns it if an owner still does.
    class Weak {
    public:
        Weak() = default;
        Weak(const SharedList& list) : state_(list.state_) {}
        SharedList lock() const {
            SharedList list;
            list.state_ = state_.lock();
            return list;
        }

    private:
        std::weak_ptr<State> state_;
    };

private:
    struct State {
        std::size_t size = 0;
        std::function<List()> compute;
        std::function<T(std::size_t)> evaluate;
        std::once_flag once;
        std::shared_ptr<const List> contents;
    };

    const List& contents() const {
        if (state_->compute)
            std::call_once(state_->once,
                           [this] { state_->contents = std::make_shared<const List>(state_->compute()); });
        return *state_->contents;
    }

    std::shared_ptr<State> state_;
};

} // namespace swirl
