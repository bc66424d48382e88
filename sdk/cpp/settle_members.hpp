// The members that ack, nack and extend have in common on both fronts. Internal to the SDK.
#pragma once
#include <span>
#include <string_view>

#include "json/writer.hpp"
#include "sdk/cpp/workspace.hpp"

namespace parley::sdk {

void write_settle_members(json::Writer& out, std::span<const std::string_view> delivery_ids,
                          const SettleOptions& options);

}  // namespace parley::sdk
