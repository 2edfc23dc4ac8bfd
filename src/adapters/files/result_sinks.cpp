#include "adapters/files/result_sinks.h"

#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <span>
#include <utility>

#include "adapters/files/csv_records.h"
#include "adapters/files/output_file.h"
#include "base/decimal.h"
#include "leaderboards/criteria.h"

namespace scoreline::files {

using leaderboards::kCriteriaPrefix;

namespace {

/// Ids are UTF-8 without control characters: two characters need an escape.
void append_json_string(std::string& out, std::string_view text) {
  out.push_back('"');
  for (const char c : text) {
    if (c == '"' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  out.push_back('"');
}

class ResultFile final : public ingest::ResultSink {
 public:
  ResultFile(OutputFile file, Format format, leaderboards::Definition definition)
      : file_(std::move(file)), format_(format), definition_(std::move(definition)) {}

  Result<void> write_header() {
    if (format_ != Format::csv) return {};
    line_ = "match_id,player_id,season_id,points,achieved_at";
    append_criteria_columns(line_, definition_);
    line_.push_back('\n');
    return file_.write(line_);
  }

  Result<void> write(const leaderboards::LedgerRow& row) override {
    line_.clear();
    if (format_ == Format::csv) {
      line_.append(format_uuid(row.match_id)).push_back(',');
      append_csv_field(line_, row.player);
      fmt::format_to(std::back_inserter(line_), ",{},", row.season.value);
      append_scaled(line_, row.points, definition_.scale);
      line_.push_back(',');
      append_timestamp(line_, row.achieved_at);
      append_criteria_fields(line_, definition_, row.extra);
      line_.push_back('\n');
    } else {
      fmt::format_to(std::back_inserter(line_), R"({{"matchId":"{}","playerId":)", format_uuid(row.match_id));
      append_json_string(line_, row.player);
      fmt::format_to(std::back_inserter(line_), R"(,"seasonId":{},"points":)", row.season.value);
      append_scaled(line_, row.points, definition_.scale);
      line_.append(R"(,"achievedAt":")");
      append_timestamp(line_, row.achieved_at);
      line_.push_back('"');
      if (!definition_.criteria.empty()) {
        line_.append(R"(,"criteria":)");
        append_criteria(line_, definition_, row.extra);
      }
      line_.append("}\n");
    }
    return file_.write(line_);
  }

  Result<void> finish() override { return file_.flush(); }

 private:
  OutputFile file_;
  Format format_;
  leaderboards::Definition definition_;
  std::string line_;
};

class BoardFile final : public ingest::BoardSink {
 public:
  BoardFile(OutputFile file, Format format) : file_(std::move(file)), format_(format) {}

  Result<void> write(const ingest::BoardRow& row) override {
    line_.clear();
    append_header(row.criteria);
    if (format_ == Format::csv) {
      fmt::format_to(std::back_inserter(line_), "{},", row.rank);
      append_csv_field(line_, row.player);
      fmt::format_to(std::back_inserter(line_), ",{},{}", row.points, format_timestamp(row.achieved_at));
      for (const auto& [name, value] : row.criteria) line_.append(",").append(value);
    } else {
      fmt::format_to(std::back_inserter(line_), R"({{"rank":{},"playerId":)", row.rank);
      append_json_string(line_, row.player);
      fmt::format_to(std::back_inserter(line_), R"(,"points":{},"achievedAt":"{}")", row.points,
                     format_timestamp(row.achieved_at));
      append_criteria_of(row);
      line_.push_back('}');
    }
    line_.push_back('\n');
    return file_.write(line_);
  }

  Result<void> finish() override {
    line_.clear();
    append_header({});  // of a board without entries
    if (auto written = file_.write(line_); !written) return written;
    return file_.flush();
  }

 private:
  void append_header(std::span<const ingest::ShownCriterion> criteria) {
    if (format_ != Format::csv || std::exchange(has_header_, true)) return;
    line_.append("rank,player_id,points,achieved_at");
    for (const auto& criterion : criteria) line_.append(",").append(kCriteriaPrefix).append(criterion.name);
    line_.push_back('\n');
  }

  void append_criteria_of(const ingest::BoardRow& row) {
    if (row.criteria.empty()) return;
    line_.append(R"(,"criteria":{)");
    for (const auto& criterion : row.criteria) {
      if (&criterion != row.criteria.data()) line_.push_back(',');
      fmt::format_to(std::back_inserter(line_), R"("{}":{})", criterion.name, criterion.value);
    }
    line_.push_back('}');
  }

  OutputFile file_;
  Format format_;
  bool has_header_ = false;
  std::string line_;
};

class RejectedFile final : public ingest::RejectedSink {
 public:
  explicit RejectedFile(std::string path) : path_(std::move(path)) {}

  Result<void> write(const ingest::RejectedRow& row) override {
    line_.clear();
    if (!file_) {
      auto file = OutputFile::create(path_);
      if (!file) return fail(std::move(file.error()));
      file_.emplace(std::move(*file));
      line_.append("line,code,field,detail,text\n");
    }
    fmt::format_to(std::back_inserter(line_), "{},{},", row.line, traits(row.error.code).name);
    append_csv_field(line_, row.error.field);
    line_.push_back(',');
    append_csv_field(line_, row.error.detail);
    line_.push_back(',');
    append_csv_field(line_, row.text);
    line_.push_back('\n');
    return file_->write(line_);
  }

  Result<void> flush() override { return file_ ? file_->flush() : Result<void>(); }

 private:
  std::string path_;
  std::optional<OutputFile> file_;
  std::string line_;
};

}  // namespace

Result<std::unique_ptr<ingest::ResultSink>> open_result_sink(const std::string& path, Format format,
                                                             leaderboards::Definition definition) {
  auto file = OutputFile::create(path);
  if (!file) return fail(std::move(file.error()));
  auto sink = std::make_unique<ResultFile>(std::move(*file), format, std::move(definition));
  if (auto header = sink->write_header(); !header) return fail(std::move(header.error()));
  return sink;
}

Result<std::unique_ptr<ingest::BoardSink>> open_board_sink(const std::string& path, Format format) {
  auto file = OutputFile::create(path);
  if (!file) return fail(std::move(file.error()));
  return std::make_unique<BoardFile>(std::move(*file), format);
}

std::unique_ptr<ingest::RejectedSink> rejected_sink(const std::string& path) {
  return std::make_unique<RejectedFile>(path);
}

}  // namespace scoreline::files
