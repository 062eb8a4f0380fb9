"""What the tests of the kit have in place of nvcc, warpsan, compute-sanitizer and programs: small scripts."""

import sys
import textwrap

# Neither the site nor the environment is read: these scripts start hundreds of times.
PYTHON = f"#!{sys.executable} -IS\n"

# Makes a program of a script: the last source is copied. A source with the word BROKEN is refused.
NVCC = PYTHON + textwrap.dedent("""
    import shutil, sys
    words = sys.argv[1:]
    if "-E" in words:
        print("CUresult cuInit(unsigned flags);")
        sys.exit(0)
    source = [word for word in words if word.endswith(".cu")][0]
    if "BROKEN" in open(source).read():
        sys.exit("error: this is broken")
    target = words[words.index("-o") + 1]
    shutil.copy(source, target)
    import os
    os.chmod(target, 0o755)
    with open(target + ".flags", "w") as file:
        file.write(" ".join(words))
""")

# Runs the program, changes what its comments ask for, and writes a report. `replay` reads what `run` has recorded.
WARPSAN = PYTHON + textwrap.dedent("""
    import json, os, re, subprocess, sys

    def race(line):
        side = {"position": {"file": "x.cu", "line": line, "column": 1}}
        other = {"position": {"file": "x.cu", "line": 1, "column": 1}}
        return {"kind": "missing-sync", "kernel": "k", "first": other, "second": side}

    def write(path, lines, code, gaps=()):
        words = f"the program ended with code {code}" if code else None
        with open(path, "w") as file:
            json.dump({"races": [race(line) for line in lines], "not_covered": list(gaps), "summary": {"program": words, "launches": 1}}, file)

    words = sys.argv[1:]
    value = lambda flag: words[words.index(flag) + 1] if flag in words else None
    if words[0] == "replay":
        write(value("--output"), json.load(open(words[-1])), 0)
        sys.exit(0)
    if words[0] == "check":
        engine = value("--engine")
        text = open([word for word in words if word.endswith(".cu")][0]).read()
        lines = [int(n) for n in re.findall(engine + r"=(\\d+)", text)]
        if engine == "cpu":
            lines += [int(n) for n in re.findall("seed" + (value("--seed") or "9") + r"=(\\d+)", text)]
        runs = value("--output") + ".runs"
        with open(runs, "a") as file:
            file.write(engine + "\\n")
        if len(open(runs).read().split()) > 2:
            lines += [int(n) for n in re.findall(engine + r"-later=(\\d+)", text)]
        gap = re.findall(engine + "-gap: (.*)", text)
        if engine + "-fails" in text:
            sys.exit("warpsan: error: no")
        write(value("--output"), lines, 0, [{"what": words, "where": "x"} for words in gap])
        sys.exit(0)
    program = words[words.index("--") + 1:]
    text = open(program[0]).read()
    number = lambda key: [int(n) for n in re.findall(key + r"=(\\d+)", text)]
    lines = number("race") + (number("gpu-only") if value("--engine") == "gpu" else [])
    if value("--record-trace"):
        with open(os.path.join(value("--record-trace"), "trace"), "w") as file:
            json.dump(number("replayed"), file)
    elif "flaky" in text:
        lines = [7]
    ended = subprocess.run(program, stdout=subprocess.PIPE)
    output = ended.stdout.replace(b"result", b"other") if "changed" in text else ended.stdout
    slower = 8 if value("--detector") == "iguard" else 2
    output = re.sub(rb"ms=(\\d+)", lambda found: b"ms=%d" % (slower * int(found.group(1))), output)
    sys.stdout.buffer.write(output)
    if "warn" in text and value("--detector"):
        print("warning: metadata is in host memory", file=sys.stderr)
    if value("--output"):
        write(value("--output"), lines, number("ends")[0] if number("ends") else ended.returncode)
    sys.exit(1 if lines else ended.returncode)
""")

SANITIZER = PYTHON + textwrap.dedent("""
    import subprocess, sys, time
    words = sys.argv[1:]
    if "launch-on-gpu" in words:
        text = open(words[-1] + "/kernels.ptx").read()
        if "says nothing" not in text:
            with open(words[words.index("--log-file") + 1], "w") as file:
                file.write(f"========= RACECHECK SUMMARY: {text.count('hazard')} hazards displayed (1 error, 0 warnings)")
        sys.exit(0)
    program = [word for word in words if "/" in word][0]
    if "racecheck" in words and "hangs nowhere" not in open(program).read():
        time.sleep(60)
    ended = subprocess.run(words[words.index(program):], stdout=subprocess.PIPE)
    print("========= COMPUTE-SANITIZER")
    print(ended.stdout.decode().replace("ms=10", "ms=50"), end="")
""")


def script(body):
    return PYTHON + textwrap.dedent(body)
