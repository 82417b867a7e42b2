import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { type Command, CommandError, type Interrupted } from "../../command/index.ts";
import { bundle, findProject, NODE_FLAGS } from "../../project/index.ts";
import { locateCluster } from "../../target-cluster/index.ts";

export const run: Command = {
  name: "run",
  summary: "Run the operator from source on this machine against a cluster.",
  usage: "[--kubeconfig FILE] [--namespace NAME[,NAME]] [-- ARGUMENTS]",
  options: { kubeconfig: { type: "string" }, namespace: { type: "string" } },
  optionDescriptions: {
    kubeconfig: "kubeconfig of the cluster (default: the one kubectl uses)",
    namespace: "comma-separated namespaces to watch (default: WATCH_NAMESPACE, or all)",
  },
  examples: ["pintle run", "pintle run --kubeconfig .pintle/kubeconfig", "pintle run -- --metrics-bind-address=0"],
  maxPositionals: Number.POSITIVE_INFINITY,
  async run({ values, positionals }, io) {
    const project = await findProject(io.cwd);
    // Reports a missing kubeconfig here instead of with a stack trace in the operator.
    await locateCluster({ values }, io);
    await using built = await bundle(project.root, project.entry);
    const getOption = (name: "kubeconfig" | "namespace") => values[name] as string | undefined;
    const kubeconfig = getOption("kubeconfig");
    const child = spawn(process.execPath, ["--enable-source-maps", ...NODE_FLAGS, built.file, ...positionals], {
      cwd: project.root,
      stdio: "inherit",
      env: {
        ...process.env,
        ...(kubeconfig === undefined ? {} : { KUBECONFIG: path.resolve(io.cwd, kubeconfig) }),
        ...(getOption("namespace") === undefined ? {} : { WATCH_NAMESPACE: getOption("namespace") }),
      },
    });
    // Ctrl-C on a terminal already reached the child; a second signal would end it without a graceful shutdown.
    const stop = () => (io.signal.reason as Partial<Interrupted> | undefined)?.fromTerminal !== true && child.kill("SIGTERM");
    io.signal.addEventListener("abort", stop, { once: true });
    try {
      const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
      if (code !== 0 && !io.signal.aborted)
        throw new CommandError("PINTLE7090", `${project.entry} exited with ${code === null ? signal : `code ${code}`}`);
    } finally {
      io.signal.removeEventListener("abort", stop);
    }
  },
};
