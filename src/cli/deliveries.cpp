// The message is shown whole, indented, and escaped: it is the sender's, not ours (G3).
#include "cli/deliveries.hpp"

#include <ostream>

#include "cli/errors.hpp"
#include "json/writer.hpp"

namespace parley::cli {
namespace {

std::string text_in(json::Value object, std::string_view key) {
  return std::string(object.find(key).if_string().value_or(""));
}

}  // namespace

void print_delivery(const Terminal& terminal, const sdk::Delivery& delivery) {
  const bool tty = terminal.out_is_tty;
  terminal.out << coloured("delivery ", Colour::faint, tty)
               << coloured(printable(delivery.delivery_id), Colour::strong, tty) << "  offset " << delivery.offset
               << "  attempt " << delivery.attempt << "  " << printable(delivery.priority);
  if (!delivery.lease_until.empty()) terminal.out << "  lease until " << printable(delivery.lease_until);
  terminal.out << '\n';
  for (const auto warning : delivery.warnings.elements())
    terminal.out << warning_text(
        {text_in(warning, "instance"), text_in(warning, "schema"), text_in(warning, "message")}, tty);
  const auto shown = delivery.message ? delivery.message : delivery.notice;
  terminal.out << printable_json(json::to_text(shown, 2)) << '\n';
}

}  // namespace parley::cli
