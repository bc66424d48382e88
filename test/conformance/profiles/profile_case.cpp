#include "profile_case.hpp"

#include <cstdio>
#include <cstdlib>

#include "profile/load.hpp"
#include "profile/reading.hpp"

namespace parley::conformance {
namespace {

// A second after the message says it was sent, so that none is old; some day where it does not say.
base::Instant moment_after(const profile::Ruleset& rules, json::Value message) {
  const profile::TypeReading& type = rules.reading->types.front();
  const json::Value stated = message.at_pointer(rules.reading->places[type.places].pointer(type.envelope.timestamp));
  const auto sent = base::parse_rfc3339(stated.if_string().value_or("2026-02-03T12:00:00Z"));
  return sent.value_or(base::Instant{}) + std::chrono::seconds(1);
}

ProfileCase make_case(const std::string& name, profile::Files files) {
  auto loaded = profile::load(files);
  if (!loaded) {
    for (const base::Problem& p : loaded.error().details)
      std::printf("%s: %s: %s\n", p.instance.c_str(), p.schema.c_str(), p.message.c_str());
    std::printf("profile %s does not load\n", name.c_str());
    std::exit(1);
  }
  ProfileCase subject{name, std::move(files), *loaded, {}};
  const auto registry = json::Document::parse(subject.files.at("examples/agents.json"));
  for (const json::Value agent : registry->root().find("agents").elements()) {
    const std::string id(agent.find("agent_id").as_string());
    subject.roles[id] = subject.rules->role_of_agent(id, agent.find("agent_type").if_string().value_or(""));
  }
  for (const json::Value person : registry->root().find("people").elements())
    subject.roles[std::string(person.find("person_id").as_string())] = profile::human_role;
  subject.roles[std::string(profile::server_role)] = profile::server_role;
  return subject;
}

std::vector<ProfileCase> make_cases() {
  std::vector<ProfileCase> cases;
  for (const std::string& name : profile::built_in_names())
    cases.push_back(make_case(name, profile::built_in_files(name)));
  const char* source = std::getenv("PARLEY_SOURCE");
  const std::string sixth = std::string(source ? source : ".") + "/test/conformance/profiles/sixth";
  cases.push_back(make_case("sixth", *profile::read_folder(sixth)));
  return cases;
}

std::unexpected<base::Error> refuse_direction(const profile::Reading& reading, const ingress::Checked& checked,
                                              bool of_sender) {
  const profile::TypeReading& type = reading.types[checked.type.value];
  const profile::EnvelopeSlots& e = type.envelope;
  const profile::Slot role = of_sender ? e.sender_role : e.recipient_role;
  const profile::Slot id = of_sender ? e.sender : e.recipients;
  return base::fail(base::ErrorCode::DIRECTION, "",
                    reading.places[type.places].pointer(role == profile::no_slot ? id : role));
}

}  // namespace

std::vector<std::string> ProfileCase::files_in(std::string_view folder) const {
  std::vector<std::string> paths;
  for (const auto& [path, bytes] : files)
    if (path.starts_with(folder) && path.find('/', folder.size()) == std::string::npos &&
        path != "examples/agents.json")
      paths.push_back(path);
  return paths;
}

const std::vector<ProfileCase>& profile_cases() {
  static const std::vector<ProfileCase> cases = make_cases();
  return cases;
}

std::vector<std::string> case_names() {
  std::vector<std::string> names = profile::built_in_names();
  names.emplace_back("sixth");
  return names;
}

const ProfileCase& case_named(const std::string& name) {
  for (const ProfileCase& subject : profile_cases())
    if (subject.name == name) return subject;
  std::abort();
}

std::string stated_sender(const ProfileCase& subject, json::Value message) {
  const profile::Reading& reading = *subject.rules->reading;
  const profile::TypeReading& type = reading.types.front();
  const json::Value sender = message.at_pointer(reading.places[type.places].pointer(type.envelope.sender));
  const std::string_view text = sender.if_string().value_or("");
  return text.empty() ? "nobody" : std::string(text);
}

base::Result<Judged> judge(const ProfileCase& subject, std::string_view bytes, std::string_view sender,
                           ingress::Validation validation) {
  Judged judged;
  PARLEY_TRY(judged.document, json::Document::parse(bytes, {.bytes = 64 << 20}));
  const json::Value message = judged.document.root();
  ingress::Options options;
  options.sender = sender;
  options.now = moment_after(*subject.rules, message);
  options.validation = validation;
  PARLEY_CHECK(ingress::check({bytes, message}, *subject.rules, options, judged));

  const auto role_of = [&](const std::string& id) {
    const auto role = subject.roles.find(id);
    return role == subject.roles.end() ? std::string() : role->second;
  };
  const profile::Reading& reading = *subject.rules->reading;
  if (!subject.rules->may_send(judged.type, role_of(judged.envelope.sender)))
    return refuse_direction(reading, judged, true);
  for (const std::string& recipient : judged.envelope.recipients)
    if (!subject.rules->may_receive(judged.type, role_of(recipient))) return refuse_direction(reading, judged, false);
  return judged;
}

}  // namespace parley::conformance
