// What is written for people: colours on a terminal only, and nothing of a message's contents that a terminal would
// obey (reliability G3).
#pragma once
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "json/value.hpp"

namespace parley::cli {

enum class Colour : std::uint8_t { none, strong, faint, red, green, yellow };

// Streams and how to use them. Value type; the streams outlive it.
struct Terminal {
  std::ostream& out;
  std::ostream& err;
  bool out_is_tty = false;
  bool err_is_tty = false;
  std::string unwritten{};      // why something that was printed could not be written
  bool reader_is_gone = false;  // that it was: nobody is there to be told
};
Terminal system_terminal();  // NO_COLOR is obeyed

// Writes out what was printed. Error: it, or something before it, could not be written, and why.
base::Result<> flush(Terminal& terminal);

std::string coloured(std::string_view text, Colour colour, bool is_tty);

// Control characters (C0 and C1, DEL), line and paragraph separators, bidirectional overrides and what is not UTF-8
// become visible escapes; `keep_lines` leaves line feeds and tabs.
std::string printable(std::string_view text, bool keep_lines = false);
// The same for JSON text, as JSON escapes: the document stays what it is.
std::string printable_json(std::string_view json);

std::size_t width_of(std::string_view text);  // code points

// Rows under headings, columns aligned; cells must be printable.
using Row = std::vector<std::string>;
void print_table(std::ostream& out, const Row& headings, const std::vector<Row>& rows, bool is_tty);

// A value in one cell: texts plain, objects and arrays as JSON, cut at `max` code points.
std::string cell_of(json::Value value, std::size_t max = 60);

// An array of objects as a table, with the columns in the order in which their names come first; small objects in them
// have a column a member. Members named in `hidden` are left out.
void print_items(const Terminal& terminal, json::Value items, const Row& hidden = {});
// An object as lines of name and value; a large object in it has lines of its own, of a long list each element has one.
void print_members(const Terminal& terminal, json::Value object, std::size_t indent = 0);

// A JSON document on standard output: as it is, or escaped where a terminal reads it.
void print_json(const Terminal& terminal, std::string_view json);

}  // namespace parley::cli
