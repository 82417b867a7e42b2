import path from "node:path";
import { type Command, CommandError, type Io } from "../../command/index.ts";
import { createTraceSource, replayPlans, startConsole } from "../../console/index.ts";
import { findProject, type Project } from "../../project/index.ts";
import { cliVersion } from "../version.ts";
import { openTrace } from "./open-trace.ts";

export const traceOpen: Command = {
  name: "trace open",
  summary: "Show a trace file in the console: objects at each moment, runs, requests, and what caused what. Ends with Ctrl-C.",
  usage: "<file> [--port PORT] [--no-browser]",
  options: { port: { type: "string" }, "no-browser": { type: "boolean" } },
  optionDescriptions: {
    port: "port on this machine (default: one that is free)",
    "no-browser": "only print the URL",
  },
  examples: ["pintle trace open .pintle/traces/scales-the-cache.pintle-trace", "pintle trace open failed.pintle-trace --no-browser"],
  maxPositionals: 1,
  async run(args, io) {
    const trace = await openTrace(args, io, "trace open");
    const file = path.basename(args.positionals[0] as string);
    const project = await findOwnProject(io);
    const replay = project === undefined ? undefined : replayPlansOf(project);
    const { port, "no-browser": isHeadless } = args.values;
    const options = { port: port as string | undefined, open: isHeadless !== true && io.tty, version: cliVersion(), io };
    await using _console = await startConsole(createTraceSource(trace, { file, replay }), options);
    await new Promise<void>((resolve) => {
      if (io.signal.aborted) resolve();
      io.signal.addEventListener("abort", () => resolve(), { once: true });
    });
  },
};

const replayPlansOf =
  (project: Project): NonNullable<Parameters<typeof createTraceSource>[1]["replay"]> =>
  (facts, run, signal) =>
    replayPlans(project, facts, run, signal);

/** The project whose code can be replayed; undefined outside of one. */
async function findOwnProject({ cwd }: Pick<Io, "cwd">): Promise<Project | undefined> {
  try {
    return await findProject(cwd);
  } catch (error) {
    if (error instanceof CommandError) return undefined;
    throw error;
  }
}
