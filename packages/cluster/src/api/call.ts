import type { Clock, Random } from "pintle/queue";
import type { Store } from "../store/index.ts";
import type { AdmissionPlugin } from "./admission.ts";
import type { Authorizer } from "./authorizer.ts";
import type { View } from "./present/present.ts";
import type { Registry } from "./registry.ts";
import type { ApiRequest } from "./request.ts";
import type { ResourceRequest } from "./request-info.ts";
import { apiVersionOf, type ServedResource, type StrategyContext } from "./resource.ts";
import type { Views } from "./stored.ts";
import type { SharedEvents } from "./watch/shared-events.ts";
import type { SharedFollowers } from "./watch/shared-follower.ts";

/** What every request works with. */
export interface Kernel {
  readonly store: Store;
  readonly registry: Registry;
  readonly views: Views;
  readonly events: SharedEvents;
  readonly followers: SharedFollowers;
  readonly clock: Clock;
  /** For names and uids. */
  readonly random: Random;
  /** For everything whose value does not matter. */
  readonly jitter: Random;
  readonly authorizer: Authorizer;
  readonly admission: readonly AdmissionPlugin[];
}

/** One request for a served resource on its way through the pipeline. */
export interface Call {
  readonly kernel: Kernel;
  readonly request: ApiRequest;
  readonly info: ResourceRequest;
  readonly resource: ServedResource;
  readonly view: View;
  /** The client gets it as a Warning header. */
  warn(text: string): void;
}

/** A resource as errors name it. */
export function resourceName({ group, plural }: ServedResource) {
  return { group, resource: plural };
}
/** A kind as errors about its content name it. */
export function kindName({ group, kind, storage }: ServedResource) {
  return { group: storage.group ?? group, resource: kind };
}

export function contextOf({ kernel, request }: Call): StrategyContext {
  return { user: request.user, now: kernel.clock.now() };
}

export function knownKind({ kernel }: Call): (apiVersion: string, kind: string) => boolean {
  return (apiVersion, kind) =>
    kernel.registry
      .groups()
      .some((group) =>
        group.versions.some(({ resources }) => resources.some((each) => each.kind === kind && apiVersionOf(each) === apiVersion)),
      );
}
