import { checkTrace } from "@pintle/cluster/internal/trace";
import { type Command, CommandError, OUTPUT_DESCRIPTION, OUTPUT_OPTION, outputFormatter } from "../../command/index.ts";
import { openTrace, toPrintable } from "./open-trace.ts";

export const traceCheck: Command = {
  name: "trace check",
  summary: "Verify that a trace file is complete and contains no secrets, before you share it.",
  usage: "<file> [--output json|yaml]",
  options: { ...OUTPUT_OPTION },
  optionDescriptions: { ...OUTPUT_DESCRIPTION },
  examples: ["pintle trace check failed.pintle-trace"],
  maxPositionals: 1,
  async run(args, io) {
    const output = outputFormatter(args);
    const trace = await openTrace(args, io, "trace check");
    const problems = checkTrace(trace);
    if (output !== undefined) io.out(output({ problems }));
    else for (const { type, message } of problems) io.out(`${type}: ${toPrintable(message)}\n`);
    if (problems.length > 0)
      throw new CommandError("PINTLE7111", `the trace file has ${problems.length} problem${problems.length === 1 ? "" : "s"}`);
    const { facts, commits, base } = trace;
    if (output === undefined)
      io.out(`${facts.length} facts, ${base.length} objects, ${commits.length} commits: checksums match, ids join, no secrets found\n`);
  },
};
