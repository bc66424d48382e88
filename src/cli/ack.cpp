// `parley ack`: the work of these deliveries is done.
#include "cli/settle.hpp"
#include "cli/verbs.hpp"

namespace parley::cli {

Verb ack_verb() {
  struct AckOptions {
    Online online;
    std::vector<std::string> delivery_ids;
    bool acted = false;
  };
  auto options = std::make_shared<AckOptions>();
  return {.name = "ack",
          .summary = "Acknowledge deliveries: done",
          .examples = {"parley ack --as developer-01 DELIVERY_ID"},
          .options = std::vector<Option>{{"delivery_id", "as `parley wait` printed it", &options->delivery_ids, true},
                                         {"--acted", "what they ask for is done; also of those acknowledged before",
                                          &options->acted}} +
                     agent_options(options->online),
          .run = [options](Context& context) {
            const auto what = options->acted ? sdk::Settlement::acted : sdk::Settlement::ack;
            return settle(context, options->online, what, options->delivery_ids, {});
          }};
}

}  // namespace parley::cli
