#include "cli/scenario/ending.hpp"

#include <algorithm>
#include <array>

#include "cli/scenario/plain.hpp"
#include "json/writer.hpp"

namespace parley::cli::scenario {
namespace {

constexpr json::Limits answer_limits{.bytes = 64 << 20, .elements = 1'000'000};

// Lists of the API, and what names an item. One that this server does not have is left out.
struct List {
  std::string_view name, id;
};
constexpr std::array lists{List{"tasks", "task_id"},
                           List{"reviews", "review_id"},
                           List{"approvals", "approval_id"},
                           List{"help", "help_id"},
                           List{"collaborations", "collaboration_id"},
                           List{"deadletters", "delivery_id"}};

class Look {
 public:
  Look(sdk::Client& client, const std::string& workspace, const Story& story)
      : client_(client), workspace_(workspace), story_(story) {}

  base::Result<Ending> at_all() {
    PARLEY_CHECK(at_messages());
    for (const List& list : lists) PARLEY_CHECK(at(list));
    for (const Actor& actor : story_.cast())
      if (!actor.is_person) PARLEY_CHECK(at_agent(actor.name));
    return std::move(ending_);
  }

 private:
  base::Result<json::Document> get(const std::string& target) {
    PARLEY_TRY(const auto reply, client_.get(target));
    return json::Document::parse(reply.body, answer_limits);
  }

  base::Result<> at(const List& list) {
    std::string after;
    while (true) {
      const auto page = get(sdk::path_of(workspace_, {list.name}) + "?limit=100" + after);
      if (!page && page.error().code == base::ErrorCode::NOT_FOUND) return {};
      if (!page) return std::unexpected(page.error());
      for (const auto item : page->root().find("items").elements())
        add(std::string(list.name) + "/" + plain(item.find(list.id).if_string().value_or("")), item);
      const json::Value next = page->root().find("next");
      if (next.is_absent() || next.is_null()) return {};
      after = "&after=" + sdk::escape(next.is_string() ? std::string(next.as_string()) : json::to_text(next));
    }
  }

  base::Result<> at_agent(const std::string& name) {
    PARLEY_TRY(const auto agent, get(sdk::path_of(workspace_, {"agents", name})));
    add("agents/" + name, agent.root());
    return {};
  }

  // The log says which messages there are, and gives the offsets their names.
  base::Result<> at_messages() {
    std::vector<std::string> ids;
    for (std::uint64_t from = 1;;) {
      PARLEY_TRY(const auto page, get(sdk::path_of(workspace_, {"log"}) + "?max=1000&from=" + std::to_string(from)));
      for (const auto item : page.root().find("items").elements()) {
        if (item.find("event").if_string() != "message") continue;
        const std::string id(item.find("message_id").if_string().value_or(""));
        plain.name_offset(item.find("offset").if_uint().value_or(0), id);
        ids.push_back(id);
      }
      const std::uint64_t next = page.root().find("next").if_uint().value_or(0);
      if (next <= from) break;
      from = next;
    }
    for (const std::string& id : ids) PARLEY_CHECK(at_message(id));
    return {};
  }

  base::Result<> at_message(const std::string& id) {
    PARLEY_TRY(const auto message, get(sdk::path_of(workspace_, {"messages", id})));
    if (story_.step_with_id(id)) {
      add("messages/" + plain(id), message.root());
      return {};
    }
    std::string& count = ending_["words/" + plain.text(message.root())];
    count = std::to_string((count.empty() ? 0 : std::stoul(count)) + 1);
    return {};
  }

  void add(const std::string& path, json::Value value) {
    plain.each(path, value, [this](const std::string& at, std::string text) { ending_[at] = std::move(text); });
  }

  sdk::Client& client_;
  const std::string& workspace_;
  const Story& story_;
  Plain plain{story_};
  Ending ending_;
};

// What a message's receipts say when all got it: acked; of one that is handed over once for all, offered (R20).
Ending all_got_everything(const Ending& ending) {
  constexpr std::string_view receipts = "/receipts/";
  Ending wanted;
  for (const auto& [path, value] : ending) {
    const std::size_t at = path.find(receipts);
    if (!path.starts_with("messages/") || at == path.npos || !path.ends_with("/state")) continue;
    const auto delivery = ending.find(path.substr(0, at) + "/delivery");
    const bool once = delivery != ending.end() && delivery->second == "\"at_most_once\"";
    wanted[path] = once ? "\"offered\"" : "\"acked\"";
  }
  return wanted;
}

std::string line(std::string_view path, std::string_view wanted, std::string_view found) {
  return std::string(path) + ": " + std::string(found.empty() ? "nothing" : found) + ", told was " +
         std::string(wanted.empty() ? "nothing" : wanted);
}

}  // namespace

base::Result<Ending> look_at_ending(sdk::Client& client, const std::string& workspace, const Story& story) {
  return Look(client, workspace, story).at_all();
}

std::vector<std::string> not_as_told(const Ending& ending, const Story& story) {
  Ending wanted = all_got_everything(ending);
  Plain plain(story);
  for (const auto [path, value] : story.ends().members())
    plain.each(std::string(path), value,
               [&](const std::string& at, std::string text) { wanted[at] = std::move(text); });
  std::vector<std::string> wrong;
  for (const auto& [path, value] : wanted) {
    const auto found = ending.find(path);
    if (found == ending.end() || found->second != value)
      wrong.push_back(line(path, value, found == ending.end() ? "" : found->second));
  }
  return wrong;
}

std::vector<std::string> differences(const Ending& wanted, const Ending& found) {
  std::vector<std::string> lines;
  for (const auto& [path, value] : wanted) {
    const auto other = found.find(path);
    if (other == found.end() || other->second != value)
      lines.push_back(line(path, value, other == found.end() ? "" : other->second));
  }
  for (const auto& [path, value] : found)
    if (!wanted.contains(path)) lines.push_back(line(path, "", value));
  return lines;
}

std::string to_json(const Ending& ending) {
  std::string text;
  json::Writer out(text);
  out.begin_object();
  for (const auto& [path, value] : ending) out.key(path).raw(value);
  out.end_object();
  return text;
}

base::Result<Ending> read_ending(json::Value object) {
  if (!object.is_object())
    return base::fail(base::ErrorCode::BAD_REQUEST, "an ending is an object of paths and values");
  Ending ending;
  for (const auto [path, value] : object.members()) ending[std::string(path)] = json::to_text(value);
  return ending;
}

}  // namespace parley::cli::scenario
