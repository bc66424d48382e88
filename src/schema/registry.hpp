// The schemas that `$ref` can reach, by absolute URI. All are given by the caller; nothing is ever fetched
// (reliability F5). Resource type; read by any thread once filled.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace parley::schema {

struct Source;  // one schema document and what is named in it (source.hpp)

class Registry {
 public:
  // Makes a document, and every resource embedded in it by `$id`, known. SCHEMA_INVALID where it is no schema or
  // names something twice.
  base::Result<> add(std::string_view uri, std::string_view schema_json);

 private:
  friend class Resolver;
  std::map<std::string, std::pair<std::shared_ptr<const Source>, std::uint32_t>, std::less<>> resources_;
};

}  // namespace parley::schema
