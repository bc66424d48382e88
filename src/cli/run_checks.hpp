// `parley review run-checks`: what a review_request asks to be verified, run in a work tree (COL-14).
#pragma once
#include "cli/verb.hpp"

namespace parley::cli {

Verb run_checks_verb();

}  // namespace parley::cli
