#!/usr/bin/env python3
"""Plants one violation at a time into a tree of its own and expects tidy to find it, and nothing else."""

import os
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True

import cpp_text
import tidy
from tree import Tree

HEADER = "// What it is.\n#pragma once\n"
LATER = "TO" + "DO"


def plant(root, files):
    for path, text in files.items():
        os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as stream:
            stream.write(text)


def violations(files):
    """What tidy says about a tree that holds just `files` (path -> text), as path:line: message."""
    with tempfile.TemporaryDirectory() as root:
        plant(root, files)
        return [f"{path}:{line}: {message}" for path, line, message in tidy.find_violations(Tree(root, files))]


class TidyTest(unittest.TestCase):
    def assert_found(self, files, *expected):
        """Each of `expected` is the beginning of a line or a part of it; as many are found as are expected."""
        found = violations(files)
        self.assertEqual(len(found), len(expected), found)
        for line, part in zip(found, expected):
            self.assertIn(part, line)

    def assert_clean(self, files):
        self.assertEqual(violations(files), [])


class IncludeDirections(TidyTest):
    def test_an_include_against_the_direction_is_found_with_its_line(self):
        self.assert_found({"src/base/a.cc": '\n#include "events/event.h"\n', "src/events/event.h": HEADER},
                          "src/base/a.cc:2: src/base may not include events/event.h (of src/events)")

    def test_every_layer_refuses_what_stands_above_it(self):
        pairs = [("src/events", "projections"), ("src/projections", "controller"), ("src/controller", "server"),
                 ("src/pool", "controller"), ("src/session", "events"), ("src/client", "events"),
                 ("src/server", "client"), ("replay", "server"), ("replay", "client"), ("tools/cli", "controller"),
                 ("tools/fleet", "server"), ("src/controller", "pool")]
        for layer, above in pairs:
            with self.subTest(layer=layer, above=above):
                self.assert_found({f"{layer}/a.cc": f'#include "{above}/b.h"\n', f"src/{above}/b.h": HEADER},
                                  f"{layer}/a.cc:1: ")

    def test_what_the_table_allows_is_clean(self):
        pairs = [("src/events", "base"), ("src/server", "controller"), ("replay", "pool"), ("src/client", "session"),
                 ("tools/fleet", "client"), ("tests/base", "server"), ("bench", "client"), ("src/base", "base")]
        for layer, below in pairs:
            with self.subTest(layer=layer, below=below):
                self.assert_clean({f"{layer}/a.cc": f'#include "{below}/b.h"\n', f"src/{below}/b.h": HEADER})

    def test_the_server_may_include_the_replay_library_and_the_projections_may_not(self):
        self.assert_clean({"src/server/a.cc": '#include "replay/b.h"\n', "replay/b.h": HEADER})
        self.assert_found({"src/projections/a.cc": '#include "replay/b.h"\n', "replay/b.h": HEADER}, "(of replay)")

    def test_the_judge_may_include_ids_and_nothing_else_of_src(self):
        self.assert_clean({"tools/judge/a.cc": '#include "base/ids.h"\n', "src/base/ids.h": HEADER})
        self.assert_found({"tools/judge/a.cc": '#include "base/digest.h"\n', "src/base/digest.h": HEADER},
                          "tools/judge may not include base/digest.h")
        self.assert_found({"tools/judge/a.cc": '#include "tools/fleet/b.h"\n', "tools/fleet/b.h": HEADER}, "(of tools)")

    def test_the_simulations_oracle_and_checkers_may_include_ids_and_each_other_and_nothing_else_of_src(self):
        checkers, oracle = "tests/simulation/checkers", "tests/simulation/oracle"
        self.assert_clean({f"{oracle}/a.cc": f'#include "base/ids.h"\n#include "{checkers}/b.h"\n',
                           f"{checkers}/b.h": HEADER})
        for folder in (checkers, oracle):
            with self.subTest(folder=folder):
                self.assert_found({f"{folder}/a.cc": '#include "events/b.h"\n', "src/events/b.h": HEADER},
                                  f"{folder}/a.cc:1: {folder} may not include events/b.h")
                self.assert_found({f"{folder}/a.cc": '#include "tests/simulation/world/b.h"\n',
                                   "tests/simulation/world/b.h": HEADER}, "(of tests)")

    def test_generated_messages_are_refused_in_base_and_session(self):
        self.assert_found({"src/base/a.cc": '#include "controlplane/v1/types.pb.h"\n'}, "(of generated)")
        self.assert_found({"src/session/a.cc": '#include "holdfast/admin/v1/admin.pb.h"\n'}, "(of generated)")
        self.assert_clean({"src/events/a.cc": '#include "holdfast/log/v1/log.pb.h"\n'})

    def test_a_path_through_the_parent_folder_does_not_hide_a_direction(self):
        self.assert_found({"src/base/a.cc": '#include "../server/b.h"\n', "src/server/b.h": HEADER}, "(of src/server)")

    def test_an_include_of_a_header_that_does_not_exist_yet_is_judged_by_its_folder(self):
        self.assert_found({"src/base/a.cc": '#include "server/later.h"\n', "src/server/b.h": HEADER}, "(of src/server)")

    def test_an_include_in_a_comment_is_none(self):
        self.assert_clean({"src/base/a.cc": '// #include "events/event.h"\n', "src/events/event.h": HEADER})

    def test_a_folder_that_no_layer_knows_is_found(self):
        self.assert_found({"src/util/a.cc": "int a;\n"}, "a folder that no layer knows")


class ForeignHeaders(TidyTest):
    def test_each_library_is_refused_outside_its_own_files(self):
        planted = {"src/events/log.cc": "rocksdb/db.h", "src/controller/a.cc": "grpcpp/grpcpp.h",
                   "src/pool/redis_store.cc": "hiredis/hiredis.h", "src/events/codec.cc": "openssl/sha.h",
                   "src/base/config.cc": "nlohmann/json.hpp", "src/session/a.cc": "gtest/gtest.h"}
        for path, header in planted.items():
            with self.subTest(path=path):
                self.assert_found({path: f"#include <{header}>\n"}, f"{path}:1: ")

    def test_service_stubs_count_as_grpc(self):
        self.assert_found({"src/controller/a.cc": '#include "controlplane/v1/controlplane.grpc.pb.h"\n'}, "gRPC (")

    def test_each_library_is_allowed_in_its_own_files(self):
        self.assert_clean({"src/events/rocksdb_log.cc": '#include "rocksdb/db.h"\n',
                           "src/server/worker_service.cc": "#include <grpcpp/grpcpp.h>\n",
                           "src/pool/redis_connection.cc": "#include <hiredis/hiredis.h>\n",
                           "src/base/sha256.cc": "#include <openssl/evp.h>\n",
                           "src/server/config_file.cc": "#include <nlohmann/json.hpp>\n",
                           "tests/base/a_test.cc": "#include <gtest/gtest.h>\n"})


class BannedCalls(TidyTest):
    def test_clocks_are_refused_outside_the_clock_files(self):
        for call in ("std::chrono::system_clock::now()", "Clock::now()", "absl::Now()", "clock_gettime(0, &t)",
                     "gettimeofday(&t, nullptr)", "time(NULL)", "std::time(nullptr)"):
            with self.subTest(call=call):
                text = f"void F() {{\n  auto t = {call};\n}}\n"
                self.assert_found({"src/controller/a.cc": text}, "src/controller/a.cc:2: a clock")
                self.assert_found({"tests/base/a_test.cc": text}, "a clock")
                self.assert_clean({"src/base/boot_clock.cc": text, "src/base/wall_clock.cc": text, "tools/a/a.cc": text})

    def test_random_sources_are_refused_outside_the_random_file(self):
        for call in ("std::random_device d;", "int a = rand();", "getrandom(p, 8, 0);", "std::mt19937_64 engine(1);"):
            with self.subTest(call=call):
                text = f"void F() {{\n  {call}\n}}\n"
                self.assert_found({"src/server/a.cc": text}, "src/server/a.cc:2: a random source")
                self.assert_clean({"src/base/random.cc": text, "tools/fleet/a.cc": text})

    def test_sleeps_are_refused_in_src_replay_and_tests(self):
        for call in ("std::this_thread::sleep_for(d)", "usleep(5)", "absl::SleepFor(d)", "sleep(1)"):
            with self.subTest(call=call):
                text = f"void F() {{ {call}; }}\n"
                for path in ("src/server/a.cc", "replay/a.cc", "tests/e2e/a_test.cc"):
                    self.assert_found({path: text}, "a sleep")

    def test_a_script_of_the_tests_may_not_sleep_either(self):
        self.assert_found({"tests/e2e/a.py": "import time\ntime.sleep" + "(1)\n"}, "tests/e2e/a.py:2: ")

    def test_what_only_looks_like_a_call_is_none(self):
        self.assert_clean({"src/base/a.cc": "// absl::Now() and rand()\nconst char* kText = \"sleep(1)\";\n"
                                            "int F(Log log) { return log.time(0) + operand() + runtime(0); }\n"})

    def test_a_main_function_stands_in_main_cc_only(self):
        text = "int main() { return 0; }\n"
        self.assert_found({"tools/cli/cli.cc": text}, "a main function")
        self.assert_clean({"tools/cli/main.cc": text, "bench/load.cc": text, "tests/fuzz/replay.cc": text})

    def test_standard_unordered_containers_are_refused_in_decisions(self):
        self.assert_found({"src/projections/a.cc": "std::unordered_map<int, int> rows;\n"}, "an unordered container")


class HashWalks(TidyTest):
    MEMBER = HEADER + "class A {\n  absl::flat_hash_map<Key, std::vector<Row>> rows_;\n};\n"

    def test_a_walk_over_a_member_of_the_own_header_is_found(self):
        for walk in ("for (const auto& [key, row] : rows_) Use(row);", "auto it = rows_.begin();",
                     "for (auto& row : other.rows_) {\n  }", "absl::c_for_each(rows_, F);"):
            with self.subTest(walk=walk):
                text = f'#include "controller/a.h"\n\nvoid F() {{\n  {walk}\n}}\n'
                self.assert_found({"src/controller/a.h": self.MEMBER, "src/controller/a.cc": text},
                                  "src/controller/a.cc:4: walks the hash container `rows_`")

    def test_a_walk_over_a_local_an_alias_and_an_accessor_is_found(self):
        self.assert_found({"src/projections/a.cc":
                           "using Rows = absl::flat_hash_set<int>;\nvoid F(const Rows& rows) {\n"
                           "  for (int row : rows) Use(row);\n}\n"}, "src/projections/a.cc:3: ")
        header = HEADER + "const absl::flat_hash_map<int, int>& sessions() const;\n"
        self.assert_found({"src/projections/b.h": header, "src/projections/a.cc":
                           '#include "projections/b.h"\nvoid F(S s) {\n  for (auto& e : s.sessions()) Use(e);\n}\n'},
                          "src/projections/a.cc:3: ")

    def test_look_ups_and_walks_over_ordered_containers_are_clean(self):
        self.assert_clean({"src/controller/a.h": self.MEMBER, "src/controller/a.cc":
                           '#include "controller/a.h"\nvoid F(const std::map<int, int>& sorted) {\n'
                           "  if (rows_.find(1) == rows_.end()) return;\n  for (auto& e : sorted) Use(e, rows_.at(1));\n"
                           "  for (auto& row : rows_.at(1)) Use(row);\n}\n"})

    def test_a_private_member_of_another_class_with_the_same_name_is_not_meant(self):
        self.assert_clean({"src/controller/a.h": self.MEMBER, "src/controller/b.cc":
                           '#include "controller/a.h"\nvoid F() {\n  for (auto& e : rows_) Use(e);\n}\n'})

    def test_outside_the_decisions_a_walk_is_allowed(self):
        self.assert_clean({"src/server/a.cc": "absl::flat_hash_set<int> a;\nvoid F() {\n  for (int b : a) Use(b);\n}\n"})


class Sizes(TidyTest):
    def test_the_file_one_line_over_the_limit_is_found_and_the_longest_allowed_is_not(self):
        self.assert_clean({"src/base/a.cc": "int a;\n" * 500})
        self.assert_found({"src/base/a.cc": "int a;\n" * 501}, "has 501 lines, the limit is 500")

    def test_the_function_one_line_over_the_limit_is_found_and_the_longest_allowed_is_not(self):
        self.assert_clean({"src/base/a.cc": "int F() {\n" + "  G();\n" * 58 + "}\n"})
        self.assert_found({"src/base/a.cc": "\nint F() {\n" + "  G();\n" * 59 + "}\n"},
                          "src/base/a.cc:2: `int F()` has 61 lines")

    def test_the_line_one_column_over_the_limit_is_found_and_columns_are_letters(self):
        self.assert_clean({"src/base/a.cc": "// " + "é" * 117 + "\n"})
        self.assert_found({"src/base/a.cc": "// " + "é" * 118 + "\n"}, "has 121 columns")

    def lengths(self, text):
        return [(last - first + 1, signature) for first, last, signature in cpp_text.functions(cpp_text.code_only(text))]

    def test_functions_are_measured_in_classes_namespaces_and_templates(self):
        text = ("namespace a {\nclass B : public C {\n public:\n  int D() const {\n    return 1;\n  }\n"
                "  enum class E { kF, kG };\n};\ntemplate <class T>\nT H(T i) {\n  return i;\n}\n}  // namespace a\n")
        self.assertEqual([length for length, _ in self.lengths(text)], [3, 3])

    def test_a_lambda_and_a_local_class_belong_to_the_function_around_them(self):
        text = "void F() {\n  auto g = [](int a) {\n    return a;\n  };\n  struct L {\n    int M() {\n    }\n  };\n}\n"
        self.assertEqual(self.lengths(text), [(9, "void F()")])

    def test_initialisers_are_no_functions_and_a_constructor_with_a_member_list_is_one(self):
        self.assertEqual(self.lengths("const std::map<int, int> kTable = {\n    {1, 2},\n};\nconst A kB = F({\n1});\n"), [])
        text = "A::A(int b)\n    : b_{b},\n      c_(b) {\n  D();\n}\n"
        self.assertEqual([length for length, _ in self.lengths(text)], [4])

    def test_braces_in_comments_strings_and_characters_do_not_count(self):
        text = "void F() {\n  // {\n  G(\"{\", '{', R\"(\n{)\", 1'000'000);\n}\nvoid H() {\n}\n"
        self.assertEqual([length for length, _ in self.lengths(text)], [5, 2])


class Headers(TidyTest):
    def test_a_header_without_opening_comment_or_pragma_is_found(self):
        self.assert_found({"src/base/a.h": "#pragma once\n"}, "opens without a comment")
        self.assert_found({"src/base/a.h": "// What it is.\n"}, "has no `#pragma once`")

    def test_an_opening_comment_of_sixteen_lines_is_found(self):
        self.assert_clean({"src/base/a.h": "// What.\n" * 15 + "#pragma once\n"})
        self.assert_found({"src/base/a.h": "// What.\n" * 16 + "#pragma once\n"}, "opens with 16 comment lines")

    def test_using_namespace_in_a_header_is_found_and_in_a_source_it_is_not(self):
        self.assert_found({"src/base/a.h": HEADER + "using namespace std;\n"}, "src/base/a.h:3: ")
        self.assert_clean({"src/base/a.cc": "using namespace std;\n"})


class Words(TidyTest):
    def test_a_promise_for_later_is_found_in_any_text_file(self):
        for path in ("src/base/a.cc", "scripts/a", "docs/a.md", "CMakeLists.txt"):
            with self.subTest(path=path):
                self.assert_found({path: f"\n# {LATER}: later\n"}, f"{path}:2: `{LATER}`")

    def test_words_of_other_systems_are_found_in_src_only(self):
        for word in ("jour" + "nal", "Jour" + "nal", "W" + "AL"):
            with self.subTest(word=word):
                self.assert_found({"src/events/a.cc": f"// the {word}\n"}, f"`{word}`")
                self.assert_clean({"docs/a.md": f"Never {word}.\n", "src/events/rocksdb_log.cc": f"// its {word}\n"})

    def test_a_path_of_one_machine_is_found(self):
        self.assert_found({"docs/a.md": "see /wo" + "rk/main\n"}, "a path of one machine")
        self.assert_clean({"docs/a.md": "see src/wo" + "rk/main and ./ro" + "ot/a and 0/1\n"})

    def test_a_lock_file_that_names_its_registry_is_found(self):
        self.assert_found({"tests/interop/package-lock.json": '{"resolved": "x"}\n'}, "names its registry")

    def test_the_number_of_a_ticket_is_found(self):
        self.assert_found({"src/base/a.cc": "// as iss" + "ue 7 wants\n"}, "speaks of the product alone")

    def test_a_binary_file_is_left_alone(self):
        self.assert_clean({"data/a.bin": f"\0 {LATER}\n"})


class Documents(TidyTest):
    def test_a_link_to_a_file_that_does_not_exist_is_found(self):
        self.assert_found({"docs/a.md": "text\n[b](b.md)\n"}, "docs/a.md:2: links to b.md, and docs/b.md does not exist")
        self.assert_found({"docs/a.md": "[b]: ../gone.md\n"}, "links to ../gone.md")

    def test_links_to_files_folders_sections_and_the_web_are_clean(self):
        self.assert_clean({"docs/a.md": "[a](a.md#part) [b](../src/base) [c](#d) [e](https://example.com/f) "
                                        "[g](../src/base/g.cc \"title\")\n", "src/base/g.cc": "int g;\n"})

    def test_a_link_in_code_is_none(self):
        self.assert_clean({"docs/a.md": "`[b](b.md)`\n```\n[c](c.md)\n```\n"})

    def test_a_folder_that_the_readme_does_not_name_is_found(self):
        files = {"src/base/a.cc": "int a;\n", "deploy/sample/a.txt": "a\n", ".ci/run": "true\n"}
        readme = "deploy/ holds samples.\n\n| folder | what |\n| --- | --- |\n| `src/base/` | ids |\n"
        self.assert_found({"README.md": readme, **files}, "no row that names `deploy/`")
        self.assert_clean({"README.md": readme + "| `deploy/` | samples |\n", **files})


class Listing(unittest.TestCase):
    FILES = {".gitignore": "/build/\n", "build/a.cc": "int a;\n", "src/base/b.cc": "int b;\n"}

    def test_what_git_ignores_is_not_looked_at_and_what_is_untracked_is(self):
        with tempfile.TemporaryDirectory() as root:
            subprocess.run(["git", "init", "-q", root], check=True)
            plant(root, self.FILES)
            self.assertEqual(Tree(root).files, [".gitignore", "src/base/b.cc"])

    def test_a_source_archive_without_git_is_listed_from_the_disk(self):
        with tempfile.TemporaryDirectory() as root:
            plant(root, self.FILES)
            self.assertEqual(Tree(root).files, [".gitignore", "src/base/b.cc"])


class Layout(unittest.TestCase):
    def test_a_file_that_clang_format_would_change_is_found(self):
        if tidy.clang_format() is None:
            self.skipTest("clang-format 14 is not installed")
        for text, expected in (("int  a ;\n", 1), ("int a;\n", 0)):
            with self.subTest(text=text), tempfile.TemporaryDirectory() as root:
                with open(os.path.join(root, "a.cc"), "w", encoding="utf-8") as stream:
                    stream.write(text)
                self.assertEqual(tidy.check_format(root), expected)


if __name__ == "__main__":
    unittest.main()
