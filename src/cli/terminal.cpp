// Escaping first, colours last: no byte of a message reaches a terminal as it came.
#include "cli/terminal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iostream>

#include "base/utf8.hpp"
#include "json/writer.hpp"

namespace parley::cli {
namespace {

std::string hex(std::uint32_t value, int digits) {
  static constexpr char digit[] = "0123456789abcdef";
  std::string text;
  for (int shift = (digits - 1) * 4; shift >= 0; shift -= 4) text += digit[value >> shift & 15];
  return text;
}

std::string shorthand(char32_t c) {
  switch (c) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return "\\u" + hex(c, 4);
  }
}

struct Column {
  std::string key;
  std::string inner;  // of the object under `key`; empty: the value itself
  bool operator==(const Column&) const = default;
};

bool is_small_object(json::Value value) {
  constexpr std::uint32_t most = 4;
  if (!value.is_object() || value.size() == 0 || value.size() > most) return false;
  for (const auto [key, inner] : value.members())
    if (inner.is_object() || inner.is_array()) return false;
  return true;
}

std::string_view code_of(Colour colour) {
  switch (colour) {
    case Colour::none:
      return "";
    case Colour::strong:
      return "\033[1m";
    case Colour::faint:
      return "\033[2m";
    case Colour::red:
      return "\033[31m";
    case Colour::green:
      return "\033[32m";
    case Colour::yellow:
      break;
  }
  return "\033[33m";
}

// Else the next file or socket takes its number, and what is printed goes there. What is opened the wrong way round
// still fails as a closed one does.
void reserve_if_closed(int descriptor, int wrong_way) {
  if (::fcntl(descriptor, F_GETFD) < 0 && errno == EBADF) static_cast<void>(::open("/dev/null", wrong_way));
}

}  // namespace

Terminal system_terminal() {
  reserve_if_closed(STDIN_FILENO, O_WRONLY);
  reserve_if_closed(STDOUT_FILENO, O_RDONLY);
  reserve_if_closed(STDERR_FILENO, O_RDONLY);
  const char* const no_colour = std::getenv("NO_COLOR");
  const bool colours = no_colour == nullptr || *no_colour == '\0';
  return {std::cout, std::cerr, colours && ::isatty(STDOUT_FILENO) == 1, colours && ::isatty(STDERR_FILENO) == 1, {}};
}

base::Result<> flush(Terminal& terminal) {
  if (terminal.out) errno = 0;  // else what is there is of the write that failed
  terminal.out.flush();
  if (!terminal.out && terminal.unwritten.empty()) {
    terminal.reader_is_gone = errno == EPIPE;
    terminal.unwritten = std::string("standard output: ") + std::strerror(errno != 0 ? errno : EIO);
  }
  if (terminal.unwritten.empty()) return {};
  return base::fail(base::ErrorCode::INTERNAL, terminal.unwritten);
}

std::string coloured(std::string_view text, Colour colour, bool is_tty) {
  if (!is_tty || colour == Colour::none) return std::string(text);
  return std::string(code_of(colour)) + std::string(text) + "\033[0m";
}

std::string printable(std::string_view text, bool keep_lines) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const base::Character next = base::first_character(text);
    if (next.bytes == 0) {
      shown += "\\x" + hex(static_cast<unsigned char>(text.front()), 2);
      text.remove_prefix(1);
      continue;
    }
    const bool kept = !base::is_hostile(next.point) || (keep_lines && (next.point == '\n' || next.point == '\t'));
    shown += kept ? std::string(text.substr(0, next.bytes)) : shorthand(next.point);
    text.remove_prefix(next.bytes);
  }
  return shown;
}

std::string printable_json(std::string_view json) {
  std::string shown;
  shown.reserve(json.size());
  while (!json.empty()) {
    const base::Character next = base::first_character(json);
    if (next.bytes == 0) {
      shown += "\\ufffd";
      json.remove_prefix(1);
      continue;
    }
    // Below U+0020 there is only JSON's own white space, outside of strings.
    const bool kept = !base::is_hostile(next.point) || next.point == '\n';
    shown += kept ? std::string(json.substr(0, next.bytes)) : next.point < 0x20 ? " " : "\\u" + hex(next.point, 4);
    json.remove_prefix(next.bytes);
  }
  return shown;
}

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

void print_table(std::ostream& out, const Row& headings, const std::vector<Row>& rows, bool is_tty) {
  std::vector<std::size_t> widths;
  for (const auto& heading : headings) widths.push_back(width_of(heading));
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));

  const auto print_row = [&](const Row& row, Colour colour) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - width_of(row[i]) + 2, ' ');
    }
    out << coloured(line, colour, is_tty) << '\n';
  };
  print_row(headings, Colour::faint);
  for (const auto& row : rows) print_row(row, Colour::none);
}

std::string cell_of(json::Value value, std::size_t max) {
  if (value.is_absent() || value.is_null()) return "";
  std::string text = printable(value.is_string() ? value.as_string() : json::to_text(value));
  if (width_of(text) <= max) return text;
  std::size_t end = 0, shown = 0;
  while (shown + 1 < max) {
    ++end;
    while (end < text.size() && (text[end] & 0xC0) == 0x80) ++end;
    ++shown;
  }
  return text.substr(0, end) + "…";
}

void print_items(const Terminal& terminal, json::Value items, const Row& hidden) {
  std::vector<Column> columns;
  const auto add = [&columns](Column column) {
    if (std::ranges::find(columns, column) == columns.end()) columns.push_back(std::move(column));
  };
  for (const auto item : items.elements())
    for (const auto [key, value] : item.members()) {
      if (std::ranges::find(hidden, key) != hidden.end()) continue;
      if (!is_small_object(value))
        add({std::string(key), {}});
      else
        for (const auto [inner, ignored] : value.members()) add({std::string(key), std::string(inner)});
    }
  std::vector<Row> rows;
  for (const auto item : items.elements()) {
    Row row;
    for (const auto& [key, inner] : columns) {
      const auto value = item.find(key);
      row.push_back(cell_of(inner.empty() ? value : value.find(inner), 40));
    }
    rows.push_back(std::move(row));
  }
  Row headings;
  for (const auto& [key, inner] : columns) headings.push_back(printable(inner.empty() ? key : key + "." + inner));
  if (rows.empty())
    terminal.out << coloured("none", Colour::faint, terminal.out_is_tty) << '\n';
  else
    print_table(terminal.out, headings, rows, terminal.out_is_tty);
}

void print_members(const Terminal& terminal, json::Value object, std::size_t indent) {
  constexpr std::size_t most_on_a_line = 100;
  std::size_t width = 0;
  for (const auto [key, value] : object.members()) width = std::max(width, width_of(printable(key)));
  for (const auto [key, value] : object.members()) {
    const std::string name = printable(key), cell = cell_of(value, 2000);
    const bool own_lines = (value.is_object() || value.is_array()) && width_of(cell) > most_on_a_line;
    terminal.out << std::string(indent, ' ') << coloured(name, Colour::faint, terminal.out_is_tty);
    if (!own_lines) terminal.out << std::string(width - width_of(name) + 2, ' ') << cell;
    terminal.out << '\n';
    if (!own_lines) continue;
    if (value.is_object()) print_members(terminal, value, indent + 2);
    for (const json::Value element : value.elements())
      terminal.out << std::string(indent + 2, ' ') << cell_of(element, 2000) << '\n';
  }
}

void print_json(const Terminal& terminal, std::string_view json) {
  terminal.out << (terminal.out_is_tty ? printable_json(json) : std::string(json)) << '\n';
}

}  // namespace parley::cli
