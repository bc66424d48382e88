// The disk is full: a line of the log when that begins, and one when there is room again, however long it takes and
// whatever is refused meanwhile (B4). Value type, the loop's.
#pragma once
#include "journal/journal.hpp"
#include "observe/log.hpp"

namespace parley::app {

class DiskRoom {
 public:
  explicit DiskRoom(observe::Log& log) : log_(log) {}

  // While the journal asks the disk again (`soon`) nobody knows yet.
  void look(journal::Room room) {
    if (room == journal::Room::full && !full_) {
      full_ = true;
      log_.warning("storage_full",
                   {{"message", "the disk of the data folder has no room for another message: sends are refused"}});
    } else if (room == journal::Room::enough && full_) {
      full_ = false;
      log_.info("storage_has_room");
    }
  }

 private:
  observe::Log& log_;
  bool full_ = false;
};

}  // namespace parley::app
