// `parley nack`: gives deliveries back; they come again after a pause, until their attempts are spent (R46).
#include "cli/settle.hpp"
#include "cli/verbs.hpp"

namespace parley::cli {

Verb nack_verb() {
  struct NackOptions {
    Online online;
    std::vector<std::string> delivery_ids;
    sdk::SettleOptions how;
  };
  auto options = std::make_shared<NackOptions>();
  return {.name = "nack",
          .summary = "Give deliveries back, to be tried again",
          .examples = {"parley nack --as developer-01 DELIVERY_ID --reason \"no compiler here\" --delay 1m"},
          .options =
              std::vector<Option>{
                  {"delivery_id", "as `parley wait` printed it", &options->delivery_ids, true},
                  {"--delay", "when to try again (default: the profile's backoff)", &options->how.delay},
                  {"--reason", "why, for the message's history", &options->how.reason},
                  {"--code CODE", "error code; if the profile does not retry it, the message is dead at once",
                   &options->how.code}} +
              agent_options(options->online),
          .run = [options](Context& context) {
            return settle(context, options->online, sdk::Settlement::nack, options->delivery_ids, options->how);
          }};
}

}  // namespace parley::cli
