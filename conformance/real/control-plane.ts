import { mkdir, mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { api } from "./api.ts";
import { type Binaries, binaries, binary } from "./binaries.ts";
import { bringUp, type Parts, startServer } from "./bring-up.ts";
import type { Definition } from "./definitions.ts";
import type { ServerOptions } from "./launches.ts";
import { layout, writeCredentials } from "./layout.ts";
import { freePorts } from "./ports.ts";
import type { Program } from "./recipes.ts";
import { ProgramEnded, supervisor } from "./supervisor.ts";

export interface ControlPlaneOptions extends ServerOptions {
  /** Run kube-controller-manager; without it no `default` ServiceAccount appears either. */
  readonly controllerManager?: boolean;
  /** Run kube-scheduler. */
  readonly scheduler?: boolean;
  /** So many simulated nodes to run pods on; brings the controller manager and the scheduler. */
  readonly nodes?: number;
  /**
   * CustomResourceDefinitions that are there before the controller manager: its garbage collector hears of those that come
   * later only within half a minute.
   */
  readonly definitions?: readonly Definition[];
  /** Ports of this machine that lead, forwarded from any pod, to themselves: where a test listens. */
  readonly podPorts?: readonly number[];
  /** Where the programs are; default: those that `npm run real:build` made. */
  readonly binaries?: Binaries;
  /** Where to make the control plane's own folder: by default the system's temporary folder. */
  readonly dir?: string;
  /** Aborting it stops the control plane, during the start or after. */
  readonly signal?: AbortSignal;
}

export interface ControlPlane extends AsyncDisposable {
  /** The path of a kubeconfig with all rights. */
  readonly kubeconfig: string;
  readonly server: string;
  readonly etcd: string;
  /** Its folder: keys, data, and a log per program. */
  readonly dir: string;
  readonly binaries: Binaries;
  /** The output of every container of the simulated nodes, a line each: `<time> stdout F <text>`. */
  readonly podLog: string;
  /** Ends kube-apiserver as a power cut would, with kill -9. */
  killServer(): Promise<void>;
  /** Starts it again, on the same port; resolves when it is ready. */
  startServer(): Promise<void>;
  /** Aborts when a program ends although nobody asked it to; the reason is a ProgramEnded. */
  readonly lost: AbortSignal;
  /** Ends all programs and removes the folder; resolves when they are gone. */
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
 * Guarantees: any number of them run side by side; when this process ends, in whatever way, the
 * programs end and their folder goes.
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
  const files = layout(dir);

  const programs = supervisor(dir);
  const stop = () => {
    options.signal?.removeEventListener("abort", stop);
    return programs.stop();
  };
  let parts: Parts;
  try {
    const admin = await writeCredentials(dir, files, at.server);
    const server = api(at.server, admin.authority, admin.user);
    parts = { options, wanted, from, files, at, programs, server };
    await bringUp(parts);
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

/** Somebody took a port between our finding it free and the program listening on it. */
function isPortTaken(error: unknown): boolean {
  return error instanceof ProgramEnded && error.message.includes("address already in use");
}
