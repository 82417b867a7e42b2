import { afterEach } from "vitest";
import { cache, type Problem } from "../../src/cache/index.ts";
import { clientOver } from "../../src/client/index.ts";
import { seeded, virtualClock } from "../../src/queue/index.ts";
import { type TinyOptions, tinyServer } from "./server.ts";

const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()));
});

/** A cache of a tiny server, in virtual time; stopped when the test ends. */
export function cached(options: Partial<TinyOptions> & { namespaces?: string[] } = {}) {
  const clock = virtualClock();
  const server = tinyServer({ clock, ...options });
  const client = clientOver(server.transport, { timing: clock, random: seeded(1), onWarning: () => {} });
  const problems: (Problem | undefined)[] = [];
  const poisoned: unknown[] = [];
  const observer = {
    problem: (_kind: unknown, _namespace: unknown, problem: Problem | undefined) => void problems.push(problem),
    poisoned: (_kind: unknown, object: unknown) => void poisoned.push(object),
  };
  const local = cache({ client, clock, random: seeded(2), observer, namespaces: options.namespaces });
  stops.push(() => local.stop());
  return { clock, server, client, local, problems, poisoned };
}

export const pod = (name: string, more: object = {}, namespace = "d") => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace, ...more },
  spec: {},
});
export const names = (objects: readonly { metadata: { name: string } }[]) => objects.map((o) => o.metadata.name).sort();
