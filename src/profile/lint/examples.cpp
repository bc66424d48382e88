// Every type, variant and record has an example, each valid in every respect that the profile can say: schema, checks,
// direction under the registry of examples/agents.json.
#include <algorithm>
#include <set>

#include "profile/lint/lint_rules.hpp"

namespace parley::profile::lint_rules {
namespace {

constexpr std::string_view examples_folder = "examples/";
constexpr std::string_view records_folder = "examples/records/";
constexpr std::string_view registry_file = "examples/agents.json";
constexpr std::size_t problems_of_an_example = 50;

class Examples {
 public:
  Examples(const Subject& subject, Problems& problems) : subject_(subject), problems_(problems) {}

  void check() {
    read_registry();
    for (const auto& [path, bytes] : subject_.files) {
      if (!path.starts_with(examples_folder) || path == registry_file) continue;
      const auto document = json::Document::parse(bytes);
      if (!document)
        problems_.add(path, document.error().where, "examples", document.error().message);
      else if (path.starts_with(records_folder))
        check_record(path, document->root());
      else
        check_message(path, document->root());
    }
    report_missing();
  }

 private:
  void read_registry() {
    const auto file = subject_.files.find(registry_file);
    if (file == subject_.files.end())
      return problems_.add(registry_file, "", "examples", "The profile has no registry for its examples");
    const auto document = json::Document::parse(file->second);
    if (!document) return problems_.add(registry_file, "", "examples", document.error().message);
    for (const json::Value agent : document->root().find("agents").elements()) {
      const std::string id(agent.find("agent_id").if_string().value_or(""));
      roles_[id] = subject_.rules.role_of_agent(id, agent.find("agent_type").if_string().value_or(""));
    }
    for (const json::Value person : document->root().find("people").elements())
      roles_[std::string(person.find("person_id").if_string().value_or(""))] = human_role;
    roles_[std::string(server_role)] = server_role;
  }

  void check_record(const std::string& path, json::Value record) {
    const std::string_view file = std::string_view(path).substr(records_folder.size());
    const std::string schema = "schemas/" + std::string(file.substr(0, file.find('.'))) + ".schema.json";
    const auto& files = subject_.reading().schema_files;
    const auto known = std::find(files.begin(), files.end(), schema);
    if (known == files.end()) return problems_.add(path, "", "examples", "There is no record of " + schema);
    const auto program = static_cast<std::size_t>(known - files.begin());
    explain(path, program, record);
    seen_records_.insert(program);
  }

  void check_message(const std::string& path, json::Value message) {
    const Reading& reading = subject_.reading();
    const auto word = reading.type_at.resolve(message).if_string();
    const auto named = word ? subject_.rules.type_named(*word) : std::nullopt;
    if (!named)
      return problems_.add(path, reading.type_pointer, "examples", "The example is of no type of the profile");
    const Places& places = reading.places[reading.types[named->value].places];
    std::vector<json::Value> found(places.size());
    places.read(message, found);
    const TypeIndex form = reading.form_of(*named, found);
    seen_.insert(form.value);
    explain(path, reading.types[form.value].program, message);
    run_checks(path, form, message);
    check_direction(path, form, found);
  }

  void explain(const std::string& path, std::size_t program, json::Value value) {
    const schema::Program& compiled = subject_.reading().programs[program];
    if (!compiled.accepts(value)) problems_.add(path, compiled.explain(value, {problems_of_an_example, false}));
  }

  void run_checks(const std::string& path, TypeIndex form, json::Value message) {
    for (const BoundCheck& bound : subject_.type(form.value).checks) {
      std::vector<base::Problem> found;
      bound.check->run(message, found);
      problems_.add(path, found);
    }
  }

  void check_direction(const std::string& path, TypeIndex form, const std::vector<json::Value>& found) {
    const EnvelopeSlots& slots = subject_.type(form.value).envelope;
    const std::string sender = role_at(path, found[slots.sender]);
    if (!subject_.rules.may_send(form, sender))
      problems_.add(path, subject_.pointer(form.value, slots.sender), "examples", "'" + sender + "' may not send this");
    const json::Value recipients = found[slots.recipients];
    if (!recipients.is_array()) return check_recipient(path, form, recipients);
    for (const json::Value recipient : recipients.elements()) check_recipient(path, form, recipient);
  }

  void check_recipient(const std::string& path, TypeIndex form, json::Value recipient) {
    const std::string_view id = recipient.if_string().value_or("");
    if (subject_.rules.is_broadcast(id) || subject_.rules.is_automatic(id)) return;
    const std::string role = role_at(path, recipient);
    if (!subject_.rules.may_receive(form, role))
      problems_.add(path, "", "examples", "'" + role + "' may not receive this");
  }

  std::string role_at(const std::string& path, json::Value id) {
    const auto role = roles_.find(id.if_string().value_or(""));
    if (role != roles_.end()) return role->second;
    problems_.add(path, "", "examples",
                  "examples/agents.json has no '" + std::string(id.if_string().value_or("")) + "'");
    return {};
  }

  void report_missing() {
    for (std::size_t i = 0; i < subject_.rules.types.size(); ++i)
      if (!seen_.contains(i))
        problems_.add("profile.json", subject_.place_of(i), "examples",
                      "There is no example of '" + subject_.rules.types[i].title + "'");
    for (const auto& [name, program] : subject_.reading().records)
      if (!seen_records_.contains(program))
        problems_.add("profile.json", "/records", "examples", "There is no example of record '" + name + "'");
  }

  const Subject& subject_;
  Problems& problems_;
  std::map<std::string, std::string, std::less<>> roles_;  // by agent or person
  std::set<std::size_t> seen_;                             // types and variants
  std::set<std::size_t> seen_records_;                     // by program
};

}  // namespace

void examples(const Subject& subject, Problems& problems) {
  Examples(subject, problems).check();
}

}  // namespace parley::profile::lint_rules
