import type { Client } from "pintle/client";
import type { Cache, CachedView } from "pintle/internal/cache";
import type { Clock, Random } from "pintle/internal/clock";
import type { WorkQueue, WorkQueueOptions } from "pintle/internal/queue";
import type { FlightRecorder } from "pintle/internal/recorder";
import type { JsonObject } from "pintle/kinds";
import type { CertificateKeyPair } from "pintle/tls";
import type { EventRecorder } from "./events/event-recorder.ts";

/** An OpenAPI v3 document, as far as controllers read it. */
export interface OpenApiDocument {
  readonly components?: { readonly schemas?: Readonly<Record<string, JsonObject>> | undefined } | undefined;
}

/** The dependencies of every controller. Writes of the client are visible in the cache at once. */
export interface ControllerContext {
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: EventRecorder;
  /** Creates a work queue, recorded if the cluster is. */
  readonly createWorkQueue: (options: WorkQueueOptions) => WorkQueue;
  /** Records the runs of a `controller()`. Default: nothing is recorded. */
  readonly flightRecorder?: FlightRecorder | undefined;
  /** Returns the OpenAPI document of an API version, "apps/v1"; undefined if none is served. */
  readonly fetchOpenApi: (apiVersion: string) => Promise<OpenApiDocument | undefined>;
  /** The certificate authority of the cluster, which also signs client certificates. */
  readonly authority: CertificateKeyPair;
}

/** A running component of the control plane: a controller, the scheduler, a node. */
export interface ControlPlaneComponent {
  readonly name: string;
  /** Resolves when the caches are synced and the component handles changes. */
  readonly ready: Promise<void>;
  /** Waits for running work and closes all watches. */
  stop(): Promise<void>;
}

/** Creates a component that processes a queue once its caches are synced. */
export function createQueueComponent(name: string, work: WorkQueue, views: readonly CachedView<any>[]): ControlPlaneComponent {
  return {
    name,
    ready: Promise.all(views.map((view) => view.waitForSync())).then(() => work.start()),
    async stop() {
      await work.stop();
      await Promise.all(views.map((view) => view.close()));
    },
  };
}

/** Combines several components into one that is started and stopped as a whole. */
export function combineComponents(name: string, components: readonly ControlPlaneComponent[]): ControlPlaneComponent {
  return {
    name,
    ready: Promise.all(components.map((part) => part.ready)).then(() => {}),
    async stop() {
      await Promise.all(components.map((part) => part.stop()));
    },
  };
}
