// Children and folders of the end-to-end tests: base's and the SDK's, where what does not work is thrown as Unusable.
#pragma once
#include <chrono>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "sdk/cpp/server_process.hpp"

namespace parley::e2e {

using Milliseconds = std::chrono::milliseconds;
using base::End;
using Server = sdk::ServerProcess;

// Something that the test itself needs did not work; the product was not judged.
struct Unusable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

extern const std::string server_program;  // the binary this build made; or another that PARLEY_PROGRAM names

// A folder under TMPDIR, gone with this object.
class TempFolder {
 public:
  explicit TempFolder(const std::string& name);
  const std::string& path() const { return folder_.path(); }
  std::string operator/(const std::string& name) const { return folder_ / name; }

 private:
  base::TempFolder folder_;
};

End run(const std::vector<std::string>& command, const std::string& log, Milliseconds at_most = Milliseconds(30'000));

std::string read_file(const std::string& path);  // empty where there is none
std::string read_line(const std::string& path);  // without the line's end

}  // namespace parley::e2e
