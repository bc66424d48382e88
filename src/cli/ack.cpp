// `parley ack`: the work of these deliveries is done.
#include "cli/settle.hpp"
#include "cli/verbs.hpp"

namespace parley::cli {

Verb ack_verb() {
  struct AckOptions {
    Online online;
    std::vector<std::string> delivery_ids;
  };
  auto options = std::make_shared<AckOptions>();
  return {.name = "ack",
          .summary = "Acknowledge deliveries: done",
          .examples = {"parley ack --as developer-01 DELIVERY_ID"},
          .options = std::vector<Option>{{"delivery_id", "as `parley wait` printed it", &options->delivery_ids, true}} +
                     agent_options(options->online),
          .run = [options](Context& context) {
            return settle(context, options->online, sdk::Settlement::ack, options->delivery_ids, {});
          }};
}

}  // namespace parley::cli
