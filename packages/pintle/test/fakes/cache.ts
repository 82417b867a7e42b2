import { afterEach } from "vitest";
import { createCache, type WatchProblem } from "../../src/cache/index.ts";
import { createClient } from "../../src/client/index.ts";
import { seededRandom, virtualClock } from "../../src/clock/index.ts";
import { createFakeApiServer, type FakeApiServerOptions } from "./api-server.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** Creates a cache on a fake API server with virtual time; stopped when the test ends. */
export function setupCache(options: Partial<FakeApiServerOptions> & { namespaces?: string[] } = {}) {
  const clock = virtualClock();
  const server = createFakeApiServer({ clock, ...options });
  const client = createClient(server.transport, { clock: clock, random: seededRandom(1), onWarning: () => {} });
  const problems: (WatchProblem | undefined)[] = [];
  const objectErrors: unknown[] = [];
  const observer = {
    onWatchProblem: (_kind: unknown, _namespace: unknown, problem: WatchProblem | undefined) => void problems.push(problem),
    onObjectError: (_kind: unknown, object: unknown) => void objectErrors.push(object),
  };
  const cache = createCache({ client, clock, random: seededRandom(2), observer, namespaces: options.namespaces });
  stops.push(() => cache.stop());
  return { clock, server, client, cache, problems, objectErrors };
}

export const pod = (name: string, more: object = {}, namespace = "d") => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace, ...more },
  spec: {},
});
export const names = (objects: readonly { metadata: { name: string } }[]) => objects.map((o) => o.metadata.name).sort();
