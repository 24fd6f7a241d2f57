// The judge over real connections: what it reports, word for word, and what it does not put up with.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/echo/running_judge.h"

namespace holdfast::echo {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

// A connection to the judge that says what it is told to and hears the answer to its end.
class Client {
 public:
  explicit Client(std::uint16_t port) { socket_.connect({asio::ip::address_v4::loopback(), port}); }

  void Say(const std::string& text) { asio::write(socket_, asio::buffer(text)); }
  // Until the judge closes.
  std::string Hear() {
    std::string heard;
    boost::system::error_code end;
    asio::read(socket_, asio::dynamic_buffer(heard), end);
    return heard;
  }
  std::uint16_t port() const { return socket_.local_endpoint().port(); }

 private:
  asio::io_context context_;
  tcp::socket socket_{context_};
};

std::string Ask(std::uint16_t port, const std::string& request) {
  Client client(port);
  client.Say(request);
  return client.Hear();
}

json ReportFor(std::uint16_t port, const std::string& request) {
  const std::string answer = Ask(port, request);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  return json::parse(answer.substr(answer.find("\r\n\r\n") + 4), nullptr, false);
}

TEST(Judge, ReportsPeerLineAndEveryHeaderAsItCame) {
  const RunningJudge judge;
  Client client(judge.port());

  client.Say(
      "GET /see/this?a=b&nonce=0f3e&c HTTP/1.1\r\nHost: judge.example\r\nVia: 1.1 one\r\nX-Forwarded-For: "
      "203.0.113.7\r\n"
      "Via: 1.1 two\r\nvia: 1.1 three\r\nConnection: close\r\n\r\n");
  const std::string answer = client.Hear();
  const json report = json::parse(answer.substr(answer.find("\r\n\r\n") + 4));

  EXPECT_EQ(report["address"], "127.0.0.1");
  EXPECT_EQ(report["port"], client.port());
  EXPECT_EQ(report["method"], "GET");
  EXPECT_EQ(report["target"], "/see/this?a=b&nonce=0f3e&c");
  EXPECT_EQ(report["version"], "1.1");
  EXPECT_EQ(report["nonce"], "0f3e");
  EXPECT_EQ(report["headers"]["Via"], (json{"1.1 one", "1.1 two"}));
  EXPECT_EQ(report["headers"]["via"], json{"1.1 three"});
  EXPECT_EQ(report["headers"]["X-Forwarded-For"], json{"203.0.113.7"});
  EXPECT_EQ(report["headers"].size(), 5);
  EXPECT_THAT(answer, HasSubstr("Cache-Control: no-store\r\n"));
}

TEST(Judge, WithoutANonceItSaysNone) {
  const RunningJudge judge;

  EXPECT_TRUE(ReportFor(judge.port(), "GET / HTTP/1.0\r\n\r\n")["nonce"].is_null());
  EXPECT_TRUE(ReportFor(judge.port(), "GET /?nonces=1&x=nonce=2 HTTP/1.0\r\n\r\n")["nonce"].is_null());
  EXPECT_EQ(ReportFor(judge.port(), "GET /?nonce= HTTP/1.0\r\n\r\n")["nonce"], "");
}

TEST(Judge, BytesThatAreNoTextStillMakeValidJson) {
  const RunningJudge judge;

  const json report = ReportFor(judge.port(), "GET / HTTP/1.0\r\nX-Odd: \xff\"\\\r\n\r\n");

  EXPECT_EQ(report["headers"]["X-Odd"], json{"\xef\xbf\xbd\"\\"});
}

TEST(Judge, AConnectionServesSeveralRequestsInTheirOrder) {
  const RunningJudge judge;
  Client client(judge.port());

  client.Say("GET /?nonce=one HTTP/1.1\r\n\r\nGET /?nonce=two HTTP/1.1\r\nConnection: close\r\n\r\n");

  const std::string heard = client.Hear();
  EXPECT_LT(heard.find("\"one\""), heard.find("\"two\""));
  EXPECT_NE(heard.find("\"two\""), std::string::npos);
}

TEST(Judge, HeadIsAnsweredWithoutABody) {
  const RunningJudge judge;

  const std::string answer = Ask(judge.port(), "HEAD / HTTP/1.1\r\nConnection: close\r\n\r\n");

  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
  EXPECT_THAT(answer.substr(answer.find("\r\n\r\n") + 4), IsEmpty());
}

TEST(Judge, WhatIsNoHttpOrTooLargeIsRefusedAndClosed) {
  JudgeOptions options;
  options.request_bytes = 512;
  const RunningJudge judge(options);

  EXPECT_THAT(Ask(judge.port(), "\x05\x01\x02 nothing\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Ask(judge.port(), "GET / HTTP/1.1\r\nX-Long: " + std::string(600, 'x') + "\r\n\r\n"),
              StartsWith("HTTP/1.1 400 "));
  EXPECT_THAT(Ask(judge.port(), "POST / HTTP/1.1\r\nContent-Length: 600\r\n\r\n"), StartsWith("HTTP/1.1 400 "));
}

TEST(Judge, WhoIsSilentForLongIsLeft) {
  JudgeOptions options;
  options.idle = std::chrono::milliseconds(50);
  const RunningJudge judge(options);
  Client silent(judge.port());
  Client slow(judge.port());
  slow.Say("GET / HT");

  EXPECT_THAT(silent.Hear(), IsEmpty()) << "the judge closes, else this waits for ever";
  EXPECT_THAT(slow.Hear(), IsEmpty());
}

TEST(Judge, BeyondItsConnectionsItClosesAtOnceAndServesAgainWhenOneIsGone) {
  JudgeOptions options;
  options.connections_max = 2;
  const RunningJudge judge(options);
  const auto serves = [&judge] {
    Client client(judge.port());
    boost::system::error_code ignored;
    try {
      client.Say("GET / HTTP/1.0\r\n\r\n");
    } catch (const boost::system::system_error&) {
      return false;
    }
    return client.Hear().starts_with("HTTP/1.1 200");
  };
  auto first = std::make_unique<Client>(judge.port());
  auto second = std::make_unique<Client>(judge.port());

  EXPECT_FALSE(serves());
  first.reset();
  second.reset();

  // The judge hears of their end in its own time.
  bool served = false;
  for (int attempt = 0; attempt < 10'000 && !served; ++attempt) served = serves();
  EXPECT_TRUE(served);
}

TEST(Judge, AnAddressThatIsTakenIsToldWithWhatToDo) {
  const RunningJudge judge;
  JudgeOptions options;
  options.port = judge.port();
  JudgeServer second(options);

  const absl::Status refused = second.Listen();

  EXPECT_THAT(std::string(refused.message()), HasSubstr(std::to_string(judge.port())));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("--listen"));
}

// ---- its command line -----------------------------------------------------------------------------------------------

Parsed Parse(std::vector<const char*> words) {
  words.insert(words.begin(), "holdfast-judge");
  return ParseOptions(static_cast<int>(words.size()), words.data());
}

TEST(JudgeOptions, AddressesAreReadInBothFamilies) {
  EXPECT_EQ(Parse({}).options->port, 0);
  EXPECT_EQ(Parse({"--listen", "0.0.0.0:8080"}).options->port, 8080);
  EXPECT_EQ(Parse({"--listen", "[::1]:8080"}).options->address.ToString(), "::1");
  EXPECT_EQ(Parse({"--idle-seconds", "0.5"}).options->idle, std::chrono::milliseconds(500));
}

TEST(JudgeOptions, WhatCannotBeListenedOnIsRefused) {
  ::testing::internal::CaptureStderr();
  for (const char* listen : {"8080", "localhost:1", "::1:8080", "127.0.0.1:70000", "127.0.0.1", "[127.0.0.1]:1", ""}) {
    EXPECT_EQ(Parse({"--listen", listen}).exit_code, ExitCode::kCouldNotRun) << listen;
  }
  EXPECT_THAT(::testing::internal::GetCapturedStderr(), HasSubstr("write it as 127.0.0.1:8080"));
}

}  // namespace
}  // namespace holdfast::echo
