"""Tests of run.py without a GPU: nvcc, warpsan, compute-sanitizer and the programs are small scripts.

    python3 -B test_kit.py                          all of them, several at a time
    python3 -B -m unittest test_kit.Kit.test_NAME   one
"""

import contextlib
import io
import json
import os
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import unittest.mock as mock
from concurrent import futures
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.dont_write_bytecode = True

import run as command  # noqa: E402
from fakes import NVCC, SANITIZER, WARPSAN, script  # noqa: E402
from gpu_kit import programs, reports, running, tables  # noqa: E402
from gpu_kit.building import Builder  # noqa: E402
from gpu_kit.sections import bench, often, startup  # noqa: E402

class Kit(unittest.TestCase):
    """A folder with the layout of a kit, made of scripts."""

    def setUp(self):
        self._folder = tempfile.TemporaryDirectory()
        self.addCleanup(self._folder.cleanup)
        self.root = Path(self._folder.name) / "kit"
        self.write("bin/warpsan", WARPSAN)
        self.write("tools/nvcc", NVCC)
        self.write("tools/compute-sanitizer", SANITIZER)
        path = os.environ["PATH"]
        os.environ["PATH"] = f"{self.root / 'tools'}:{path}"
        self.addCleanup(os.environ.__setitem__, "PATH", path)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)

    def result(self, name, body, directions=""):
        self.write(f"suites/gpu/results/{name}.cu", script(body) + "\n# " + directions + "\n")

    def run_kit(self, *words):
        out = self.root / "out"
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            code = command.main(
                [*words, "--root", str(self.root), "--work", str(self.root / "work"), "--out", str(out), "--nvcc", str(self.root / "tools/nvcc")]
            )
        self.printed = printed.getvalue()
        self.document = (out / "gpu.md").read_text(encoding="utf-8")
        self.measured = json.loads((out / "measured.json").read_text(encoding="utf-8"))
        return code

    def test_unchanged_results_pass(self):
        self.result("good", "print('result 1')")
        self.result("fails_by_itself", "print('result 2'); raise SystemExit(5)")
        self.result("racy", "print('result 3')", "race=3")
        self.assertEqual(self.run_kit("results"), 0, self.printed)
        answers = {name: columns["iguard"] for name, columns in self.measured["results"].items()}
        self.assertEqual(set(answers.values()), {"unchanged"})
        self.assertIn("| results | iguard | 3 | 3 | 0 | 0 | 0 | 0 |", self.document)
        self.assertIn("| all | hb | 3 | 3 | 0 | 0 | 0 | 0 |", self.document)

    def test_other_output_and_broken_programs_are_wrong(self):
        self.result("good", "print('result 1')")
        self.result("other", "print('result 1')", "changed")
        self.result("broken", "print('BROKEN')")
        self.assertEqual(self.run_kit("results"), 1)
        self.assertIn("line 1 is «other 1», not «result 1»", self.document)
        self.assertIn("WRONG results/broken: not built (1): error: this is broken", self.printed)
        self.assertIn("| results | iguard | 3 | 1 | 2 | 0 | 0 | 0 |", self.document)

    def test_races_have_to_be_where_a_program_says(self):
        says = '"""\n// racy-kernels: {}\n"""\n{}'
        self.result("there", says.format("k", "print('result 1')"), "race=3")
        self.assertEqual(self.run_kit("results"), 0, self.printed)
        self.result("elsewhere", says.format("other", "print('result 1')"), "race=3")
        self.result("nowhere", says.format("k", "print('result 1')"))
        self.assertEqual(self.run_kit("results"), 1)
        self.assertIn("results/elsewhere under iguard: races in k, not in other", self.document)
        self.assertIn("results/nowhere under iguard: races in no kernel, not in k", self.document)

    def test_recorded_output_is_compared(self):
        self.write("suites/programs/printing.cu", "// flags: -DX=1\n")
        self.write("suites/programs/recorded/printing.stdout", "as recorded\n")
        self.write("suites/programs/recorded/printing.exit", "0\n")
        program = next(iter(programs.of_programs(self.root)))
        self.assertEqual((program.recorded_stdout, program.recorded_code), (b"as recorded\n", 0))
        self.assertIn("-DX=1", program.flags)
        self.write("suites/programs/printing.cu", script("print('now otherwise')"))
        self.run_kit("results")
        self.assertEqual(self.measured["results"]["programs/printing"]["native"], "not as recorded")

    def test_programs_of_the_corpus_are_built_as_they_say(self):
        self.write("suites/ptx/old.cu", "//@ architectures: 50 60\n")
        self.write("suites/ptx/launching.cu", "//@ modes: rdc\n//@ flags: -lcudadevrt\n")
        self.write("suites/ptx/newest.cu", "//@ architectures: 90a\n")
        found = {program.short: (program.architecture, program.flags) for program in programs.of_corpus(self.root)}
        self.assertEqual(found, {"launching": ("sm_90", ["-rdc=true", "-lcudadevrt"]), "newest": ("sm_90a", [])})

    def test_agreement_is_told_from_disagreement(self):
        self.result("clean", "pass")
        self.result("same", "pass", "race=3 replayed=3")
        self.result("device_only", "pass", "race=3 race=4 replayed=3")
        self.result("host_only", "pass", "replayed=9")
        self.result("flaky_one", "pass", "flaky")
        self.result("failing", "pass", "ends=9")
        self.result("failing_by_itself", "raise SystemExit(9)")
        self.assertEqual(self.run_kit("agree"), 1)
        answers = {name: columns["answer"] for name, columns in self.measured["agree"].items()}
        self.assertEqual(
            answers,
            {
                "results/clean": "clean",
                "results/same": "racy",
                "results/device_only": "differ",
                "results/host_only": "differ",
                "results/flaky_one": "not clean again",
                "results/failing": "no answer",
                "results/failing_by_itself": "clean",
            },
        )
        self.assertIn("device only: missing-sync in k: x.cu:1 and x.cu:4", self.document)
        self.assertIn("host only: missing-sync in k: x.cu:1 and x.cu:9", self.document)
        self.assertIn("run 2: missing-sync in k: x.cu:1 and x.cu:7", self.document)
        self.assertIn("it ended with 9, not 0", self.document)

    def test_racecheck_is_judged_by_first_lines(self):
        programs = {
            "flag_found": "// RACY. hazard", "flag_missed": "// RACY.", "lock_clean": "// CLEAN.", "lock_false": "// CLEAN. hazard",
            "lock_silent": "// CLEAN. says nothing", "lock_broken": "// RACY. BROKEN", "lock_open": "// who knows",
        }
        for name, text in programs.items():
            self.write(f"suites/bugs/{name}.cu", text + "\n")
        self.assertEqual(self.run_kit("racecheck"), 0)
        answers = {name.removeprefix("bugs/"): known["answer"] for name, known in self.measured["racecheck"].items()}
        expected = {"flag_found": "found", "flag_missed": "missed", "lock_clean": "clean", "lock_false": "false"}
        self.assertEqual(answers, expected | dict.fromkeys(["lock_silent", "lock_broken", "lock_open"], "no answer"))
        self.assertIn("| lock | 5 | 0 | 1 | 0 | 1 | 3 | 0 |", self.document)
        self.assertIn("right on 2 of 7; the thesis: on 19 of 66", self.document)

    def bench(self, name, line):
        self.write(f"suites/gpu/bench/{name}.cu", script(f"print({line!r})"))

    def scan(self, value, line):
        """The bench `scan`, whose arguments decide on a value of its line."""
        self.write("suites/gpu/bench/scan.cu", script(f"import sys\nvalue = {value}  # hangs nowhere\nprint(f{line!r})"))

    def rows(self):
        """The rows of the tables by their first cell."""
        cells = [[cell.strip() for cell in row.split("|")[1:-1]] for row in self.document.splitlines() if row.startswith("|")]
        return {row[0]: row[1:] for row in cells}

    def test_benches_have_ratios_and_means(self):
        self.bench("quick", "name=quick ms=3 launches=4 checksum=aa ok")
        self.bench("slow", "name=slow ms=10 launches=4 checksum=bb ok")
        self.bench("wrong", "name=wrong ms=10 launches=4 checksum=cc WRONG")
        self.assertEqual(self.run_kit("bench", "--configurations", "native,none,iguard,memcheck"), 1)
        rows = self.rows()
        header = rows["program"]
        self.assertEqual(rows["quick (short)"][0], "3.00")
        self.assertEqual(rows["quick (short)"][header.index("iguard")], "8.00")
        self.assertEqual(rows["slow"][header.index("none")], "2.00")
        self.assertEqual(rows["slow"][header.index("memcheck")], "5.00")
        self.assertEqual(rows["wrong"][0], "WRONG")
        self.assertEqual(rows["geometric mean"][header.index("iguard")], "8.00")
        self.assertEqual(rows["programs with a value"][header.index("iguard")], "2")
        self.assertEqual(rows["programs with a value"][header.index("racecheck")], "0")
        self.assertIn("iguard: 8.00 in the mean, at most 12.0", self.document)
        self.assertIn("geometric mean", "\n".join(self.printed.splitlines()[-8:]), "the table comes last")

    def test_a_tool_that_hangs_costs_little(self):
        for name in ("a", "b", "c"):
            self.bench(name, f"name={name} ms=10 launches=4 checksum=aa ok")
        limits = dict(BENCH_SECONDS=2, BENCH_SECONDS_AFTER_TIME_OUT=1, MOST_TIME_OUTS=2)
        with mock.patch.multiple(bench, **limits):
            self.assertEqual(self.run_kit("bench", "--configurations", "native,racecheck"), 0, self.printed)
        rows = self.rows()
        column = rows["program"].index("racecheck")
        self.assertEqual(sorted(rows[name][column] for name in ("a", "b", "c")), ["> 1 s", "> 2 s", "not run"])
        self.assertEqual(rows["geometric mean"][column], "")

    def test_slow_tools_are_compared_at_a_small_size(self):
        self.scan('10 if "--size" in sys.argv else 700', "name=scan ms={value} launches=4 checksum={value}a ok")
        self.assertEqual(self.run_kit("bench", "--configurations", "native,racecheck"), 0, self.printed)
        rows = self.rows()
        self.assertEqual(rows["scan"][0], "700")
        self.assertEqual(rows["scan"][rows["program"].index("racecheck")], "5.00")

    def test_one_launch_stands_for_all_where_there_is_no_time_for_more(self):
        self.scan('1 if "--launches" in sys.argv else 4', "name=scan ms={value * 10} launches={value} checksum=aa ok")
        self.assertEqual(self.run_kit("bench", "--configurations", "native,small curd,barracuda"), 0, self.printed)
        self.assertEqual([self.measured["bench"]["scan"][name]["launches"] for name in ("small curd", "barracuda")], [4, 1])
        rows = self.rows()
        self.assertEqual(rows["scan"][rows["program"].index("barracuda")], rows["scan"][rows["program"].index("small curd")])

    def test_how_much_faster_one_is_than_another_is_said(self):
        self.write("suites/gpu/bench/scan.cu", script("print('name=scan ms=10 launches=4 checksum=aa ok')  # hangs nowhere"))
        self.assertEqual(self.run_kit("bench", "--configurations", "native,small curd,racecheck"), 0, self.printed)
        self.assertRegex(self.document, "small curd: [0-9.]+ times as fast as racecheck, in the mean of 1 programs")
        self.assertNotIn("times as fast as barracuda", self.document)

    def test_several_calls_fill_one_table(self):
        self.bench("slow", "name=slow ms=10 launches=4 checksum=bb ok")
        self.run_kit("bench", "--configurations", "native,none")
        self.run_kit("bench", "--configurations", "iguard")
        self.assertEqual(set(self.measured["bench"]["slow"]), {"native", "none", "iguard"})

    def test_a_call_without_time_says_what_was_not_run(self):
        self.result("good", "print('result 1')")
        self.run_kit("build")
        self.assertEqual(self.run_kit("results", "--seconds", "0"), 0)
        self.assertNotIn("results", self.measured)

    def test_what_prints_this_and_that_by_itself_is_not_compared(self):
        self.write("suites/programs/racy.cu", script("print('result 1')  # changed") + "\n// verdict: race\n")
        self.result("uncertain", "import time\nprint(time.monotonic_ns())")
        self.assertEqual(self.run_kit("results"), 0, self.printed)
        self.assertEqual(self.measured["results"]["programs/racy"]["iguard"], "racy")
        self.assertEqual(self.measured["results"]["results/uncertain"]["iguard"], "by chance")
        self.assertIn("0 programs were compared", self.document)

    def test_a_second_call_goes_on_where_the_first_one_stopped(self):
        marks = self.root / "marks"
        body = f"open({str(marks)!r}, 'a').write({{!r}} + '\\n')\nprint('result')"
        self.result("first", body.format("first"))
        self.result("second", body.format("second"), "changed")
        for section, runs in (("results", 3), ("agree", 5)):
            marks.write_text("", encoding="utf-8")
            self.run_kit(section, "--programs", "first")
            earlier = self.root / f"earlier-{section}.json"
            earlier.write_text((self.root / "out/measured.json").read_text(encoding="utf-8"), encoding="utf-8")
            (self.root / "work/measured.json").unlink()
            self.run_kit(section, "--skip-done", str(earlier))
            self.assertEqual(marks.read_text(encoding="utf-8").split().count("first"), runs, section)
            self.assertEqual(set(self.measured[section]), {"results/first", "results/second"})
        before = marks.read_text(encoding="utf-8")
        self.run_kit("agree", "--skip-done", str(self.root / "out"))
        self.assertEqual(marks.read_text(encoding="utf-8"), before, "both are done")
        self.run_kit("agree")
        self.assertNotEqual(marks.read_text(encoding="utf-8"), before, "all are run where nothing else is asked for")

    def test_runs_that_the_end_of_the_call_cut_short_are_no_answer(self):
        self.result("long", "import time\ntime.sleep(30)")
        self.assertEqual(self.run_kit("results", "agree", "--seconds", "4"), 0, self.printed)
        self.assertNotIn("time-out", self.document)
        self.assertEqual(self.rows()["all"][-2:], ["1", "0"], "not run, and so nothing that is not covered")

    def test_tables_are_there_while_a_section_runs(self):
        self.result("good", "print('result 1')")
        seen = []
        write = command.Session._write
        with mock.patch.object(command.Session, "_write", lambda session: seen.append(write(session))), mock.patch(
            "gpu_kit.session.SECONDS_BETWEEN_TABLES", 0
        ):
            self.run_kit("results")
        self.assertGreater(len(seen), 2)

    def test_what_is_known_of_a_difference_is_kept(self):
        self.result("host_only", "pass", "replayed=9")
        self.run_kit("agree")
        kept = self.root / "out/evidence/results-host_only-agree"
        self.assertEqual(json.loads((kept / "replay0.json").read_text(encoding="utf-8"))["races"][0]["second"]["position"]["line"], 9)
        self.assertFalse((self.root / "work/scratch/results-host_only-agree").exists())

    def test_verdicts_of_both_engines_are_compared(self):
        files = {
            "both": "cpu=3 gpu=3",
            "none": "",
            "gpu_only": "cpu=3 gpu=3 gpu=4",
            "cpu_only": "cpu=3",
            "some_seeds": "seed1=3 gpu=3",
            "some_seeds_not_there": "seed2=3",
            "of_many_seeds": "seed9=3 gpu=3",
            "later": "cpu=3 gpu-later=3",
            "endless": "cpu-gap: a barrier that never completes",
            "faulting": "gpu-gap: what came after the GPU stopped: illegal address",
            "unknown": "gpu-gap: kernel with wmma",
            "refused": "gpu-fails",
        }
        for name, words in files.items():
            self.write(f"suites/hb/matrix/{name}.cu", f"//@ flags: --fence-sc=order\n// {words}\n")
        self.assertEqual(self.run_kit("hb"), 1)
        answers = {name.rsplit("/", 1)[1]: known["answer"] for name, known in self.measured["hb"].items()}
        self.assertEqual(
            answers,
            {
                "both": "racy",
                "none": "clean",
                "gpu_only": "different",
                "cpu_only": "different",
                "some_seeds": "racy",
                "some_seeds_not_there": "clean",
                "of_many_seeds": "racy",
                "later": "racy",
                "endless": "no verdict",
                "faulting": "stopped",
                "unknown": "not covered",
                "refused": "stopped",
            },
        )
        self.assertEqual(self.measured["hb"]["hb/matrix hb/later"]["tries"], 3)
        self.assertIn("hb/matrix hb/cpu_only: CPU only, in 5 runs: missing-sync in k: x.cu:1 and x.cu:3", self.document)
        self.assertIn("hb/matrix hb/gpu_only: GPU only: missing-sync in k: x.cu:1 and x.cu:4", self.document)
        self.assertIn("not covered, 1 files: kernel with wmma", self.document)

    def test_programs_are_run_on_both_engines(self):
        self.write("suites/programs/racy.cu", script("print(1) # race=3"))
        self.write("suites/programs/other.cu", script("print(1) # gpu-only=4"))
        self.assertEqual(self.run_kit("hb"), 1)
        self.assertEqual({name: known["answer"] for name, known in self.measured["hb"].items()}, {"programs/racy": "racy", "programs/other": "different"})
        self.assertIn("| programs | 2 | 0 | 1 | 1 |", self.document)

    def test_memory_needs_its_warning(self):
        self.write("suites/gpu/memory/big_memory.cu", script("print('sum')"))
        self.assertEqual(self.run_kit("memory"), 1)
        self.assertIn("no warning", self.document)
        self.write("suites/gpu/memory/big_memory.cu", script("print('sum') # warn"))
        self.assertEqual(self.run_kit("memory"), 0, self.printed)
        self.assertIn("metadata is in host memory", self.document)

    def test_a_working_set_that_is_due_in_full_has_its_races_and_no_gaps(self):
        self.write("suites/gpu/memory/whole_lines.cu", "#!/bin/sh\n// racy-kernels: k\n# race=3\necho sum\n")
        self.assertEqual(self.run_kit("memory"), 0, self.printed)
        self.assertIn("| whole_lines, 60 GiB (is checked in full) | hb |", self.document)
        self.write("suites/gpu/memory/whole_lines.cu", "#!/bin/sh\n// racy-kernels: k\necho sum\n")
        self.assertEqual(self.run_kit("memory"), 1)
        self.assertIn("races in no kernel, not in k", self.document)

    def test_only_the_configurations_that_are_asked_for_have_to_be_done(self):
        self.result("good", "print('result 1')")
        self.assertEqual(self.run_kit("results", "--configurations", "hb"), 0, self.printed)
        self.assertEqual(self.measured["results"]["results/good"], {"native": "ok", "hb": "unchanged"})
        self.result("good", "print('result 1') # changed")
        done = ["--skip-done", str(self.root / "out")]
        self.assertEqual(self.run_kit("results", "--configurations", "hb", *done), 0, "it was done before")
        self.assertEqual(self.run_kit("results", *done), 1, "the other configuration was not")

    def test_programs_run_often(self):
        with mock.patch.object(often, "OFTEN", ["results/good", "results/other"]), mock.patch.object(often, "OFTEN_RUNS", 3):
            self.result("good", "print('result 1')")
            self.assertEqual(self.run_kit("often"), 0, self.printed)
            self.assertIn("| results/good | 3 | 0 |", self.document)
            self.result("other", "print('result 1')", "changed")
            self.assertEqual(self.run_kit("often"), 1)
            self.assertIn("| results/other | 3 | 3 |", self.document)

    def test_startup_is_measured(self):
        self.write("suites/gpu/startup/one_kernel.cu", script("print('result 1')"))
        with mock.patch.object(startup, "STARTUP_RUNS", 2):
            self.assertEqual(self.run_kit("startup"), 0, self.printed)
        self.assertGreater(self.measured["startup"]["startup/one_kernel"]["iguard"]["warm"], 0)

    def test_what_has_not_changed_is_not_built_again(self):
        self.result("good", "print('result 1')")
        self.run_kit("build")
        built = self.root / "work/built/results/good/good"
        before = built.stat().st_mtime_ns
        self.run_kit("build")
        self.assertEqual(built.stat().st_mtime_ns, before)
        self.write("suites/gpu/results/support.h", "// new\n")
        self.run_kit("build")
        self.assertNotEqual(built.stat().st_mtime_ns, before)


class Parts(unittest.TestCase):
    def test_a_command_that_runs_too_long_is_ended_with_its_children(self):
        start = time.monotonic()
        ended = running.run(["sh", "-c", "echo begun; sleep 60 & sleep 60"], 0.3)
        self.assertTrue(ended.timed_out)
        self.assertEqual((ended.code, ended.stdout), (running.TIMED_OUT, b"begun\n"))
        self.assertLess(time.monotonic() - start, 20)

    def test_signals_and_missing_commands_have_codes(self):
        self.assertEqual(running.run(["sh", "-c", "kill -SEGV $$"], 10).code, 128 + 11)
        self.assertEqual(running.run(["no-such-command-anywhere"], 10).code, running.NOT_STARTED)

    def test_the_own_code_of_a_program(self):
        codes = [reports.own_code({"summary": {"program": words}}) for words in (None, "the program ended with code 7", "the program was ended by signal 6")]
        self.assertEqual(codes, [0, 7, 134])

    def test_races_have_no_order_of_sides(self):
        side = lambda line: {"position": {"file": "a/b.cu", "line": line}}  # noqa: E731
        one = {"kind": "scope", "kernel": "k", "first": side(1), "second": side(2)}
        two = {"kind": "scope", "kernel": "k", "first": side(2), "second": side(1)}
        self.assertEqual(reports.races({"races": [one]}), reports.races({"races": [two]}))

    def test_means(self):
        self.assertAlmostEqual(tables.geometric_mean([2, 8]), 4)
        self.assertIsNone(tables.geometric_mean([]))
        self.assertEqual([tables.number(value) for value in (1.234, 12.34, 123.4, None)], ["1.23", "12.3", "123", ""])

    def test_flags_of_images_and_directions(self):
        builder = Builder(Path("work"), "nvcc")
        program = programs.Program("results/x", [Path("x.cu")], images="machine-code")
        self.assertIn("-gencode=arch=compute_90,code=sm_90", builder.commands(program)[-1])
        self.assertIn("-arch=sm_90", builder.commands(programs.Program("results/x", [Path("x.cu")]))[-1])
        self.assertEqual(programs.head("// What.\n// flags: -lcuda -g\n// images: ptx\n", "//"), {"flags": "-lcuda -g", "images": "ptx"})


def names_of(tests):
    """The names of all tests of a suite."""
    return [name for test in tests for name in (names_of(test) if isinstance(test, unittest.TestSuite) else [test.id()])]


def run_one(name):
    """What a test said that ran in a process of its own, since tests change the environment and handle signals."""
    command = [sys.executable, "-B", "-m", "unittest", name]
    return subprocess.run(command, cwd=Path(__file__).resolve().parent, capture_output=True, text=True)


def main():
    """Runs all tests, several at a time: most of them wait for scripts."""
    names = names_of(unittest.defaultTestLoader.loadTestsFromName("test_kit"))
    with futures.ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        ended = list(pool.map(run_one, names))
    failed = [one.stderr for one in ended if one.returncode != 0]
    sys.stderr.write("\n".join(failed))
    print(f"{len(ended)} tests, {len(failed)} failed")
    return 1 if failed or not ended else 0


if __name__ == "__main__":
    sys.exit(main())
