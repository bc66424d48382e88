// The message is shown whole, indented, and escaped: it is the sender's, not ours (G3).
#include "cli/deliveries.hpp"

#include <ostream>

#include "cli/errors.hpp"
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
  for (const base::Problem& warning : sdk::read_problems(delivery.warnings)) terminal.out << warning_text(warning, tty);
  const auto shown = delivery.message ? delivery.message : delivery.notice;
  terminal.out << printable_json(json::to_text(shown, 2)) << '\n';
}

}  // namespace parley::cli
