// Criteria: up to four numbers that players are compared by in turn, the points first. Those after the points are one
// number, `extra`, wherever a result or a standing is kept: the first of them in its highest bits, each counted from
// the end of its range at which it ranks furthest back on a descending board, or furthest ahead on an ascending one.
// So of two standings with the same points the one with more in `extra` is further along the ascending order, whatever
// the directions, as it is with points; and 0 where there are none.
//
// Pure functions over a valid definition; any thread. Cost: a few shifts for each criterion.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/decimal.h"
#include "base/error.h"
#include "base/limits.h"
#include "leaderboards/definition.h"

namespace scoreline::leaderboards {

/// One of the criteria after the points, as a result brings it.
struct CriterionValue {
  std::string name;
  Decimal value;
};

/// A criterion of a definition as a door reads it; what is absent has its default.
struct WrittenCriterion {
  std::string name;
  std::optional<Order> order = {};
  std::optional<int> scale = {};
  std::optional<Decimal> min = {};
  std::optional<Decimal> max = {};
};

/// Sets what a definition says of points and criteria. `points`: as order, scale, minPoints and maxPoints say it.
/// `criteria`: the list, which begins with `points` again, or nothing; what both say of the points must be the same.
/// The rule must be set before. Errors: Code::invalid; `field` as in JSON: `minPoints`, `criteria[1].max`.
Result<void> set_criteria(Definition& definition, const WrittenCriterion& points,
                          std::span<const WrittenCriterion> criteria);

/// Errors: Code::invalid, field `criteria`, `criteria[1].name` and so on; the points are number 0.
Result<void> validate_criteria(const Definition& definition);

/// How many bits a key has for the points, and for the criteria after them: 0 where there are none.
int points_bits(const Definition& definition);
int criteria_bits(const Definition& definition);

/// What a result brings as `extra`. Errors: Code::invalid when one is missing, unknown, given twice or out of its
/// range; field `criteria.NAME`, or `criteria` on a leaderboard that has none.
Result<std::uint64_t> pack_criteria(const Definition& definition, std::span<const CriterionValue> values);

/// In the order of the definition, each in units of its own scale; zeros behind the last.
using CriteriaValues = std::array<std::int64_t, kMaxCriteria - 1>;
CriteriaValues unpack_criteria(const Definition& definition, std::uint64_t extra);

/// As JSON: `{"winRate":61.5,"matches":40}`.
void append_criteria(std::string& out, const Definition& definition, std::uint64_t extra);

/// What CSV columns and errors call a criterion: `criteria.winRate`.
inline constexpr std::string_view kCriteriaPrefix = "criteria.";
/// `,criteria.winRate,criteria.matches` and `,61.5,40`: as the last columns of a CSV file.
void append_criteria_columns(std::string& out, const Definition& definition);
void append_criteria_fields(std::string& out, const Definition& definition, std::uint64_t extra);

}  // namespace scoreline::leaderboards
