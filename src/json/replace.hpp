// A document with another value at one of its places. Pure.
#pragma once
#include "json/value.hpp"
#include "json/writer.hpp"

namespace parley::json {

// `place` lies inside `document`; `other` may be of another document. As deep as the document is nested.
void write_replaced(Writer& writer, Value document, Value place, Value other);

}  // namespace parley::json
