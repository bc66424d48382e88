// One subschema: its keywords become rules, in the tables, and steps, by the kind of instance they concern. Files of
// this class: compile_node, compile_scalars, compile_objects, compile_arrays, compile_in_place. Internal to schema/.
#pragma once
#include <array>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "schema/code.hpp"
#include "schema/dialects.hpp"
#include "schema/dynamic_scopes.hpp"
#include "schema/nodes.hpp"
#include "schema/patterns.hpp"
#include "schema/program.hpp"
#include "schema/source.hpp"

namespace parley::schema {

// What the nodes of one schema share while they are compiled.
struct Compilation {
  Compilation(std::shared_ptr<const Source> root, const Registry& registry, const CompileOptions& compile_options)
      : options(compile_options), resolver(std::move(root), registry) {}

  const CompileOptions& options;
  Resolver resolver;
  Dialects dialects{resolver};
  std::shared_ptr<Code> code = std::make_shared<Code>();
  Nodes nodes{*code, options.schemas_max};
  DynamicScopes scopes;
  Patterns patterns{code->regexes, options.pattern_cost_max};
  std::size_t members = 0;  // of all enums, required lists and the like
};

class NodeCompiler {
 public:
  NodeCompiler(Compilation& all, NodeId id)
      : all_(all), code_(*all.code), id_(id), place_(all.nodes.place(id)), schema_(place_.source->at(place_.at)) {}

  base::Result<> compile();

 private:
  base::Result<> compile_type();
  base::Result<> compile_values();
  base::Result<> compile_number();
  base::Result<> compile_string();
  base::Result<> compile_object();
  base::Result<> compile_array();
  base::Result<> compile_references();
  base::Result<> compile_applicators();
  base::Result<> compile_unevaluated();

  base::Result<> add_values(const std::vector<json::Value>& values, bool is_const);
  base::Result<BranchesRule> branches(json::Value list, std::string_view keyword);

  class Names;
  base::Result<> read_members(ObjectRule& rule, Names& names);
  base::Result<> read_demands(ObjectRule& rule, Names& names);
  base::Result<std::vector<std::uint32_t>> read_names(json::Value list, std::string_view keyword, Names& names);

  // Each reads one keyword; where it is absent, nothing is changed.
  base::Result<> read_count(std::string_view keyword, std::uint32_t& count) const;
  base::Result<> read_child(std::string_view keyword, NodeId& id);
  base::Result<> read_in_place(std::string_view keyword, NodeId& id);

  base::Result<NodeId> child(json::Value schema, std::string_view keyword);
  base::Result<NodeId> in_place_child(json::Value schema, std::string_view keyword);
  base::Result<Place> child_place(json::Value schema, std::string_view keyword) const;
  base::Result<Place> resolve(json::Value reference, std::string_view keyword) const;
  base::Result<KeyTable> key_table(std::vector<std::string> keys, std::string_view keyword) const;
  base::Result<std::uint32_t> regex(std::string_view pattern, std::string_view keyword);

  std::unexpected<base::Error> refuse(std::string_view keyword, std::string message) const;
  base::Result<> spend(std::size_t members);

  template <class Rule>
  void add(Action action, std::vector<Rule>& table, Rule rule, std::initializer_list<Family> families) {
    const Step step{action, static_cast<std::uint32_t>(table.size())};
    table.push_back(std::move(rule));
    for (const Family family : families) lists_[family].push_back(step);
  }
  static constexpr std::initializer_list<Family> every_family = {plain_family, number_family, string_family,
                                                                 array_family, object_family};
  void store_lists();

  Compilation& all_;
  Code& code_;
  const NodeId id_;
  const Place place_;
  const json::Value schema_;
  Vocabularies vocabularies_;
  std::array<std::vector<Step>, family_count> lists_;
};

}  // namespace parley::schema
