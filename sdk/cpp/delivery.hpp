// What a take or a stream hands over: deliveries, iterated where they were received, without copies.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.hpp"
#include "json/parser.hpp"
#include "json/value.hpp"

namespace parley::sdk {

// One delivery frame (R4). Views into what the Deliveries of it hold.
struct Delivery {
  std::string_view delivery_id;
  std::uint64_t offset = 0;
  std::uint32_t attempt = 1;
  std::string_view lease_until;  // RFC 3339; empty: at most once, no ack is expected (R20)
  std::string_view priority;
  json::Value message;  // parsed; or, where absent, `notice` is the server's own words (R31)
  json::Value notice;
  json::Value warnings;  // array
  json::Value frame;     // all of it
};

Delivery read_delivery(json::Value frame);

class Deliveries {
 public:
  class Iterator {
   public:
    explicit Iterator(json::Elements::Iterator at) : at_(at) {}
    Delivery operator*() const { return read_delivery(*at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    json::Elements::Iterator at_;
  };

  Deliveries() = default;
  explicit Deliveries(json::Value array) : array_(array) {}

  std::size_t size() const { return array_.size(); }
  bool empty() const { return size() == 0; }
  Iterator begin() const { return Iterator(array_.elements().begin()); }
  Iterator end() const { return Iterator(array_.elements().end()); }

 private:
  json::Value array_;
};

}  // namespace parley::sdk
