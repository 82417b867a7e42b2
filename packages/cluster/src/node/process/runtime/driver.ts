import type { Pod } from "pintle/kinds/core/v1";
import type { Mount } from "../volume/volumes.ts";

/** A container's process, before the machine has been asked for it. */
export interface Launch {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Inside of the container; default: its root. */
  readonly workingDir?: string | undefined;
  readonly mounts: readonly Mount[];
  readonly user?: User | undefined;
  /** The container's own part of the node's folder. */
  readonly folder: string;
  /** What is under "/": an unpacked image; by default the machine's own files, of which it sees a copy. */
  readonly rootfs?: string | undefined;
}

export interface User {
  readonly uid: number;
  readonly gid: number;
}

/** What is really spawned. */
export interface Spawn {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly user?: User | undefined;
  /** It says "ready" at its fourth file when all around it is in place and only the program is left to start. */
  readonly prepares?: boolean | undefined;
}

/** Where the containers of one pod live. */
export interface Sandbox {
  readonly address: string;
  launch(launch: Launch): Promise<Spawn>;
  /** Another command beside a running container. */
  join(pid: number, launch: Launch): Spawn;
  /** A command in the pod's network, with the machine's own files. */
  inNetwork?(argv: readonly string[]): Spawn;
  /** Cuts the way between this pod and another address, or mends it. */
  cut?(address: string, isCut: boolean): Promise<void>;
  close(): Promise<void>;
}

/** One way of keeping pods apart. */
export interface Driver {
  readonly mode: "loopback" | "namespaces";
  /** What the node is reached at. */
  readonly hostAddress: string;
  sandbox(pod: Pod, address: string): Promise<Sandbox>;
  /** Makes a service's address one that the machine answers at, and takes it back. */
  hold(address: string): Promise<void>;
  release(address: string): Promise<void>;
  close(): Promise<void>;
}
