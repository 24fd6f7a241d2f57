#include "base/ip_address.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <optional>

namespace holdfast {
namespace {

constexpr std::size_t kGroups = 8;
constexpr std::size_t kLongestOctet = 3;
constexpr std::size_t kLongestGroup = 4;

using Groups = std::array<std::uint16_t, kGroups>;

struct V4Range {
  std::uint32_t first;
  std::uint32_t last;
  AddressKind kind;
};

// In order: the first that fits counts.
constexpr V4Range kV4Ranges[] = {
    {0x00000000, 0x00000000, AddressKind::kUnspecified}, {0x00000000, 0x00ffffff, AddressKind::kThisNetwork},
    {0x0a000000, 0x0affffff, AddressKind::kPrivate},     {0x64400000, 0x647fffff, AddressKind::kShared},
    {0x7f000000, 0x7fffffff, AddressKind::kLoopback},    {0xa9fe0000, 0xa9feffff, AddressKind::kLinkLocal},
    {0xac100000, 0xac1fffff, AddressKind::kPrivate},     {0xc0a80000, 0xc0a8ffff, AddressKind::kPrivate},
    {0xe0000000, 0xefffffff, AddressKind::kMulticast},   {0xffffffff, 0xffffffff, AddressKind::kBroadcast},
    {0xf0000000, 0xfffffffe, AddressKind::kReserved},
};

AddressKind ClassifyV4(std::uint32_t value) {
  for (const V4Range& range : kV4Ranges) {
    if (value >= range.first && value <= range.last) return range.kind;
  }
  return AddressKind::kPublic;
}

std::uint32_t V4At(const IpAddress::Bytes& bytes, std::size_t offset) {
  return (std::uint32_t{bytes[offset]} << 24) | (std::uint32_t{bytes[offset + 1]} << 16) |
         (std::uint32_t{bytes[offset + 2]} << 8) | std::uint32_t{bytes[offset + 3]};
}

bool StartsWith(const IpAddress::Bytes& bytes, std::initializer_list<std::uint8_t> prefix) {
  return std::equal(prefix.begin(), prefix.end(), bytes.begin());
}

AddressKind ClassifyV6(const IpAddress::Bytes& bytes) {
  if (bytes[0] == 0xff) return AddressKind::kMulticast;
  if ((bytes[0] & 0xfe) == 0xfc) return AddressKind::kPrivate;
  if (bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80) return AddressKind::kLinkLocal;
  if (bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0xc0) return AddressKind::kPrivate;
  if (StartsWith(bytes, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0})) {
    const std::uint32_t low = V4At(bytes, 12);
    if (low == 0) return AddressKind::kUnspecified;
    return low == 1 ? AddressKind::kLoopback : AddressKind::kReserved;
  }
  if (StartsWith(bytes, {0x01, 0, 0, 0, 0, 0, 0, 0})) return AddressKind::kReserved;
  if (StartsWith(bytes, {0x20, 0x02})) return ClassifyV4(V4At(bytes, 2));
  if (StartsWith(bytes, {0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0})) return ClassifyV4(V4At(bytes, 12));
  return AddressKind::kPublic;
}

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

int HexValue(char c) {
  if (IsDigit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// One group of up to four hex digits at *position, which moves behind it.
std::optional<std::uint16_t> ReadGroup(std::string_view text, std::size_t* position) {
  unsigned value = 0;
  std::size_t digits = 0;
  while (*position < text.size() && HexValue(text[*position]) >= 0) {
    if (++digits > kLongestGroup) return std::nullopt;
    value = value * 16 + static_cast<unsigned>(HexValue(text[*position]));
    ++*position;
  }
  if (digits == 0) return std::nullopt;
  return static_cast<std::uint16_t>(value);
}

// Fills groups from text without "::", at most `limit` of them; the last may be an IPv4 address. Returns how many.
std::optional<std::size_t> ReadGroups(std::string_view text, std::size_t limit, bool may_end_in_ipv4,
                                      std::uint16_t* groups) {
  std::size_t count = 0;
  std::size_t position = 0;
  while (position < text.size()) {
    const std::size_t colon = text.find(':', position);
    const std::string_view part = text.substr(position, colon == std::string_view::npos ? colon : colon - position);
    if (may_end_in_ipv4 && colon == std::string_view::npos && part.find('.') != std::string_view::npos) {
      const ParsedIp tail = ParseIpv4(part);
      if (!std::holds_alternative<IpAddress>(tail) || count + 2 > limit) return std::nullopt;
      const std::uint32_t value = std::get<IpAddress>(tail).v4();
      groups[count++] = static_cast<std::uint16_t>(value >> 16);
      groups[count++] = static_cast<std::uint16_t>(value & 0xffff);
      return count;
    }
    if (count == limit) return std::nullopt;
    const std::optional<std::uint16_t> group = ReadGroup(text, &position);
    if (!group) return std::nullopt;
    groups[count++] = *group;
    if (position == text.size()) return count;
    if (text[position] != ':' || ++position == text.size()) return std::nullopt;
  }
  return count;
}

std::optional<Groups> ReadIpv6(std::string_view text) {
  Groups groups{};
  const std::size_t gap = text.find("::");
  if (gap == std::string_view::npos) {
    const auto count = ReadGroups(text, kGroups, true, groups.data());
    return count == kGroups ? std::optional<Groups>(groups) : std::nullopt;
  }
  const auto before = ReadGroups(text.substr(0, gap), kGroups - 1, false, groups.data());
  if (!before) return std::nullopt;
  Groups tail{};
  const auto after = ReadGroups(text.substr(gap + 2), kGroups - 1 - *before, true, tail.data());
  if (!after) return std::nullopt;
  std::copy_n(tail.begin(), *after, groups.end() - static_cast<std::ptrdiff_t>(*after));
  return groups;
}

void AppendHex(std::uint16_t group, std::string* out) {
  constexpr char kDigits[] = "0123456789abcdef";
  bool started = false;
  for (int shift = 12; shift >= 0; shift -= 4) {
    const unsigned digit = (group >> shift) & 0xf;
    if (digit == 0 && !started && shift != 0) continue;
    started = true;
    out->push_back(kDigits[digit]);
  }
}

struct Run {
  std::size_t begin = kGroups;
  std::size_t length = 0;
};

// The run that "::" stands for: the longest of two zero groups or more, the first among equals.
Run LongestZeroRun(const Groups& groups) {
  Run best;
  for (std::size_t i = 0; i < kGroups;) {
    std::size_t end = i;
    while (end < kGroups && groups[end] == 0) ++end;
    if (end - i >= 2 && end - i > best.length) best = Run{i, end - i};
    i = end == i ? i + 1 : end;
  }
  return best;
}

std::string PrintV6(const IpAddress::Bytes& bytes) {
  Groups groups;
  for (std::size_t i = 0; i < kGroups; ++i) {
    groups[i] = static_cast<std::uint16_t>((unsigned{bytes[2 * i]} << 8) | bytes[2 * i + 1]);
  }
  const Run gap = LongestZeroRun(groups);
  std::string out;
  for (std::size_t i = 0; i < kGroups; ++i) {
    if (i == gap.begin) {
      out.append("::");
      i += gap.length - 1;
      continue;
    }
    if (!out.empty() && out.back() != ':') out.push_back(':');
    AppendHex(groups[i], &out);
  }
  return out;
}

}  // namespace

std::string_view AddressKindName(AddressKind kind) {
  switch (kind) {
    case AddressKind::kPublic:
      return "public";
    case AddressKind::kLoopback:
      return "loopback";
    case AddressKind::kPrivate:
      return "private";
    case AddressKind::kLinkLocal:
      return "link-local";
    case AddressKind::kShared:
      return "shared";
    case AddressKind::kMulticast:
      return "multicast";
    case AddressKind::kUnspecified:
      return "unspecified";
    case AddressKind::kThisNetwork:
      return "this-network";
    case AddressKind::kBroadcast:
      return "broadcast";
    case AddressKind::kReserved:
      return "reserved";
  }
  return "unknown";
}

IpAddress IpAddress::V6(const Bytes& bytes) {
  if (StartsWith(bytes, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff})) return V4(V4At(bytes, 12));
  return IpAddress(bytes);
}

std::string IpAddress::ToString() const {
  if (!is_v4_) return PrintV6(v6_);
  std::string out;
  for (int shift = 24; shift >= 0; shift -= 8) {
    if (shift != 24) out.push_back('.');
    out.append(std::to_string((v4_ >> shift) & 0xff));
  }
  return out;
}

AddressKind ClassifyAddress(const IpAddress& address) {
  return address.is_v4() ? ClassifyV4(address.v4()) : ClassifyV6(address.v6());
}

ParsedIp ParseIpv4(std::string_view text) {
  std::uint32_t value = 0;
  std::size_t position = 0;
  bool leading_zero = false;
  for (int octet = 0; octet < 4; ++octet) {
    if (octet > 0) {
      if (position == text.size() || text[position] != '.') return IpProblem::kBadIpv4;
      ++position;
    }
    const std::size_t begin = position;
    std::uint32_t part = 0;
    while (position < text.size() && IsDigit(text[position])) {
      if (position - begin > kLongestOctet) return IpProblem::kBadIpv4;
      part = part * 10 + static_cast<std::uint32_t>(text[position++] - '0');
    }
    const std::size_t digits = position - begin;
    if (digits == 0) return IpProblem::kBadIpv4;
    if (digits > 1 && text[begin] == '0') {
      leading_zero = true;
    } else if (digits > kLongestOctet || part > 255) {
      return IpProblem::kBadIpv4;
    }
    value = (value << 8) | (part & 0xff);
  }
  if (position != text.size()) return IpProblem::kBadIpv4;
  if (leading_zero) return IpProblem::kLeadingZeroOctet;
  return IpAddress::V4(value);
}

ParsedIp ParseIpv6(std::string_view text) {
  if (const std::size_t zone = text.find('%'); zone != std::string_view::npos) {
    const bool is_address = ReadIpv6(text.substr(0, zone)).has_value();
    return is_address ? IpProblem::kIpv6Zone : IpProblem::kBadIpv6;
  }
  const std::optional<Groups> groups = ReadIpv6(text);
  if (!groups) return IpProblem::kBadIpv6;
  IpAddress::Bytes bytes;
  for (std::size_t i = 0; i < kGroups; ++i) {
    bytes[2 * i] = static_cast<std::uint8_t>((*groups)[i] >> 8);
    bytes[2 * i + 1] = static_cast<std::uint8_t>((*groups)[i] & 0xff);
  }
  return IpAddress::V6(bytes);
}

}  // namespace holdfast
