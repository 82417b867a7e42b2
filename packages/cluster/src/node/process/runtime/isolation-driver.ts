import type { Pod } from "pintle/kinds/core/v1";
import type { ResolvedMount } from "../volume/volume-manager.ts";

/** What a container runs, before the isolation driver turns it into a process. */
export interface ContainerLaunch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** A path in the container. Default: its root. */
  readonly workingDir?: string | undefined;
  readonly mounts: readonly ResolvedMount[];
  readonly user?: ProcessUser | undefined;
  /** The folder of the container run on the node. */
  readonly folder: string;
  /** The folder of the files that the image table adds. It need not exist. */
  readonly files: string;
  /** The root file system: an unpacked image. Default: a copy-on-write view of the machine's files. */
  readonly rootfs?: string | undefined;
  /** Whether only volumes can be written. In loopback mode it has no effect: the root is the machine's. Default: false. */
  readonly readOnlyRoot?: boolean | undefined;
  /** The capabilities that the container may have, as Kubernetes names them. In loopback mode they have no effect. Default: those of the node. */
  readonly capabilities?: readonly string[] | undefined;
  /** Whether the container's programs may not gain privileges, such as by set-user-ID files. In loopback mode it has no effect. Default: false. */
  readonly noNewPrivileges?: boolean | undefined;
}

export interface ProcessUser {
  readonly uid: number;
  readonly gid: number;
}

/** The options of a process to spawn. */
export interface SpawnOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly user?: ProcessUser | undefined;
  /** The process writes "ready" to file descriptor 3 when its mounts are set up and only the exec is left. */
  readonly signalsReady?: boolean | undefined;
}

/** The sandbox in which the containers of one pod run. */
export interface PodSandbox {
  readonly address: string;
  buildSpawn(launch: ContainerLaunch): Promise<SpawnOptions>;
  /** Builds the process options of a further command in a running container. */
  buildExec(pid: number, launch: ContainerLaunch): SpawnOptions;
  /** Builds the process options of a command in the pod's network, with the files of the machine. */
  buildNetworkExec?(argv: readonly string[]): SpawnOptions;
  /** Drops or restores the traffic between this pod and an address. */
  setPartitioned?(address: string, isCut: boolean): Promise<void>;
  close(): Promise<void>;
}

/** An implementation of pod isolation. */
export interface IsolationDriver {
  readonly mode: "loopback" | "namespaces";
  /** The address of the node. */
  readonly hostAddress: string;
  createSandbox(pod: Pod, address: string): Promise<PodSandbox>;
  /** Assigns the cluster IP of a Service to this machine, and removes it. */
  assignAddress(address: string): Promise<void>;
  unassignAddress(address: string): Promise<void>;
  close(): Promise<void>;
}
