import { type Api, until } from "./api.ts";
import type { Binaries } from "./binaries.ts";
import * as launches from "./launches.ts";
import type { Layout } from "./layout.ts";
import { createNodes, nodesAreReady } from "./nodes.ts";
import type { Program } from "./recipes.ts";
import type { Supervisor } from "./supervisor.ts";

const limitMs = 120_000;

interface Parts {
  readonly options: launches.ServerOptions & { readonly nodes?: number; readonly signal?: AbortSignal };
  readonly wanted: ReadonlySet<Program>;
  readonly from: Binaries;
  readonly files: Layout;
  readonly at: launches.Endpoints;
  readonly programs: Supervisor;
  readonly server: Api;
}

/** Starts the programs in the order they need each other; returns when the last is ready. */
export async function bringUp(parts: Parts): Promise<void> {
  const { options, wanted, from, files, at, programs, server } = parts;
  const ready = readiness(programs, options.signal);

  programs.start(launches.etcd(from, files, at));
  await ready("etcd", () => etcdIsHealthy(at.etcd));

  programs.start(launches.apiServer(from, files, at, options));
  await ready("kube-apiserver", async () => {
    // Readiness does not wait for the namespaces that every test writes into.
    const answers = ["/readyz", "/api/v1/namespaces/default"].map((path) => server.get(path));
    return (await Promise.all(answers)).every((answer) => answer !== undefined);
  });

  if (wanted.has("kube-controller-manager")) {
    programs.start(launches.controllerManager(from, files));
    const account = "/api/v1/namespaces/default/serviceaccounts/default";
    await ready("kube-controller-manager", async () => (await server.get(account)) !== undefined);
  }
  if (wanted.has("kube-scheduler")) programs.start(launches.scheduler(from, files));
  if (wanted.has("kwok")) {
    programs.start(launches.kwok(from, files));
    await createNodes(server, options.nodes ?? 0);
    await ready("kwok", () => nodesAreReady(server));
  }
}

/** Waits for a program, and says what it logged when the wait is in vain. */
function readiness(programs: Supervisor, signal: AbortSignal | undefined) {
  const timeout = AbortSignal.timeout(limitMs);
  const givingUp = AbortSignal.any([programs.lost, timeout, ...(signal ? [signal] : [])]);
  return async (program: Program, isReady: () => Promise<boolean>) => {
    try {
      await until(isReady, givingUp);
    } catch (error) {
      if (error !== timeout.reason) throw error;
      const log = programs.logTail(program);
      throw new Error(`${program} was not ready ${limitMs / 1000} s after the start. The end of its log:\n${log}`);
    }
  };
}

async function etcdIsHealthy(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}/health`)).ok;
  } catch {
    return false;
  }
}
