// RFC 3986: the parts of a reference (appendix B), merging (§5.2.3) and dot segments (§5.2.4).
#include "schema/uri.hpp"

#include <charconv>
#include <optional>

namespace parley::schema {
namespace {

struct Parts {
  std::optional<std::string_view> scheme, authority, query, fragment;
  std::string_view path;
};

bool is_scheme(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (text.empty() || !letter(text[0])) return false;
  for (const char c : text)
    if (!letter(c) && !(c >= '0' && c <= '9') && c != '+' && c != '-' && c != '.') return false;
  return true;
}

Parts parts_of(std::string_view uri) {
  Parts parts;
  if (const auto at = uri.find('#'); at != uri.npos) {
    parts.fragment = uri.substr(at + 1);
    uri = uri.substr(0, at);
  }
  if (const auto at = uri.find('?'); at != uri.npos) {
    parts.query = uri.substr(at + 1);
    uri = uri.substr(0, at);
  }
  if (const auto at = uri.find(':'); at != uri.npos && is_scheme(uri.substr(0, at))) {
    parts.scheme = uri.substr(0, at);
    uri = uri.substr(at + 1);
  }
  if (uri.starts_with("//")) {
    const auto end = uri.find('/', 2);
    parts.authority = uri.substr(2, end == uri.npos ? uri.npos : end - 2);
    uri = end == uri.npos ? std::string_view() : uri.substr(end);
  }
  parts.path = uri;
  return parts;
}

std::string without_dot_segments(std::string_view path) {
  std::string out;
  while (!path.empty()) {
    if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else if (path.starts_with("./") || path.starts_with("/./")) {
      path.remove_prefix(2);
    } else if (path == "/.") {
      path = "/";
    } else if (path.starts_with("/../") || path == "/..") {
      path = path == "/.." ? std::string_view("/") : path.substr(3);
      const auto slash = out.rfind('/');
      out.resize(slash == std::string::npos ? 0 : slash);
    } else if (path == "." || path == "..") {
      path = {};
    } else {
      const auto end = path.find('/', 1);
      out += path.substr(0, end);
      path = end == path.npos ? std::string_view() : path.substr(end);
    }
  }
  return out;
}

std::string merged(const Parts& base, std::string_view path) {
  if (base.authority && base.path.empty()) return "/" + std::string(path);
  const auto slash = base.path.rfind('/');
  return std::string(slash == base.path.npos ? std::string_view() : base.path.substr(0, slash + 1)) + std::string(path);
}

std::string joined(const Parts& parts, const std::string& path) {
  std::string uri;
  if (parts.scheme) uri.append(*parts.scheme).append(":");
  if (parts.authority) uri.append("//").append(*parts.authority);
  uri += path;
  if (parts.query) uri.append("?").append(*parts.query);
  if (parts.fragment) uri.append("#").append(*parts.fragment);
  return uri;
}

}  // namespace

std::string resolve_uri(std::string_view base_text, std::string_view reference) {
  const Parts base = parts_of(base_text);
  Parts target = parts_of(reference);
  if (target.scheme) return joined(target, without_dot_segments(target.path));
  target.scheme = base.scheme;
  if (target.authority) return joined(target, without_dot_segments(target.path));
  target.authority = base.authority;
  if (target.path.empty()) {
    if (!target.query) target.query = base.query;
    return joined(target, std::string(base.path));
  }
  if (target.path.starts_with('/')) return joined(target, without_dot_segments(target.path));
  return joined(target, without_dot_segments(merged(base, target.path)));
}

SplitUri split_fragment(std::string_view uri) {
  const auto hash = uri.find('#');
  SplitUri split{std::string(uri.substr(0, hash)), {}};
  if (hash == uri.npos) return split;
  const std::string_view raw = uri.substr(hash + 1);
  for (std::size_t i = 0; i < raw.size(); ++i) {
    unsigned value = 0;
    if (raw[i] == '%' && i + 2 < raw.size() &&
        std::from_chars(raw.data() + i + 1, raw.data() + i + 3, value, 16).ptr == raw.data() + i + 3) {
      split.fragment += static_cast<char>(value);
      i += 2;
    } else {
      split.fragment += raw[i];
    }
  }
  return split;
}

}  // namespace parley::schema
