#!/usr/bin/env python3
"""Plants faults into copies of sources, for the canary: each checker of the simulation must find what it is there for.

usage: plant.py ROOT OUT        writes OUT/<file with / as _> for every source that is altered, and OUT/planted_table.h
       plant.py --sources       names the sources that are altered, one a line

A fault is a name, what it breaks, within how many seeds it must be caught, and edits: a text that stands once in a
source, and what stands in its place. In force is at most one fault, chosen at run time by name (planted.h). A text that
is no longer found is told in the table, and the canary's test of that fault fails until the edit is renewed here.
"""

import os
import sys

PLANTED = 'holdfast::simulation::Planted("%s")'


def fault(name, breaks, seeds, *edits):
    return {"name": name, "breaks": breaks, "seeds": seeds, "edits": edits, "in": PLANTED % name}


FAULTS = [
    fault("lapse_early", "a lapse one tick early", 10,
          ("src/controller/decide_tick.cc",
           "  return DecideEarliest(state, point.now,\n                        std::array<Deadline, 8>",
           "  const LogTime ahead = point.now + Duration(@ ? 500'000 : 0);\n"
           "  return DecideEarliest(state, ahead,\n                        std::array<Deadline, 8>")),
    fault("answer_before_sync", "an answer before the sync", 20,
          ("tests/simulation/world/controller_loop.cc",
           "  disk_.Begin(block);\n  Micros length",
           "  disk_.Begin(block);\n  if (@) Dispatch(sequencer_->OnDurable(block.encoded.last));\n  Micros length"),
          ("tests/simulation/world/controller_loop.cc",
           "std::make_shared<Durable>(sequencer_->OnDurable(last))",
           "std::make_shared<Durable>(@ ? Durable() : sequencer_->OnDurable(last))")),
    fault("old_view", "a worker that reserves through an old view after its ACK", 10,
          ("tests/simulation/world/traffic.cc",
           "  view_ = std::move(view);",
           "  BeforeIt()[this] = view_;\n  view_ = std::move(view);"),
          ("tests/simulation/world/traffic.cc",
           "  const ViewPointer view = view_;\n",
           "  const ViewPointer view = @ && BeforeIt()[this] ? BeforeIt()[this] : view_;\n"),
          ("tests/simulation/world/traffic.cc",
           "return slot != slots_.end() && !slot->second.closed;",
           "return slot != slots_.end() && (!slot->second.closed || @);"),
          ("tests/simulation/world/traffic.cc",
           "  if (request.picked_from != view_ || ",
           "  if ((request.picked_from != view_ && !@) || "),
          ("tests/simulation/world/traffic.cc",
           "}  // namespace\n\nTraffic::Traffic",
           "std::map<const void*, ViewPointer>& BeforeIt() {\n"
           "  static auto& before = *new std::map<const void*, ViewPointer>;\n  return before;\n}\n\n"
           "}  // namespace\n\nTraffic::Traffic")),
    fault("session_revives", "a session that revives", 20,
          ("src/controller/decide_runtime.cc",
           "  if (const auto* rejection = std::get_if<Rejection>(&lookup)) return {{}, *rejection};\n",
           "  if (const auto* rejection = std::get_if<Rejection>(&lookup)) {\n"
           "    const WorkerRow* row = state.sessions().Find(request.worker_id());\n"
           "    const bool latest = row != nullptr && row->opened.session_id.value() == request.session_id();\n"
           "    if (!@ || rejection->reason != RejectReason::kSessionExpired || !latest) return {{}, *rejection};\n"
           "    SessionOpened again = row->opened;\n"
           "    again.new_instance = false;\n"
           "    return {{again}, Answer(state, *row, point, request.report_sequence())};\n"
           "  }\n")),
    fault("renewal_extends_nothing", "a window that a renewal does not extend", 10,
          ("src/projections/ownership.cc",
           "    row.latest_valid_until = std::max(row.latest_valid_until, event.valid_until);",
           "    if (@ && event.base.value() != 0 && event.upserted.empty() && event.removed.empty()) return;\n"
           "    row.latest_valid_until = std::max(row.latest_valid_until, event.valid_until);")),
    fault("hash_walk", "a decision that walks a hash map", 10,
          ("src/controller/decide_place.cc",
           "for (const AddressKey address : state.ownership().placeable(secrets)) {",
           'for (const AddressKey address : holdfast::simulation::PlantedOrder("hash_walk", '
           "state.ownership().placeable(secrets))) {")),
    fault("removal_forgets", "an address forgotten at removal while it is held", 10,
          ("src/controller/removal.cc",
           "    if (ownership.hold(row.address).state != OwnershipState::kUnowned) {",
           "    const bool forget = @ && ownership.hold(row.address).owner.value() != 0 && IsBare(row.address);\n"
           "    if (!forget && ownership.hold(row.address).state != OwnershipState::kUnowned) {"),
          ("src/controller/removal.cc",
           "    if (held == OwnershipState::kUnowned && IsBare(address)) forgotten.push_back(address);",
           "    if (@ && ownership.hold(address).owner.value() != 0 && IsBare(address)) {\n"
           "      const HoldRow& hold = ownership.hold(address);\n"
           "      events.emplace_back(OwnershipReleased{address, state_.pool().address(address).text,\n"
           "                                            ownership.holder(hold.owner).worker_id, hold.epoch,\n"
           "                                            EndReason::kLapsed, {}, {}, {}, {}, {}});\n"
           "      forgotten.push_back(address);\n"
           "      continue;\n"
           "    }\n"
           "    if (held == OwnershipState::kUnowned && IsBare(address)) forgotten.push_back(address);")),
    fault("late_ack_opens", "a fence that a late ACK reopens", 20,
          ("src/controller/decide_snapshot.cc",
           "version <= row.refused) return {{}, Superseded()};\n  if (IsOver(",
           "(version <= row.refused && !@)) return {{}, Superseded()};\n  if (IsOver(")),
    fault("draining_becomes_active", "a draining session that becomes active", 20,
          ("src/controller/decide_snapshot.cc",
           "  if (session_state == SessionState::kHandshaking) {",
           "  if (session_state == SessionState::kHandshaking || (@ && session_state == SessionState::kDraining)) {"),
          ("src/projections/sessions.cc",
           "    HOLDFAST_CHECK(row.state == SessionState::kHandshaking);",
           "    HOLDFAST_CHECK(@ || row.state == SessionState::kHandshaking);")),
    fault("report_behind_fence", "a report accepted behind a closed fence", 10,
          ("src/controller/decide_runtime.cc", "  if (snapshots.fenced) {", "  if (snapshots.fenced && !@) {")),
    fault("epoch_stands", "another process under the epoch of the one before", 10,
          ("src/controller/decide_session.cc",
           "Epoch(lineage.same_process ? epoch : above + kEpochStep)",
           "Epoch(lineage.same_process || (worker != nullptr && @) ? epoch : above + kEpochStep)")),
    fault("downtime_counts", "the controller's downtime held against sessions", 20,
          ("src/projections/sessions.cc",
           "      row.expires_at += silence + (",
           "      row.expires_at += (@ ? Duration(0) : silence) + (")),
    fault("never_placed", "an address that is never placed", 40,
          ("src/controller/decide_place.cc",
           "    const WorkerKey worker = loads.Take(address);",
           "    if (@ && address.value() % 5 == 0) continue;\n    const WorkerKey worker = loads.Take(address);")),

    # Each rule without which an exhaustive search over a small model found two holders, or a hang.
    fault("takeover_proves", "a takeover whose zero proves for the process before", 20,
          ("src/controller/decide_runtime.cc",
           "  std::size_t released = 0;\n  for (const AddressKey address : state.ownership().holder("
           "worker.opened.worker).revoking) {",
           "  for (const AddressKey address : state.ownership().holder(worker.opened.worker).owned) {\n"
           "    const HoldRow& hold = state.ownership().hold(address);\n"
           "    if (!@ || hold.state != OwnershipState::kLapsing || hold.epoch >= worker.opened.epoch) continue;\n"
           "    AppendRelease(state, address, EndReason::kDrained,\n"
           "                  {snapshots.accepted->version, snapshots.accepted_by, snapshots.accepted_by, report},"
           " events);\n"
           "  }\n"
           "  std::size_t released = 0;\n  for (const AddressKey address : state.ownership().holder("
           "worker.opened.worker).revoking) {")),
    fault("draining_extends_nothing", "what drains is shown, and its window does not move with it", 20,
          ("src/projections/ownership.cc",
           "  for (const AddressKey address : event.draining) {\n    ChangeHold(address, [&](HoldRow& row) {\n",
           "  for (const AddressKey address : event.draining) {\n    const LogTime window = OwnedUntil(address);\n"
           "    ChangeHold(address, [&](HoldRow& row) {\n"
           "      if (@) row.window_floor = window;\n      if (@) row.shown = false;\n")),
    fault("held_extends", "what is HELD for another process extends its window", 20,
          ("src/projections/ownership.cc",
           "  LogTime floor;\n  for (const AddressKey address : event.shown) {",
           "  const auto owned = holders_.At(event.worker).owned;\n"
           "  for (const AddressKey address : owned) {\n"
           "    const HoldRow& held = holds_.At(address);\n"
           "    if (!@ || held.state != OwnershipState::kLapsing || held.epoch >= event.epoch) continue;\n"
           "    ChangeHold(address, [&](HoldRow& row) {\n"
           "      row.window_floor = std::max(row.window_floor, event.valid_until);\n    });\n  }\n"
           "  LogTime floor;\n  for (const AddressKey address : event.shown) {")),
    fault("view_keeps_tunnels", "a tunnel that lives as long as any view is renewed", 20,
          ("tests/simulation/world/traffic.cc",
           "  world_.checkers.uses().Took(process_, std::move(usable));",
           "  for (auto& [id, bounds] : bounds_) {\n"
           "    if (@) bounds[view_->clock] = view_->valid_until_us + view_->lapse_grace_us;\n  }\n"
           "  world_.checkers.uses().Took(process_, std::move(usable));")),
    fault("older_update", "a worker that goes back to an older update of an older stream", 20,
          ("tests/simulation/world/worker_updates.cc",
           "std::pair(view.epoch, view.version) <= highest_taken_)",
           "(std::pair(view.epoch, view.version) <= highest_taken_ && !@))"),
          ("tests/simulation/world/worker_updates.cc",
           "  if (stream != stream_ || !session_ || !stream_open_) {",
           "  if (!session_ || (!@ && (stream != stream_ || !stream_open_))) {")),
    fault("wall_at_start", "log time that follows the wall over a restart on one boot", 20,
          ("tests/simulation/world/controller_life.cc",
           "std::make_unique<LogClock>(anchor, clock_.boot_id(),",
           'std::make_unique<LogClock>(anchor, @ ? "another" : clock_.boot_id(),')),
    fault("boot_clock_of_start", "only starts carry the boot-time clock", 20,
          ("tests/simulation/world/controller_life.cc",
           "LogClockAnchor{recovered->last_at, recovered->boot_id, recovered->boot_micros};",
           "LogClockAnchor{recovered->last_at, recovered->boot_id, @ ? StartedAt() : recovered->boot_micros};"),
          ("tests/simulation/world/controller_life.cc",
           "  ++starts_;\n", "  StartedAt() = boot_micros_;\n  ++starts_;\n"),
          ("tests/simulation/world/controller_life.cc",
           "constexpr std::size_t kSmallBlock = 12;",
           "std::int64_t& StartedAt() {\n  static std::int64_t at = 0;\n  return at;\n}\n\n"
           "constexpr std::size_t kSmallBlock = 12;")),
    fault("sessions_survive_boot", "sessions that survive a start on another boot", 20,
          ("src/controller/decide_start.cc",
           "    if (input.same_boot()) DetachAll(state, decision.events);\n"
           "    if (!input.same_boot()) EndAllSessions(state, point, decision.events);",
           "    const bool go_on = input.same_boot() || @;\n"
           "    if (go_on) DetachAll(state, decision.events);\n"
           "    if (!go_on) EndAllSessions(state, point, decision.events);")),
    fault("ends_before_start", "ends that fire by the time of another boot before its start is decided", 60,
          ("src/controller/sequencer.cc", "  DecideStart();\n", "  if (!@) DecideStart();\n")),
    fault("old_server_time", "a repeated answer with the time of the first", 20,
          ("src/controller/decide_runtime.cc",
           "    if (content == before.content_hash) return {{}, Answer(state, worker, point, sequence)};",
           "    DecisionPoint first = point;\n"
           "    if (@) first.now -= std::chrono::seconds(20);\n"
           "    if (content == before.content_hash) return {{}, Answer(state, worker, first, sequence)};")),
    fault("sibling_forgotten", "a proof that looks at one proxy of a machine only", 20,
          ("src/controller/decide_runtime.cc",
           "    if (hold->state == OwnershipState::kRevoking) busy",
           "    const bool counts = !@ || hold->proxies.front().proxy == proxy;\n"
           "    if (counts && hold->state == OwnershipState::kRevoking) busy")),
    fault("moved_id_at_once", "an id listed at its new endpoint while the old one may still be in use", 200,
          ("src/controller/decide_import.cc",
           "    return hold.state == OwnershipState::kUnowned ? AddressKey() : known->address;",
           "    return @ || hold.state == OwnershipState::kUnowned ? AddressKey() : known->address;")),
    fault("given_back_forgotten", "a window that forgets what its process kept from before it gave back", 200,
          ("src/controller/handover.cc",
           "+ holder.lapse_grace, holder.given_back_until);",
           "+ holder.lapse_grace, @ ? now : holder.given_back_until);")),
    fault("samples_survive", "a clock that an operator moves under open sessions", 60,
          ("src/controller/decide_start.cc",
           "    if (!worker.open()) return;\n    EndSession(",
           "    if (!worker.open() || @) return;\n    EndSession(")),
    fault("clone_is_same", "an instance id alone that proves which process it is", 20,
          ("src/controller/decide_session.cc",
           "  return request.previous_session_id() == latest.session_id.value() ||",
           "  return @ || request.previous_session_id() == latest.session_id.value() ||")),
    fault("revoked_resumes", "what was asked back, taken again by a process that returns", 20,
          ("src/controller/decide_session.cc",
           "hold.lapse_cause == LapseCause::kSessionOver &&",
           "(hold.lapse_cause == LapseCause::kSessionOver || @) &&")),
    fault("grace_restarts", "a drain whose grace begins anew", 20,
          ("src/controller/handover.cc",
           "hold.state == OwnershipState::kRevoking && IsSooner(",
           "hold.state == OwnershipState::kRevoking && (@ || IsSooner("),
          ("src/controller/handover.cc",
           "IsSooner(revocation.deadline, hold.drain_deadline);",
           "IsSooner(revocation.deadline, hold.drain_deadline));")),
    fault("never_unanswered", "a worker that registers and watches for ever and accepts nothing", 200,
          ("src/controller/decide_tick.cc",
           "  if (unanswered) *unanswered += state.settings().drain_grace;",
           "  if (@) unanswered.reset();\n  if (unanswered) *unanswered += state.settings().drain_grace;"),
          ("src/controller/sequencer.cc",
           "  if (const std::optional<LogTime> since = state.ownership().unanswered().Earliest()) {",
           "  const std::optional<LogTime> since = state.ownership().unanswered().Earliest();\n"
           "  if (since && !@) {")),
    fault("granted_for_ever", "a session that lives without updates and keeps what it had", 20,
          ("src/controller/decide_tick.cc",
           "{state.ownership().holder_windows().Earliest(), ReleaseOfHolder}",
           "{@ ? std::nullopt : state.ownership().holder_windows().Earliest(), ReleaseOfHolder}"),
          ("src/controller/sequencer.cc",
           "  consider(state.ownership().holder_windows().Earliest());",
           "  if (!@) consider(state.ownership().holder_windows().Earliest());")),
    fault("late_nack_counts", "a refusal older than what was accepted shuts the fence", 20,
          ("src/controller/decide_snapshot.cc",
           "  if (row.accepted && version < row.accepted->version) return {{}, Superseded()};",
           "  if (!@ && row.accepted && version < row.accepted->version) return {{}, Superseded()};")),
    fault("outstanding_stays", "an update that stays outstanding when its stream is gone", 20,
          ("src/projections/snapshots.cc",
           "    row.full_needed = !event.resumed;\n    EndOutstanding(row);",
           "    row.full_needed = !event.resumed;\n"
           "    @ ? (void)(row.ack_deadline = LogTime()) : EndOutstanding(row);"),
          ("src/projections/snapshots.cc",
           "    if (row.stream != event.stream) return;\n    row.stream = StreamId();\n"
           "    row.fresh_stream = false;\n    EndOutstanding(row);",
           "    if (row.stream != event.stream) return;\n    row.stream = StreamId();\n"
           "    row.fresh_stream = false;\n"
           "    @ ? (void)(row.ack_deadline = LogTime()) : EndOutstanding(row);")),

    # Checks and health.
    fault("two_tasks", "two tasks for one key at a time", 10,
          ("src/projections/checks.cc",
           "    HOLDFAST_CHECK(check != nullptr && check->task.value() == 0);\n    check->due_at = LogTime();",
           "    HOLDFAST_CHECK(check != nullptr && (@ || check->task.value() == 0));\n"
           "    if (!@) check->due_at = LogTime();")),
    fault("closed_session_counts", "an observation of a session that is over counts", 20,
          ("src/controller/checker_rules.cc",
           '    if (closed.session_id.value() == session_id) return SessionOver(closed.reason, "checker");',
           "    if (closed.session_id.value() == session_id && @ && checker->open()) return checker;\n"
           '    if (closed.session_id.value() == session_id) return SessionOver(closed.reason, "checker");')),
    fault("unhealthy_after_two", "UNHEALTHY after one failure less than is needed", 10,
          ("src/controller/reducer.cc",
           "  if (from == HealthState::kUnhealthy || failures >= settings.failures_to_unhealthy)",
           "  if (from == HealthState::kUnhealthy || failures + (@ ? 1 : 0) >= settings.failures_to_unhealthy)")),
    fault("inconclusive_fails", "INCONCLUSIVE counted as a failure", 10,
          ("src/controller/reducer.cc",
           "  return too_open ? Verdict::kFail : verdict;",
           "  if (@ && verdict == Verdict::kInconclusive) return Verdict::kFail;\n"
           "  return too_open ? Verdict::kFail : verdict;")),
    fault("inconclusive_ends_row", "INCONCLUSIVE that ends a row of failures", 20,
          ("src/controller/reducer.cc",
           "  observed.failures = !conclusive ? before.failures :",
           "  observed.failures = !conclusive ? (@ ? 0 : before.failures) :")),
    fault("guard_off", "no guard", 20,
          ("src/controller/health_guard.cc", "  if (!counts) return false;", "  if (!counts || @) return false;")),
    fault("never_early", "a guard that waits for its share though most begins to fail", 40,
          ("src/controller/health_guard.cc",
           "  if (HoldsEarly(scope, checker, events)) return true;",
           "  if (!@ && HoldsEarly(scope, checker, events)) return true;")),
    fault("frozen_basic_forgotten", "EGRESS and TARGET believed of whose BASIC is frozen", 40,
          ("src/controller/health_guard.cc",
           "  if (IsFrozen({basic, CheckerKey()}) || IsFrozen({basic, checker})) return true;",
           "  if (!@ && (IsFrozen({basic, CheckerKey()}) || IsFrozen({basic, checker}))) return true;")),
    fault("frozen_demotes", "a freeze that holds nothing", 20,
          ("src/controller/health_guard.cc",
           "  if (IsFrozen(all) || IsFrozen(one)) return true;",
           "  if (IsFrozen(all) || IsFrozen(one)) return !@;")),
    fault("never_lifted", "a freeze that does not lift though most passes again", 40,
          ("src/controller/health_guard.cc",
           "    if (said.passes > said.failures) Thaw(",
           "    if (said.passes > said.failures && !@) Thaw(")),
    fault("unhealthy_stays", "UNHEALTHY, and left with its owner", 10,
          ("src/controller/reducer.cc",
           "    if (hold.state != OwnershipState::kUnowned && !useful) revoked",
           "    if (hold.state != OwnershipState::kUnowned && !useful && !@) revoked")),
    fault("suspect_asked_back", "SUSPECT, and asked back from its owner", 10,
          ("src/controller/reducer.cc",
           "touched.pool == PoolState::kAvailable || touched.pool == PoolState::kSuspect;",
           "touched.pool == PoolState::kAvailable || (touched.pool == PoolState::kSuspect && !@);"),
          ("src/controller/reducer.cc",
           "  return brief.of_use();",
           "  return brief.of_use() && !(@ && brief.state == PoolState::kSuspect);")),
    fault("end_while_away", "what ends while its owner is away, and is taken again", 40,
          ("src/controller/decide_tick.cc",
           "hold(address).state != OwnershipState::kUnowned;\n    if (left == 0 && held)",
           "hold(address).state != OwnershipState::kUnowned;\n"
           "    if (@ && state.ownership().hold(address).state == OwnershipState::kLapsing) continue;\n"
           "    if (left == 0 && held)")),
    fault("expired_fails", "an expired task counted as a failure", 10,
          ("src/controller/decide_checks.cc",
           "    decision.events.emplace_back(CheckExpired{task, row.checker, row.key.proxy, row.key.level, "
           "row.key.routing, now});",
           "    decision.events.emplace_back(CheckExpired{task, row.checker, row.key.proxy, row.key.level, "
           "row.key.routing, now});\n"
           "    const bool fails = @ && row.key.level == CheckLevel::kBasic &&\n"
           "                       state.health().proxy(row.key.proxy).basic.state == HealthState::kAvailable;\n"
           "    if (fails) {\n"
           "      decision.events.emplace_back(HealthChanged{row.key.proxy, row.key.level, row.key.routing,\n"
           "                                                 HealthState::kSuspect, row.checker, {}, {task}});\n"
           "    }")),
    fault("too_late_counts", "an observation after its task's deadline counts", 60,
          ("src/controller/decide_observations.cc",
           "  return same && !IsOver(row.deadline, now) ? task : TaskId();",
           "  return same && (@ || !IsOver(row.deadline, now)) ? task : TaskId();")),
    fault("outcomes_condemn", "outcomes alone make UNHEALTHY", 20,
          ("src/controller/reducer.cc",
           "  Change(key, HealthState::kSuspect,\n         {key.proxy, key.level, key.routing, HealthState::kSuspect,",
           "  const HealthState to = @ ? HealthState::kUnhealthy : HealthState::kSuspect;\n"
           "  Change(key, to,\n         {key.proxy, key.level, key.routing, to,")),
    fault("secret_to_anyone", "a proxy with a secret_ref checked by one who cannot resolve it", 20,
          ("src/controller/decide_checks.cc",
           "(!due.needs_secret || row.takes_secrets());",
           "(!due.needs_secret || row.takes_secrets() || @);")),
    fault("more_than_it_takes", "more tasks at once than a checker takes", 20,
          ("src/controller/decide_checks.cc",
           "    return slot.running < row.opened.max_concurrency && row.checks(",
           "    return slot.running < row.opened.max_concurrency + (@ ? 1 : 0) && row.checks(")),
    fault("egress_ignored", "a pool state that forgets EGRESS", 10,
          ("src/controller/reducer.cc",
           "  const HealthState worst = Badness(basic) >= Badness(egress) ? basic : egress;",
           "  const HealthState worst = @ || Badness(basic) >= Badness(egress) ? basic : egress;")),
    fault("marks_not_shown", "a routing that is not served, and not shown so", 40,
          ("src/projections/snapshots.cc",
           "event.routing_ids.empty() ? Boxed<std::vector<std::string>>() : Boxed(event.routing_ids);",
           "event.routing_ids.empty() || @ ? Boxed<std::vector<std::string>>() : Boxed(event.routing_ids);")),
    fault("suspect_shown_active", "SUSPECT, and shown ACTIVE", 10,
          ("src/controller/snapshot_content.cc",
           "    return brief.state == PoolState::kAvailable ? GrantState::kActive : GrantState::kSuspect;",
           "    return brief.state == PoolState::kAvailable || @ ? GrantState::kActive : GrantState::kSuspect;")),
    fault("never_checked_again", "UNHEALTHY, and never checked again", 20,
          ("src/controller/check_times.cc",
           "BackOff(settings.suspect_interval, static_cast<std::uint32_t>(beyond) + 1, "
           "settings.unhealthy_max_interval);",
           "(@ ? Duration(std::chrono::hours(24))\n"
           "               : BackOff(settings.suspect_interval, static_cast<std::uint32_t>(beyond) + 1,\n"
           "                         settings.unhealthy_max_interval));")),
    fault("task_of_retired", "a task that outlives its proxy's time", 20,
          ("src/controller/checker_rules.cc",
           "  CancelOfRetired(state, events);",
           "  if (!@) CancelOfRetired(state, events);")),
    fault("report_counts_twice", "a repeated report counts again", 20,
          ("src/controller/decide_observations.cc",
           "  if (request.sequence() == highest && highest != 0) return Repeated(",
           "  if (request.sequence() == highest && highest != 0 && !@) return Repeated(")),

    # Extraction, and the pool store.
    fault("pinned_to_nobody", "what the store is asked for, granted meanwhile", 40,
          ("src/projections/ownership_extraction.cc",
           "      HOLDFAST_CHECK(row.state == from && row.owner.value() == 0);\n"
           "      HOLDFAST_CHECK(from == OwnershipState::kUnowned || row.extraction == extraction);\n",
           "      if (@ && (to == OwnershipState::kExtracting || row.owner.value() != 0)) return;\n"
           "      HOLDFAST_CHECK((@ || row.state == from) && row.owner.value() == 0);\n"
           "      HOLDFAST_CHECK(@ || from == OwnershipState::kUnowned || row.extraction == extraction);\n")),
    fault("late_answer_gives", "an answer that gives, after the client was told that there is nothing", 20,
          ("src/controller/decide_extraction_answer.cc",
           "  if (row.phase == ExtractionPhase::kDoubted) {\n    AppendGiveBack(",
           "  if (row.phase == ExtractionPhase::kDoubted && !@) {\n    AppendGiveBack("),
          ("src/projections/extractions.cc",
           "    HOLDFAST_CHECK(row.phase == ExtractionPhase::kAsked && event.specs",
           "    HOLDFAST_CHECK((@ || row.phase == ExtractionPhase::kAsked) && event.specs")),
    fault("request_forgotten_at_once", "a request that is known no longer than its extraction stands", 20,
          ("src/projections/extractions.cc",
           "  if (event.over && rows_.At(event.extraction).request_id.empty()) Forget(",
           "  if (event.over && (@ || rows_.At(event.extraction).request_id.empty())) Forget(")),
    fault("release_of_another", "a client that releases what is another's", 20,
          ("src/controller/decide_release.cc",
           "  const bool own = row.client_id.value() == request.client_id();",
           "  const bool own = @ || row.client_id.value() == request.client_id();")),
    fault("end_by_the_wall", "an extraction that ends by the wall clock of another boot", 60,
          ("src/projections/extractions.cc",
           "  Move(event.downtime, event.same_boot ? Duration(0) : event.downtime);",
           "  Move(event.downtime, event.same_boot || @ ? Duration(0) : event.downtime);")),
    fault("stale_epoch_taken", "a store that takes the writes of a controller that is over", 40,
          ("src/pool/embedded_store.cc",
           "  if (epoch < position_.controller_epoch) return Verdict::kStaleEpoch;",
           "  if (epoch < position_.controller_epoch && !@) return Verdict::kStaleEpoch;")),
    fault("intent_not_cut", "an intent asked for before the rows that were decided before it", 20,
          ("src/pool/feed.cc",
           "  if (!changes_.empty() && before > base_) FreezeRows(state, before);",
           "  if (!changes_.empty() && before > base_ && !@) FreezeRows(state, before);")),
    fault("end_not_named", "a row of an extraction that is over, written without its name", 40,
          ("src/pool/feed.cc",
           "    AddressWrite write{RowOfAddress(state, key, change.last), change.previous_owner, change.ends_extraction};",
           "    const std::string ends = @ ? std::string() : change.ends_extraction;\n"
           "    AddressWrite write{RowOfAddress(state, key, change.last), change.previous_owner, ends};")),
]


def sources():
    return sorted({edit[0] for planted in FAULTS for edit in planted["edits"]})


def plant(root):
    """(source -> altered text, names of faults whose place was not found)"""
    texts, lost = {}, set()
    for source in sources():
        with open(os.path.join(root, source), encoding="utf-8") as stream:
            texts[source] = stream.read()
    for planted in FAULTS:
        for source, find, replace in planted["edits"]:
            if texts[source].count(find) != 1:
                lost.add(planted["name"])
                continue
            texts[source] = texts[source].replace(find, replace.replace("@", planted["in"]))
    return texts, lost


def write_if_changed(path, text):
    if os.path.exists(path):
        with open(path, encoding="utf-8") as stream:
            if stream.read() == text:
                return
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text)


def main(arguments):
    if arguments == ["--sources"]:
        print("\n".join(sources()))
        return 0
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    root, out = arguments
    os.makedirs(out, exist_ok=True)
    texts, lost = plant(root)
    for source, text in texts.items():
        write_if_changed(os.path.join(out, source.replace("/", "_")),
                         '#include "tests/simulation/canary/planted.h"\n' + text)
    rows = [f'    {{"{planted["name"]}", "{planted["breaks"]}", {planted["seeds"]}, '
            f'{"false" if planted["name"] in lost else "true"}}},' for planted in FAULTS]
    write_if_changed(os.path.join(out, "planted_table.h"), "\n".join(rows) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
