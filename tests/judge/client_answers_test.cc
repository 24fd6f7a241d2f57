// What clients are answered: each answer against the contract is found, by one violation that says what is wrong.

#include <gtest/gtest.h>

#include <functional>

#include "tests/judge/client_story.h"

namespace holdfast::judge {
namespace {

using Kinds = std::vector<ViolationKind>;
using distribution::v1::ExtractRequest;
using distribution::v1::ExtractResponse;

using Ask = std::function<void(ExtractRequest&)>;
using Spoil = std::function<void(ExtractResponse&)>;

// Of a request for two machines, answered well but for what the test does to both.
Kinds ToldIn(ClientStory& story, const Ask& ask, const Spoil& spoil) {
  ExtractRequest request = ClientStory::Request("c1", "r1", 2);
  ask(request);
  ExtractResponse answer = story.Answer(request, "e1", {story.Proxy("192.0.2.1"), story.Proxy("192.0.2.2")});
  spoil(answer);
  story.Answered(request, answer);
  return story.Kinds();
}

Kinds Told(const Ask& ask, const Spoil& spoil) {
  ClientStory story;
  return ToldIn(story, ask, spoil);
}

const Kinds kWrong = {ViolationKind::kAnswer};
void AsItIs(ExtractRequest&) {}
void AllOrNothing(ExtractRequest& request) { request.set_all_or_nothing(true); }

TEST(ClientAnswers, AGoodOneIsFoundGood) {
  EXPECT_EQ(Told(AsItIs, [](ExtractResponse&) {}), Kinds{});
  EXPECT_EQ(Told(AllOrNothing, [](ExtractResponse&) {}), Kinds{});
  EXPECT_EQ(Told(AsItIs, [](ExtractResponse& answer) { answer.mutable_proxies()->RemoveLast(); }), Kinds{});
}

TEST(ClientAnswers, MoreThanWereAskedForAreFound) {
  EXPECT_EQ(Told([](ExtractRequest& request) { request.set_count(1); }, [](ExtractResponse&) {}), kWrong);
}

TEST(ClientAnswers, FewerOfAllOrNothingAreFound) {
  EXPECT_EQ(Told(AllOrNothing, [](ExtractResponse& answer) { answer.mutable_proxies()->RemoveLast(); }), kWrong);
}

TEST(ClientAnswers, WhatDoesNotFitIsFound) {
  const auto as_answered = [](ExtractResponse&) {};
  EXPECT_EQ(Told([](ExtractRequest& request) { request.add_schemes(wire::PROXY_SCHEME_SOCKS5); }, as_answered),
            (Kinds{ViolationKind::kAnswer, ViolationKind::kAnswer}));
  EXPECT_EQ(Told([](ExtractRequest& request) { (*request.mutable_labels())["tier"] = "gold"; },
                 [](ExtractResponse& answer) { (*answer.mutable_proxies(0)->mutable_labels())["tier"] = "gold"; }),
            kWrong);
  EXPECT_EQ(Told(AsItIs, [](ExtractResponse& answer) { answer.mutable_proxies(0)->set_secret_ref("vault"); }), kWrong);
  EXPECT_EQ(Told([](ExtractRequest& request) { request.set_resolves_secrets(true); },
                 [](ExtractResponse& answer) { answer.mutable_proxies(0)->set_secret_ref("vault"); }),
            Kinds{});
}

TEST(ClientAnswers, WhatDoesNotLastIsFound) {
  const auto a_minute = [](ExtractRequest& request) { request.mutable_min_remaining()->set_seconds(60); };
  const auto told_with = [](const Ask& ask, std::int64_t usable_seconds) {
    ClientStory story;
    story.Extract("c9", "before", {"192.0.2.9"});  // from here on it is known how late it is
    ++story.now;
    return ToldIn(story, ask, [&](ExtractResponse& answer) {
      *answer.mutable_proxies(0)->mutable_usable_until() = Stamp(story.LogNow() + usable_seconds * kSecond);
    });
  };

  EXPECT_EQ(told_with(a_minute, 59), kWrong);
  EXPECT_EQ(told_with(a_minute, 61), Kinds{});
  EXPECT_EQ(told_with(AsItIs, -1), kWrong);
}

TEST(ClientAnswers, AnEndThatIsPastOrTooLateIsFound) {
  const auto moved = [](std::int64_t by_us) {
    return [by_us](ExtractResponse& answer) {
      *answer.mutable_extracted_until() = Stamp(MicrosOf(answer.extracted_until()) + by_us);
    };
  };

  EXPECT_EQ(Told(AsItIs, moved(0)), Kinds{});
  EXPECT_EQ(Told(AsItIs, moved(1)), kWrong);
  EXPECT_EQ(Told(AsItIs, moved(-30 * kSecond)), Kinds{});
  EXPECT_EQ(Told(AsItIs, moved(-30 * kSecond - 1)), kWrong);
  EXPECT_EQ(Told([](ExtractRequest& request) { request.clear_hold(); }, moved(1)), kWrong);
}

TEST(ClientAnswers, WhatIsIncompleteIsFound) {
  for (const auto& spoil : std::vector<Spoil>{
           [](ExtractResponse& answer) { answer.set_extraction_id(""); },
           [](ExtractResponse& answer) { answer.clear_server_time(); },
           [](ExtractResponse& answer) { answer.set_requested(3); },
           [](ExtractResponse& answer) { answer.mutable_proxies(1)->set_proxy_id(answer.proxies(0).proxy_id()); }}) {
    EXPECT_FALSE(Told(AsItIs, spoil).empty());
  }
  EXPECT_EQ(Told(AsItIs, [](ExtractResponse& answer) { answer.clear_proxies(); }), kWrong);
  EXPECT_EQ(Told(AsItIs, [](ExtractResponse& answer) { answer.clear_extracted_until(); }), kWrong);
}

TEST(ClientAnswers, ARepeatIsAnsweredTheSame) {
  ClientStory story;
  const auto request = ClientStory::Request("c1", "r1", 1);
  ExtractResponse answer = story.Answer(request, "e1", {story.Proxy("192.0.2.1")});
  story.Lost(request);
  story.Answered(request, answer);
  *answer.mutable_server_time() = Stamp(story.LogNow() + story.took_us);
  story.Answered(request, answer);
  EXPECT_EQ(story.Kinds(), Kinds{}) << story.Texts();
  EXPECT_EQ(story.judge().counts().extractions, 1U);

  *answer.mutable_server_time() = Stamp(story.LogNow() + story.took_us);
  answer.mutable_proxies(0)->set_capacity(11);
  story.Answered(request, answer);

  EXPECT_EQ(story.Kinds(), kWrong);
}

TEST(ClientAnswers, ARepeatThatIsAnotherExtractionIsFound) {
  ClientStory story;
  const auto first = story.Extract("c1", "r1", {"192.0.2.1"});
  const auto request = ClientStory::Request("c1", "r1", 1);
  ExtractResponse other = story.Answer(request, "e2", {story.Proxy("192.0.2.2")});
  *other.mutable_extracted_until() = first.extracted_until();

  story.Answered(request, other);

  EXPECT_EQ(story.Kinds(), kWrong);
}

TEST(ClientAnswers, AnEndThatIsMovedToEarlierIsFound) {
  ClientStory story;
  ExtractResponse answer = story.Extract("c1", "r1", {"192.0.2.1"});
  *answer.mutable_server_time() = Stamp(story.LogNow());
  *answer.mutable_extracted_until() = Stamp(MicrosOf(answer.extracted_until()) - 1);

  story.Answered(ClientStory::Request("c1", "r1", 1), answer);

  EXPECT_EQ(story.Kinds(), kWrong);
}

TEST(ClientAnswers, WhatStandsIsNotDenied) {
  for (const CallEnd& end : {ClientStory::NotFound(), ClientStory::NotEnough("0", "1"),
                             Story::Refused(14, wire::REJECT_REASON_POOL_UNAVAILABLE)}) {
    ClientStory story;
    story.Extract("c1", "r1", {"192.0.2.1"});

    story.RefusedWith(ClientStory::Request("c1", "r1", 1), end);

    EXPECT_EQ(story.Kinds(), kWrong) << wire::RejectReason_Name(end.detail->reason());
  }
}

TEST(ClientAnswers, WhatIsOverMayBeDenied) {
  ClientStory past;
  past.Extract("c1", "r1", {"192.0.2.1"}, 10);
  past.now += 10 * kSecond;
  ClientStory given_back;
  given_back.Extract("c1", "r1", {"192.0.2.1"});
  given_back.Released(ClientStory::ReleaseOf("c1", "r1"), 1);

  for (ClientStory* story : {&past, &given_back}) {
    story->RefusedWith(ClientStory::Request("c1", "r1", 1), ClientStory::NotFound());
    EXPECT_EQ(story->Kinds(), Kinds{}) << story->Texts();
  }
}

TEST(ClientAnswers, ARefusalThatCannotBeIsFound) {
  const auto kinds = [](const CallEnd& end) {
    ClientStory story;
    story.RefusedWith(ClientStory::Request("c1", "r1", 2), end);
    return story.Kinds();
  };

  EXPECT_EQ(kinds(ClientStory::NotEnough("0", "2")), Kinds{});
  EXPECT_EQ(kinds(ClientStory::NotEnough("1", "2")), kWrong) << "one of two is given where not all are asked for";
  EXPECT_EQ(kinds(ClientStory::NotEnough("0", "3")), kWrong);
  EXPECT_EQ(kinds(ClientStory::NotEnough("", "2")), kWrong);
  EXPECT_EQ(kinds(ClientStory::NotFound()), kWrong) << "it was never seen before";
  EXPECT_EQ(kinds(Story::Refused(6, wire::REJECT_REASON_REQUEST_CONFLICT)), kWrong);
  EXPECT_EQ(kinds(Story::Refused(9, wire::REJECT_REASON_FAILED_CONDITION)), kWrong);
  EXPECT_EQ(kinds(Story::Refused(9, wire::REJECT_REASON_SESSION_EXPIRED)), Kinds{ViolationKind::kRejection});
  EXPECT_EQ(kinds(Story::Refused(14, wire::REJECT_REASON_POOL_UNAVAILABLE)), Kinds{});
}

TEST(ClientAnswers, AReleaseOfWhatStandsIsCountedAndAnsweredTheSame) {
  const auto release = ClientStory::ReleaseOf("c1", "r1", {"192.0.2.1"}, "g1");
  const auto story_with = [&](const std::function<void(ClientStory&)>& then) {
    ClientStory story;
    story.Extract("c1", "r1", {"192.0.2.1", "192.0.2.2"});
    then(story);
    return story.Kinds();
  };

  EXPECT_EQ(story_with([&](ClientStory& story) {
              story.ReleaseEnds(release, {}, {.code = 4, .detail = std::nullopt});
              story.Released(release, 1);
              story.Released(release, 1);
              story.Released(ClientStory::ReleaseOf("c1", "r1", {}, "g2"), 1);
            }),
            Kinds{});
  EXPECT_EQ(story_with([&](ClientStory& story) { story.Released(release, 2); }), kWrong);
  EXPECT_EQ(story_with([&](ClientStory& story) {
              story.Released(release, 1, 9);
              story.Released(release, 1, 10);
            }),
            kWrong);
  EXPECT_EQ(story_with([&](ClientStory& story) { story.ReleaseEnds(release, {}, ClientStory::NotFound()); }), kWrong);
  EXPECT_EQ(story_with([&](ClientStory& story) {
              story.now += 30 * kSecond;
              story.ReleaseEnds(release, {}, ClientStory::NotFound());
            }),
            Kinds{});
}

TEST(ClientAnswers, LogTimeThatGoesBackIsFound) {
  ClientStory story;
  story.Extract("c1", "e1", {"192.0.2.1"});
  ++story.now;
  const auto request = ClientStory::Request("c2", "e2", 1, 0);
  ExtractResponse answer = story.Answer(request, "e2", {story.Proxy("192.0.2.2")});
  *answer.mutable_server_time() = Stamp(story.LogNow() - kSecond);

  story.Answered(request, answer);

  EXPECT_EQ(story.Kinds(), Kinds{ViolationKind::kTime});
}

}  // namespace
}  // namespace holdfast::judge
