// The order of a node's keywords, and what reading them has in common.
#include "schema/compile_node.hpp"

#include <algorithm>

namespace parley::schema {
namespace {

using base::ErrorCode;
using json::Value;

constexpr std::uint32_t members_max = 200'000;

}  // namespace

base::Result<> NodeCompiler::compile() {
  code_.nodes[id_].scope = all_.scopes.id_of(place_);
  if (schema_.is_bool()) {
    code_.nodes[id_].never = !schema_.as_bool();
    if (!schema_.as_bool()) code_.nodes[id_].types = 0;
    return {};
  }
  if (!schema_.is_object()) return refuse({}, "A schema is an object, true or false.");
  PARLEY_TRY(vocabularies_, all_.dialects.of(place_));
  if (vocabularies_.validation) {
    PARLEY_CHECK(compile_type());
    PARLEY_CHECK(compile_values());
    PARLEY_CHECK(compile_number());
  }
  PARLEY_CHECK(compile_string());
  PARLEY_CHECK(compile_object());
  PARLEY_CHECK(compile_array());
  PARLEY_CHECK(compile_references());
  if (vocabularies_.applicator) PARLEY_CHECK(compile_applicators());
  if (vocabularies_.unevaluated) PARLEY_CHECK(compile_unevaluated());
  store_lists();
  return {};
}

void NodeCompiler::store_lists() {
  Node& node = code_.nodes[id_];
  for (std::size_t family = 0; family < family_count; ++family) {
    const std::vector<Step>& list = lists_[family];
    node.first[family] = static_cast<std::uint32_t>(code_.steps.size());
    node.count[family] = static_cast<std::uint32_t>(list.size());
    code_.steps.insert(code_.steps.end(), list.begin(), list.end());
    const bool alone = list.size() == 1 && !(node.tracks >> family & 1);
    node.only[family] = alone ? list[0] : list.empty() ? Step{} : Step{Action::list, 0};
  }
}

// A count such as minLength: a non-negative integer; more than any document holds is as good as infinite.
base::Result<> NodeCompiler::read_count(std::string_view keyword, std::uint32_t& count) const {
  const Value value = schema_.find(keyword);
  if (!value) return {};
  if (!value.is_number() || !value.as_number().is_integral() || value.as_number().is_negative())
    return refuse(keyword, "`" + std::string(keyword) + "` is no non-negative integer.");
  count = static_cast<std::uint32_t>(std::min<std::uint64_t>(value.if_uint().value_or(none), none - 1));
  return {};
}

base::Result<> NodeCompiler::read_child(std::string_view keyword, NodeId& id) {
  if (const Value schema = schema_.find(keyword)) {
    PARLEY_TRY(id, child(schema, keyword));
  }
  return {};
}

base::Result<> NodeCompiler::read_in_place(std::string_view keyword, NodeId& id) {
  if (const Value schema = schema_.find(keyword)) {
    PARLEY_TRY(id, in_place_child(schema, keyword));
  }
  return {};
}

base::Result<NodeId> NodeCompiler::child(Value schema, std::string_view keyword) {
  PARLEY_TRY(const Place place, child_place(schema, keyword));
  return all_.nodes.reach(place);
}

base::Result<NodeId> NodeCompiler::in_place_child(Value schema, std::string_view keyword) {
  PARLEY_TRY(const Place place, child_place(schema, keyword));
  return all_.nodes.reach_in_place(id_, place);
}

base::Result<Place> NodeCompiler::child_place(Value schema, std::string_view keyword) const {
  if (!schema.is_object() && !schema.is_bool())
    return refuse(keyword, "`" + std::string(keyword) + "` holds what is no schema.");
  const auto owner = place_.source->owner_of.find(schema.at());
  return Place{place_.source, schema.at(), owner == place_.source->owner_of.end() ? place_.resource : owner->second};
}

base::Result<KeyTable> NodeCompiler::key_table(std::vector<std::string> keys, std::string_view keyword) const {
  KeyTable table(std::move(keys));
  if (!table.is_crowded()) return table;
  return base::fail(ErrorCode::SCHEMA_TOO_COMPLEX, "The strings of this keyword are too much alike.",
                    pointer_to(place_, keyword));
}

base::Result<std::uint32_t> NodeCompiler::regex(std::string_view pattern, std::string_view keyword) {
  auto id = all_.patterns.id_of(pattern);
  if (!id) id.error().where = pointer_to(place_, keyword);
  return id;
}

std::unexpected<base::Error> NodeCompiler::refuse(std::string_view keyword, std::string message) const {
  return base::fail(ErrorCode::SCHEMA_INVALID, std::move(message), pointer_to(place_, keyword));
}

base::Result<> NodeCompiler::spend(std::size_t members) {
  all_.members += members;
  if (all_.members <= members_max) return {};
  return base::fail(ErrorCode::SCHEMA_TOO_COMPLEX, "The schema's lists are too long together.", pointer_to(place_));
}

}  // namespace parley::schema
