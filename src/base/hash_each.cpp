// The lanes are Intel's multi-buffer library's: a text is a job, and a job that is done makes room for the next.
#define NO_COMPAT_IMB_API_053  // its old names are those of OpenSSL
#include "base/hash_each.hpp"

#include <intel-ipsec-mb.h>

#include <cstddef>
#include <memory>

#include "base/assert.hpp"

namespace parley::base {
namespace {

// All lanes together take as long as some seven texts one after the other by the processor's own instructions.
constexpr std::size_t lanes = 16;
constexpr std::size_t lanes_worth = lanes / 2;
// A long text would go on by itself, in a lane that is a sixth as fast.
constexpr std::size_t lane_bytes = 4096;

struct Free {
  void operator()(IMB_MGR* manager) const { free_mb_mgr(manager); }
};

// The library asks the processor alone; the system may not have switched the registers on.
bool has_lanes() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

// Null: there are no lanes that are worth it.
IMB_MGR* manager_of_thread() {
  thread_local const std::unique_ptr<IMB_MGR, Free> manager = [] {
    std::unique_ptr<IMB_MGR, Free> made(has_lanes() ? alloc_mb_mgr(0) : nullptr);
    if (!made) return made;
    IMB_ARCH architecture = IMB_ARCH_NONE;
    init_mb_mgr_auto(made.get(), &architecture);
    const bool passed = (made->features & IMB_FEATURE_SELF_TEST_PASS) != 0;
    if (architecture != IMB_ARCH_AVX512 || !passed) made.reset();
    return made;
  }();
  return manager.get();
}

bool goes_in_lane(std::string_view text) {
  return !text.empty() && text.size() <= lane_bytes;
}

void submit(IMB_MGR& manager, const ToHash& one) {
  IMB_JOB& job = *IMB_GET_NEXT_JOB(&manager);
  job = {};
  job.cipher_mode = IMB_CIPHER_NULL;
  job.cipher_direction = IMB_DIR_ENCRYPT;
  job.chain_order = IMB_ORDER_HASH_CIPHER;
  job.hash_alg = IMB_AUTH_SHA_256;
  job.src = reinterpret_cast<const std::uint8_t*>(one.text.data());
  job.msg_len_to_hash_in_bytes = one.text.size();
  job.auth_tag_output = one.digest->data();
  job.auth_tag_output_len_in_bytes = one.digest->size();
  const IMB_JOB* done = IMB_SUBMIT_JOB(&manager);
  PARLEY_ASSERT(job.status != IMB_STATUS_INVALID_ARGS);
  for (; done; done = IMB_GET_COMPLETED_JOB(&manager)) PARLEY_ASSERT(done->status == IMB_STATUS_COMPLETED);
}

}  // namespace

void sha256_each(std::span<const ToHash> texts) {
  std::size_t in_lanes = 0;
  for (const ToHash& one : texts) in_lanes += goes_in_lane(one.text);
  if (in_lanes % lanes < lanes_worth) in_lanes -= in_lanes % lanes;
  IMB_MGR* manager = in_lanes > 0 ? manager_of_thread() : nullptr;
  for (const ToHash& one : texts) {
    if (manager && in_lanes > 0 && goes_in_lane(one.text)) {
      submit(*manager, one);
      --in_lanes;
    } else {
      *one.digest = sha256(one.text);
    }
  }
  if (!manager) return;
  while (const IMB_JOB* done = IMB_FLUSH_JOB(manager)) PARLEY_ASSERT(done->status == IMB_STATUS_COMPLETED);
}

}  // namespace parley::base
