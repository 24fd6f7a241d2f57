#include "tools/judge/judge.h"

#include <algorithm>
#include <utility>

namespace holdfast::judge {

Judge::Judge(std::function<void(Violation)> report)
    : records_{.workers = {}, .sessions = {}, .shown = {}, .report = std::move(report)},
      times_(records_),
      answers_(records_, times_),
      updates_(records_),
      client_windows_(records_),
      windows_(records_, client_windows_),
      clients_(records_, times_, client_windows_, windows_) {}

void Judge::Hear(const Happening& happening) {
  ++counts_.happenings;
  std::visit([&](const auto& what) { On(happening, what); }, happening.what);
}

Judge::Counts Judge::counts() const {
  Counts counts = counts_;
  counts.holder_comparisons = windows_.comparisons() + client_windows_.comparisons();
  counts.extractions = clients_.extractions();
  return counts;
}

void Judge::On(const Happening& happening, const RegisterSent&) {
  WorkerRecord& worker = records_.workers[happening.who.worker];
  worker.last_registration_sent_us = std::max(worker.last_registration_sent_us, happening.at_us);
}

void Judge::On(const Happening& happening, const RegisterAnswered& answered) {
  ++counts_.answers;
  answers_.OnRegister(happening.who, answered, happening.at_us);
}

void Judge::On(const Happening&, const AckSent& sent) {
  SessionRecord* session = records_.Session(sent.request.session_id());
  if (!session) return;
  if (sent.request.accepted()) session->acks_sent.insert(sent.request.version());
  if (session->outstanding == sent.request.version()) session->outstanding = 0;
}

void Judge::On(const Happening& happening, const AckAnswered& answered) {
  ++counts_.answers;
  answers_.OnAck(happening.who, answered, happening.at_us);
}

void Judge::On(const Happening& happening, const ReportAnswered& answered) {
  ++counts_.answers;
  answers_.OnReport(happening.who, answered, happening.at_us);
}

void Judge::On(const Happening& happening, const OutcomesAnswered& answered) {
  ++counts_.answers;
  answers_.OnOutcomes(happening.who, answered, happening.at_us);
}

void Judge::On(const Happening&, const WatchOpened& opened) {
  // What was outstanding ended with the stream before.
  if (SessionRecord* session = records_.Session(opened.request.session_id())) session->outstanding = 0;
}

void Judge::On(const Happening& happening, const WatchEnded& ended) {
  ++counts_.answers;
  answers_.OnWatchEnded(happening.who, ended, happening.at_us);
}

void Judge::On(const Happening& happening, const UpdateReceived& received) {
  ++counts_.updates;
  SessionRecord* session = records_.Session(received.session_id);
  if (session) updates_.OnReceived(*session, received.update, happening.at_us);
}

void Judge::On(const Happening& happening, const UpdateTaken& taken) {
  SessionRecord* session = records_.Session(taken.session_id);
  if (!session) return;
  const auto version = session->versions.find(taken.version);
  if (version == session->versions.end()) return;
  windows_.OnTaken(happening.who, *session, version->second, happening.at_us);
}

void Judge::On(const Happening& happening, const UseBegan& began) {
  windows_.OnUseBegan(happening.who, began.proxy_id, happening.at_us);
}

void Judge::On(const Happening& happening, const UseEnded& ended) {
  windows_.OnUseEnded(happening.who, ended.proxy_id, happening.at_us);
}

void Judge::On(const Happening& happening, const Died&) { windows_.OnDied(happening.who); }

void Judge::On(const Happening& happening, const ExtractAnswered& answered) {
  ++counts_.answers;
  clients_.OnExtractAnswered(answered, happening.at_us);
}

void Judge::On(const Happening&, const ReleaseSent& sent) { clients_.OnReleaseSent(sent); }

void Judge::On(const Happening& happening, const ReleaseAnswered& answered) {
  ++counts_.answers;
  clients_.OnReleaseAnswered(answered, happening.at_us);
}

}  // namespace holdfast::judge
