// The compiled source of fmt, as in fmt's own src/format.cc: our library includes fmt and hides it.

#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

#if FMT_VERSION < 120000
template FMT_API auto locale_ref::get() const -> std::locale; // of dates
#endif
template FMT_API auto dragonbox::to_decimal(float x) noexcept -> dragonbox::decimal_fp<float>;
template FMT_API auto dragonbox::to_decimal(double x) noexcept -> dragonbox::decimal_fp<double>;
template FMT_API auto thousands_sep_impl(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl(locale_ref) -> char;
template FMT_API void buffer<char>::append(const char*, const char*);
#if FMT_VERSION < 110000 // no template any more
template FMT_API void vformat_to(buffer<char>&, string_view, basic_format_args<buffer_context<char>>,
                                 locale_ref);
#endif

} // namespace detail
#if FMT_VERSION >= 120000
template FMT_API auto locale_ref::get() const -> std::locale;
#endif
FMT_END_NAMESPACE
