// Keywords about arrays.
#include "schema/compile_node.hpp"

namespace parley::schema {

using json::Value;

base::Result<> NodeCompiler::compile_array() {
  ArrayRule rule;
  if (vocabularies_.applicator) {
    if (const Value prefix = schema_.find("prefixItems")) {
      if (!prefix.is_array()) return refuse("prefixItems", "`prefixItems` is no array.");
      for (const Value element : prefix.elements()) {
        PARLEY_TRY(const NodeId id, child(element, "prefixItems"));
        rule.prefix.push_back(id);
      }
    }
    PARLEY_CHECK(read_child("items", rule.items));
    PARLEY_CHECK(read_child("contains", rule.contains));
  }
  if (vocabularies_.validation) {
    PARLEY_CHECK(read_count("minItems", rule.least));
    PARLEY_CHECK(read_count("maxItems", rule.most));
    PARLEY_CHECK(read_count("minContains", rule.contains_least));
    PARLEY_CHECK(read_count("maxContains", rule.contains_most));
    rule.has_min_contains = !schema_.find("minContains").is_absent();
    const Value unique = schema_.find("uniqueItems");
    if (unique && !unique.is_bool()) return refuse("uniqueItems", "`uniqueItems` is neither true nor false.");
    rule.unique = unique && unique.as_bool();
  }
  const bool says_something = !rule.prefix.empty() || rule.items != none || rule.contains != none || rule.least > 0 ||
                              rule.most != none || rule.unique;
  if (says_something) add(Action::array, code_.arrays, std::move(rule), {array_family});
  return {};
}

}  // namespace parley::schema
