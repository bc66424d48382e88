#include "profile/load.hpp"

#include <algorithm>
#include <charconv>

#include "base/assert.hpp"
#include "json/parser.hpp"
#include "profile/problems.hpp"
#include "profile/reading.hpp"
#include "profile/schemas.hpp"

namespace parley::profile {
namespace {

constexpr std::string_view description_file = "profile.json";

std::string text_of(json::Value value) {
  return std::string(value.if_string().value_or(std::string_view()));
}

std::vector<std::string> texts_of(json::Value list) {
  std::vector<std::string> texts;
  for (const json::Value item : list.elements()) texts.emplace_back(item.as_string());
  return texts;
}

std::uint32_t major_of(std::string_view version) {
  std::uint32_t major = 0;
  std::from_chars(version.data(), version.data() + version.size(), major);
  return major;
}

// Reads a profile.json that its schema has accepted: shapes are certain, names and pointers are not.
class Builder {
 public:
  Builder(const Files& files, json::Document description) : schemas_(files), reading_(std::make_shared<Reading>()) {
    reading_->description = std::move(description);
    root_ = reading_->description.root();
  }

  base::Result<RulesetPtr> build() {
    read_identity();
    read_roles();
    read_retry();
    read_priorities();
    read_types();
    read_records();
    if (!problems_.empty()) return problems_.refusal(rules_->name);
    rules_->reading = std::move(reading_);
    return rules_;
  }

 private:
  void problem(const std::string& pointer, std::string_view rule, std::string message) {
    problems_.add(description_file, pointer, rule, std::move(message));
  }

  void read_identity() {
    rules_->name = text_of(root_.find("name"));
    rules_->version = text_of(root_.find("version"));
    rules_->title = text_of(root_.find("title"));
    rules_->broadcast_words = texts_of(root_.find("broadcast"));
    rules_->automatic_words = texts_of(root_.find("auto"));
    rules_->message_bytes_max = root_.find("limits").find("message_bytes").if_uint().value_or(0);
    if (root_.find("idempotency").if_string() == "message_and_recipient")
      rules_->idempotency_key = IdempotencyKey::message_and_recipient;
    reading_->type_pointer = text_of(root_.find("type_at"));
    reading_->type_at = *json::Pointer::parse(reading_->type_pointer);  // the schema has checked its form
    reading_->version = text_of(root_.find("envelope").find("version").find("speaks"));
    reading_->version_major = major_of(reading_->version);
  }

  void read_roles() {
    rules_->roles = texts_of(root_.find("roles"));
    for (const std::string_view role : {human_role, server_role})
      if (rules_->role_named(role))
        problem("/roles", "reserved_role", "'" + std::string(role) + "' is a reserved role and is not listed");
    rules_->roles_open = root_.find("roles_open").if_bool().value_or(false);
    if (root_.find("role_of").if_string() == "agent_id") rules_->role_of = RoleOf::agent_id;
  }

  void read_retry() {
    const json::Value retry = root_.find("retry");
    RetryPolicy& policy = rules_->retry;
    policy.attempts = static_cast<std::uint32_t>(retry.find("attempts").if_uint().value_or(1));
    policy.multiplier = retry.find("multiplier").if_double().value_or(1);
    policy.full_jitter = retry.find("jitter").if_string() == "full";
    policy.base_delay = duration_at(retry.find("base_delay"), "/retry/base_delay");
    policy.max_delay = duration_at(retry.find("max_delay"), "/retry/max_delay");
    if (policy.max_delay < policy.base_delay)
      problem("/retry/max_delay", "retry", "max_delay is shorter than base_delay");
  }

  base::Duration duration_at(json::Value value, const std::string& pointer) {
    const auto duration = base::parse_duration(value.as_string());
    if (!duration) problem(pointer, "duration", duration.error().message);
    return duration.value_or(base::Duration{});
  }

  void read_priorities() {
    const json::Value stated = root_.find("priorities");
    for (const auto [word, level] : stated.find("read").members())
      reading_->priority_words.emplace_back(word, *envelope::priority_named(level.as_string()));
    for (std::size_t i = 0; i < envelope::priority_count; ++i)
      reading_->priority_written[i] = text_of(stated.find("write").find(name(static_cast<envelope::Priority>(i))));
    reading_->priority_default = *envelope::priority_named(stated.find("default").as_string());
  }

  void read_types() {
    std::size_t number = 0;
    for (const json::Value type : root_.find("types").elements()) {
      const std::string at = "/types/" + std::to_string(number++);
      const std::string name = text_of(type.find("name"));
      if (rules_->type_named(name)) problem(at + "/name", "unique_type", "There is another type '" + name + "'");
      read_type(type, at, name);
    }
  }

  // The type itself, then its variants, which share its places.
  void read_type(json::Value type, const std::string& at, const std::string& name) {
    const std::size_t first = rules_->types.size();
    reading_->places.emplace_back();
    read_form({type, {}}, at, name, 0);
    std::uint16_t number = 0;
    for (const json::Value variant : type.find("variants").elements()) {
      const std::string variant_at = at + "/variants/" + std::to_string(number++);
      const Condition when = condition_of(variant.find("when"), variant_at + "/when");
      const TypeIndex index(static_cast<std::uint16_t>(rules_->types.size()));
      read_form({variant, type}, variant_at, name, number);
      reading_->types[first].variants.emplace_back(when, index);
    }
    if (places().size() > Places::max)
      problem(at, "places", "A type reads at most " + std::to_string(Places::max) + " places of its message");
  }

  // What a variant leaves out is its type's.
  struct Form {
    json::Value own, type;
    json::Value find(std::string_view key) const {
      const json::Value value = own.find(key);
      return value ? value : type.find(key);
    }
  };

  void read_form(const Form& form, const std::string& at, const std::string& name, std::uint16_t variant) {
    MessageType type;
    type.name = name;
    type.variant = variant;
    type.title = text_of(form.find("title"));
    type.source = text_of(form.find("source"));
    type.kind = *envelope::kind_named(form.find("kind").as_string());  // the schema has the same list
    type.from = roles_of(form.find("from"), at + "/from");
    type.to = roles_of(form.find("to"), at + "/to");
    const json::Value priority = form.find("priority");
    if (const auto floor = priority.find("floor").if_string()) type.floor = envelope::priority_named(*floor);
    if (const auto always = priority.find("always").if_string()) type.always = envelope::priority_named(*always);
    type.is_private = form.find("private").if_bool().value_or(false);
    for (std::size_t i = 0; i < envelope::priority_count; ++i)
      type.delivery[i] = delivery_of(form.find("delivery"), type.kind, static_cast<envelope::Priority>(i));

    TypeReading reading;
    reading.program = program_of(form.find("schema"), at + "/schema");
    reading.places = reading_->places.size() - 1;
    reading.envelope = slots_of(form);
    if (type.is_private) hide(reading.envelope);
    reading.fields = fields_of(form.find("fields"), type.kind, at + "/fields");
    reading.limits = limits_of();
    reading.checks = checks_of(name);
    rules_->types.push_back(std::move(type));
    reading_->types.push_back(std::move(reading));
  }

  Places& places() { return reading_->places.back(); }

  Slot slot_at(json::Value pointer) { return pointer ? places().add(pointer.as_string()) : no_slot; }

  std::vector<Slot> slots_at(json::Value pointers) {
    std::vector<Slot> slots;
    for (const json::Value pointer : pointers.elements()) slots.push_back(slot_at(pointer));
    return slots;
  }

  EnvelopeSlots slots_of(const Form& form) {
    const json::Value stated = root_.find("envelope");
    EnvelopeSlots slots;
    slots.id = slot_at(stated.find("id"));
    slots.timestamp = slot_at(stated.find("timestamp"));
    slots.sender = slot_at(stated.find("sender"));
    slots.sender_role = slot_at(stated.find("sender_role"));
    slots.sender_instance = slot_at(stated.find("sender_instance"));
    slots.recipients = slot_at(stated.find("recipients"));
    slots.recipient_role = slot_at(stated.find("recipient_role"));
    slots.sequence = slot_at(stated.find("sequence"));
    slots.correlation = slot_at(stated.find("correlation"));
    slots.reply_to = slot_at(stated.find("reply_to"));
    slots.conversation = slot_at(stated.find("conversation"));
    slots.version = slot_at(stated.find("version").find("at"));
    const json::Value own_priority = form.find("priority").find("at");
    slots.priority = slots_at(own_priority ? own_priority : stated.find("priority"));
    const json::Value own_task = form.find("task_at");
    slots.task = slots_at(own_task ? own_task : root_.find("task_at"));
    for (const json::Value expiry : stated.find("expiry").elements())
      slots.expiry.push_back({slot_at(expiry.find("at")), unit_of(expiry.find("is").as_string())});
    return slots;
  }

  // R25: of a private message only what routing needs is read.
  static void hide(EnvelopeSlots& slots) {
    slots.correlation = slots.reply_to = slots.conversation = no_slot;
    slots.task.clear();
    slots.expiry.clear();
  }

  static ExpiryUnit unit_of(std::string_view word) {
    if (word == "seconds") return ExpiryUnit::seconds;
    return word == "milliseconds" ? ExpiryUnit::milliseconds : ExpiryUnit::instant;
  }

  std::vector<FieldSlot> fields_of(json::Value stated, envelope::Kind kind, const std::string& at) {
    std::vector<FieldSlot> fields;
    for (const auto [name, pointer] : stated.members()) {
      const CanonicalField* field = field_named(kind, name);
      if (field == nullptr)
        problem(at + '/' + std::string(name), "canonical_field",
                "Kind '" + std::string(envelope::name(kind)) + "' has no field '" + std::string(name) + "'");
      else
        fields.push_back({field->name, slot_at(pointer), field->carried});
    }
    return fields;
  }

  std::vector<LimitRule> limits_of() {
    std::vector<LimitRule> rules;
    for (const json::Value rule : root_.find("limits").find("rules").elements()) {
      const std::string_view unit = rule.find("unit").as_string();
      rules.push_back({text_of(rule.find("name")), slot_at(rule.find("at")),
                       unit == "bytes"         ? LimitUnit::bytes
                       : unit == "code_points" ? LimitUnit::code_points
                                               : LimitUnit::items,
                       rule.find("max").if_uint().value_or(0)});
    }
    return rules;
  }

  std::vector<BoundCheck> checks_of(const std::string& type) {
    std::vector<BoundCheck> checks;
    std::size_t number = 0;
    for (const json::Value stated : root_.find("checks").elements()) {
      const std::string at = "/checks/" + std::to_string(number++);
      const std::vector<std::string> types = texts_of(stated.find("types"));
      if (std::find(types.begin(), types.end(), type) == types.end()) continue;
      auto check = bind_check(stated.find("check").as_string(), stated.find("parameters"));
      if (!check) {
        problem(at + check.error().where, "check", check.error().message);
        continue;
      }
      check->severity = stated.find("severity").as_string() == "error" ? Severity::error : Severity::warning;
      check->also_lenient = stated.find("also_lenient").if_bool().value_or(false);
      checks.push_back(std::move(*check));
    }
    return checks;
  }

  Condition condition_of(json::Value stated, const std::string& at) {
    Condition condition;
    condition.slot = slot_at(stated.find("at"));
    if (const auto present = stated.find("present").if_bool()) {
      condition.test = *present ? Condition::Test::present : Condition::Test::absent;
      return condition;
    }
    condition.test = Condition::Test::among;
    if (const json::Value value = stated.find("equals")) condition.values.push_back(value);
    for (const json::Value value : stated.find("in").elements()) condition.values.push_back(value);
    if (condition.values.empty()) problem(at, "condition", "A condition has `present`, `equals` or `in`");
    return condition;
  }

  RoleSet roles_of(json::Value stated, const std::string& at) {
    RoleSet set;
    set.any = stated.is_absent();
    for (const json::Value role : stated.elements()) {
      const auto index = rules_->role_index(role.as_string());
      if (index)
        set.members.set(*index);
      else
        problem(at, "known_role", "The profile has no role '" + text_of(role) + "'");
    }
    return set;
  }

  envelope::DeliveryClass delivery_of(json::Value own, envelope::Kind kind, envelope::Priority priority) const {
    const json::Value policy = root_.find("delivery");
    for (const json::Value word : {own, policy.find("by_kind").find(name(kind)),
                                   policy.find("by_priority").find(name(priority)), policy.find("default")})
      if (word)
        return word.as_string() == name(envelope::DeliveryClass::at_least_once) ? envelope::DeliveryClass::at_least_once
                                                                                : envelope::DeliveryClass::at_most_once;
    return envelope::DeliveryClass::at_least_once;
  }

  // Each schema file is compiled once, however many types it serves.
  std::size_t program_of(json::Value file, const std::string& at) {
    const std::string path = text_of(file);
    const auto known = std::find(reading_->schema_files.begin(), reading_->schema_files.end(), path);
    if (known != reading_->schema_files.end()) return static_cast<std::size_t>(known - reading_->schema_files.begin());
    auto program = schemas_.compile(path);
    if (!program) {
      problem(at, "schema", path + ": " + program.error().message + " at " + program.error().where);
      return 0;
    }
    reading_->schema_files.push_back(path);
    reading_->programs.push_back(std::move(*program));
    return reading_->programs.size() - 1;
  }

  void read_records() {
    std::size_t number = 0;
    for (const json::Value record : root_.find("records").elements())
      reading_->records.emplace_back(
          text_of(record.find("name")),
          program_of(record.find("schema"), "/records/" + std::to_string(number++) + "/schema"));
  }

  Schemas schemas_;
  std::shared_ptr<Reading> reading_;
  std::shared_ptr<Ruleset> rules_ = std::make_shared<Ruleset>();
  json::Value root_;
  Problems problems_;
};

}  // namespace

base::Result<RulesetPtr> load(const Files& files) {
  Problems problems;
  const auto file = files.find(description_file);
  if (file == files.end()) {
    problems.add(description_file, "", "file", "The folder has no profile.json");
    return problems.refusal("");
  }
  auto description = json::Document::parse(file->second);
  if (!description) {
    problems.add(description_file, description.error().where, "json", description.error().message);
    return problems.refusal("");
  }
  problems.add(description_file, explain_profile(description->root()));
  if (!problems.empty()) return problems.refusal(text_of(description->root().find("name")));
  return Builder(files, std::move(*description)).build();
}

}  // namespace parley::profile
