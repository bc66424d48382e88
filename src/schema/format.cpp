// Checks of formats, one small reader each. None allocates but `regex`.
#include "schema/format.hpp"

#include <cstdint>
#include <map>

#include "base/ascii.hpp"
#include "base/time.hpp"
#include "schema/regex.hpp"

namespace parley::schema {
namespace {

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
bool is_high(char c) {  // a byte of a code point above ASCII
  return static_cast<unsigned char>(c) >= 0x80;
}
bool is_one_of(char c, std::string_view set) {
  return set.find(c) != set.npos;
}

// Reads a text from the left; every `take` says whether it could.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool at_end() const { return text_.empty(); }
  char peek() const { return text_.empty() ? '\0' : text_[0]; }
  bool take(char c) {
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool take_digit(int& digit) {
    if (!base::is_digit(peek())) return false;
    digit = text_[0] - '0';
    text_.remove_prefix(1);
    return true;
  }
  std::size_t skip_digits() {
    std::size_t count = 0;
    while (count < text_.size() && base::is_digit(text_[count])) ++count;
    text_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view text_;
};

bool is_date(std::string_view text) {
  return base::full_date(text).has_value();
}

bool is_time(std::string_view text) {
  return base::full_time(text).has_value();
}

bool is_date_time(std::string_view text) {
  return base::date_time(text).has_value();
}

// RFC 3339 appendix A: units follow one another without a gap (P1Y1D is none), weeks stand alone.
bool take_units(Reader& in, std::string_view units, bool& any) {
  std::size_t next = 0;
  bool started = false;
  while (base::is_digit(in.peek())) {
    in.skip_digits();
    const std::size_t unit = units.find(in.peek());
    if (in.at_end() || unit == units.npos || unit < next || (started && unit != next)) return false;
    in.take(in.peek());
    next = unit + 1;
    started = any = true;
  }
  return true;
}

bool is_duration(std::string_view text) {
  Reader in(text);
  if (!in.take('P')) return false;
  if (text.ends_with('W')) return in.skip_digits() > 0 && in.take('W') && in.at_end();
  bool any = false;
  if (!take_units(in, "YMD", any)) return false;
  if (in.take('T')) {
    bool any_time = false;
    if (!take_units(in, "HMS", any_time) || !any_time) return false;
    any = true;
  }
  return any && in.at_end();
}

// RFC 4122

bool is_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < 36; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[i] != '-' : !base::is_hex_digit(text[i])) return false;
  }
  return true;
}

// RFC 2673 §3.2, RFC 4291 §2.2

bool is_ipv4(std::string_view text) {
  Reader in(text);
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && !in.take('.')) return false;
    int value = 0, digits = 0;
    const bool zero = in.peek() == '0';
    for (int digit; digits < 3 && in.take_digit(digit); ++digits) value = value * 10 + digit;
    if (digits == 0 || value > 255 || (zero && digits > 1)) return false;
  }
  return in.at_end();
}

bool is_ipv6(std::string_view text) {
  int groups = 0;
  bool gap = false;
  if (text.starts_with("::")) {
    gap = true;
    text.remove_prefix(2);
    if (text.empty()) return true;
  }
  for (;;) {
    std::size_t length = 0;
    while (length < text.size() && base::is_hex_digit(text[length])) ++length;
    if (length < text.size() && text[length] == '.') {
      groups += 2;
      if (!is_ipv4(text)) return false;
      break;
    }
    if (length == 0 || length > 4) return false;
    ++groups;
    text.remove_prefix(length);
    if (text.empty()) break;
    if (text[0] != ':') return false;
    text.remove_prefix(1);
    if (text.starts_with(':')) {
      if (gap) return false;
      gap = true;
      text.remove_prefix(1);
      if (text.empty()) break;
    } else if (text.empty()) {
      return false;
    }
  }
  return gap ? groups <= 7 : groups == 8;
}

// RFC 1123 §2.1; a label of RFC 5890 that begins with xn-- is taken as it stands.

bool is_hostname(std::string_view text) {
  if (text.empty() || text.size() > 253) return false;
  while (true) {
    const auto dot = text.find('.');
    const std::string_view label = text.substr(0, dot);
    if (label.empty() || label.size() > 63 || label.front() == '-' || label.back() == '-') return false;
    for (const char c : label)
      if (!is_letter(c) && !base::is_digit(c) && c != '-') return false;
    if (label.size() >= 4 && label.substr(2, 2) == "--" && label.substr(0, 2) != "xn" && label.substr(0, 2) != "XN")
      return false;
    if (dot == text.npos) return true;
    text.remove_prefix(dot + 1);
  }
}

// RFC 5321 §4.1.2; with `wide`, RFC 6531's UTF-8.

bool is_atom_character(char c, bool wide) {
  return is_letter(c) || base::is_digit(c) || is_one_of(c, "!#$%&'*+-/=?^_`{|}~") || (wide && is_high(c));
}

bool is_local_part(std::string_view text, bool wide) {
  if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
    text = text.substr(1, text.size() - 2);
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool escaped = text[i] == '\\';
      if (escaped && ++i == text.size()) return false;
      if (text[i] == '"' && !escaped) return false;
      if (static_cast<unsigned char>(text[i]) < 0x20 || text[i] == 0x7F || (is_high(text[i]) && !wide)) return false;
    }
    return true;
  }
  if (text.empty() || text.front() == '.' || text.back() == '.') return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '.' ? text[i - 1] == '.' : !is_atom_character(text[i], wide)) return false;
  return true;
}

bool is_mail_domain(std::string_view text, bool wide) {
  if (text.size() > 2 && text.front() == '[' && text.back() == ']') {
    text = text.substr(1, text.size() - 2);
    return text.starts_with("IPv6:") ? is_ipv6(text.substr(5)) : is_ipv4(text);
  }
  if (!wide) return is_hostname(text);
  if (text.empty()) return false;
  for (const char c : text)
    if (!is_letter(c) && !base::is_digit(c) && c != '-' && c != '.' && !is_high(c)) return false;
  return true;
}

bool is_mail(std::string_view text, bool wide) {
  const auto at = text.rfind('@');
  return at != text.npos && is_local_part(text.substr(0, at), wide) && is_mail_domain(text.substr(at + 1), wide);
}

bool is_email(std::string_view text) {
  return is_mail(text, false);
}
bool is_idn_email(std::string_view text) {
  return is_mail(text, true);
}

// RFC 3986; with `wide`, RFC 3987's characters above ASCII.

struct UriRules {
  bool wide;
  bool needs_scheme;
};

bool are_uri_characters(std::string_view text, std::string_view also, bool wide) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '%') {
      if (i + 2 >= text.size() || !base::is_hex_digit(text[i + 1]) || !base::is_hex_digit(text[i + 2])) return false;
      i += 2;
    } else if (!is_letter(c) && !base::is_digit(c) && !is_one_of(c, "-._~!$&'()*+,;=") && !is_one_of(c, also) &&
               !(wide && is_high(c))) {
      return false;
    }
  }
  return true;
}

bool is_ip_literal(std::string_view text) {
  if (!text.starts_with('v') && !text.starts_with('V')) return is_ipv6(text);
  std::size_t at = 1;
  while (at < text.size() && base::is_hex_digit(text[at])) ++at;
  return at > 1 && at + 1 < text.size() && text[at] == '.' && are_uri_characters(text.substr(at + 1), ":", false) &&
         !is_one_of('%', text.substr(at + 1));
}

bool is_authority(std::string_view text, bool wide) {
  if (const auto at = text.find('@'); at != text.npos) {
    if (!are_uri_characters(text.substr(0, at), ":", wide)) return false;
    text.remove_prefix(at + 1);
  }
  std::string_view port;
  if (text.starts_with('[')) {
    const auto end = text.find(']');
    if (end == text.npos || !is_ip_literal(text.substr(1, end - 1))) return false;
    port = text.substr(end + 1);
    if (!port.empty() && port[0] != ':') return false;
    if (!port.empty()) port.remove_prefix(1);
  } else {
    const auto colon = text.find(':');
    if (!are_uri_characters(text.substr(0, colon), "", wide)) return false;
    if (colon != text.npos) port = text.substr(colon + 1);
  }
  for (const char c : port)
    if (!base::is_digit(c)) return false;
  return true;
}

bool is_uri_like(std::string_view text, UriRules rules) {
  if (const auto at = text.find('#'); at != text.npos) {
    if (!are_uri_characters(text.substr(at + 1), ":@/?", rules.wide)) return false;
    text = text.substr(0, at);
  }
  if (const auto at = text.find('?'); at != text.npos) {
    if (!are_uri_characters(text.substr(at + 1), ":@/?", rules.wide)) return false;
    text = text.substr(0, at);
  }
  bool scheme = false;
  const auto first = text.find_first_of(":/");
  if (first != text.npos && text[first] == ':') {
    const std::string_view name = text.substr(0, first);
    if (name.empty() || !is_letter(name[0])) return false;
    for (const char c : name)
      if (!is_letter(c) && !base::is_digit(c) && !is_one_of(c, "+-.")) return false;
    scheme = true;
    text.remove_prefix(first + 1);
  }
  if (rules.needs_scheme && !scheme) return false;
  if (text.starts_with("//")) {
    const auto end = text.find('/', 2);
    if (!is_authority(text.substr(2, end == text.npos ? end : end - 2), rules.wide)) return false;
    text = end == text.npos ? std::string_view() : text.substr(end);
  }
  return are_uri_characters(text, ":@/", rules.wide);
}

bool is_uri(std::string_view text) {
  return is_uri_like(text, {.wide = false, .needs_scheme = true});
}
bool is_uri_reference(std::string_view text) {
  return is_uri_like(text, {.wide = false, .needs_scheme = false});
}
bool is_iri(std::string_view text) {
  return is_uri_like(text, {.wide = true, .needs_scheme = true});
}
bool is_iri_reference(std::string_view text) {
  return is_uri_like(text, {.wide = true, .needs_scheme = false});
}

// RFC 6570: braces hold an optional operator and variables with optional modifiers.

bool is_expression(std::string_view text) {
  if (!text.empty() && is_one_of(text[0], "+#./;?&=,!@|")) text.remove_prefix(1);
  do {
    const auto comma = text.find(',');
    std::string_view variable = text.substr(0, comma);
    text = comma == text.npos ? std::string_view() : text.substr(comma + 1);
    if (comma != std::string_view::npos && text.empty()) return false;  // a comma at the end
    if (variable.ends_with('*')) {
      variable.remove_suffix(1);
    } else if (const auto colon = variable.find(':'); colon != variable.npos) {
      const std::string_view length = variable.substr(colon + 1);
      if (length.empty() || length.size() > 4 || length[0] == '0') return false;
      for (const char c : length)
        if (!base::is_digit(c)) return false;
      variable = variable.substr(0, colon);
    }
    if (variable.empty() || variable.front() == '.' || variable.back() == '.' || variable.find("..") != variable.npos)
      return false;
    for (std::size_t i = 0; i < variable.size(); ++i) {
      const char c = variable[i];
      if (c == '%'
              ? i + 2 >= variable.size() || !base::is_hex_digit(variable[i + 1]) || !base::is_hex_digit(variable[i + 2])
              : !is_letter(c) && !base::is_digit(c) && c != '_' && c != '.')
        return false;
    }
  } while (!text.empty());
  return true;
}

bool is_uri_template(std::string_view text) {
  while (!text.empty()) {
    const char c = text[0];
    if (c == '{') {
      const auto end = text.find('}');
      if (end == text.npos || !is_expression(text.substr(1, end - 1))) return false;
      text.remove_prefix(end + 1);
      continue;
    }
    if (c == '%' && (text.size() < 3 || !base::is_hex_digit(text[1]) || !base::is_hex_digit(text[2]))) return false;
    if (static_cast<unsigned char>(c) <= 0x20 || is_one_of(c, "\"<>\\^`|}\x7F")) return false;
    text.remove_prefix(1);
  }
  return true;
}

// RFC 6901, and the draft of relative pointers.

bool is_json_pointer(std::string_view text) {
  if (!text.empty() && text[0] != '/') return false;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '~' && (i + 1 == text.size() || (text[i + 1] != '0' && text[i + 1] != '1'))) return false;
  return true;
}

bool is_relative_json_pointer(std::string_view text) {
  std::size_t digits = 0;
  while (digits < text.size() && base::is_digit(text[digits])) ++digits;
  if (digits == 0 || (digits > 1 && text[0] == '0')) return false;
  text.remove_prefix(digits);
  return text == "#" || is_json_pointer(text);
}

bool is_regex(std::string_view text) {
  return Regex::compile(text).has_value();
}

}  // namespace

FormatCheck format_check(std::string_view name) {
  static const std::map<std::string_view, FormatCheck> checks = {
      {"date", is_date},
      {"date-time", is_date_time},
      {"duration", is_duration},
      {"email", is_email},
      {"hostname", is_hostname},
      {"idn-email", is_idn_email},
      {"ipv4", is_ipv4},
      {"ipv6", is_ipv6},
      {"iri", is_iri},
      {"iri-reference", is_iri_reference},
      {"json-pointer", is_json_pointer},
      {"regex", is_regex},
      {"relative-json-pointer", is_relative_json_pointer},
      {"time", is_time},
      {"uri", is_uri},
      {"uri-reference", is_uri_reference},
      {"uri-template", is_uri_template},
      {"uuid", is_uuid},
  };
  const auto found = checks.find(name);
  return found == checks.end() ? nullptr : found->second;
}

}  // namespace parley::schema
