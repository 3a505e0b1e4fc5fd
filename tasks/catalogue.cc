#include "tasks/catalogue.h"

#include "google/protobuf/text_format.h"
#include "tasks/data/embedded.h"
#include "tasks/words.h"

namespace hearsay {
namespace {

// The data are ours and built in, so one that does not parse is a bug of ours.
template <typename Message>
const Message& ParseOnce(const char* text) {
  static const Message& message = *[text] {
    auto* parsed = new Message;
    GOOGLE_CHECK(google::protobuf::TextFormat::ParseFromString(text, parsed));
    return parsed;
  }();
  return message;
}

const HardwareCatalogue& Hardware() { return ParseOnce<HardwareCatalogue>(kHardwareText); }

}  // namespace

std::vector<std::string> HardwareNames() {
  std::vector<std::string> names;
  for (const HardwareSpec& hardware : Hardware().hardware()) names.push_back(hardware.name());
  return names;
}

absl::StatusOr<const HardwareSpec*> FindHardware(absl::string_view name) {
  for (const HardwareSpec& hardware : Hardware().hardware()) {
    if (hardware.name() == name) return &hardware;
  }
  return UnknownWord("hardware", name, HardwareNames());
}

const DslSpec& DslSpecOf(Dsl dsl) {
  const DslCatalogue& catalogue = ParseOnce<DslCatalogue>(kDslsText);
  for (const DslSpec& spec : catalogue.dsls()) {
    if (spec.name() == Name(dsl)) return spec;
  }
  GOOGLE_LOG(FATAL) << "no such DSL in dsls.textproto";
  return catalogue.dsls(0);
}

const RewriteSpec& RewriteOf(absl::string_view name) {
  const RewriteCatalogue& catalogue = ParseOnce<RewriteCatalogue>(kRewritesText);
  for (const RewriteSpec& spec : catalogue.rewrites()) {
    if (spec.name() == name) return spec;
  }
  GOOGLE_LOG(FATAL) << "no rewrite " << std::string(name) << " in rewrites.textproto";
  return catalogue.rewrites(0);
}

}  // namespace hearsay
