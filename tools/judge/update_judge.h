// Whether each update is what the contract allows, and its checksum what its content gives.
//
// Fed with the updates as they came over the wire, in the order of time. Keeps the content of each version that a
// later delta may stand on. Does not judge whether the worker took it.

#pragma once

#include <string>

#include "tools/judge/records.h"

namespace holdfast::judge {

class UpdateJudge {
 public:
  explicit UpdateJudge(Records& records) : records_(records) {}

  void OnReceived(SessionRecord& session, const wire::SnapshotUpdate& update, std::int64_t at_us);

 private:
  // What a full snapshot and a delta have in common.
  struct Head {
    std::uint64_t version = 0;
    std::uint64_t epoch = 0;
    std::int64_t generated_us = 0;
    std::int64_t valid_until_us = 0;
    bool has_valid_until = false;
    std::string checksum;
  };
  template <class Update>
  static Head HeadOf(const Update& update);

  void JudgeOrder(SessionRecord& session, const Head& head, std::int64_t at_us);
  ContentPointer JudgeDelta(SessionRecord& session, const wire::SnapshotDelta& delta, std::int64_t at_us);
  template <class Grants>
  void JudgeGrants(SessionRecord& session, const Head& head, const Grants& grants, std::int64_t at_us);
  void JudgeContent(const SessionRecord& session, const Head& head, const Content& content, std::int64_t at_us);
  void Wrong(const SessionRecord& session, const Head& head, std::int64_t at_us, const std::string& what);

  Records& records_;
};

}  // namespace holdfast::judge
