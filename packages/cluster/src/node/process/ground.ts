import type { Client } from "pintle/client";
import type { Clock } from "pintle/queue";
import type { Announcer } from "../../controllers/index.ts";
import type { Sources } from "./environment/sources.ts";
import type { ImageStore } from "./image/image-store.ts";
import type { Driver } from "./runtime/driver.ts";
import type { Guard } from "./runtime/guard.ts";
import type { PodAddresses } from "./runtime/pod-addresses.ts";
import type { Directory } from "./service/directory.ts";
import type { Tokens } from "./volume/tokens.ts";

/** What a node's pods stand on. All but `node` and `faults` is shared by the nodes of one machine. */
export interface Ground {
  readonly client: Client;
  readonly clock: Clock;
  readonly events: Announcer;
  readonly node: { readonly name: string; readonly allocatable: Readonly<Record<string, string>> };
  /** The cluster's own folder. */
  readonly root: string;
  readonly driver: Driver;
  readonly guard: Guard;
  readonly images: ImageStore;
  readonly addresses: PodAddresses;
  readonly directory: Directory;
  readonly sources: Sources;
  readonly tokens: Tokens;
  readonly isRoot: boolean;
  readonly faults: Faults;
  /** Runs that were ended because they used more memory than they may, by id. */
  readonly oomKilled: Set<string>;
  /** How long a container whose image is not there waits the next time. */
  readonly pulls: Map<string, number>;
}

/** What a test has arranged to go wrong. */
export interface Faults {
  /** The node neither hears nor says anything; its processes go on. */
  isLost: boolean;
  /** Milliseconds that containers of an image take longer to start. */
  readonly slow: Map<string, number>;
  /** Bytes that are left on volumes, by "namespace/pod/volume". */
  readonly room: Map<string, number>;
}
