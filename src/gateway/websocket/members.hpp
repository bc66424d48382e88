// What the members of a frame say. Whoever reads one judges its form: each error is BAD_FRAME, and names the member.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "broker/port/sending.hpp"
#include "json/value.hpp"

namespace parley::gateway::websocket {

std::unexpected<base::Error> bad_frame(std::string message, std::string where, std::string hint = {});

base::Result<std::uint32_t> credit_of(json::Value frame, std::string_view key);
base::Result<std::string_view> text_of(json::Value frame, std::string_view key);  // empty where it is left out
base::Result<bool> flag_of(json::Value frame, std::string_view key);              // false where it is left out
// Under `key`, at most envelope::listed_max; where it is left out none.
base::Result<std::vector<std::string_view>> texts_of(json::Value frame, std::string_view key);
// Beside `messages`, one each; empty: nothing is said.
base::Result<std::vector<broker::SendOptions>> beside_of(json::Value frame, std::size_t messages);

}  // namespace parley::gateway::websocket
