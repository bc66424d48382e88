// Request bodies against the schemas of spec/api/openapi.json, so that what is documented is what is checked.
#pragma once
#include <map>
#include <string>

#include "base/result.hpp"
#include "json/value.hpp"
#include "schema/program.hpp"

namespace parley::gateway::http {

extern const std::string_view openapi;  // the document, as served

class Bodies {
 public:
  Bodies();  // a defect in the document is our own bug and stops the process

  // BAD_REQUEST with every defect, where the operation has a JSON body schema and the body breaks it.
  base::Result<> check(std::string_view operation, json::Value body) const;

 private:
  std::map<std::string, schema::Program, std::less<>> programs_;
};

}  // namespace parley::gateway::http
