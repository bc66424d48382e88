// Listens on loopback only (D10).
#include "cli/serve.hpp"

#include <ostream>

#include "cli/verbs.hpp"
#include "json/writer.hpp"
#include "sdk/cpp/access.hpp"

namespace parley::cli {
namespace {

void say_started(Context& context, const Started& started) {
  const Terminal& terminal = context.terminal;
  if (context.json) {
    std::string text;
    json::Writer(text)
        .begin_object()
        .member("url", started.url)
        .member("data", started.data_folder)
        .member("admin_token_file", started.admin_token_file)
        .end_object();
    print_json(terminal, text);
    terminal.out.flush();
    return;
  }
  const auto line = [&terminal](std::string_view name, std::string_view value) {
    terminal.out << "  " << coloured(name, Colour::faint, terminal.out_is_tty) << printable(value) << '\n';
  };
  terminal.out << coloured("Parley listens.", Colour::green, terminal.out_is_tty) << '\n';
  line("at     ", started.url);
  line("data   ", started.data_folder);
  line("admin  ", started.admin_token_file);
  line("next   ", started.first_start ? "parley workspace create demo" : "parley workspace list");
  line("stop   ", "Ctrl-C");
  terminal.out.flush();
}

// The catalogue's hint is for callers of a server, which goes on by itself.
base::Error of_start(base::Error error) {
  if (error.code == base::ErrorCode::STORAGE_FULL)
    error.hint = "Free space on the data folder's disk, then start again.";
  return error;
}

}  // namespace

Verb serve_verb(const ServeEntry& entry) {
  auto options = std::make_shared<ServeOptions>();
  return {
      .name = "serve",
      .summary = "Run the server on this machine's loopback; others reach it through a proxy",
      .examples = {"parley serve", "parley serve --data /var/lib/parley --listen 127.0.0.1:7411"},
      .options = {{"--data FOLDER", "data folder (else PARLEY_DATA, else $XDG_DATA_HOME/parley)",
                   &options->data_folder},
                  {"--listen ADDRESS:PORT", "loopback address and port; port 0: any that is free", &options->listen},
                  {"--journal WORD",
                   "where the journal is kept: file, or memory (nothing survives)",
                   &options->journal,
                   false,
                   {"file", "memory"}},
                  {"--allow-host HOST", "a further Host header to answer to, such as a proxy's; may be repeated",
                   &options->allowed_hosts},
                  {"--allow-origin ORIGIN", "a website whose pages may call; may be repeated",
                   &options->allowed_origins},
                  {"--log-level LEVEL",
                   "lowest level that is logged",
                   &options->log_level,
                   false,
                   {"debug", "info", "warning", "error"}}},
      .run = [options, entry](Context& context) -> base::Result<Exit> {
        if (!entry) return base::fail(base::ErrorCode::INTERNAL, "this program was built without a server");
        options->data_folder = sdk::data_folder(options->data_folder);
        auto served = entry(*options, [&context](const Started& started) { say_started(context, started); });
        if (!served) return std::unexpected(of_start(std::move(served).error()));
        return Exit::done;
      },
  };
}

}  // namespace parley::cli
