// Answers as HTTP responses.
#pragma once
#include <span>

#include "base/error.hpp"
#include "broker/port/delivery.hpp"
#include "net/http/response.hpp"

namespace parley::gateway::http {

net::http::Response json_response(int status, std::string body);
net::http::Response error_response(const base::Error& error);  // with WWW-Authenticate, Allow, Retry-After
base::Error no_longer_valid();                                 // the token of a call that took its time (I4)
net::http::Response deliveries_response(std::span<const broker::Delivery> deliveries);

}  // namespace parley::gateway::http
