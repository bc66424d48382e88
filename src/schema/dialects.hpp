// Which keywords a schema has, by the vocabularies that its dialect's metaschema declares. Internal to schema/.
#pragma once
#include <map>
#include <string>

#include "base/result.hpp"
#include "schema/source.hpp"

namespace parley::schema {

struct Vocabularies {
  bool applicator = true, unevaluated = true, validation = true, format_assertion = false;
};

class Dialects {
 public:
  explicit Dialects(const Resolver& resolver) : resolver_(resolver) {}  // which outlives it

  base::Result<Vocabularies> of(const Place& place);

 private:
  const Resolver& resolver_;
  std::map<std::string, Vocabularies, std::less<>> known_;
};

}  // namespace parley::schema
