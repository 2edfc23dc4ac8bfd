#include "adapters/postgres/parameters.h"

#include <utility>

namespace scoreline::postgres {
namespace {

template <typename Integer>
void put(std::string& bytes, Integer value) {
  for (int shift = 8 * (int{sizeof(Integer)} - 1); shift >= 0; shift -= 8) {
    bytes.push_back(static_cast<char>(static_cast<std::uint64_t>(value) >> shift));
  }
}

std::string_view bytes_of(const Uuid& uuid) {
  return {reinterpret_cast<const char*>(uuid.bytes.data()), uuid.bytes.size()};
}

template <typename Integer>
std::string integer(Integer value) {
  std::string bytes;
  put(bytes, value);
  return bytes;
}

}  // namespace

Array::Array(Type type, std::size_t elements) {
  constexpr std::size_t kHeaderBytes = 20, kTypicalBytes = 20;
  bytes_.reserve(kHeaderBytes + kTypicalBytes * elements);
  put(bytes_, std::int32_t{elements == 0 ? 0 : 1});  // dimensions
  put(bytes_, std::int32_t{0});                      // no NULLs
  put(bytes_, static_cast<std::uint32_t>(type));
  if (elements == 0) return;
  put(bytes_, static_cast<std::int32_t>(elements));
  put(bytes_, std::int32_t{1});  // the first subscript
}

void Array::add(std::string_view text) {
  put(bytes_, static_cast<std::int32_t>(text.size()));
  bytes_.append(text);
}

void Array::add(std::int32_t value) {
  put(bytes_, std::int32_t{sizeof(value)});
  put(bytes_, value);
}

void Array::add(std::int64_t value) {
  put(bytes_, std::int32_t{sizeof(value)});
  put(bytes_, value);
}

void Array::add(const Uuid& uuid) { add(bytes_of(uuid)); }

void Array::add_null() {
  constexpr std::size_t kFlags = 7;  // the last byte of the second integer of the header
  bytes_[kFlags] = 1;
  put(bytes_, std::int32_t{-1});
}

Parameters& Parameters::add(std::string_view text) {
  values_.emplace_back(text);
  return *this;
}

Parameters& Parameters::add(std::int32_t value) {
  values_.emplace_back(integer(value));
  return *this;
}

Parameters& Parameters::add(std::int64_t value) {
  values_.emplace_back(integer(value));
  return *this;
}

Parameters& Parameters::add(std::optional<Timestamp> at) {
  if (at) return add(to_timestamptz(*at));
  values_.emplace_back(std::nullopt);
  return *this;
}

Parameters& Parameters::add(const Uuid& uuid) { return add(bytes_of(uuid)); }

Parameters& Parameters::add_null() {
  values_.push_back(std::nullopt);
  return *this;
}

Parameters& Parameters::add(Array array) {
  values_.emplace_back(std::move(array.bytes_));
  return *this;
}

Parameters& Parameters::add(std::span<const std::string> texts) {
  Array array(Type::text, texts.size());
  for (const std::string& text : texts) array.add(std::string_view(text));
  return add(std::move(array));
}

}  // namespace scoreline::postgres
