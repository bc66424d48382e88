// The message is shown whole, indented, and escaped: it is the sender's, not ours (G3).
#include "cli/deliveries.hpp"

#include <ostream>

#include "cli/errors.hpp"
#include "json/parser.hpp"
#include "json/writer.hpp"
#include "sdk/cpp/error_text.hpp"

namespace parley::cli {
void print_delivery(const Terminal& terminal, const sdk::Delivery& delivery) {
  const bool tty = terminal.out_is_tty;
  terminal.out << coloured("delivery ", Colour::faint, tty)
               << coloured(printable(delivery.delivery_id), Colour::strong, tty) << "  offset " << delivery.offset
               << "  attempt " << delivery.attempt << "  " << printable(delivery.priority);
  if (!delivery.lease_until.empty()) terminal.out << "  lease until " << printable(delivery.lease_until);
  terminal.out << '\n';
  if (const auto warnings = json::Document::parse(delivery.warnings, sdk::limits_of_delivered))
    for (const base::Problem& warning : sdk::read_problems(warnings->root()))
      terminal.out << warning_text(warning, tty);
  const std::string_view shown = delivery.message.empty() ? delivery.notice : delivery.message;
  const auto document = json::Document::parse(shown, sdk::limits_of_delivered);
  terminal.out << printable_json(document ? json::to_text(document->root(), 2) : std::string(shown)) << '\n';
}

}  // namespace parley::cli
