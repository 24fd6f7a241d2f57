// The name under which a credential is known to everybody but the worker that uses it.
//
// Called per entry with a credential; pure. Promises: the same host, port and user name always have the same reference,
// on any machine and in any order; another user name or endpoint has another. It is made without the password, so it
// says nothing about it and stays when the password changes; it is made without the scheme, so that one account of one
// endpoint is one address whichever protocol is spoken. A short user name can be found from it by trying:
// docs/import.md.

#pragma once

#include <optional>
#include <string>

#include "base/endpoint.h"
#include "tools/import/credential.h"

namespace holdfast::importer {

// "cred-" and 32 hex digits, within [A-Za-z0-9._-]{1,128}; empty without a credential.
std::string SecretReferenceOf(const Endpoint& endpoint, const std::optional<Credential>& credential);

}  // namespace holdfast::importer
