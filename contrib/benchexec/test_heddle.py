"""Tests of the tool-info module. Where BenchExec is not installed, a stub stands for the little of it that is used.

Run with: python3 contrib/benchexec/test_heddle.py
"""

import importlib.util
import os
import sys
import types
import unittest


def _stub():
    template = types.ModuleType("benchexec.tools.template")

    class BaseTool2:
        def _version_from_tool(self, executable, line_prefix):
            return f"{line_prefix} of {executable}"

    class UnsupportedFeatureException(Exception):
        pass

    template.BaseTool2 = BaseTool2
    template.UnsupportedFeatureException = UnsupportedFeatureException
    result = types.ModuleType("benchexec.result")
    result.RESULT_TRUE_PROP = "true"
    result.RESULT_UNKNOWN = "unknown"
    result.RESULT_ERROR = "ERROR"
    tools = types.ModuleType("benchexec.tools")
    tools.template = template
    package = types.ModuleType("benchexec")
    package.result, package.tools = result, tools
    sys.modules.update(
        {
            "benchexec": package,
            "benchexec.result": result,
            "benchexec.tools": tools,
            "benchexec.tools.template": template,
        }
    )


def _load():
    try:
        import benchexec.tools.template  # noqa: F401
    except ImportError:
        _stub()
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "heddle.py")
    spec = importlib.util.spec_from_file_location("heddle_tool_info", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


MODULE = _load()


def run_of(lines, status=0, timeout=False, signal=None):
    code = types.SimpleNamespace(value=None if signal else status, signal=signal)
    return types.SimpleNamespace(output=lines, exit_code=code, was_timeout=timeout)


def task_of(model="ILP32", prp="unreach-call.prp"):
    options = {"data_model": model} if model else None
    return types.SimpleNamespace(
        property_file=prp, options=options, single_input_file="task.i"
    )


def limits_of(cputime=None, memory=None):
    return types.SimpleNamespace(cputime=cputime, memory=memory)


class HeddleTest(unittest.TestCase):
    def setUp(self):
        self.tool = MODULE.Tool()

    def test_name_and_executable(self):
        self.assertEqual(self.tool.name(), "Heddle")
        locator = types.SimpleNamespace(find_executable=lambda name: f"/bin/{name}")
        self.assertEqual(self.tool.executable(locator), "/bin/heddle")

    def test_verifier(self):
        line = self.tool.cmdline(
            "heddle", ["--witness", "w.yml"], task_of(), limits_of(100, 4 << 30)
        )
        self.assertEqual(
            line,
            "heddle sv-comp --witness w.yml --property unreach-call.prp --data-model ILP32"
            " --timeout 95 --memory-limit 3686M task.i".split(),
        )

    def test_validator(self):
        line = self.tool.cmdline(
            "heddle", ["--validate", "w.yml"], task_of(None), limits_of()
        )
        self.assertEqual(
            line, "heddle validate --property unreach-call.prp w.yml task.i".split()
        )

    def test_unknown_data_model(self):
        exception = sys.modules[
            "benchexec.tools.template"
        ].UnsupportedFeatureException
        with self.assertRaises(exception):
            self.tool.cmdline("heddle", [], task_of("LLP64"), limits_of())

    def test_results(self):
        for lines, status, expected in [
            (["true"], 0, "true"),
            (["unknown: something", "unknown"], 2, "unknown"),
            (["false(unreach-call)"], 1, "false(unreach-call)"),
            (["false(no-data-race)\n"], 1, "false(no-data-race)"),
            (["false(valid-deref)"], 1, "false(valid-deref)"),
            (["true"], 1, "ERROR"),
            (["false(unreach-call)"], 0, "ERROR"),
            ([], 0, "ERROR"),
            (["error: a.prp: line 1: nothing"], 3, "ERROR (input)"),
            (["internal error"], 4, "ERROR (internal)"),
        ]:
            self.assertEqual(
                self.tool.determine_result(run_of(lines, status)), expected, lines
            )

    def test_limits(self):
        run = run_of([], timeout=True)
        self.assertEqual(self.tool.determine_result(run), "TIMEOUT")
        run = run_of(["unknown"], status=2, timeout=True)
        self.assertEqual(self.tool.determine_result(run), "unknown")
        run = run_of(["true"], signal=9)
        self.assertEqual(self.tool.determine_result(run), "KILLED BY SIGNAL 9")


if __name__ == "__main__":
    unittest.main()
