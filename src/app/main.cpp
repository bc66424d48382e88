// The binary. Nothing is decided here.
#include <string>
#include <vector>

#include "app/server.hpp"
#include "cli/cli.hpp"
#include "cli/terminal.hpp"

int main(int argc, char** argv) {
  parley::cli::Terminal terminal = parley::cli::system_terminal();
  return parley::cli::run({argv + 1, argv + argc}, {parley::app::serve}, terminal);
}
