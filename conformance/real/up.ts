import { once } from "node:events";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { interrupted } from "./interrupted.ts";

const help = `Runs a real Kubernetes control plane until Ctrl-C, then leaves nothing behind.

Usage: npm run real:up -- [options]

  --no-controller-manager   only etcd and kube-apiserver
  --scheduler               kube-scheduler too
  --nodes <n>               n simulated nodes, and the scheduler
  -o json                   when ready, print one line: {"kubeconfig", "server", "pid"}
  -h, --help
`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      "no-controller-manager": { type: "boolean", default: false },
      scheduler: { type: "boolean", default: false },
      nodes: { type: "string", default: "0" },
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
    const real = await startControlPlane({
      controllerManager: !values["no-controller-manager"],
      nodes: nodeCount(values.nodes),
      signal: asked,
      ...(values.scheduler && { scheduler: true }),
    });
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

function nodeCount(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 0) return count;
  throw new Error(`--nodes ${text}: must be a whole number`);
}

async function ended(...signals: readonly AbortSignal[]): Promise<void> {
  const any = AbortSignal.any([...signals]);
  if (!any.aborted) await once(any, "abort");
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
