#pragma once

#include "blas/report.hpp"

#include <vector>

/// CBLAS enumerators, and the letters of the Fortran interface that they stand for.
namespace swirl::blas {

struct Enumerator {
    int value;
    char letter;
};
constexpr Enumerator layouts[] = {{101, 'R'}, {102, 'C'}};
constexpr Enumerator transposes[] = {{111, 'N'}, {112, 'T'}, {113, 'C'}};
constexpr Enumerator uplos[] = {{121, 'U'}, {122, 'L'}};
constexpr Enumerator diagonals[] = {{131, 'N'}, {132, 'U'}};
constexpr Enumerator sides[] = {{141, 'L'}, {142, 'R'}};

/// Reads the enumerators of a call in the order of its arguments. Reports the first invalid one and sets `refused`.
class EnumeratorReader {
public:
    EnumeratorReader(const Caller& caller, int layout) : caller_(caller) {
        row_major_ = letter(layouts, 1, "layout", layout) == 'R';
    }

    bool refused() const { return refused_; }
    bool row_major() const { return row_major_; }

    char transpose(int position, int value, const char* what = "Trans") {
        return letter(transposes, position, what, value);
    }
    char uplo(int position, int value) { return letter(uplos, position, "Uplo", value); }
    char diagonal(int position, int value) { return letter(diagonals, position, "Diag", value); }
    char side(int position, int value) { return letter(sides, position, "Side", value); }

    template <class I>
    std::vector<char> all_transposes(int position, const int* values, I count, const char* what) {
        std::vector<char> letters;
        for (I i = 0; i < count; ++i) letters.push_back(transpose(position, values[i], what));
        return letters;
    }

private:
    template <int count>
    char letter(const Enumerator (&all)[count], int position, const char* what, int value) {
        for (const Enumerator& each : all)
            if (each.value == value) return each.letter;
        if (!refused_) report_enumerator(caller_, position, what, value, row_major_);
        refused_ = true;
        return '?';
    }

    const Caller& caller_;
    bool row_major_ = false;
    bool refused_ = false;
};

} // namespace swirl::blas
