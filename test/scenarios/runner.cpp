// Runs the scripts named: `scenarios [--rewrite] [--verbose] FILE…`. Each has a world of its own. A result that differs
// is shown with the line to go to; --rewrite puts what happened into the script, and the diff is the review. What is no
// result (no_result.hpp) is shown with either, and fails the run.
#include <cstdio>
#include <cstring>

#include "commands.hpp"
#include "no_result.hpp"
#include "source.hpp"

namespace parley::scenarios {
namespace {

struct Options {
  bool rewrite = false;
  bool verbose = false;
};

std::string read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string run_block(World& world, const Block& block) {
  const auto command = Command::parse(block.command);
  return command ? run(world, *command) : script_error + command.error().message + '\n';
}

void show_difference(const std::string& path, const Block& block, const std::string& actual) {
  std::printf("%s:%d: %sexpected\n%sgot\n%s\n", path.c_str(), block.line, block.command.c_str(), block.expected.c_str(),
              actual.c_str());
}

// How many results differ from the script; rewritten, how many are none.
int run_script(const std::string& path, const Options& options) {
  const std::string text = read(path);
  if (text.empty()) {
    std::printf("%s: no script\n", path.c_str());
    return 1;
  }
  Script script = Script::parse(text);
  World world;
  int differing = 0;
  for (Block& block : script.blocks) {
    if (options.verbose) std::fprintf(stderr, "%s:%d: %s", path.c_str(), block.line, block.command.c_str());
    const std::string actual = run_block(world, block);
    const bool is_result = !is_no_result(actual);
    if (is_result && actual == block.expected) continue;
    if (is_result && options.rewrite) {
      block.expected = actual;
      continue;
    }
    ++differing;
    show_difference(path, block, actual);
  }
  if (options.rewrite) std::ofstream(path, std::ios::binary) << script.text();
  return differing;
}

}  // namespace
}  // namespace parley::scenarios

int main(int count, char** arguments) {
  parley::scenarios::Options options;
  int differing = 0;
  int scripts = 0;
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(arguments[i], "--rewrite") == 0) {
      options.rewrite = true;
    } else if (std::strcmp(arguments[i], "--verbose") == 0) {
      options.verbose = true;
    } else {
      differing += parley::scenarios::run_script(arguments[i], options);
      ++scripts;
    }
  }
  std::printf("%d scripts, %d results differ\n", scripts, differing);
  if (differing > 0 && !options.rewrite) std::printf("Where the new results are right: test/scenarios/rewrite\n");
  return differing == 0 && scripts > 0 ? 0 : 1;
}
