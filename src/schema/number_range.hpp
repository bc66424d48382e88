// Bounds of numbers as ranges of what most numbers are held as, so that one comparison decides. Internal to schema/.
#pragma once
#include "schema/code.hpp"

namespace parley::schema {

void narrow(NumberRule& rule);  // sets its ranges by its bounds

}  // namespace parley::schema
