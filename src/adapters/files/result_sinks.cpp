#include "adapters/files/result_sinks.h"

#include <fmt/format.h>

#include <iterator>
#include <optional>

#include "adapters/files/csv_records.h"
#include "adapters/files/output_file.h"
#include "base/decimal.h"

namespace scoreline::files {
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
  ResultFile(OutputFile file, Format format) : file_(std::move(file)), format_(format) {}

  Result<void> write_header() {
    return format_ == Format::csv ? file_.write("match_id,player_id,season_id,points,achieved_at\n") : Result<void>();
  }

  Result<void> write(const leaderboards::LedgerRow& row, int scale) override {
    line_.clear();
    if (format_ == Format::csv) {
      line_.append(format_uuid(row.match_id)).push_back(',');
      append_csv_field(line_, row.player);
      fmt::format_to(std::back_inserter(line_), ",{},", row.season.value);
      append_scaled(line_, row.points, scale);
      line_.push_back(',');
      append_timestamp(line_, row.achieved_at);
      line_.push_back('\n');
    } else {
      fmt::format_to(std::back_inserter(line_), R"({{"matchId":"{}","playerId":)", format_uuid(row.match_id));
      append_json_string(line_, row.player);
      fmt::format_to(std::back_inserter(line_), R"(,"seasonId":{},"points":)", row.season.value);
      append_scaled(line_, row.points, scale);
      line_.append(R"(,"achievedAt":")");
      append_timestamp(line_, row.achieved_at);
      line_.append("\"}\n");
    }
    return file_.write(line_);
  }

  Result<void> finish() override { return file_.flush(); }

 private:
  OutputFile file_;
  Format format_;
  std::string line_;
};

class BoardFile final : public ingest::BoardSink {
 public:
  BoardFile(OutputFile file, Format format) : file_(std::move(file)), format_(format) {}

  Result<void> write_header() {
    return format_ == Format::csv ? file_.write("rank,player_id,points,achieved_at\n") : Result<void>();
  }

  Result<void> write(const ingest::BoardRow& row) override {
    line_.clear();
    if (format_ == Format::csv) {
      fmt::format_to(std::back_inserter(line_), "{},", row.rank);
      append_csv_field(line_, row.player);
      fmt::format_to(std::back_inserter(line_), ",{},{}\n", row.points, format_timestamp(row.achieved_at));
    } else {
      fmt::format_to(std::back_inserter(line_), R"({{"rank":{},"playerId":)", row.rank);
      append_json_string(line_, row.player);
      fmt::format_to(std::back_inserter(line_), R"(,"points":{},"achievedAt":"{}"}})", row.points,
                     format_timestamp(row.achieved_at));
      line_.push_back('\n');
    }
    return file_.write(line_);
  }

  Result<void> finish() override { return file_.flush(); }

 private:
  OutputFile file_;
  Format format_;
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

template <typename File, typename Port>
Result<std::unique_ptr<Port>> open_sink(const std::string& path, Format format) {
  auto file = OutputFile::create(path);
  if (!file) return fail(std::move(file.error()));
  auto sink = std::make_unique<File>(std::move(*file), format);
  if (auto header = sink->write_header(); !header) return fail(std::move(header.error()));
  return sink;
}

}  // namespace

Result<std::unique_ptr<ingest::ResultSink>> open_result_sink(const std::string& path, Format format) {
  return open_sink<ResultFile, ingest::ResultSink>(path, format);
}

Result<std::unique_ptr<ingest::BoardSink>> open_board_sink(const std::string& path, Format format) {
  return open_sink<BoardFile, ingest::BoardSink>(path, format);
}

std::unique_ptr<ingest::RejectedSink> rejected_sink(const std::string& path) {
  return std::make_unique<RejectedFile>(path);
}

}  // namespace scoreline::files
