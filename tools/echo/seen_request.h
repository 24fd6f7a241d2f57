// What the judge says of a request: exactly what came over the connection, as JSON.
//
// Pure, any thread. {"address": the peer's, canonical, "port", "method", "target", "version": "1.1",
// "headers": {name as it came: [its values, in their order]}, "nonce": the value of the target's query parameter
// "nonce", else null}. Bytes that are no UTF-8 become U+FFFD. Headers of one name in another case stand apart.
// A proxy on the way may change all of it: the nonce only proves that a judge has read this question.

#pragma once

#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <string>

#include "base/ip_address.h"

namespace holdfast::echo {

using Request = boost::beast::http::request<boost::beast::http::string_body>;

std::string DescribeRequest(const Request& request, const IpAddress& address, std::uint16_t port);

}  // namespace holdfast::echo
