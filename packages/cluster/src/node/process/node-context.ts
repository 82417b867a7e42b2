import type { Client } from "pintle/client";
import type { Clock } from "pintle/internal/clock";
import type { ControllerContext, EventRecorder } from "../../controllers/index.ts";
import type { ConfigSources } from "./environment/config-sources.ts";
import type { ImageManager } from "./image/image-manager.ts";
import type { IsolationDriver } from "./runtime/isolation-driver.ts";
import type { PodAddressAllocator } from "./runtime/pod-address-allocator.ts";
import type { ProcessGuard } from "./runtime/process-guard.ts";
import type { ServiceDirectory } from "./service-network/service-directory.ts";
import type { TokenManager } from "./volume/token-manager.ts";

/** The dependencies of a node. The nodes of one machine share all but `node` and `faults`. */
export interface NodeContext {
  readonly client: Client;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly createWorkQueue: ControllerContext["createWorkQueue"];
  readonly node: { readonly name: string; readonly allocatable: Readonly<Record<string, string>> };
  /** The root folder of the cluster's nodes. */
  readonly root: string;
  readonly driver: IsolationDriver;
  readonly guard: ProcessGuard;
  readonly images: ImageManager;
  readonly addresses: PodAddressAllocator;
  readonly serviceDirectory: ServiceDirectory;
  readonly configSources: ConfigSources;
  readonly tokens: TokenManager;
  readonly isRoot: boolean;
  readonly faults: InjectedFaults;
  /** Ids of container runs that were killed for exceeding their memory limit. */
  readonly oomKilled: Set<string>;
  /** The next pull back-off of each container. Milliseconds. */
  readonly pullBackOffs: Map<string, number>;
}

/** The faults that a test has injected. */
export interface InjectedFaults {
  /** The node neither receives nor sends anything; its processes keep running. */
  isDisconnected: boolean;
  /** The additional start delay by image. Milliseconds. */
  readonly startDelays: Map<string, number>;
  /** The free space of volumes, by "namespace/pod/volume". Bytes. */
  readonly diskSpace: Map<string, number>;
}
