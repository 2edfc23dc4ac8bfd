// CSV as RFC 4180 has it: fields between commas; quoted ones may hold commas, line ends, and quotes doubled. Lines end
// with LF or CR LF. A quote inside an unquoted field is itself. One broken record never swallows the next: it ends
// with its first line.
//
// Thread safety: none. Memory: one record, at most kMaxLineBytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/files/byte_window.h"
#include "base/error.h"

namespace scoreline::files {

struct CsvRecord {
  std::uint64_t line = 0;  ///< where it begins, from 1
  std::string_view text;   ///< as it stands, without its last line end; until the next record
  std::vector<std::string> fields;
  std::optional<Error> broken;  ///< then `fields` says nothing
};

class CsvRecords {
 public:
  explicit CsvRecords(ByteWindow& window) : window_(window) {}
  /// The next record that is not an empty line; nullptr at the end; good until the next call.
  Result<const CsvRecord*> next();

 private:
  Result<bool> read_record();
  Result<bool> find_end(std::size_t& end, std::size_t& line_end_bytes, bool& open_quote);
  Result<void> take_first_line(Error why);

  ByteWindow& window_;
  CsvRecord record_;
  std::string text_;
  std::uint64_t next_line_ = 1;
};

/// Appends `field`, in quotes when it needs them.
void append_csv_field(std::string& out, std::string_view field);

}  // namespace scoreline::files
