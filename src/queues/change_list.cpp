#include "queues/change_list.h"

#include <iterator>
#include <map>
#include <unordered_map>
#include <utility>

namespace scoreline::queues {
namespace {

struct JobKey {
  QueueNumber queue = 0;
  std::uint64_t sequence = 0;
  friend bool operator==(const JobKey&, const JobKey&) = default;
};
struct HashOfKey {
  std::size_t operator()(const JobKey& key) const {
    // Sequences count up, so the product spreads them; the queue makes two queues differ.
    return static_cast<std::size_t>((key.sequence ^ std::uint64_t{key.queue} << 40) * 0x9E3779B97F4A7C15u);
  }
};

/// Of the same job, one after the other. False: nothing is left of it.
bool fold(JobChange& was, JobChange&& is) {
  if (was.change == Change::removed) {
    // It is there again only when it is put in anew, as a whole.
    if (is.change == Change::added) was = std::move(is);
    return true;
  }
  if (is.change == Change::removed) {
    if (was.change == Change::added) return false;
    was = std::move(is);
    return true;
  }
  if (was.change == Change::added) {
    is.job.id = std::move(was.job.id);
    if (is.change != Change::emptied) is.job.payload = std::move(was.job.payload);
    is.change = Change::added;
  } else if (was.change == Change::emptied) {
    is.change = Change::emptied;
  }
  was = std::move(is);
  return true;
}

template <typename Record, typename Key>
std::vector<Record> last_of_each(std::vector<Record>&& records, Key key) {
  std::map<decltype(key(records.front())), std::size_t> places;
  std::vector<Record> last;
  for (Record& record : records) {
    const auto [place, is_new] = places.try_emplace(key(record), last.size());
    if (is_new) {
      last.push_back(std::move(record));
    } else {
      last[place->second] = std::move(record);
    }
  }
  return last;
}

template <typename T>
void move_behind(std::vector<T>& all, std::vector<T>&& more) {
  if (all.empty()) {
    all = std::move(more);
  } else {
    all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
  }
}

}  // namespace

void append(LedgerBatch& batch, LedgerBatch&& later) {
  move_behind(batch.queues, std::move(later.queues));
  move_behind(batch.schedules, std::move(later.schedules));
  move_behind(batch.jobs, std::move(later.jobs));
}

LedgerBatch folded(LedgerBatch&& batch) {
  LedgerBatch folded;
  folded.queues = last_of_each(std::move(batch.queues), [](const QueueRecord& record) { return record.number; });
  folded.schedules = last_of_each(std::move(batch.schedules), [](const ScheduleRecord& record) {
    return std::pair(record.queue, record.schedule.name);
  });
  std::unordered_map<JobKey, std::size_t, HashOfKey> places;
  places.reserve(batch.jobs.size());
  std::vector<bool> gone;
  for (JobChange& change : batch.jobs) {
    const auto [place, is_new] = places.try_emplace({change.queue, change.job.sequence}, folded.jobs.size());
    if (is_new) {
      folded.jobs.push_back(std::move(change));
      gone.push_back(false);
    } else if (!fold(folded.jobs[place->second], std::move(change))) {
      gone[place->second] = true;
    }
  }
  std::size_t left = 0;
  for (std::size_t i = 0; i < folded.jobs.size(); ++i) {
    if (gone[i]) continue;
    if (left != i) folded.jobs[left] = std::move(folded.jobs[i]);
    ++left;
  }
  folded.jobs.resize(left);
  return folded;
}

}  // namespace scoreline::queues
