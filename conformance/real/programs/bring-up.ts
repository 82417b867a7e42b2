import type { Binaries } from "../binaries.ts";
import type { Program } from "../build/recipes.ts";
import { type Api, waitUntil } from "../objects/api.ts";
import { type Definition, define, isServed } from "../objects/definitions.ts";
import { createNodes, nodesAreReady } from "../objects/nodes.ts";
import { writePods } from "../objects/pods.ts";
import * as launches from "./command-lines.ts";
import type { Layout } from "./layout.ts";
import type { Supervisor } from "./supervisor.ts";

const limitMs = 120_000;

export interface ComponentStarters {
  readonly options: launches.ServerOptions & {
    readonly nodes?: number;
    readonly definitions?: readonly Definition[];
    readonly podPorts?: readonly number[];
    readonly signal?: AbortSignal;
  };
  readonly wanted: ReadonlySet<Program>;
  readonly from: Binaries;
  readonly files: Layout;
  readonly at: launches.Endpoints;
  readonly programs: Supervisor;
  readonly server: Api;
}

/** Starts the programs in dependency order; resolves when the last is ready. */
export async function startComponents(parts: ComponentStarters): Promise<void> {
  const { options, wanted, from, files, at, programs, server } = parts;
  const ready = readiness(programs, options.signal);

  programs.start(launches.etcd(from, files, at));
  await ready("etcd", () => etcdIsHealthy(at.etcd));

  await startServer(parts);
  for (const definition of options.definitions ?? []) {
    await define(server, definition);
    await ready("kube-apiserver", () => isServed(server, definition));
  }

  if (wanted.has("kube-controller-manager")) {
    programs.start(launches.controllerManager(from, files));
    const account = "/api/v1/namespaces/default/serviceaccounts/default";
    await ready("kube-controller-manager", async () => (await server.get(account)) !== undefined);
  }
  if (wanted.has("kube-scheduler")) programs.start(launches.scheduler(from, files));
  if (wanted.has("kwok")) {
    await writePods(files.pods, options.podPorts ?? []);
    programs.start(launches.kwok(from, files, at));
    await createNodes(server, options.nodes ?? 0);
    await ready("kwok", () => nodesAreReady(server));
  }
}

/** Starts kube-apiserver, for the first time or again; resolves when it is ready. */
export async function startServer({ options, from, files, at, programs, server }: ComponentStarters): Promise<void> {
  programs.start(launches.apiServer(from, files, at, options));
  await readiness(programs, options.signal)("kube-apiserver", async () => {
    // Readiness does not include the namespaces that every test writes into.
    const answers = ["/readyz", "/api/v1/namespaces/default"].map((path) => server.get(path));
    return (await Promise.all(answers)).every((answer) => answer !== undefined);
  });
}

/** Waits for a program; the error on timeout contains the end of its log. */
function readiness(programs: Supervisor, signal: AbortSignal | undefined) {
  const timeout = AbortSignal.timeout(limitMs);
  const givingUp = AbortSignal.any([programs.lost, timeout, ...(signal ? [signal] : [])]);
  return async (program: Program, isReady: () => Promise<boolean>) => {
    try {
      await waitUntil(isReady, givingUp);
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
