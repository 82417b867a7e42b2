import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { interrupted } from "./interrupted.ts";
import type { JoinedOptions } from "./joined.ts";

const help = `Runs a real Kubernetes control plane until Ctrl-C, then leaves nothing behind.

Usage: npm run real:up -- [options]

  --no-controller-manager   only etcd and kube-apiserver
  --scheduler               kube-scheduler too
  --nodes [<n> | process]   n simulated nodes of ours (default 1), or one whose pods are processes; and the scheduler
  --kwok <n>                n nodes of kwok's instead
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

  const asked = interrupted();
  try {
    const nodes = nodesOf(values.nodes);
    const options = {
      controllerManager: !values["no-controller-manager"],
      nodes: count("--kwok", values.kwok),
      signal: asked,
      ...(values.scheduler && { scheduler: true }),
    };
    const real = nodes === 0 ? await startControlPlane(options) : await joined({ nodes, signal: asked });
    process.stdout.write(report(real));
    await ended(asked, real.lost);
    await real.stop();
    if (real.lost.aborted) throw real.lost.reason;
  } catch (error) {
    if (error !== asked.reason) throw error;
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

/** Only now: whoever wants no nodes needs nothing of ours. */
async function joined(options: JoinedOptions): Promise<ControlPlane> {
  const { startJoined } = await import("./joined.ts");
  return startJoined(options);
}

/** `--nodes` alone is one node. */
function withCount(args: readonly string[]): string[] {
  return args.map((arg, i) => (arg === "--nodes" && (args[i + 1] ?? "-").startsWith("-") ? "--nodes=1" : arg));
}

function nodesOf(text: string): JoinedOptions["nodes"] {
  return text === "process" ? { kind: "process", mode: "namespaces" } : count("--nodes", text);
}

function count(option: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0) return number;
  throw new Error(`${option} ${text}: must be a whole number`);
}

async function ended(...signals: readonly AbortSignal[]): Promise<void> {
  const any = AbortSignal.any([...signals]);
  if (!any.aborted) await once(any, "abort");
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
