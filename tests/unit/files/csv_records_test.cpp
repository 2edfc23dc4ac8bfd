#include "adapters/files/csv_records.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/limits.h"

namespace scoreline::files {
namespace {

/// Gives `text` in pieces of `step` bytes, so that every place of a record meets the end of a block.
ReadBytes bytes_of(std::string text, std::size_t step) {
  return [text = std::move(text), step, at = std::size_t{0}](std::span<char> into) mutable -> Result<std::size_t> {
    const std::size_t count = std::min({step, into.size(), text.size() - at});
    std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(at), count, into.begin());
    at += count;
    return count;
  };
}

struct Seen {
  std::uint64_t line;
  std::vector<std::string> fields;
  bool broken;
  std::string text;
};

std::vector<Seen> records_of(const std::string& text, std::size_t step) {
  ByteWindow window(bytes_of(text, step));
  CsvRecords records(window);
  std::vector<Seen> all;
  while (true) {
    const auto record = records.next();
    EXPECT_TRUE(record.has_value());
    if (!record || *record == nullptr) return all;
    all.push_back({(*record)->line, (*record)->broken ? std::vector<std::string>() : (*record)->fields,
                   (*record)->broken.has_value(), std::string((*record)->text)});
  }
}

class CsvRecordsTest : public testing::TestWithParam<std::size_t> {
 protected:
  std::vector<Seen> read(const std::string& text) const { return records_of(text, GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(BlockSizes, CsvRecordsTest, testing::Values(1, 2, 3, 7, 65'536));

using Fields = std::vector<std::string>;

TEST_P(CsvRecordsTest, FieldsStandBetweenCommas) {
  const auto records = read("a,b,c\n1,,3\n,,\n");
  ASSERT_EQ(records.size(), 3U);
  EXPECT_EQ(records[0].fields, (Fields{"a", "b", "c"}));
  EXPECT_EQ(records[1].fields, (Fields{"1", "", "3"}));
  EXPECT_EQ(records[2].fields, (Fields{"", "", ""}));
}

TEST_P(CsvRecordsTest, QuotedFieldsHoldCommasQuotesAndLineEnds) {
  const auto records = read("\"a,b\",\"say \"\"hi\"\"\",\"two\r\nlines\"\r\nnext,\"\",\"\"\"\"\r\n");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].fields, (Fields{"a,b", "say \"hi\"", "two\r\nlines"}));
  EXPECT_EQ(records[1].fields, (Fields{"next", "", "\""}));
  EXPECT_EQ(records[1].line, 3U);
}

TEST_P(CsvRecordsTest, TheLastLineNeedsNoEnd) {
  const auto records = read("a,b\n1,\"2\"");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].fields, (Fields{"1", "2"}));
}

TEST_P(CsvRecordsTest, TheLastLineMayEndInHalfOfItsCrLf) {
  const auto records = read("a,b\r\n1,2\r");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].fields, (Fields{"1", "2"}));
}

TEST_P(CsvRecordsTest, EmptyLinesAreSkippedAndCounted) {
  const auto records = read("a\n\n\r\nb\n\n");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[1].line, 4U);
}

TEST_P(CsvRecordsTest, AQuoteInsideAnUnquotedFieldIsItself) {
  const auto records = read("a\"b,c\"\"d,5\"\nnext,x,y\n");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_EQ(records[0].fields, (Fields{"a\"b", "c\"\"d", "5\""}));
}

TEST_P(CsvRecordsTest, TextBehindAClosingQuoteBreaksItsRecordOnly) {
  const auto records = read("\"a\"b,c\nd,e\n");
  ASSERT_EQ(records.size(), 2U);
  EXPECT_TRUE(records[0].broken);
  EXPECT_EQ(records[0].text, "\"a\"b,c");
  EXPECT_EQ(records[1].fields, (Fields{"d", "e"}));
}

TEST_P(CsvRecordsTest, AQuoteThatNeverClosesCostsItsFirstLineOnly) {
  const auto records = read("a,\"b\nc,d\ne,f\n");
  ASSERT_EQ(records.size(), 3U);
  EXPECT_TRUE(records[0].broken);
  EXPECT_EQ(records[0].text, "a,\"b");
  EXPECT_EQ(records[1].fields, (Fields{"c", "d"}));
  EXPECT_EQ(records[2].line, 3U);
}

TEST(CsvLimits, ALineOfTheLongestLengthIsReadAndOneByteMoreIsNot) {
  const std::string longest(kMaxLineBytes, 'x');
  for (const std::string end : {"\n", "\r\n", ""}) {
    const auto records = records_of(longest + end, 65'536);
    ASSERT_EQ(records.size(), 1U);
    EXPECT_EQ(records[0].fields, (Fields{longest}));
  }
  const auto records = records_of(longest + "x\nnext\n", 65'536);
  ASSERT_EQ(records.size(), 2U);
  EXPECT_TRUE(records[0].broken);
  EXPECT_EQ(records[0].text.size(), kMaxLineBytes);
  EXPECT_EQ(records[1].fields, (Fields{"next"}));
  EXPECT_EQ(records[1].line, 2U);
}

TEST(CsvField, IsQuotedOnlyWhereItMustBe) {
  const auto written = [](std::string_view field) {
    std::string out;
    append_csv_field(out, field);
    return out;
  };
  EXPECT_EQ(written("José"), "José");
  EXPECT_EQ(written("a b"), "a b");
  EXPECT_EQ(written("=1+1"), "=1+1");
  EXPECT_EQ(written("a,b"), "\"a,b\"");
  EXPECT_EQ(written("say \"hi\""), "\"say \"\"hi\"\"\"");
  EXPECT_EQ(written("two\nlines"), "\"two\nlines\"");
}

TEST(TakeLine, EndsAtLfOrCrLfAndKeepsALoneCr) {
  ByteWindow window(bytes_of("a\r\nb\rc\n\nlast", 1));
  std::string keep;
  std::vector<std::string> lines;
  while (true) {
    const auto line = take_line(window, keep);
    ASSERT_TRUE(line.has_value());
    if (line->at_end) break;
    lines.emplace_back(line->text);
  }
  EXPECT_EQ(lines, (Fields{"a", "b\rc", "", "last"}));
}

TEST(ByteOrderMark, IsSkippedOnceAndOnlyInFront) {
  for (const auto& [text, rest] : std::vector<std::pair<std::string, std::string>>{
           {"\xEF\xBB\xBFx", "x"}, {"\xEF\xBB\xBF\xEF\xBB\xBF", "\xEF\xBB\xBF"}, {"\xEF\xBB", "\xEF\xBB"}, {"", ""}}) {
    ByteWindow window(bytes_of(text, 1));
    ASSERT_TRUE(skip_byte_order_mark(window).has_value());
    while (window.more().value()) {
    }
    EXPECT_EQ(window.bytes(), rest);
  }
}

}  // namespace
}  // namespace scoreline::files
