"""Tool-info module for BenchExec: how Heddle is run on a task, and what its output means.

Put this file where BenchExec finds it (for example into a package `tools` and `tool="tools.heddle"` in the benchmark
definition) and `heddle` into the PATH or the directory that is given with --tool-directory.

As a verifier nothing has to be said. As a validator, give the options `--validate WITNESS`: `heddle validate` is run then.
"""

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """Heddle verifies multithreaded C programs, or shows the interleaving that breaks them."""

    REQUIRED_PATHS = ["heddle"]

    def executable(self, tool_locator):
        return tool_locator.find_executable("heddle")

    def name(self):
        return "Heddle"

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="heddle")

    def cmdline(self, executable, options, task, rlimits):
        options = list(options)
        if "--validate" in options:
            at = options.index("--validate")
            witness = options[at + 1]
            del options[at : at + 2]
            command = [executable, "validate", *options]
        else:
            witness = None
            command = [executable, "sv-comp", *options]
        if task.property_file:
            command += ["--property", task.property_file]
        model = isinstance(task.options, dict) and task.options.get("data_model")
        if model:
            if model not in ("ILP32", "LP64"):
                raise benchexec.tools.template.UnsupportedFeatureException(
                    f"Heddle has no data model {model}"
                )
            command += ["--data-model", model]
        if rlimits.cputime and "--timeout" not in options:
            # Stop a little before the limit, and say unknown.
            command += ["--timeout", str(max(1, int(rlimits.cputime * 0.95)))]
        if rlimits.memory and "--memory-limit" not in options:
            megabytes = max(1, int(rlimits.memory * 0.9) // (1024 * 1024))
            command += ["--memory-limit", f"{megabytes}M"]
        if witness is not None:
            command.append(witness)
        command.append(task.single_input_file)
        return command

    def determine_result(self, run):
        verdicts = [line.strip() for line in run.output if line.strip()]
        verdicts = [line for line in verdicts if _is_verdict(line)]
        status = run.exit_code.value
        if run.was_timeout:
            return result.RESULT_UNKNOWN if verdicts[-1:] == ["unknown"] else "TIMEOUT"
        if run.exit_code.signal is not None:
            return f"KILLED BY SIGNAL {run.exit_code.signal}"
        if status == 3:
            return "ERROR (input)"
        if status == 4:
            return "ERROR (internal)"
        # The verdict and the exit status must agree.
        expected = {0: "true", 1: "false", 2: "unknown"}.get(status)
        if not verdicts or expected is None or not verdicts[-1].startswith(expected):
            return result.RESULT_ERROR
        verdict = verdicts[-1]
        if verdict == "true":
            return result.RESULT_TRUE_PROP
        if verdict == "unknown":
            return result.RESULT_UNKNOWN
        return verdict


def _is_verdict(line):
    return line in ("true", "unknown") or (
        line.startswith("false(") and line.endswith(")")
    )
