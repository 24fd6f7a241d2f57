#include "tools/import/admission.h"

#include <utility>
#include <variant>

#include "tools/import/secret_reference.h"

namespace holdfast::importer {

void Admission::BeginFile(std::string_view name) {
  files_.emplace_back(name);
  counts_ = ImportCounts();
}

void Admission::Admit(Outcome outcome, Position position) {
  if (const Refusal* refusal = std::get_if<Refusal>(&outcome)) {
    Reject(*refusal, position);
    return;
  }
  Accept(std::move(std::get<Candidate>(outcome)), position);
}

void Admission::Accept(Candidate candidate, Position position) {
  std::string secret_ref = SecretReferenceOf(candidate.endpoint, candidate.credential);
  const bool password_differs =
      candidate.credential && secrets_.Compare(secret_ref, *candidate.credential) == SecretStore::Added::kOtherPassword;
  const FirstSeen where{static_cast<std::uint32_t>(files_.size() - 1), position.line};
  if (const auto first = identities_.Insert(candidate.endpoint, candidate.credential, where)) {
    ++counts_.duplicates;
    sink_->OnDuplicate(Duplicate{files_.back(), position, files_[first->file], first->line, password_differs});
    return;
  }
  // The same account by another protocol: one reference stands for one password.
  if (password_differs) {
    Reject(Refusal{RejectionReason::kCredentialConflict, CanonicalUrl(candidate.endpoint, secret_ref)}, position);
    return;
  }
  if (candidate.credential) secrets_.Add(secret_ref, *candidate.credential);
  ++counts_.accepted;
  Item item{
      std::move(candidate.endpoint), std::move(secret_ref), std::move(candidate.labels), std::move(candidate.zone),
      std::move(candidate.source),   candidate.capacity,    candidate.expires_at,        position};
  if (!sink_->OnAccepted(std::move(item))) stopped_ = true;
}

void Admission::Reject(const Refusal& refusal, Position position) {
  ++counts_.rejected;
  sink_->OnRejected(Rejection{files_.back(), position, refusal.reason, refusal.proxy_id});
}

}  // namespace holdfast::importer
