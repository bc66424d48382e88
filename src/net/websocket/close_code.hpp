// Why a WebSocket was closed: codes of RFC 6455 §7.4.1, and Parley's own, which servers send and clients understand.
#pragma once
#include <cstdint>

namespace parley::net::websocket::close_code {

constexpr std::uint16_t normal = 1000, going_away = 1001, protocol_error = 1002, no_code = 1005, abnormal = 1006,
                        not_utf8 = 1007, too_large = 1009;

constexpr std::uint16_t taken_over = 4001, not_authorised = 4401, too_slow = 4429;  // docs/reference/websocket.md

}  // namespace parley::net::websocket::close_code
