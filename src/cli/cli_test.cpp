// The command line as its users meet it, without a server: parsing, help, usage errors, exit statuses.
#include "cli/cli.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

#include "cli/help.hpp"
#include "cli/options.hpp"
#include "json/parser.hpp"
#include "schema/program.hpp"

namespace parley::cli {
namespace {

struct Run {
  int status;
  std::string out, err;
};

Run run_cli(const std::vector<std::string>& arguments, const Services& services = {}) {
  std::ostringstream out, err;
  Terminal terminal{out, err};
  const int status = run(arguments, services, terminal);
  return {status, out.str(), err.str()};
}

// Every verb with its path.
void collect(const Verb& verb, const std::string& path, std::vector<std::pair<std::string, const Verb*>>& into) {
  into.emplace_back(path, &verb);
  for (const auto& inner : verb.verbs) collect(inner, path + " " + inner.name, into);
}

TEST(CommandLine, every_option_kind_reaches_its_target) {
  bool flag = false;
  std::string text = "standing";
  std::vector<std::string> list, rest;
  std::uint32_t number = 1;
  std::uint64_t large = 0;
  double real = 0;
  base::Duration duration{};
  std::optional<base::Duration> delay;
  std::optional<std::uint32_t> load;
  const std::vector<Group> groups{{"",
                                   {{.name = "verb",
                                     .summary = "",
                                     .options = {{"first", "", &text, true},
                                                 {"rest", "", &rest},
                                                 {"--flag", "", &flag},
                                                 {"--item", "", &list},
                                                 {"-n,--number", "", &number},
                                                 {"--large", "", &large},
                                                 {"--real", "", &real},
                                                 {"--for", "", &duration},
                                                 {"--delay", "", &delay},
                                                 {"--load", "", &load}},
                                     .run = [](Context&) -> base::Result<Exit> { return Exit::done; }}}}};
  const auto parsed = parse(groups, {"verb", "a", "--item", "x", "b", "--item", "y", "--flag", "-n", "7", "--real",
                                     "2.5", "--for", "90s", "c", "--json"});
  ASSERT_EQ(parsed.wrong, "");
  ASSERT_TRUE(parsed.verb);
  EXPECT_EQ(parsed.path, "verb");
  EXPECT_TRUE(parsed.json);
  EXPECT_EQ(text, "a");
  EXPECT_EQ(rest, (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(list, (std::vector<std::string>{"x", "y"}));
  EXPECT_TRUE(flag);
  EXPECT_EQ(number, 7u);
  EXPECT_EQ(real, 2.5);
  EXPECT_EQ(duration, std::chrono::seconds(90));
  EXPECT_FALSE(delay);
  EXPECT_FALSE(load);

  EXPECT_NE(parse(groups, {"verb", "a", "--for", "soon"}).wrong, "");
  EXPECT_EQ(parse(groups, {"verb", "a", "--for", "36500d"}).wrong, "");
  for (const char* too_long : {"36501d", "106751991d", "9223372036854775807us"})
    EXPECT_NE(parse(groups, {"verb", "a", "--for", too_long}).wrong.find("more than 36500d"), std::string::npos)
        << too_long;
  EXPECT_NE(parse(groups, {"verb", "a", "-n", "many"}).wrong, "");
  EXPECT_NE(parse(groups, {"verb"}).wrong, "") << "`first` is required";
  for (const char* option : {"--number", "--large", "--load"})
    for (const char* negative : {"-1", " -1", "-18446744073709551615"})
      EXPECT_NE(parse(groups, {"verb", "a", option, negative}).wrong, "") << option << negative;
  EXPECT_EQ(parse(groups, {"verb", "a", "--large", "18446744073709551615"}).wrong, "");
  EXPECT_EQ(large, UINT64_MAX);
  EXPECT_NE(parse(groups, {"verb", "a", "--unknown"}).wrong, "");
  EXPECT_NE(parse(groups, {"other"}).wrong, "");
}

// COR-01
TEST(CommandLine, every_verb_has_a_summary_and_its_examples_parse) {
  const auto groups = all_verbs({});
  std::vector<std::pair<std::string, const Verb*>> verbs;
  for (const auto& group : groups)
    for (const auto& verb : group.verbs) collect(verb, verb.name, verbs);
  EXPECT_GE(verbs.size(), 30u);
  for (const auto& [path, verb] : verbs) {
    EXPECT_FALSE(verb->summary.empty()) << path;
    EXPECT_TRUE(verb->run || !verb->verbs.empty()) << path;
    for (const auto& example : verb->examples) {
      const auto start = example.find("parley ");
      ASSERT_NE(start, std::string::npos) << example;
      std::istringstream words(example.substr(start + 7));
      std::vector<std::string> arguments;
      bool quoted = false;
      for (std::string word; words >> word && word != ">";) {
        if (quoted)
          arguments.back() += " " + word;
        else
          arguments.push_back(word);
        if (std::ranges::count(word, '"') == 1) quoted = !quoted;
      }
      const auto parsed = parse(groups, arguments);
      EXPECT_EQ(parsed.wrong, "") << example;
      EXPECT_TRUE(parsed.path.starts_with(path)) << example << " runs " << parsed.path;
    }
  }
}

TEST(CommandLine, help_is_given_whatever_is_missing) {
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{}, {"help"}, {"--help"}, {"-h"}}) {
    const auto page = run_cli(arguments);
    EXPECT_EQ(page.status, 0);
    EXPECT_NE(page.out.find("serve"), std::string::npos);
    EXPECT_NE(page.out.find("Exit status"), std::string::npos);
    EXPECT_LE(std::ranges::count(page.out, '\n'), 45) << "one page";
  }
  const auto page = run_cli({"agent", "add", "--help"});
  EXPECT_EQ(page.status, 0);
  EXPECT_NE(page.out.find("parley agent add AGENT_ID --profile NAME"), std::string::npos) << page.out;
}

TEST(CommandLine, what_could_not_be_printed_is_no_success) {
  std::ofstream out("/dev/full");
  std::ostringstream err;
  Terminal terminal{out, err};
  EXPECT_EQ(run({"schema"}, {}, terminal), 1);
  EXPECT_NE(err.str().find("standard output"), std::string::npos) << err.str();
}

TEST(CommandLine, a_start_without_room_on_the_disk_is_to_be_tried_again) {
  std::ostringstream out, err;
  Terminal terminal{out, err};
  const Services services{[](const ServeOptions&, const std::function<void(const Started&)>&) -> base::Result<> {
    return base::fail(base::ErrorCode::STORAGE_FULL, "posix_fallocate: No space left on device", "/data/journal");
  }};
  EXPECT_EQ(run({"serve"}, services, terminal), 1);
  EXPECT_NE(err.str().find("then start again"), std::string::npos) << err.str();
  EXPECT_EQ(err.str().find("by itself"), std::string::npos) << err.str();
}

TEST(CommandLine, a_usage_error_is_status_2_and_names_the_help) {
  const auto wrong = run_cli({"agent", "add", "a", "--colour", "red"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.out, "");
  EXPECT_NE(wrong.err.find("parley help agent add"), std::string::npos) << wrong.err;
  const auto as_json = run_cli({"agent", "add", "--json"});
  EXPECT_EQ(as_json.status, 2);
  EXPECT_TRUE(json::Document::parse(as_json.out)) << as_json.out;
}

TEST(CommandLine, what_is_no_readable_file_is_refused_with_its_reason) {
  for (const std::string verb : {"validate", "send"}) {
    std::vector<std::string> arguments{verb, "/tmp", "/no/such/file", "--json"};
    if (verb == "send")
      arguments.insert(arguments.end(), {"--as", "a", "-w", "w", "--server", "http://127.0.0.1:9", "--token", "t"});
    const auto refused = run_cli(arguments);
    EXPECT_EQ(refused.status, 1) << refused.out;
    const auto document = json::Document::parse(refused.out);
    ASSERT_TRUE(document) << refused.out;
    EXPECT_EQ(document->root().at_pointer("/0/error/code").if_string(), "BAD_REQUEST") << refused.out;
    EXPECT_EQ(document->root().at_pointer("/0/error/where").if_string(), "/tmp");
    EXPECT_EQ(document->root().at_pointer("/1/error/code").if_string(), "NOT_FOUND");
    const auto file = document->root().at_pointer("/1/file").if_string();
    EXPECT_TRUE(verb == "send" || file == "/no/such/file") << refused.out;
  }
}

TEST(CommandLine, a_mistake_that_is_found_without_a_server_is_one_of_usage) {
  const std::vector<std::vector<std::string>> mistakes{{"workspace", "set", "demo", "--set", "lease"},
                                                       {"schema", "lint"},
                                                       {"agent", "list", "--limit", "0"},
                                                       {"check", "--as", "a", "-w", "w"},
                                                       {"bench", "--duration", "0s"},
                                                       {"bench", "--contents", "work", "--mode", "publish"},
                                                       {"bench", "--contents", "work", "--transport", "http"},
                                                       {"serve", "--journal", "bogus"},
                                                       {"scenario", "collab", "--rounds", "0"},
                                                       {"agent", "allocate", "a", "tokens", "--limit", "abc"},
                                                       {"runner", "add", "ci"},
                                                       {"approve", "modify", "m", "--rationale", "r", "--action", "zz"},
                                                       {"workspace", "list", "--server", "ftp://x"},
                                                       {"send", "--as", "a", "--evidence", "e", "one", "two"},
                                                       {"wait", "--as", "a", "-n", "0"},
                                                       {"tail", "-n", "0"}};
  for (auto mistake : mistakes) {
    const auto told = run_cli(mistake);
    EXPECT_EQ(told.status, 2) << mistake.front() << told.err;
    EXPECT_TRUE(told.err.starts_with("usage: ")) << told.err;
    EXPECT_EQ(told.err.find("openapi"), std::string::npos) << told.err;
    mistake.emplace_back("--json");
    EXPECT_EQ(run_cli(mistake).status, 2) << mistake.front();
  }
}

TEST(CommandLine, the_settings_of_a_workspace_are_listed_in_the_help) {
  std::ifstream file(std::string(std::getenv("PARLEY_SOURCE")) + "/spec/api/openapi.json");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto document = json::Document::parse(text);
  ASSERT_TRUE(document);
  const auto settings = document->root().at_pointer("/components/schemas/NewSettings/properties");
  EXPECT_GT(settings.size(), 20u);
  for (const char* const verb : {"create", "set"}) {
    const std::string page = run_cli({"help", "workspace", verb}).out;
    for (const auto [name, schema] : settings.members())
      EXPECT_NE(page.find(" " + std::string(name)), std::string::npos) << name;
  }
}

TEST(CommandLine, bench_names_the_figure_that_is_out_of_bounds) {
  for (const auto& [option, value] : std::vector<std::pair<std::string, std::string>>{{"--batch", "1001"},
                                                                                      {"--producers", "0"},
                                                                                      {"--consumers", "10001"},
                                                                                      {"--size", "1048577"},
                                                                                      {"--window", "0"},
                                                                                      {"--credit", "0"},
                                                                                      {"--duration", "0s"},
                                                                                      {"--rate", "-1"}}) {
    const auto told = run_cli({"bench", option, value});
    EXPECT_EQ(told.status, 2) << option;
    EXPECT_TRUE(told.err.starts_with("usage: " + option + ": ")) << told.err;
  }
}

TEST(CommandLine, bench_makes_nothing_where_its_load_cannot_go) {
  const auto told = run_cli({"bench", "--server", "https://127.0.0.1:9", "--token", "t"});
  EXPECT_EQ(told.status, 2);
  EXPECT_NE(told.err.find("is no address of the form http://HOST:PORT"), std::string::npos) << told.err;
}

TEST(CommandLine, lists_take_each_state_there_is_and_all) {
  std::ifstream file(std::string(std::getenv("PARLEY_SOURCE")) + "/spec/api/openapi.json");
  const std::string text((std::istreambuf_iterator<char>(file)), {});
  const auto document = json::Document::parse(text);
  ASSERT_TRUE(document);
  const auto groups = all_verbs({});
  for (const auto& [verb, schema] : {std::pair("task", "TaskState"), std::pair("review", "ReviewState")}) {
    std::vector<std::string> states{"all"};
    for (const auto state : document->root().find("components").find("schemas").find(schema).find("enum").elements())
      states.emplace_back(state.as_string());
    EXPECT_GT(states.size(), 5u);
    const std::string page = run_cli({"help", verb, "list"}).out;
    for (const std::string& state : states) {
      EXPECT_EQ(parse(groups, {verb, "list", "--state", state}).wrong, "");
      EXPECT_NE(page.find(state), std::string::npos) << state;
    }
    EXPECT_EQ(run_cli({verb, "list", "--state", "bogus"}).status, 2);
  }
}

TEST(CommandLine, an_empty_value_does_not_count_as_none) {
  const std::vector<std::vector<std::string>> mistakes{{"serve", "--data", ""},
                                                       {"verify", "--data", ""},
                                                       {"task", "list", "--as", "", "-w", "w"},
                                                       {"task", "list", "-w", ""},
                                                       {"workspace", "list", "--token", ""},
                                                       {"task", "show", "", "-w", "w"},
                                                       {"ack", "--as", "a", "", "-w", "w"}};
  for (const auto& mistake : mistakes) {
    const auto told = run_cli(mistake);
    EXPECT_EQ(told.status, 2) << mistake.front() << told.err;
    EXPECT_NE(told.err.find("it is empty"), std::string::npos) << mistake.front() << told.err;
  }
}

TEST(CommandLine, what_is_no_verb_is_named_wherever_it_stands) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{"help", "bogus"}, "no verb 'bogus'"},
      {{"sned", "a.json"}, "did you mean 'send'?"},
      {{"agent", "lsit"}, "did you mean 'list'?"},
      {{"agent"}, "a verb is missing: add, list, show"},
      {{"send", "--bogus"}, "no option '--bogus' here"},
      {{"tail", "--form", "7"}, "did you mean '--from'?"},
      {{"tail", "-n", "1", "--port", "7"}, "no option '--port' here"},
      {{"doctor", "twice", "over"}, "'twice' is one word too many"},
      {{"agent", "add"}, "agent_id is required"},
      {{"help", "agent", "bogus"}, "no verb 'agent bogus'"},
      {{"scenario", "bogus"}, "no verb 'scenario bogus'"},
      {{"--json", "bogus"}, "no verb 'bogus'"},
      {{"--bogus"}, "no option '--bogus'"},
      {{"workspace", "set", "demo", "--set", "lease=1s", "--set", "lease=2s"}, "lease is set twice"}};
  for (const auto& [arguments, said] : wrong) {
    const auto told = run_cli(arguments);
    EXPECT_EQ(told.status, 2) << said;
    EXPECT_NE((told.err + told.out).find(said), std::string::npos) << told.err << told.out;
  }
  EXPECT_EQ(run_cli({"help", "agent", "add"}).status, 0);
}

TEST(CommandLine, validate_takes_what_send_takes) {
  const std::string folder = testing::TempDir() + "/parley-validate-" + std::to_string(::getpid());
  const std::string example =
      std::string(std::getenv("PARLEY_SOURCE")) + "/spec/profiles/collab/examples/task_assignment.json";
  std::ifstream file(example);
  std::string message((std::istreambuf_iterator<char>(file)), {});
  std::ofstream(folder + ".json") << "[" << message << ",\n" << message << ", {}]";
  std::ranges::replace(message, '\n', ' ');
  std::ofstream(folder + ".ndjson") << message << "\n\n" << message << "\n{}\n";
  for (const std::string form : {".json", ".ndjson"}) {
    const auto told = run_cli({"validate", folder + form, "--json"});
    EXPECT_EQ(told.status, 1) << "the third is none";
    const auto document = json::Document::parse(told.out);
    ASSERT_TRUE(document) << told.out;
    EXPECT_EQ(document->root().size(), 3u) << told.out;
    EXPECT_EQ(document->root().at_pointer("/1/strict").if_string(), "accepted") << told.out;
    EXPECT_NE(run_cli({"validate", folder + form}).out.find(form + ", message 2"), std::string::npos);
    std::remove((folder + form).c_str());
  }
  const auto mesh = run_cli({"validate", "--profile", "mesh", example});
  EXPECT_EQ(mesh.status, 1);
  EXPECT_NE(mesh.out.find("--profile collab"), std::string::npos) << mesh.out;
}

TEST(CommandLine, fresh_gives_a_file_the_bytes_of_the_message) {
  std::ifstream example(std::string(std::getenv("PARLEY_SOURCE")) +
                        "/spec/profiles/collab/examples/task_assignment.json");
  std::string message;
  for (std::string line; std::getline(example, line);) message += line + "\r\n";
  const std::string file = testing::TempDir() + "/parley-fresh-" + std::to_string(::getpid()) + ".json";
  std::ofstream(file, std::ios::binary) << message;
  const auto made = run_cli({"fresh", file});
  std::ostringstream out, err;
  Terminal terminal{out, err, true, true};
  EXPECT_EQ(run({"fresh", file}, {}, terminal), 0);
  std::remove(file.c_str());
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_TRUE(made.out.starts_with("{\r\n") && made.out.ends_with("}\r\n")) << made.out;
  EXPECT_EQ(out.str().find('\r'), std::string::npos) << "a terminal would obey it";
  for (const std::string& shown : {made.out, out.str()}) EXPECT_TRUE(json::Document::parse(shown)) << shown;
}

TEST(CommandLine, doctor_judges_the_admins_token_as_a_start_does) {
  const std::filesystem::path folder = testing::TempDir() + "/parley-doctor-" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "elsewhere") << std::string(40, 'x');
  std::filesystem::permissions(folder / "elsewhere", std::filesystem::perms::owner_read);
  std::filesystem::create_symlink("elsewhere", folder / "admin.token");
  const auto told = run_cli({"doctor", "--data", folder.string(), "--server", "http://127.0.0.1:9", "--token", "t"});
  std::filesystem::remove_all(folder);
  EXPECT_NE(told.out.find("bad       admin token"), std::string::npos) << told.out;
  EXPECT_NE(told.out.find("is a symbolic link"), std::string::npos) << told.out;
}

TEST(CommandLine, a_file_without_a_message_is_refused) {
  const std::string folder = testing::TempDir() + "/parley-empty-" + std::to_string(::getpid());
  for (const auto& [file, text] : {std::pair(folder + ".ndjson", "\n"), std::pair(folder + ".json", "[]")}) {
    std::ofstream(file) << text;
    for (std::vector<std::string> verb :
         {std::vector<std::string>{"validate"},
          {"send", "--as", "a", "-w", "w", "--server", "http://127.0.0.1:9", "--token", "t"}}) {
      verb.push_back(file);
      const auto told = run_cli(verb);
      EXPECT_EQ(told.status, 1) << verb.front();
      EXPECT_NE((told.out + told.err).find("there is no message in " + file), std::string::npos) << told.err;
    }
    std::remove(file.c_str());
  }
}

TEST(CommandLine, an_unknown_verb_is_named_and_the_version_told) {
  const auto unknown = run_cli({"nosuch"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_NE(unknown.err.find("'nosuch'"), std::string::npos) << unknown.err;
  const auto version = run_cli({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_TRUE(version.out.starts_with("parley 0.")) << version.out;
}

TEST(CommandLine, help_and_version_take_json_as_every_verb_does) {
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"--version", "--json"}, {"--json", "--version"}}) {
    const auto document = json::Document::parse(run_cli(arguments).out);
    ASSERT_TRUE(document);
    EXPECT_EQ(document->root().find("version").if_string().value_or("").substr(0, 2), "0.");
  }
  for (const std::vector<std::string>& arguments : {std::vector<std::string>{"help", "--json"},
                                                    {"--json", "help"},
                                                    {"--help", "--json"},
                                                    {"help", "--reference", "--json"},
                                                    {"help", "--json", "agent", "add"},
                                                    {"agent", "add", "--json", "--help"}}) {
    const auto told = run_cli(arguments);
    EXPECT_EQ(told.status, 0);
    const auto document = json::Document::parse(told.out);
    ASSERT_TRUE(document) << told.out;
    EXPECT_NE(document->root().find("help").if_string().value_or("").find("parley"), std::string::npos) << told.out;
  }
  const auto wrong = run_cli({"help", "bogus", "--json"});
  EXPECT_EQ(wrong.status, 2);
  const auto document = json::Document::parse(wrong.out);
  ASSERT_TRUE(document) << wrong.out;
  EXPECT_EQ(document->root().at_pointer("/error/code").if_string(), "BAD_REQUEST");
}

TEST(CommandLine, a_server_that_is_not_there_is_status_3) {
  // Port 9 of loopback: nobody listens there.
  const auto away = run_cli({"workspace", "list", "--server", "http://127.0.0.1:9", "--token", "t", "--json"});
  EXPECT_EQ(away.status, 3);
  const auto document = json::Document::parse(away.out);
  ASSERT_TRUE(document) << away.out;
  EXPECT_EQ(document->root().at_pointer("/error/code").if_string(), "UNREACHABLE");
}

TEST(CommandLine, serve_tells_where_it_listens_and_what_to_try_next) {
  const Services services{.serve = [](const ServeOptions& options, const auto& started) -> base::Result<> {
    EXPECT_EQ(options.listen, "127.0.0.1:0");
    EXPECT_EQ(options.allowed_hosts, (std::vector<std::string>{"parley.example"}));
    started(Started{"http://127.0.0.1:7411", options.data_folder, options.data_folder + "/admin.token", true});
    return {};
  }};
  const auto served =
      run_cli({"serve", "--data", "/somewhere", "--listen", "127.0.0.1:0", "--allow-host", "parley.example"}, services);
  EXPECT_EQ(served.status, 0);
  for (const char* said : {"http://127.0.0.1:7411", "/somewhere", "parley workspace create demo"})
    EXPECT_NE(served.out.find(said), std::string::npos) << said;
}

TEST(CommandLine, schema_lists_profiles_types_and_schemas_without_a_server) {
  EXPECT_NE(run_cli({"schema"}).out.find("collab"), std::string::npos);
  EXPECT_NE(run_cli({"schema", "collab"}).out.find("task_assignment"), std::string::npos);
  const auto schema = run_cli({"schema", "collab", "task_assignment", "--json"});
  EXPECT_EQ(schema.status, 0);
  const auto document = json::Document::parse(schema.out);
  ASSERT_TRUE(document);
  EXPECT_TRUE(document->root().find("$id").is_string());
  const auto unknown = run_cli({"schema", "colab"});
  EXPECT_EQ(unknown.status, 1);
  EXPECT_NE(unknown.err.find("collab"), std::string::npos) << "the names there are";
}

// Nothing but the program is needed to know what a message may hold, and to have one.
TEST(CommandLine, a_types_schema_is_whole_and_has_an_example) {
  const auto printed = run_cli({"schema", "collab", "task_assignment", "--json"});
  const auto schema = json::Document::parse(printed.out, {.bytes = 16 << 20});
  ASSERT_TRUE(schema);
  EXPECT_TRUE(schema->root().at_pointer("/$defs/TaskAssignmentPayload").is_object()) << "its own stay";
  EXPECT_TRUE(schema->root().at_pointer("/$defs/common.schema.json/$defs/AgentMessage").is_object());
  EXPECT_TRUE(schema->root().at_pointer("/$defs/common.schema.json/$id").is_string());

  const auto example = run_cli({"schema", "collab", "task_assignment", "--example"});
  EXPECT_EQ(example.status, 0) << example.err;
  const std::string file = testing::TempDir() + "/parley-example-" + std::to_string(::getpid()) + ".json";
  std::ofstream(file) << example.out;
  EXPECT_EQ(run_cli({"validate", file}).status, 0);
  std::remove(file.c_str());
  EXPECT_EQ(run_cli({"schema", "collab", "--example"}).status, 2);
}

// What `parley schema PROFILE` lists is printed by its name: a schema that needs no other file, and an example of it.
TEST(CommandLine, every_listed_schema_is_whole_and_accepts_its_example) {
  std::vector<std::string> seen;
  for (const std::string profile : {"collab", "handoff", "mesh", "pipeline", "supervisor"}) {
    const auto listed = json::Document::parse(run_cli({"schema", profile, "--json"}).out);
    ASSERT_TRUE(listed);
    for (const auto entry : listed->root().find("items").elements()) {
      const std::string name(entry.find("name").as_string());
      seen.push_back(name);
      const auto printed = run_cli({"schema", profile, name, "--json"});
      const auto program = schema::compile(printed.out, schema::Registry{}, {.assert_formats = true});
      ASSERT_TRUE(program) << profile << ' ' << name << ' ' << printed.out;
      const auto shown = run_cli({"schema", profile, name, "--example"});
      const auto example = json::Document::parse(shown.out);
      ASSERT_TRUE(example) << profile << ' ' << name << ' ' << shown.err;
      EXPECT_TRUE(program->accepts(example->root())) << profile << ' ' << name << ' ' << shown.out;
    }
  }
  for (const char* name : {"TASK_HANDOFF", "task_handoff_reply", "SharedState", "RoutingTable", "PipelineState"})
    EXPECT_NE(std::ranges::find(seen, name), seen.end()) << name;
  EXPECT_NE(run_cli({"schema", "mesh"}).out.find("RoutingTable"), std::string::npos);
  EXPECT_NE(run_cli({"schema", "mesh", "table"}).err.find("RoutingTable"), std::string::npos) << "the names there are";
}

TEST(CommandLine, lint_names_what_cannot_be_read_in_a_folder) {
  const std::filesystem::path folder = testing::TempDir() + "/parley-lint-" + std::to_string(::getpid());
  std::filesystem::copy(std::string(std::getenv("PARLEY_SOURCE")) + "/spec/profiles/mesh", folder,
                        std::filesystem::copy_options::recursive);
  EXPECT_EQ(run_cli({"schema", "lint", folder.string()}).status, 0) << "whatever the folder is named";
  std::filesystem::create_symlink("loop", folder / "schemas/loop");
  const auto refused = run_cli({"schema", "lint", folder.string()});
  std::filesystem::remove_all(folder);
  EXPECT_EQ(refused.status, 1);
  EXPECT_NE(refused.err.find("PROFILE_INVALID"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("schemas/loop"), std::string::npos) << refused.err;
}

TEST(CommandLine, the_reference_names_every_verb_and_option) {
  const auto groups = all_verbs({});
  const auto text = reference(groups);
  std::vector<std::pair<std::string, const Verb*>> verbs;
  for (const auto& group : groups)
    for (const auto& verb : group.verbs) collect(verb, verb.name, verbs);
  for (const auto& [path, verb] : verbs) EXPECT_NE(text.find("## parley " + path + "\n"), std::string::npos) << path;
}

}  // namespace
}  // namespace parley::cli
