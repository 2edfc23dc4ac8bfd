#include "leaderboards/criteria.h"

#include <algorithm>
#include <bit>

#include "ordered/rank_key.h"

namespace scoreline::leaderboards {
namespace {

constexpr int kKeyBits = 128;
constexpr int kTimeBits = 48;
constexpr int kMostCriteriaBits = 64;

tl::unexpected<Error> invalid(std::string detail, std::string field) {
  return fail(Code::invalid, std::move(detail), std::move(field));
}

/// `place` in the list that a definition is written with: the points are 0.
std::string field_of(std::size_t place, std::string_view member) {
  return "criteria[" + std::to_string(place) + "]" + (member.empty() ? "" : ".") + std::string(member);
}

std::string field_of(std::string_view name) { return std::string(kCriteriaPrefix) + std::string(name); }

int bits_of(std::int64_t min, std::int64_t max) {
  return std::bit_width(static_cast<std::uint64_t>(max) - static_cast<std::uint64_t>(min));
}

int bits_of(const Criterion& criterion) { return bits_of(criterion.min, criterion.max); }

std::string range_of(std::int64_t min, std::int64_t max, int scale) {
  return format_scaled(min, scale) + ".." + format_scaled(max, scale);
}

std::string range_of(const Criterion& criterion) { return range_of(criterion.min, criterion.max, criterion.scale); }

bool is_name(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto may_follow = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && text.size() <= kMaxCriterionNameBytes && is_letter(text.front()) &&
         std::ranges::all_of(text, may_follow);
}

Result<void> validate_one(const Definition& definition, std::size_t place) {
  const Criterion& criterion = definition.criteria[place - 1];
  if (criterion.name == "points") return invalid("is the first criterion, and only that", field_of(place, "name"));
  if (!is_name(criterion.name)) {
    return invalid("must be a letter and then letters, digits and `_`, 32 in all at most", field_of(place, "name"));
  }
  for (std::size_t before = 0; before + 1 < place; ++before) {
    if (definition.criteria[before].name == criterion.name) {
      return invalid("is the name of another criterion already", field_of(place, "name"));
    }
  }
  if (criterion.scale < 0 || criterion.scale > kMaxScale) return invalid("must be 0..9", field_of(place, "scale"));
  if (criterion.min >= criterion.max) return invalid("must be above min", field_of(place, "max"));
  return {};
}

/// That all of them and the time fit a key.
Result<void> validate_bits(const Definition& definition) {
  std::string sum = std::to_string(points_bits(definition)) + " bits of points (" +
                    range_of(definition.min_points, definition.max_points, definition.scale) + ")";
  for (const Criterion& criterion : definition.criteria) {
    sum += " + " + std::to_string(bits_of(criterion)) + " of " + criterion.name + " (" + range_of(criterion) + ")";
  }
  const int extra = criteria_bits(definition);
  if (extra > kMostCriteriaBits) {
    return invalid("need too wide a key: " + sum + "; those after the points have " + std::to_string(extra) +
                       " bits of at most 64. Narrow a range",
                   "criteria");
  }
  const int all = points_bits(definition) + extra + kTimeBits;
  if (all <= kKeyBits) return {};
  return invalid("need too wide a key: " + sum + " + 48 of time = " + std::to_string(all) +
                     " of at most 128. Narrow a range: of the points by minPoints and maxPoints",
                 "criteria");
}

Result<void> set_bound(const std::optional<Decimal>& written, int scale, std::string field, std::int64_t& into) {
  if (!written) return {};
  const auto scaled = to_scaled(*written, scale);
  if (!scaled) return fail(scaled.error().code, scaled.error().detail, std::move(field));
  into = *scaled;
  return {};
}

Result<int> scale_of(const WrittenCriterion& written, std::string field) {
  const int scale = written.scale.value_or(0);
  if (scale < 0 || scale > kMaxScale) return invalid("must be 0..9", std::move(field));
  return scale;
}

/// One of what is said twice of the points; empty: neither says it.
template <typename Value>
Result<std::optional<Value>> one_of(const std::optional<Value>& outside, const std::optional<Value>& inside,
                                    std::string_view name, std::string_view member) {
  if (outside && inside && *outside != *inside) {
    return invalid("must be the same as `" + std::string(name) + "`", field_of(0, member));
  }
  return outside ? outside : inside;
}

Result<WrittenCriterion> joined(const WrittenCriterion& points, const WrittenCriterion& listed) {
  if (listed.name != "points") return invalid("must be `points`: they are the first criterion", field_of(0, "name"));
  const auto order = one_of(points.order, listed.order, "order", "order");
  if (!order) return fail(order.error());
  const auto scale = one_of(points.scale, listed.scale, "scale", "scale");
  if (!scale) return fail(scale.error());
  const auto min = one_of(points.min, listed.min, "minPoints", "min");
  if (!min) return fail(min.error());
  const auto max = one_of(points.max, listed.max, "maxPoints", "max");
  if (!max) return fail(max.error());
  return WrittenCriterion{"points", *order, *scale, *min, *max};
}

Result<void> set_points(Definition& definition, const WrittenCriterion& points) {
  definition.order = points.order.value_or(default_order(definition.rule));
  const auto scale = scale_of(points, "scale");
  if (!scale) return fail(scale.error());
  definition.scale = *scale;
  if (auto set = set_bound(points.min, *scale, "minPoints", definition.min_points); !set) return set;
  return set_bound(points.max, *scale, "maxPoints", definition.max_points);
}

Result<Criterion> criterion_of(const WrittenCriterion& written, std::size_t place) {
  Criterion criterion{.name = written.name, .order = written.order.value_or(Order::descending)};
  const auto scale = scale_of(written, field_of(place, "scale"));
  if (!scale) return fail(scale.error());
  criterion.scale = *scale;
  if (!written.max) return invalid("is missing: the most that it may be", field_of(place, "max"));
  if (auto set = set_bound(written.min, *scale, field_of(place, "min"), criterion.min); !set) return fail(set.error());
  if (auto set = set_bound(written.max, *scale, field_of(place, "max"), criterion.max); !set) return fail(set.error());
  return criterion;
}

/// In ascending order as the board's points are.
bool counts_up(const Definition& definition, const Criterion& criterion) { return criterion.order == definition.order; }

Error unknown(const Definition& definition, std::string_view name) {
  std::string known;
  for (const Criterion& criterion : definition.criteria) {
    if (!known.empty()) known += ", ";
    known += criterion.name;
  }
  return {Code::invalid, "is no criterion of this leaderboard; there are " + known, field_of(name), std::nullopt};
}

Result<std::int64_t> value_of(const Criterion& criterion, std::span<const CriterionValue> values) {
  const auto is_named = [&](const CriterionValue& value) { return value.name == criterion.name; };
  const auto found = std::ranges::find_if(values, is_named);
  if (found == values.end()) {
    return invalid("is missing: a number of " + range_of(criterion), field_of(criterion.name));
  }
  if (std::any_of(found + 1, values.end(), is_named)) return invalid("is given twice", field_of(criterion.name));
  const auto scaled = to_scaled(found->value, criterion.scale);
  if (!scaled) return fail(scaled.error().code, scaled.error().detail, field_of(criterion.name));
  if (*scaled < criterion.min || *scaled > criterion.max) {
    return invalid("must be " + range_of(criterion), field_of(criterion.name));
  }
  return scaled;
}

}  // namespace

Result<void> set_criteria(Definition& definition, const WrittenCriterion& points,
                          std::span<const WrittenCriterion> criteria) {
  if (criteria.size() > kMaxCriteria) return invalid("may be 4 at most, the points among them", "criteria");
  if (criteria.empty()) return set_points(definition, points);
  const auto all = joined(points, criteria.front());
  if (!all) return fail(all.error());
  if (auto set = set_points(definition, *all); !set) return set;
  for (std::size_t place = 1; place < criteria.size(); ++place) {
    auto criterion = criterion_of(criteria[place], place);
    if (!criterion) return fail(std::move(criterion).error());
    definition.criteria.push_back(*std::move(criterion));
  }
  return {};
}

Result<void> validate_criteria(const Definition& definition) {
  if (definition.criteria.empty()) return {};
  if (definition.criteria.size() >= kMaxCriteria) {
    return invalid("may be 4 at most, the points among them", "criteria");
  }
  if (definition.rule == Rule::sum) {
    return invalid("cannot be added up: with rule sum, players are compared by points alone", "criteria");
  }
  if (definition.key == KeyKind::packed) {
    return invalid("do not fit packed keys, which hold points and time: take wide ones", "criteria");
  }
  for (std::size_t place = 1; place <= definition.criteria.size(); ++place) {
    if (auto valid = validate_one(definition, place); !valid) return valid;
  }
  return validate_bits(definition);
}

int points_bits(const Definition& definition) { return bits_of(definition.min_points, definition.max_points); }

int criteria_bits(const Definition& definition) {
  int bits = 0;
  for (const Criterion& criterion : definition.criteria) bits += bits_of(criterion);
  return bits;
}

Result<std::uint64_t> pack_criteria(const Definition& definition, std::span<const CriterionValue> values) {
  if (definition.criteria.empty()) {
    if (values.empty()) return 0;
    return invalid("must not be there: this leaderboard has no criteria but the points", "criteria");
  }
  // Before what is missing: a misspelt name is the reason for that.
  for (const CriterionValue& value : values) {
    const auto is_it = [&](const Criterion& criterion) { return criterion.name == value.name; };
    if (std::ranges::none_of(definition.criteria, is_it)) return fail(unknown(definition, value.name));
  }
  ordered::Uint128 packed = 0;  // a criterion alone may take all of 64 bits
  for (const Criterion& criterion : definition.criteria) {
    const auto value = value_of(criterion, values);
    if (!value) return fail(value.error());
    const auto from = static_cast<std::uint64_t>(counts_up(definition, criterion) ? *value : criterion.max);
    const auto to = static_cast<std::uint64_t>(counts_up(definition, criterion) ? criterion.min : *value);
    packed = packed << bits_of(criterion) | (from - to);
  }
  return static_cast<std::uint64_t>(packed);
}

CriteriaValues unpack_criteria(const Definition& definition, std::uint64_t extra) {
  CriteriaValues values{};
  ordered::Uint128 rest = extra;
  for (std::size_t i = definition.criteria.size(); i-- > 0;) {
    const Criterion& criterion = definition.criteria[i];
    const auto above = static_cast<std::uint64_t>(rest & ((ordered::Uint128{1} << bits_of(criterion)) - 1));
    rest >>= bits_of(criterion);
    const auto min = static_cast<std::uint64_t>(criterion.min), max = static_cast<std::uint64_t>(criterion.max);
    values[i] = static_cast<std::int64_t>(counts_up(definition, criterion) ? min + above : max - above);
  }
  return values;
}

void append_criteria(std::string& out, const Definition& definition, std::uint64_t extra) {
  const CriteriaValues values = unpack_criteria(definition, extra);
  out += '{';
  for (std::size_t i = 0; i < definition.criteria.size(); ++i) {
    out += i == 0 ? "\"" : ",\"";
    out += definition.criteria[i].name;
    out += "\":";
    append_scaled(out, values[i], definition.criteria[i].scale);
  }
  out += '}';
}

void append_criteria_columns(std::string& out, const Definition& definition) {
  for (const Criterion& criterion : definition.criteria) {
    out += ',';
    out += kCriteriaPrefix;
    out += criterion.name;
  }
}

void append_criteria_fields(std::string& out, const Definition& definition, std::uint64_t extra) {
  const CriteriaValues values = unpack_criteria(definition, extra);
  for (std::size_t i = 0; i < definition.criteria.size(); ++i) {
    out += ',';
    append_scaled(out, values[i], definition.criteria[i].scale);
  }
}

}  // namespace scoreline::leaderboards
