import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Binaries, binaries, binary } from "./binaries.ts";
import type { Program } from "./build/recipes.ts";
import { createApi } from "./objects/api.ts";
import type { Definition } from "./objects/definitions.ts";
import { type ComponentStarters, startComponents, startServer } from "./programs/bring-up.ts";
import type { ServerOptions } from "./programs/command-lines.ts";
import { createLayout, writeCredentials } from "./programs/layout.ts";
import { freePorts } from "./programs/ports.ts";
import { ProgramEnded, startSupervisor } from "./programs/supervisor.ts";

export interface ControlPlaneOptions extends ServerOptions {
  /** Run kube-controller-manager; without it no `default` ServiceAccount is created either. */
  readonly controllerManager?: boolean;
  /** Run kube-scheduler. */
  readonly scheduler?: boolean;
  /** Number of simulated nodes to run pods on; implies the controller manager and the scheduler. */
  readonly nodes?: number;
  /**
   * CustomResourceDefinitions that are created before the controller manager starts: its garbage collector discovers later
   * ones only within half a minute.
   */
  readonly definitions?: readonly Definition[];
  /** Ports of this machine that `kubectl port-forward` reaches through any pod: where a test listens. */
  readonly podPorts?: readonly number[];
  /** The programs; default: those built by `npm run real:build`. */
  readonly binaries?: Binaries;
  /** Parent of the control plane's folder; default: the system's temporary folder. */
  readonly dir?: string;
  /** Aborting it stops the control plane, during the start or after. */
  readonly signal?: AbortSignal;
}

export interface ControlPlane extends AsyncDisposable {
  /** Path of a kubeconfig with cluster-admin rights. */
  readonly kubeconfig: string;
  readonly server: string;
  readonly etcd: string;
  /** Folder of keys, data, and a log per program. */
  readonly dir: string;
  readonly binaries: Binaries;
  /** The output of every container of the simulated nodes, a line each: `<time> stdout F <text>`. */
  readonly podLog: string;
  /** Kills kube-apiserver with SIGKILL, as a power cut would. */
  killServer(): Promise<void>;
  /** Restarts it on the same port; resolves when it is ready. */
  startServer(): Promise<void>;
  /** Aborts when a program exits without a request to stop; the reason is a ProgramEnded. */
  readonly lost: AbortSignal;
  /** Stops all programs and removes the folder; resolves when they have exited. */
  stop(): Promise<void>;
}

const attempts = 3;

/**
 * Starts a real control plane on free loopback ports and waits until it is ready.
 *
 * ```ts
 * const real = await startControlPlane({ controllerManager: true });
 * execFileSync(binary("kubectl"), ["--kubeconfig", real.kubeconfig, "get", "namespaces"]);
 * await real.stop();
 * ```
 *
 * Guarantees: any number of control planes run side by side; when this process ends, in whatever way, the
 * programs end and their folder is removed.
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const from = options.binaries ?? binaries();
  const wanted = programsFor(options);
  for (const program of wanted) binary(program, from);
  for (let attempt = 1; ; attempt++) {
    try {
      return await startOnce(options, from, wanted);
    } catch (error) {
      if (attempt === attempts || !isPortTaken(error)) throw error;
    }
  }
}

async function startOnce(options: ControlPlaneOptions, from: Binaries, wanted: ReadonlySet<Program>): Promise<ControlPlane> {
  options.signal?.throwIfAborted();
  const [serverPort, etcdPort, peerPort, kubeletPort] = await freePorts(4);
  const at = {
    server: `https://127.0.0.1:${serverPort}`,
    etcd: `http://127.0.0.1:${etcdPort}`,
    etcdPeer: `http://127.0.0.1:${peerPort}`,
    kubelet: `https://127.0.0.1:${kubeletPort}`,
  };
  const parent = options.dir ?? tmpdir();
  await mkdir(parent, { recursive: true });
  const dir = await mkdtemp(join(parent, "pintle-real-"));
  const files = createLayout(dir);

  const programs = startSupervisor(dir);
  const stop = () => {
    options.signal?.removeEventListener("abort", stop);
    return programs.stop();
  };
  let parts: ComponentStarters;
  try {
    const admin = await writeCredentials(dir, files, at.server);
    const server = createApi(at.server, admin.authority, admin.user);
    parts = { options, wanted, from, files, at, programs, server };
    await startComponents(parts);
    options.signal?.throwIfAborted();
    options.signal?.addEventListener("abort", stop);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    kubeconfig: files.kubeconfigs.admin,
    server: at.server,
    etcd: at.etcd,
    dir,
    binaries: from,
    podLog: files.pods.log,
    killServer: () => programs.kill("kube-apiserver"),
    startServer: () => startServer(parts),
    lost: programs.lost,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

function programsFor(options: ControlPlaneOptions): ReadonlySet<Program> {
  const hasNodes = (options.nodes ?? 0) > 0;
  if (hasNodes && (options.controllerManager === false || options.scheduler === false)) {
    throw new Error(
      "nodes need the controller manager, which takes the not-ready taint off them, and the scheduler, which puts pods on them: leave both on, or ask for no nodes",
    );
  }
  const wanted = new Set<Program>(["etcd", "kube-apiserver"]);
  if (options.controllerManager || hasNodes) wanted.add("kube-controller-manager");
  if (options.scheduler || hasNodes) wanted.add("kube-scheduler");
  if (hasNodes) wanted.add("kwok");
  return wanted;
}

/** Returns true if another process took a port after it was found free and before the program listened on it. */
function isPortTaken(error: unknown): boolean {
  return error instanceof ProgramEnded && error.message.includes("address already in use");
}
