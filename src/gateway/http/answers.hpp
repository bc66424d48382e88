// Answers as HTTP responses.
#pragma once
#include <span>

#include "base/error.hpp"
#include "broker/port/delivery.hpp"
#include "net/http/response.hpp"

namespace parley::gateway::http {

net::http::Response json_response(int status, std::string body);
net::http::Response error_response(const base::Error& error);  // with WWW-Authenticate, Allow, Retry-After
net::http::Response deliveries_response(std::span<const broker::Delivery> deliveries);

}  // namespace parley::gateway::http
