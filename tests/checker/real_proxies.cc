#include "tests/checker/real_proxies.h"

#include <gtest/gtest.h>

#include <functional>

namespace holdfast::checker {
namespace {

constexpr int kPortsTried = 5;

struct Started {
  std::unique_ptr<ChildProcess> process;
  std::uint16_t port = 0;
};

Started StartOnFreePort(const std::function<std::vector<std::string>(std::uint16_t port)>& words) {
  for (int i = 0; i < kPortsTried; ++i) {
    const std::uint16_t port = FreePort();
    auto process = std::make_unique<ChildProcess>(words(port));
    const bool settled = WaitUntil([&] { return !process->IsRunning() || IsListening(port); });
    if (settled && process->IsRunning()) return {std::move(process), port};
  }
  ADD_FAILURE() << words(0)[0] << " does not listen on any of " << kPortsTried << " ports";
  return {};
}

// The password's and the certificate's file, as the front reads them.
struct Certificate {
  std::string certificate = TestPath("front.crt");
  std::string key = TestPath("front.key");

  Certificate() {
    ChildProcess openssl({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                          "-days", "2", "-subj", "/CN=holdfast test", "-addext", "subjectAltName=IP:127.0.0.1",
                          "-keyout", key, "-out", certificate});
    EXPECT_EQ(openssl.Wait(), 0) << openssl.Output();
  }
};

const Certificate& TheCertificate() {
  static const Certificate certificate;
  return certificate;
}

}  // namespace

RealProxy RealProxy::Tinyproxy(const std::vector<std::string>& lines, const std::string& comes_out_at) {
  RealProxy proxy;
  Started started = StartOnFreePort([&](std::uint16_t port) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    // The last address that it listens on is the one that is waited for.
    text += "Port " + std::to_string(port) + "\nListen 127.0.0.1\nBind " + comes_out_at +
            "\nTimeout 60\nMaxClients 600\nLogLevel Critical\n";
    const std::string path = WriteFile("tinyproxy-" + std::to_string(port) + ".conf", text);
    return std::vector<std::string>{"tinyproxy", "-d", "-c", path};
  });
  proxy.process_ = std::move(started.process);
  proxy.port_ = started.port;
  return proxy;
}

RealProxy RealProxy::Microsocks(const std::vector<std::string>& arguments) {
  RealProxy proxy;
  Started started = StartOnFreePort([&](std::uint16_t port) {
    std::vector<std::string> words = {"microsocks", "-i", "127.0.0.1", "-p", std::to_string(port), "-b", kProxyAddress};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
  });
  proxy.process_ = std::move(started.process);
  proxy.port_ = started.port;
  return proxy;
}

TlsFront::TlsFront(std::uint16_t behind) {
  const Certificate& files = TheCertificate();
  Started started = StartOnFreePort([&](std::uint16_t port) {
    return std::vector<std::string>{"python3",
                                    "-B",
                                    HOLDFAST_SOURCE_DIR "/tests/checker/tls_front.py",
                                    files.certificate,
                                    files.key,
                                    std::to_string(port),
                                    std::to_string(behind)};
  });
  process_ = std::move(started.process);
  port_ = started.port;
}

std::string TlsFront::CertificateFile() { return TheCertificate().certificate; }

}  // namespace holdfast::checker
