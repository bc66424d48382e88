#include "broker/named_task.hpp"

#include "base/quoted.hpp"

namespace parley::broker {

base::Result<> check_named_task(json::Value body, std::string_view task_id) {
  const auto stated = body.find("task_id").if_string();
  if (!stated || *stated == task_id) return {};
  return base::fail(base::ErrorCode::BAD_REQUEST, "the body is about " + base::quoted(*stated), "/task_id",
                    "Name the task of the path, or leave it out.");
}

}  // namespace parley::broker
