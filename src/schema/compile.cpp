// From schema documents to code: subschemas are compiled as they are reached, each once, without recursion. Then
// dynamic references are bound, and references that lead back to themselves without consuming anything are refused.
#include "schema/compile_node.hpp"
#include "schema/endless.hpp"

namespace parley::schema {
namespace {

// For accepting: a node that only refers becomes the node it refers to. Dynamic references need every node on the way
// to know their scope; nothing else does.
void make_short_cuts(Code& code) {
  code.short_cuts = code.nodes;
  if (code.is_dynamic) return;
  for (Node& node : code.short_cuts) {
    const Node* target = &node;
    while (target->types == all_bits && target->only[plain_family].action == Action::refer &&
           target->count[object_family] == 1 && target->count[array_family] == 1 && target->count[string_family] == 1 &&
           target->count[number_family] == 1)
      target = &code.nodes[code.references[target->only[plain_family].rule].node];
    if (target != &node) node = Node(*target);
  }
}

base::Result<> compile_reached(Compilation& all) {
  while (all.nodes.any_waiting()) {
    while (all.nodes.any_waiting()) PARLEY_CHECK(NodeCompiler(all, all.nodes.take_waiting()).compile());
    PARLEY_CHECK(all.scopes.reach_anchors(all.nodes));
  }
  return {};
}

}  // namespace

base::Result<Program> compile(std::string_view schema_json, const Registry& registry, const CompileOptions& options) {
  PARLEY_TRY(const std::shared_ptr<const Source> root, index_source(options.base_uri, schema_json));
  Compilation all(root, registry, options);
  Code& code = *all.code;
  code.steps_max = options.steps_max;
  PARLEY_TRY(code.root, all.nodes.reach({root.get(), 1, 0}));
  PARLEY_CHECK(compile_reached(all));
  all.scopes.bind_references(code, all.nodes);
  PARLEY_CHECK(refuse_endless(all.nodes.in_place(), [&](NodeId id) { return pointer_to(all.nodes.place(id)); }));
  make_short_cuts(code);
  code.sources = all.resolver.sources(all.nodes.sources());
  Program program;
  program.code_ = std::move(all.code);
  return program;
}

}  // namespace parley::schema
