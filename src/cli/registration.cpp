// Tokens go into the data folder, so that `--as NAME` works at once on this machine.
#include "cli/registration.hpp"

#include <ostream>

#include "json/parser.hpp"
#include "sdk/cpp/socket.hpp"

namespace parley::cli {
namespace {

bool is_loopback(std::string_view host) {
  return host == "127.0.0.1" || host == "::1" || host == "localhost";
}

// Two addresses of one server: this machine has several names for itself.
bool is_same_server(const std::string& one, const std::string& other) {
  if (one == other) return true;
  const auto here = sdk::endpoint_of(one), there = sdk::endpoint_of(other);
  return here && there && here->port == there->port && is_loopback(here->host) && is_loopback(there->host);
}

bool calls_own_server(const sdk::Access& access) {
  return is_same_server(access.url, sdk::own_server(access.data_folder));
}

// Whether the token that is kept under this name is one of the server that is called.
bool is_of_called(const sdk::Access& access, const sdk::TokenStore::Owner& owner) {
  const std::string elsewhere = sdk::TokenStore(access.data_folder).server(owner);
  return elsewhere.empty() ? calls_own_server(access) : is_same_server(access.url, elsewhere);
}

// Before the server is asked for a token. One that another server gave is not replaced: nobody could get it back here.
base::Result<sdk::TokenPlace> place_for(const Connected& server, std::string_view whose, const std::string& name) {
  const sdk::Access& access = server.client.access();
  const sdk::TokenStore tokens(access.data_folder);
  const sdk::TokenStore::Owner owner{server.workspace, whose, name};
  if (tokens.get(owner) && !is_of_called(access, owner))
    return base::fail(base::ErrorCode::FORBIDDEN,
                      "the token of \"" + name + "\" that is kept here is another server's than " + access.url,
                      tokens.path(owner),
                      "Name another folder for tokens with --data; or delete this one, if that server is no more.");
  return tokens.place(owner);
}

// Where the server has done its part, and the token that it gave is lost.
std::unexpected<base::Error> lost(base::Error error, const Connected& server, std::string_view whose,
                                  const std::string& name, std::string_view what) {
  error.message = name + std::string(what) + server.workspace + ", but " + error.message;
  error.hint += " Then get another token: `parley " + std::string(whose == "people" ? "person" : "agent") + " token " +
                name + " --workspace " + server.workspace + "`.";
  return std::unexpected(std::move(error));
}

base::Result<Exit> keep_token(Context& context, const Connected& server, std::string_view whose,
                              const std::string& name, const sdk::Reply& reply, std::string_view what) {
  PARLEY_TRY(const auto document, json::Document::parse(reply.body));
  const auto token = document.root().find("token").if_string();
  const sdk::Access& access = server.client.access();
  const sdk::TokenStore tokens(access.data_folder);
  const sdk::TokenStore::Owner owner{server.workspace, whose, name};
  if (token)
    if (auto kept = tokens.put(owner, *token, calls_own_server(access) ? std::string() : access.url); !kept)
      return lost(std::move(kept).error(), server, whose, name, what);
  if (context.json) return show(context, reply);

  // The token itself is in the file alone: what a terminal shows ends up in logs.
  const Terminal& terminal = context.terminal;
  if (!token) {
    terminal.out << printable(name) << " is registered already, with these properties. Its token stays as it is.\n";
    return Exit::done;
  }
  terminal.out << printable(name) << what << printable(server.workspace) << ".\n  "
               << coloured("kept   ", Colour::faint, terminal.out_is_tty) << printable(tokens.path(owner))
               << ", for --as " << printable(name) << '\n';
  return Exit::done;
}

}  // namespace

base::Result<Exit> register_one(Context& context, const Online& online, std::string_view whose, const std::string& name,
                                const std::string& body) {
  PARLEY_TRY(auto server, connect(online));
  PARLEY_TRY(const auto place, place_for(server, whose, name));
  PARLEY_TRY(const auto reply, server.client.post(sdk::path_of(server.workspace, {whose}), body));
  return keep_token(context, server, whose, name, reply, " is registered in ");
}

base::Result<Exit> rotate_token(Context& context, const Online& online, std::string_view whose, const std::string& name,
                                base::Duration grace) {
  PARLEY_TRY(auto server, connect(online));
  PARLEY_TRY(const auto place, place_for(server, whose, name));
  const std::string body = "{\"grace\":\"" + base::to_text(grace) + "\"}";
  PARLEY_TRY(const auto reply, server.client.post(sdk::path_of(server.workspace, {whose, name, "token"}), body));
  return keep_token(context, server, whose, name, reply, " has a new token in ");
}

base::Result<Exit> change_one(Context& context, const Online& online, std::string_view whose, const std::string& name,
                              const std::string& body) {
  PARLEY_TRY(auto server, connect(online));
  return show(context, server.client.patch(sdk::path_of(server.workspace, {whose, name}), body));
}

base::Result<Exit> remove_one(Context& context, const Online& online, std::string_view whose, const std::string& name) {
  PARLEY_TRY(auto server, connect(online));
  PARLEY_TRY(auto reply, server.client.remove(sdk::path_of(server.workspace, {whose, name})));
  const sdk::Access& access = server.client.access();
  const sdk::TokenStore::Owner owner{server.workspace, whose, name};
  if (is_of_called(access, owner)) sdk::TokenStore(access.data_folder).remove(owner);
  if (context.json) return show(context, reply);
  context.terminal.out << printable(name) << " is removed.\n";
  return Exit::done;
}

}  // namespace parley::cli
