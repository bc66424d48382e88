// Requests against spec/api/openapi.json, so that what is documented is what is checked: bodies against their schemas,
// query parameters against their names and schemas. Value type once built; read by the loop's thread.
#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "json/value.hpp"
#include "net/http/target.hpp"
#include "schema/program.hpp"

namespace parley::gateway::http {

extern const std::string_view openapi_document;  // as served

class Contract {
 public:
  Contract();  // a defect in the document is our own bug and stops the process

  // BAD_REQUEST with every defect, where the operation has a JSON body schema and the body breaks it; BAD_ID where the
  // first is the form of an id. Of a member that is none, `legal_next` lists those there are.
  base::Result<> check_body(std::string_view operation, json::Value body) const;
  // BAD_REQUEST for a parameter the operation does not have, or of another form; `where`: "?name".
  base::Result<> check_query(std::string_view operation, const net::http::QueryParameters& query) const;

 private:
  struct Operation {
    std::optional<schema::Program> body;
    schema::Program query;
    std::set<std::string, std::less<>> numbers;                          // query parameters that are whole numbers
    std::set<std::string, std::less<>> ids;                              // members of the body, by their pointers
    std::map<std::string, std::vector<std::string>, std::less<>> names;  // those of an object of the body, by its own
  };
  std::map<std::string, Operation, std::less<>> operations_;
};

}  // namespace parley::gateway::http
