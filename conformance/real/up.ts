import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import type { JoinedOptions } from "./joined.ts";
import { createShutdownSignal } from "./shutdown-signal.ts";

const help = `Runs a real Kubernetes control plane until Ctrl-C, then stops it and removes its files.

Usage: npm run real:up -- [options]

  --no-controller-manager   start only etcd and kube-apiserver
  --scheduler               also start kube-scheduler
  --nodes [<n> | process]   add n simulated nodes of @pintle/cluster (default 1) or one process node, and kube-scheduler
  --kwok <n>                add n nodes of kwok
  -o json                   when ready, print one line: {"kubeconfig", "server", "pid"}
  -h, --help
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    args: withCount(process.argv.slice(2)),
    options: {
      "no-controller-manager": { type: "boolean", default: false },
      scheduler: { type: "boolean", default: false },
      nodes: { type: "string", default: "0" },
      kwok: { type: "string", default: "0" },
      output: { type: "string", short: "o", default: "text" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const report = reports[values.output];
  if (!report) throw new Error(`-o ${values.output}: must be json`);

  const shutdown = createShutdownSignal();
  try {
    const nodes = parseNodes(values.nodes);
    const options = {
      controllerManager: !values["no-controller-manager"],
      nodes: parseCount("--kwok", values.kwok),
      signal: shutdown,
      ...(values.scheduler && { scheduler: true }),
    };
    const real = nodes === 0 ? await startControlPlane(options) : await startJoinedLazily({ nodes, signal: shutdown });
    process.stdout.write(report(real));
    await waitForAbort(shutdown, real.lost);
    await real.stop();
    if (real.lost.aborted) throw real.lost.reason;
  } catch (error) {
    if (error !== shutdown.reason) throw error;
  }
}

const reports: Readonly<Record<string, (real: ControlPlane) => string>> = {
  json: ({ kubeconfig, server }) => `${JSON.stringify({ kubeconfig, server, pid: process.pid })}\n`,
  text: ({ kubeconfig, server, binaries: { folder, found } }) => {
    const kubectl = found.has("kubectl") ? join(folder, "kubectl") : "kubectl";
    return `${server} is ready. Ctrl-C stops it.

export KUBECONFIG=${kubeconfig}
${kubectl} --kubeconfig ${kubeconfig} get namespaces
`;
  },
};

/** Imported lazily: without nodes the command needs nothing from @pintle/cluster. */
async function startJoinedLazily(options: JoinedOptions): Promise<ControlPlane> {
  const { startJoined } = await import("./joined.ts");
  return startJoined(options);
}

/** `--nodes` without a number means one node. */
function withCount(args: readonly string[]): string[] {
  return args.map((arg, i) => (arg === "--nodes" && (args[i + 1] ?? "-").startsWith("-") ? "--nodes=1" : arg));
}

function parseNodes(text: string): JoinedOptions["nodes"] {
  return text === "process" ? { kind: "process", mode: "namespaces" } : parseCount("--nodes", text);
}

function parseCount(option: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new Error(`${option} ${text}: must be a whole number`);
}

async function waitForAbort(...signals: readonly AbortSignal[]): Promise<void> {
  const any = AbortSignal.any([...signals]);
  if (!any.aborted) await once(any, "abort");
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
