// The enumerations of the vocabulary have the numbers of the generated ones, and none is missing on either side.

#include "events/vocabulary.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "base/endpoint.h"
#include "holdfast/log/v1/event.pb.h"

namespace holdfast {
namespace {

template <class E>
void ExpectSame(const google::protobuf::EnumDescriptor& type, const std::string& prefix,
                const std::vector<std::pair<E, std::string>>& values) {
  for (const auto& [value, name] : values) {
    const google::protobuf::EnumValueDescriptor* generated = type.FindValueByName(prefix + name);
    ASSERT_NE(generated, nullptr) << prefix << name;
    EXPECT_EQ(static_cast<int>(value), generated->number()) << prefix << name;
  }
  EXPECT_EQ(static_cast<int>(values.size()), type.value_count()) << type.full_name();
}

TEST(Vocabulary, SessionsAndSnapshotsHaveTheNumbersOfTheWire) {
  ExpectSame<SessionState>(*controlplane::v1::SessionState_descriptor(), "SESSION_STATE_",
                           {{SessionState::kUnspecified, "UNSPECIFIED"},
                            {SessionState::kConnecting, "CONNECTING"},
                            {SessionState::kHandshaking, "HANDSHAKING"},
                            {SessionState::kActive, "ACTIVE"},
                            {SessionState::kDraining, "DRAINING"},
                            {SessionState::kClosed, "CLOSED"},
                            {SessionState::kReconnecting, "RECONNECTING"}});
  ExpectSame<DrainReason>(*controlplane::v1::DrainReason_descriptor(), "DRAIN_REASON_",
                          {{DrainReason::kUnspecified, "UNSPECIFIED"},
                           {DrainReason::kShutdown, "SHUTDOWN"},
                           {DrainReason::kSessionSwitch, "SESSION_SWITCH"},
                           {DrainReason::kOverload, "OVERLOAD"},
                           {DrainReason::kOperator, "OPERATOR"}});
  ExpectSame<CloseReason>(*admin::v1::CloseReason_descriptor(), "CLOSE_REASON_",
                          {{CloseReason::kUnspecified, "UNSPECIFIED"},
                           {CloseReason::kDrained, "DRAINED"},
                           {CloseReason::kDrainDeadline, "DRAIN_DEADLINE"},
                           {CloseReason::kExpired, "EXPIRED"},
                           {CloseReason::kSuperseded, "SUPERSEDED"},
                           {CloseReason::kFenced, "FENCED"},
                           {CloseReason::kProtocol, "PROTOCOL"},
                           {CloseReason::kConnection, "CONNECTION"},
                           {CloseReason::kRecovery, "RECOVERY"}});
  ExpectSame<GrantState>(*controlplane::v1::GrantState_descriptor(), "GRANT_STATE_",
                         {{GrantState::kUnspecified, "UNSPECIFIED"},
                          {GrantState::kActive, "ACTIVE"},
                          {GrantState::kSuspect, "SUSPECT"},
                          {GrantState::kDraining, "DRAINING"},
                          {GrantState::kHeld, "HELD"}});
  ExpectSame<SnapshotRefusal>(*controlplane::v1::SnapshotRefusal_descriptor(), "SNAPSHOT_REFUSAL_",
                              {{SnapshotRefusal::kUnspecified, "UNSPECIFIED"},
                               {SnapshotRefusal::kChecksum, "CHECKSUM"},
                               {SnapshotRefusal::kBaseVersion, "BASE_VERSION"},
                               {SnapshotRefusal::kExpired, "EXPIRED"},
                               {SnapshotRefusal::kMalformed, "MALFORMED"},
                               {SnapshotRefusal::kTooLarge, "TOO_LARGE"},
                               {SnapshotRefusal::kUnsupported, "UNSUPPORTED"}});
  EXPECT_EQ(kCapabilityDelta, 1u << controlplane::v1::WORKER_CAPABILITY_DELTA);
  EXPECT_EQ(kCapabilitySecretRef, 1u << controlplane::v1::WORKER_CAPABILITY_SECRET_REF);
}

TEST(Vocabulary, ThePoolHasTheNumbersOfTheWire) {
  ExpectSame<PoolState>(*admin::v1::PoolState_descriptor(), "POOL_STATE_",
                        {{PoolState::kUnspecified, "UNSPECIFIED"},
                         {PoolState::kPending, "PENDING"},
                         {PoolState::kAvailable, "AVAILABLE"},
                         {PoolState::kSuspect, "SUSPECT"},
                         {PoolState::kUnhealthy, "UNHEALTHY"},
                         {PoolState::kExtracted, "EXTRACTED"},
                         {PoolState::kExpired, "EXPIRED"}});
  ExpectSame<OwnershipState>(*admin::v1::OwnershipState_descriptor(), "OWNERSHIP_STATE_",
                             {{OwnershipState::kUnspecified, "UNSPECIFIED"},
                              {OwnershipState::kUnowned, "UNOWNED"},
                              {OwnershipState::kGranted, "GRANTED"},
                              {OwnershipState::kRevoking, "REVOKING"},
                              {OwnershipState::kLapsing, "LAPSING"},
                              {OwnershipState::kExtracting, "EXTRACTING"},
                              {OwnershipState::kExtracted, "EXTRACTED"}});
  ExpectSame<Anonymity>(*controlplane::v1::Anonymity_descriptor(), "ANONYMITY_",
                        {{Anonymity::kUnspecified, "UNSPECIFIED"},
                         {Anonymity::kTransparent, "TRANSPARENT"},
                         {Anonymity::kAnonymous, "ANONYMOUS"},
                         {Anonymity::kElite, "ELITE"}});
  EXPECT_EQ(static_cast<int>(Scheme::kHttp), controlplane::v1::PROXY_SCHEME_HTTP);
  EXPECT_EQ(static_cast<int>(Scheme::kHttps), controlplane::v1::PROXY_SCHEME_HTTPS);
  EXPECT_EQ(static_cast<int>(Scheme::kSocks4), controlplane::v1::PROXY_SCHEME_SOCKS4);
  EXPECT_EQ(static_cast<int>(Scheme::kSocks4a), controlplane::v1::PROXY_SCHEME_SOCKS4A);
  EXPECT_EQ(static_cast<int>(Scheme::kSocks5), controlplane::v1::PROXY_SCHEME_SOCKS5);
  EXPECT_EQ(static_cast<int>(Scheme::kSocks5h), controlplane::v1::PROXY_SCHEME_SOCKS5H);
}

TEST(Vocabulary, EndsOfOwnershipHaveTheNumbersOfTheAudit) {
  ExpectSame<RevokeReason>(*audit::v1::RevokeReason_descriptor(), "REVOKE_REASON_",
                           {{RevokeReason::kUnspecified, "UNSPECIFIED"},
                            {RevokeReason::kReclaim, "RECLAIM"},
                            {RevokeReason::kRemoval, "REMOVAL"},
                            {RevokeReason::kHealth, "HEALTH"},
                            {RevokeReason::kSessionDrain, "SESSION_DRAIN"},
                            {RevokeReason::kRebalance, "REBALANCE"},
                            {RevokeReason::kExpiry, "EXPIRY"},
                            {RevokeReason::kEndpointChanged, "ENDPOINT_CHANGED"},
                            {RevokeReason::kSnapshotRefused, "SNAPSHOT_REFUSED"},
                            {RevokeReason::kFence, "FENCE"}});
  ExpectSame<EndReason>(*audit::v1::EndReason_descriptor(), "END_REASON_",
                        {{EndReason::kUnspecified, "UNSPECIFIED"},
                         {EndReason::kDrained, "DRAINED"},
                         {EndReason::kLapsed, "LAPSED"},
                         {EndReason::kReleased, "RELEASED"},
                         {EndReason::kHoldOver, "HOLD_OVER"},
                         {EndReason::kExpired, "EXPIRED"}});
}

TEST(Vocabulary, WhatOnlyTheLogKnowsHasTheNumbersOfTheStoredFormat) {
  ExpectSame<LapseCause>(*log::v1::LapseCause_descriptor(), "LAPSE_CAUSE_",
                         {{LapseCause::kUnspecified, "UNSPECIFIED"},
                          {LapseCause::kSessionOver, "SESSION_OVER"},
                          {LapseCause::kNewInstance, "NEW_INSTANCE"},
                          {LapseCause::kRevoked, "REVOKED"}});
  ExpectSame<RemovalReason>(*log::v1::RemovalReason_descriptor(), "REMOVAL_REASON_",
                            {{RemovalReason::kUnspecified, "UNSPECIFIED"},
                             {RemovalReason::kOperator, "OPERATOR"},
                             {RemovalReason::kSourceReplaced, "SOURCE_REPLACED"},
                             {RemovalReason::kExpired, "EXPIRED"},
                             {RemovalReason::kEndpointChanged, "ENDPOINT_CHANGED"}});
  ExpectSame<WaitReason>(*log::v1::WaitReason_descriptor(), "WAIT_REASON_",
                         {{WaitReason::kUnspecified, "UNSPECIFIED"},
                          {WaitReason::kNewLog, "NEW_LOG"},
                          {WaitReason::kHistoryLost, "HISTORY_LOST"},
                          {WaitReason::kPoolForeign, "POOL_FOREIGN"}});
  ExpectSame<GiveBackReason>(*log::v1::GiveBackReason_descriptor(), "GIVE_BACK_REASON_",
                             {{GiveBackReason::kUnspecified, "UNSPECIFIED"},
                              {GiveBackReason::kNoneMoved, "NONE_MOVED"},
                              {GiveBackReason::kCancelled, "CANCELLED"},
                              {GiveBackReason::kDoubted, "DOUBTED"},
                              {GiveBackReason::kNoAnswer, "NO_ANSWER"}});
  ExpectSame<PoolStoreVerdict>(*log::v1::PoolStoreVerdict_descriptor(), "POOL_STORE_VERDICT_",
                               {{PoolStoreVerdict::kUnspecified, "UNSPECIFIED"},
                                {PoolStoreVerdict::kUsable, "USABLE"},
                                {PoolStoreVerdict::kBehind, "BEHIND"},
                                {PoolStoreVerdict::kForeign, "FOREIGN"},
                                {PoolStoreVerdict::kAhead, "AHEAD"}});
}

TEST(Vocabulary, AlarmsHaveTheNumbersOfTheWire) {
  ExpectSame<AlarmKind>(*admin::v1::AlarmKind_descriptor(), "ALARM_KIND_",
                        {{AlarmKind::kUnspecified, "UNSPECIFIED"},
                         {AlarmKind::kHealthFrozen, "HEALTH_FROZEN"},
                         {AlarmKind::kInstanceConflict, "INSTANCE_CONFLICT"},
                         {AlarmKind::kReplayDiverged, "REPLAY_DIVERGED"},
                         {AlarmKind::kPoolBehind, "POOL_BEHIND"},
                         {AlarmKind::kPoolForeign, "POOL_FOREIGN"},
                         {AlarmKind::kClockJumped, "CLOCK_JUMPED"},
                         {AlarmKind::kDiskLow, "DISK_LOW"},
                         {AlarmKind::kCertificateExpiring, "CERTIFICATE_EXPIRING"},
                         {AlarmKind::kSnapshotRefused, "SNAPSHOT_REFUSED"},
                         {AlarmKind::kSnapshotOversize, "SNAPSHOT_OVERSIZE"},
                         {AlarmKind::kDrainForced, "DRAIN_FORCED"},
                         {AlarmKind::kCheckingShort, "CHECKING_SHORT"},
                         {AlarmKind::kHistoryLost, "HISTORY_LOST"},
                         {AlarmKind::kSyncStalled, "SYNC_STALLED"},
                         {AlarmKind::kHoldOff, "HOLD_OFF"},
                         {AlarmKind::kJudgeSilent, "JUDGE_SILENT"}});
}

TEST(Vocabulary, ReasonsOfRejectionHaveTheNumbersOfTheWire) {
  using R = RejectReason;
  ExpectSame<R>(*controlplane::v1::RejectReason_descriptor(), "REJECT_REASON_",
                {{R::kUnspecified, "UNSPECIFIED"},
                 {R::kMalformed, "MALFORMED"},
                 {R::kProtocolVersion, "PROTOCOL_VERSION"},
                 {R::kIdentityMismatch, "IDENTITY_MISMATCH"},
                 {R::kSessionUnknown, "SESSION_UNKNOWN"},
                 {R::kSessionSuperseded, "SESSION_SUPERSEDED"},
                 {R::kSessionExpired, "SESSION_EXPIRED"},
                 {R::kSessionClosed, "SESSION_CLOSED"},
                 {R::kEpochStale, "EPOCH_STALE"},
                 {R::kEpochAhead, "EPOCH_AHEAD"},
                 {R::kReferenceNotIssued, "REFERENCE_NOT_ISSUED"},
                 {R::kReferenceSuperseded, "REFERENCE_SUPERSEDED"},
                 {R::kChecksumMismatch, "CHECKSUM_MISMATCH"},
                 {R::kRuntimeFenced, "RUNTIME_FENCED"},
                 {R::kVersionNotAcknowledged, "VERSION_NOT_ACKNOWLEDGED"},
                 {R::kSequenceRegressed, "SEQUENCE_REGRESSED"},
                 {R::kSequenceConflict, "SEQUENCE_CONFLICT"},
                 {R::kSnapshotExpired, "SNAPSHOT_EXPIRED"},
                 {R::kLimitExceeded, "LIMIT_EXCEEDED"},
                 {R::kOverloaded, "OVERLOADED"},
                 {R::kNotLeader, "NOT_LEADER"},
                 {R::kDraining, "DRAINING"},
                 {R::kTaskUnknown, "TASK_UNKNOWN"},
                 {R::kPoolUnavailable, "POOL_UNAVAILABLE"},
                 {R::kNotFound, "NOT_FOUND"},
                 {R::kNotEnoughProxies, "NOT_ENOUGH_PROXIES"},
                 {R::kRequestConflict, "REQUEST_CONFLICT"},
                 {R::kNoLongerKept, "NO_LONGER_KEPT"},
                 {R::kNotReady, "NOT_READY"},
                 {R::kStreamReplaced, "STREAM_REPLACED"},
                 {R::kAckTimeout, "ACK_TIMEOUT"},
                 {R::kSlowReader, "SLOW_READER"},
                 {R::kFailedCondition, "FAILED_CONDITION"},
                 {R::kShuttingDown, "SHUTTING_DOWN"}});
}

}  // namespace
}  // namespace holdfast
