// The enumerations of the vocabulary, with the numbers of the wire contract and of the stored format (a test holds them
// against the generated ones). Light: no generated header is included.
//
// Thread: plain values.

#pragma once

#include <cstdint>

namespace holdfast {

enum class SessionState : std::uint8_t {
  kUnspecified,
  kConnecting,
  kHandshaking,
  kActive,
  kDraining,
  kClosed,
  kReconnecting
};

enum class DrainReason : std::uint8_t { kUnspecified, kShutdown, kSessionSwitch, kOverload, kOperator };

enum class CloseReason : std::uint8_t {
  kUnspecified,
  kDrained,
  kDrainDeadline,
  kExpired,
  kSuperseded,
  kFenced,
  kProtocol,
  kConnection,
  kRecovery
};

enum class GrantState : std::uint8_t { kUnspecified, kActive, kSuspect, kDraining, kHeld };

enum class SnapshotRefusal : std::uint8_t {
  kUnspecified,
  kChecksum,
  kBaseVersion,
  kExpired,
  kMalformed,
  kTooLarge,
  kUnsupported
};

enum class PoolState : std::uint8_t { kUnspecified, kPending, kAvailable, kSuspect, kUnhealthy, kExtracted, kExpired };

enum class OwnershipState : std::uint8_t {
  kUnspecified,
  kUnowned,
  kGranted,
  kRevoking,
  kLapsing,
  kExtracting,
  kExtracted
};

enum class RevokeReason : std::uint8_t {
  kUnspecified,
  kReclaim,
  kRemoval,
  kHealth,
  kSessionDrain,
  kRebalance,
  kExpiry,
  kEndpointChanged,
  kSnapshotRefused,
  kFence
};

enum class EndReason : std::uint8_t { kUnspecified, kDrained, kLapsed, kReleased, kHoldOver, kExpired };

enum class LapseCause : std::uint8_t { kUnspecified, kSessionOver, kNewInstance, kRevoked };

enum class RemovalReason : std::uint8_t { kUnspecified, kOperator, kSourceReplaced, kExpired, kEndpointChanged };

enum class WaitReason : std::uint8_t { kUnspecified, kNewLog, kHistoryLost, kPoolForeign };

enum class GiveBackReason : std::uint8_t { kUnspecified, kNoneMoved, kCancelled, kDoubted, kNoAnswer };

enum class PoolStoreVerdict : std::uint8_t { kUnspecified, kUsable, kBehind, kForeign, kAhead };

enum class Anonymity : std::uint8_t { kUnspecified, kTransparent, kAnonymous, kElite };

enum class HealthState : std::uint8_t { kUnspecified, kUnknown, kAvailable, kSuspect, kUnhealthy };

enum class CheckLevel : std::uint8_t { kUnspecified, kBasic, kEgress, kTarget };

enum class Verdict : std::uint8_t { kUnspecified, kPass, kFail, kInconclusive };

enum class OutcomePhase : std::uint8_t { kUnspecified, kDial, kProxyHandshake, kResponseHeaders, kTunnel };

enum class OutcomeError : std::uint8_t {
  kUnspecified,
  kNone,
  kTimeout,
  kRefused,
  kReset,
  kUnreachable,
  kAuth,
  kProtocol,
  kTls,
  kDns,
  kCancelled
};

enum class AlarmKind : std::uint8_t {
  kUnspecified,
  kHealthFrozen,
  kInstanceConflict,
  kReplayDiverged,
  kPoolBehind,
  kPoolForeign,
  kClockJumped,
  kDiskLow,
  kCertificateExpiring,
  kSnapshotRefused,
  kSnapshotOversize,
  kDrainForced,
  kCheckingShort,
  kHistoryLost,
  kSyncStalled,
  kHoldOff,
  kJudgeSilent
};

enum class RejectReason : std::uint8_t {
  kUnspecified,
  kMalformed,
  kProtocolVersion,
  kIdentityMismatch,
  kSessionUnknown,
  kSessionSuperseded,
  kSessionExpired,
  kSessionClosed,
  kEpochStale,
  kEpochAhead,
  kReferenceNotIssued,
  kReferenceSuperseded,
  kChecksumMismatch,
  kRuntimeFenced,
  kVersionNotAcknowledged,
  kSequenceRegressed,
  kSequenceConflict,
  kSnapshotExpired,
  kLimitExceeded,
  kOverloaded,
  kNotLeader,
  kDraining,
  kTaskUnknown,
  kPoolUnavailable,
  kNotFound,
  kNotEnoughProxies,
  kRequestConflict,
  kNoLongerKept,
  kNotReady,
  kStreamReplaced,
  kAckTimeout,
  kSlowReader,
  kFailedCondition = 33,
  kShuttingDown = 34
};

// Bits of SessionOpened::capabilities.
inline constexpr std::uint32_t kCapabilityDelta = 1u << 1;
inline constexpr std::uint32_t kCapabilitySecretRef = 1u << 2;

// Bits of CheckerOpened::capabilities, and of its levels.
inline constexpr std::uint32_t kCheckerCapabilitySecretRef = 1u << 1;
constexpr std::uint32_t LevelBit(CheckLevel level) { return 1u << static_cast<std::uint32_t>(level); }

}  // namespace holdfast
