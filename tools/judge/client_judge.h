// Whether what clients are answered is what the contract allows, and from when to when which machine is whose.
//
// Fed in the order of time by the Judge. What it knows of an extraction is what its client was told: a call without an
// answer may have extracted, and is nobody's until a repeat says so or the machines show up elsewhere. Everything that
// ends by time ends here as early as it can have ended, so that nothing is reported that may be right.
// Assumes that a client never says other things under one request_id, and waits for the end of a call before it
// repeats it. One thread at a time. Does not judge whether there was enough, nor how fast it was given.

#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "tools/judge/client_windows.h"
#include "tools/judge/rejections.h"
#include "tools/judge/time_judge.h"
#include "tools/judge/window_judge.h"

namespace holdfast::judge {

class ClientJudge {
 public:
  ClientJudge(Records& records, TimeJudge& times, ClientWindows& windows, WindowJudge& workers)
      : records_(records), times_(times), windows_(windows), workers_(workers) {}

  void OnExtractAnswered(const ExtractAnswered& answered, std::int64_t at_us);
  void OnReleaseSent(const ReleaseSent& sent);
  void OnReleaseAnswered(const ReleaseAnswered& answered, std::int64_t at_us);

  // That were judged so far, each once.
  std::uint64_t extractions() const { return extractions_; }

 private:
  struct Release {
    std::uint64_t proxies = 0;  // that it gives back
    std::optional<distribution::v1::ReleaseResponse> answer;
  };
  struct Extraction {
    std::string request_id;
    distribution::v1::ExtractResponse answer;  // the first
    std::int64_t until_us = 0;                 // boot time: it certainly stands before
    std::set<std::string> left;                // that no release names
    std::map<std::string, Release> releases;   // by request_id
  };
  struct Asked {
    std::int64_t first_sent_us = 0;
    std::optional<std::int64_t> known_us;  // log time had reached this by then
    bool repeated = false;
    std::string extraction_id;  // empty: no answer gave any
  };
  struct Client {
    std::map<std::string, Asked> asked;             // by request_id
    std::map<std::string, Extraction> extractions;  // by extraction_id
  };

  void Wrong(const std::string& call, std::int64_t at_us, const std::string& what);
  Asked& AskedFor(const ExtractAnswered& answered, std::int64_t at_us);
  void Give(Client& client, Asked& asked, const ExtractAnswered& answered, std::int64_t at_us);
  void JudgeRepeat(Extraction& extraction, const ExtractAnswered& answered, std::int64_t at_us);
  void Refuse(Client& client, const Asked& asked, const ExtractAnswered& answered, std::int64_t at_us);
  void JudgeReleased(Release& release, const ReleaseAnswered& answered, std::int64_t at_us);
  Extraction* Find(const std::string& client_id, const std::string& extraction_id);
  // A client that asks for something new is done with what it gave back, and with what is past.
  void ForgetPast(Client& client, std::int64_t at_us);
  static bool IsGivenBack(const Extraction& extraction);

  Records& records_;
  TimeJudge& times_;
  ClientWindows& windows_;
  WindowJudge& workers_;
  std::map<std::string, Client> clients_;  // by client_id
  std::uint64_t extractions_ = 0;
};

}  // namespace holdfast::judge
