#include "adapters/files/result_sources.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "adapters/files/csv_records.h"
#include "base/limits.h"
#include "leaderboards/criteria.h"

namespace scoreline::files {

using leaderboards::kCriteriaPrefix;

namespace {

/// A descriptor that closes itself; shared, because a std::function is copied.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ > STDERR_FILENO) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  int fd_;
};

enum Column : std::size_t { kMatchId, kPlayerId, kSeasonId, kPoints, kAchievedAt, kColumns };
constexpr std::array<std::string_view, kColumns> kColumnNames{"match_id", "player_id", "season_id", "points",
                                                              "achieved_at"};
/// The same as errors name them.
constexpr std::array<std::string_view, kColumns> kFieldNames{"matchId", "playerId", "seasonId", "points", "achievedAt"};

Result<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) {
    return fail(Code::invalid, "must be a whole number", "season_id");
  }
  return value;
}

template <typename T>
Result<T> named(Result<T> result, Column column) {
  if (!result) result.error().field = kColumnNames[column];
  return result;
}

class CsvResults final : public ingest::ResultSource {
 public:
  explicit CsvResults(Input input)
      : bytes_total_(input.bytes_total), window_(std::move(input.read)), records_(window_) {}

  Result<void> read_header() {
    if (auto skipped = skip_byte_order_mark(window_); !skipped) return skipped;
    const auto header = records_.next();
    if (!header) return fail(header.error());
    if (*header == nullptr)
      return fail(Code::unreadable, "the file is empty: a CSV begins with a line of column names");
    if ((*header)->broken) return fail(*(*header)->broken);
    at_.fill(kAbsent);
    const auto& names = (*header)->fields;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (std::string_view(names[i]).starts_with(kCriteriaPrefix)) {
        const auto name = names[i].substr(kCriteriaPrefix.size());
        const auto is_there = [&](const CriterionColumn& column) { return column.name == name; };
        if (std::ranges::any_of(criteria_, is_there)) {
          return fail(Code::invalid, fmt::format("column '{}' is there twice", names[i]), names[i]);
        }
        criteria_.push_back({name, i});
        continue;
      }
      const auto known = std::ranges::find(kColumnNames, names[i]);
      if (known == kColumnNames.end()) {
        return fail(Code::invalid,
                    fmt::format("there is no column '{}'; the first line must name columns out of {}, {}NAME", names[i],
                                fmt::join(kColumnNames, ", "), kCriteriaPrefix),
                    names[i]);
      }
      auto& place = at_[static_cast<std::size_t>(known - kColumnNames.begin())];
      if (place != kAbsent) return fail(Code::invalid, fmt::format("column '{}' is there twice", names[i]), names[i]);
      place = i;
    }
    for (const Column needed : {kPlayerId, kPoints}) {
      if (at_[needed] != kAbsent) continue;
      const std::string name(kColumnNames[needed]);
      return fail(Code::invalid, fmt::format("column '{}' is missing in the first line", name), name);
    }
    columns_ = names.size();
    return {};
  }

  Result<std::optional<ingest::SourceRow>> next() override {
    const auto record = records_.next();
    if (!record) return fail(record.error());
    if (*record == nullptr) return std::nullopt;
    return ingest::SourceRow{(*record)->line, (*record)->text, submission_of(**record)};
  }

  std::string_view name_of(std::string_view field) const override {
    const auto known = std::ranges::find(kFieldNames, field);
    return known == kFieldNames.end() ? field : kColumnNames[static_cast<std::size_t>(known - kFieldNames.begin())];
  }

  std::uint64_t bytes_read() const override { return window_.bytes_read() - window_.bytes().size(); }
  std::optional<std::uint64_t> bytes_total() const override { return bytes_total_; }

 private:
  static constexpr std::size_t kAbsent = ~std::size_t{0};

  struct CriterionColumn {
    std::string name;
    std::size_t place;
  };

  Result<ingest::Submission> submission_of(const CsvRecord& record) const {
    if (record.broken) return fail(*record.broken);
    if (record.fields.size() != columns_) {
      return fail(Code::unreadable, fmt::format("has {} fields, the header {}", record.fields.size(), columns_));
    }
    const auto field = [&](Column column) {
      return at_[column] == kAbsent ? std::string_view() : std::string_view(record.fields[at_[column]]);
    };
    ingest::Submission submission;
    submission.player_id = field(kPlayerId);
    auto points = named(parse_decimal(field(kPoints)), kPoints);
    if (!points) return fail(std::move(points.error()));
    submission.points = *points;
    if (const auto text = field(kMatchId); !text.empty()) {
      auto id = named(parse_uuid(text), kMatchId);
      if (!id) return fail(std::move(id.error()));
      submission.match_id = *id;
    }
    if (const auto text = field(kSeasonId); !text.empty()) {
      auto season = parse_integer(text);
      if (!season) return fail(std::move(season.error()));
      submission.season_id = *season;
    }
    if (const auto text = field(kAchievedAt); !text.empty()) {
      auto at = named(parse_timestamp(text), kAchievedAt);
      if (!at) return fail(std::move(at.error()));
      submission.achieved_at = *at;
    }
    for (const auto& [name, place] : criteria_) {
      if (record.fields[place].empty()) continue;  // absent
      auto value = parse_decimal(record.fields[place]);
      if (!value) return fail(value.error().code, value.error().detail, std::string(kCriteriaPrefix) + name);
      submission.criteria.push_back({name, *value});
    }
    return submission;
  }

  std::optional<std::uint64_t> bytes_total_;
  ByteWindow window_;
  CsvRecords records_;
  std::array<std::size_t, kColumns> at_{};
  std::vector<CriterionColumn> criteria_;
  std::size_t columns_ = 0;
};

class JsonLineResults final : public ingest::ResultSource {
 public:
  JsonLineResults(Input input, ParseJsonResult parse)
      : bytes_total_(input.bytes_total), window_(std::move(input.read)), parse_(std::move(parse)) {}

  Result<void> begin() { return skip_byte_order_mark(window_); }

  Result<std::optional<ingest::SourceRow>> next() override {
    while (true) {
      const auto line = take_line(window_, text_);
      if (!line) return fail(line.error());
      if (line->at_end) return std::nullopt;
      ++line_;
      if (line->too_long) {
        return ingest::SourceRow{line_, line->text,
                                 fail(Code::too_large, fmt::format("the line is longer than {} bytes", kMaxLineBytes))};
      }
      if (line->text.find_first_not_of(" \t") == std::string_view::npos) continue;
      return ingest::SourceRow{line_, line->text, parse_(line->text)};
    }
  }

  std::uint64_t bytes_read() const override { return window_.bytes_read() - window_.bytes().size(); }
  std::optional<std::uint64_t> bytes_total() const override { return bytes_total_; }

 private:
  std::optional<std::uint64_t> bytes_total_;
  ByteWindow window_;
  ParseJsonResult parse_;
  std::string text_;
  std::uint64_t line_ = 0;
};

}  // namespace

Result<Format> parse_format(std::string_view text) {
  if (text == "csv") return Format::csv;
  if (text == "jsonl") return Format::jsonl;
  return fail(Code::usage, fmt::format("'{}' is no format: use csv or jsonl", text), "format");
}

Result<Format> format_of(std::string_view file_name) {
  if (file_name.ends_with(".csv")) return Format::csv;
  if (file_name.ends_with(".jsonl") || file_name.ends_with(".ndjson")) return Format::jsonl;
  return fail(Code::usage,
              fmt::format("the name '{}' does not tell the format: add --format csv or --format jsonl", file_name),
              "format");
}

Result<Input> open_input(const std::string& path) {
  const bool standard_input = path == "-";
  const int fd = standard_input ? STDIN_FILENO : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    return fail(errno == ENOENT ? Code::not_found : Code::unreadable,
                fmt::format("cannot open '{}': {}", path, std::strerror(errno)), "file");
  }
  auto file = std::make_shared<Descriptor>(fd);
  struct stat status {};
  Input input;
  if (::fstat(fd, &status) == 0 && S_ISREG(status.st_mode)) {
    input.bytes_total = static_cast<std::uint64_t>(status.st_size);
  }
  input.read = [file, path](std::span<char> into) -> Result<std::size_t> {
    while (true) {
      const auto count = ::read(file->get(), into.data(), into.size());
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) {
        return fail(Code::unreadable, fmt::format("cannot read '{}': {}", path, std::strerror(errno)), "file");
      }
    }
  };
  return input;
}

Result<std::unique_ptr<ingest::ResultSource>> open_results(Input input, Format format, ParseJsonResult parse_json) {
  if (format == Format::csv) {
    auto csv = std::make_unique<CsvResults>(std::move(input));
    if (auto header = csv->read_header(); !header) return fail(std::move(header.error()));
    return csv;
  }
  auto lines = std::make_unique<JsonLineResults>(std::move(input), std::move(parse_json));
  if (auto begun = lines->begin(); !begun) return fail(std::move(begun.error()));
  return lines;
}

}  // namespace scoreline::files
