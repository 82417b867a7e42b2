import { spawn } from "node:child_process";
import { once } from "node:events";
import path from "node:path";
import { type Command, CommandError, type Interrupted } from "../command.ts";
import { bundle, findProject, NODE_FLAGS } from "../project/index.ts";
import { located } from "../reach/index.ts";

export const run: Command = {
  name: "run",
  summary: "Run the operator here, against a cluster, as it is in the sources.",
  usage: "[--kubeconfig FILE] [--namespace NAME[,NAME]] [-- ARGUMENTS]",
  options: { kubeconfig: { type: "string" }, namespace: { type: "string" } },
  about: {
    kubeconfig: "kubeconfig of the cluster (default: as kubectl finds it)",
    namespace: "work in these namespaces only (default: what the environment says, else all)",
  },
  examples: ["pintle run", "pintle run --kubeconfig .pintle/kubeconfig", "pintle run -- --metrics-bind-address=0"],
  words: Number.POSITIVE_INFINITY,
  async run({ values, positionals }, io) {
    const project = await findProject(io.cwd);
    // What the operator could only say with a stack.
    await located({ values }, io);
    await using built = await bundle(project.root, project.entry);
    const given = (name: "kubeconfig" | "namespace") => values[name] as string | undefined;
    const kubeconfig = given("kubeconfig");
    const child = spawn(process.execPath, ["--enable-source-maps", ...NODE_FLAGS, built.file, ...positionals], {
      cwd: project.root,
      stdio: "inherit",
      env: {
        ...process.env,
        ...(kubeconfig === undefined ? {} : { KUBECONFIG: path.resolve(io.cwd, kubeconfig) }),
        ...(given("namespace") === undefined ? {} : { WATCH_NAMESPACE: given("namespace") }),
      },
    });
    // Told twice, an operator drops what it is doing.
    const stop = () => (io.signal.reason as Partial<Interrupted> | undefined)?.byTerminal !== true && child.kill("SIGTERM");
    io.signal.addEventListener("abort", stop, { once: true });
    try {
      const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
      if (code !== 0 && !io.signal.aborted)
        throw new CommandError(`pintle run: ${project.entry} ended with ${code === null ? signal : `exit code ${code}`}`);
    } finally {
      io.signal.removeEventListener("abort", stop);
    }
  },
};
