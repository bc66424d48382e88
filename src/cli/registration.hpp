// What registering an agent and registering a person have in common: tokens, changes, removal.
#pragma once
#include <string>
#include <string_view>

#include "cli/online.hpp"

namespace parley::cli {

// Posts the registration, keeps the token that it gives, and says where.
base::Result<Exit> register_one(Context& context, const Online& online, std::string_view whose, const std::string& name,
                                const std::string& body);
// Rotates the token; the old one stays valid for `grace`.
base::Result<Exit> rotate_token(Context& context, const Online& online, std::string_view whose, const std::string& name,
                                base::Duration grace);
base::Result<Exit> change_one(Context& context, const Online& online, std::string_view whose, const std::string& name,
                              const std::string& body);
base::Result<Exit> remove_one(Context& context, const Online& online, std::string_view whose, const std::string& name);

}  // namespace parley::cli
