#include <algorithm>

#include "profile/loading.hpp"

namespace parley::profile {
namespace {

class TypeLoader {
 public:
  explicit TypeLoader(Loading& loading)
      : loading_(loading), rules_(*loading.rules), reading_(*loading.reading), root_(loading.root) {}

  void read() {
    std::size_t number = 0;
    for (const json::Value type : root_.find("types").elements()) {
      const std::string at = "/types/" + std::to_string(number++);
      const std::string name = text_of(type.find("name"));
      if (rules_.type_named(name))
        loading_.problem(at + "/name", "unique_type", "There is another type '" + name + "'");
      read_type(type, at, name);
    }
  }

 private:
  // The type itself, then its variants, which share its places.
  void read_type(json::Value type, const std::string& at, const std::string& name) {
    const std::size_t first = rules_.types.size();
    reading_.places.emplace_back();
    read_form({type, {}}, at, name, 0);
    std::uint16_t number = 0;
    for (const json::Value variant : type.find("variants").elements()) {
      const std::string variant_at = at + "/variants/" + std::to_string(number++);
      const Condition when = condition_of(variant.find("when"), variant_at + "/when");
      const TypeIndex index(static_cast<std::uint16_t>(rules_.types.size()));
      read_form({variant, type}, variant_at, name, number);
      reading_.types[first].variants.emplace_back(when, index);
    }
    if (places().size() > Places::max)
      loading_.problem(at, "places", "A type reads at most " + std::to_string(Places::max) + " places of its message");
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
    type.kind = certain(envelope::kind_named(form.find("kind").as_string()));
    type.from = roles_of(form.find("from"), at + "/from");
    type.to = roles_of(form.find("to"), at + "/to");
    const json::Value priority = form.find("priority");
    if (const auto floor = priority.find("floor").if_string()) type.floor = envelope::priority_named(*floor);
    if (const auto always = priority.find("always").if_string()) type.always = envelope::priority_named(*always);
    type.is_private = form.find("private").if_bool().value_or(false);
    type.keeps = text_of(form.find("keeps"));
    type.states_chain = form.find("fields").find("chain").is_string();
    type.names_task = type.kind == envelope::Kind::task_assign &&
                      form.find("fields").find("task").if_string() == root_.find("envelope").find("id").if_string();
    type.states_budget = form.find("fields").find("budget").is_string();
    for (std::size_t i = 0; i < envelope::priority_count; ++i)
      type.delivery[i] = delivery_of(form.find("delivery"), type.kind, static_cast<envelope::Priority>(i));

    TypeReading reading;
    reading.program = loading_.program_of(form.find("schema"), at + "/schema");
    reading.places = reading_.places.size() - 1;
    reading.envelope = slots_of(form);
    if (type.is_private) hide(reading.envelope);
    reading.fields = fields_of(form.find("fields"), type.kind, at + "/fields");
    reading.limits = limits_of();
    reading.checks = checks_of(name);
    rules_.types.push_back(std::move(type));
    reading_.types.push_back(std::move(reading));
  }

  Places& places() { return reading_.places.back(); }

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
    slots.recipient_instance = slot_at(stated.find("recipient_instance"));
    slots.sequence = slot_at(stated.find("sequence"));
    slots.max_retries = slot_at(stated.find("max_retries"));
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
      if (name == "risk" && !rules_.approvals)
        loading_.problem(at + "/risk", "approvals", "What is risky is held for a human: say `approvals`");
      if (field == nullptr)
        loading_.problem(at + '/' + std::string(name), "canonical_field",
                         "Kind '" + std::string(envelope::name(kind)) + "' has no field '" + std::string(name) + "'");
      else
        fields.push_back({field->name, slot_at(pointer), field->type, field->carried});
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
        loading_.problem(at + check.error().where, "check", check.error().message);
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
    if (condition.values.empty()) loading_.problem(at, "condition", "A condition has `present`, `equals` or `in`");
    return condition;
  }

  RoleSet roles_of(json::Value stated, const std::string& at) {
    RoleSet set;
    set.any = stated.is_absent();
    for (const json::Value role : stated.elements()) {
      const auto index = rules_.role_index(role.as_string());
      if (index)
        set.members.set(*index);
      else
        loading_.no_such_role(at, text_of(role));
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

  Loading& loading_;
  Ruleset& rules_;
  Reading& reading_;
  json::Value root_;
};

}  // namespace

void load_types(Loading& loading) {
  TypeLoader(loading).read();
}

}  // namespace parley::profile
