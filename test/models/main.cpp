// models TABLE                    explores it; exit status 0 where every invariant held
// models TABLE --planted FAULT    with a fault of ours; 0 where the invariant that should find it did
#include <cstdio>
#include <string_view>

#include "tables.hpp"

namespace {

using namespace parley::models;

int usage() {
  std::fputs("usage: models TABLE [--planted FAULT]\n", stderr);
  for (const Table& table : tables()) {
    std::fprintf(stderr, "  %s", table.name.data());
    for (const Fault& fault : table.faults) std::fprintf(stderr, " [%s]", fault.name.data());
    std::fputs("\n", stderr);
  }
  return 2;
}

int run_planted(const Table& table, const Fault& fault) {
  const auto broken = table.explore(fault.name);
  if (!broken) {
    std::fprintf(stderr, "FAILED: the planted fault '%s' went unnoticed\n", fault.name.data());
    return 1;
  }
  if (broken->invariant != fault.invariant) {
    std::fprintf(stderr, "FAILED: '%s' was to be found by INV-%d\n", fault.name.data(), fault.invariant);
    return 1;
  }
  std::printf("found, as it should be\n");
  return 0;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2 && !(count == 4 && std::string_view(words[2]) == "--planted")) return usage();
  for (const Table& table : tables()) {
    if (table.name != words[1]) continue;
    if (count == 2) return table.explore({}) ? 1 : 0;
    for (const Fault& fault : table.faults)
      if (fault.name == words[3]) return run_planted(table, fault);
  }
  return usage();
}
