import { expect, test } from "vitest";
import * as z from "zod";
import { defineResource, duration, listMap, quantity } from "../resource/index.ts";
import { checkRoundTrips } from "./index.ts";

const spec = z.object({
  replicas: z.int32().min(0).max(9).default(1),
  image: z.object({ name: z.string().min(2), tag: z.string().default("latest") }),
  tier: z.enum(["gold", "silver"]).optional(),
  memory: quantity().optional(),
  every: duration().optional(),
  ports: listMap(z.object({ name: z.string(), port: z.int32() }), "name").optional(),
  labels: z.record(z.string(), z.string()).optional(),
});
const Hub = defineResource({ group: "example.com", version: "v2", kind: "Cache", spec, status: z.object({ ready: z.int32() }) });
const same = { ...spec.shape, image: z.string() };

test("reports no loss for conversions that preserve every field", () => {
  const Faithful = Hub.older({
    version: "v1",
    spec: z.object(same),
    status: z.object({ readyCount: z.int32() }),
    toHub({ spec: { image, ...rest }, status }) {
      const [name = "", tag] = image.split(":");
      return {
        spec: { ...rest, image: { name, tag } },
        status: status?.readyCount === undefined ? undefined : { ready: status.readyCount },
      };
    },
    fromHub: ({ spec: { image, ...rest }, status }) => ({
      spec: { ...rest, image: `${image.name}:${image.tag}` },
      status: status?.ready === undefined ? undefined : { readyCount: status.ready },
    }),
  });
  // An image without a tag is converted to the default tag; the loss is allowed.
  const losses = checkRoundTrips(Faithful, { values: { "spec.image": "a:b" } }).filter(({ conversion }) => conversion.startsWith("v1"));
  expect(losses).toEqual([]);
  expect(checkRoundTrips(Faithful).map(({ conversion, field }) => `${conversion} ${field}`)).toEqual(["v1 -> v2 -> v1 spec.image"]);
});

test("reports each loss once by version and field, unless it is allowed", () => {
  const Lossy = Hub.older({
    version: "v1",
    spec: z.object({ size: z.int32(), image: z.object({ name: z.string(), tag: z.string() }) }),
    toHub: ({ spec: { size, image } }) => ({ spec: { replicas: size, image } }),
    fromHub: ({ spec: { replicas, image } }) => ({ spec: { size: replicas, image } }),
  });
  const fields = ["spec.tier", "spec.memory", "spec.every", "spec.ports", "spec.labels", "status"];
  const losses = checkRoundTrips(Lossy);
  expect(losses.map(({ conversion, field }) => `${conversion} ${field}`).sort()).toEqual(
    fields.map((field) => `v2 -> v1 -> v2 ${field}`).sort(),
  );
  expect(losses[0]!.before).toMatchObject({ apiVersion: "example.com/v2", kind: "Cache" });
  expect(checkRoundTrips(Lossy, { allowedLosses: fields.map((field) => `v1 ${field}`) })).toEqual([]);
});

test("reports the message of a conversion that throws", () => {
  const Throwing = Hub.older({
    version: "v1",
    spec: z.object(same),
    toHub() {
      throw new Error("cannot");
    },
    fromHub: ({ spec: { image, ...rest } }) => ({ spec: { ...rest, image: image.name } }),
  });
  expect(checkRoundTrips(Throwing).map(({ conversion, field }) => `${conversion} ${field}`)).toEqual([
    "v1 -> v2 -> v1 cannot",
    "v2 -> v1 -> v2 cannot",
  ]);
});

test("throws for a pattern without an example value", () => {
  const Picky = defineResource({
    group: "example.com",
    version: "v2",
    kind: "Cache",
    spec: z.object({ code: z.string().regex(/^[A-Z]{3}-\d{9}$/) }),
  });
  const Pair = Picky.unchangedIn({ version: "v1" });
  expect(() => checkRoundTrips(Pair)).toThrow(
    'no example value for spec.code, which must match ^[A-Z]{3}-\\d{9}$: pass one as values: { "spec.code": ... }',
  );
  expect(checkRoundTrips(Pair, { values: { "spec.code": "ABC-123456789" } })).toEqual([]);
});

test("takes example values per version, and refuses those of a version that the resource does not have", () => {
  const schedule = z.object({ minute: z.string(), hour: z.string() });
  const Job = defineResource({ group: "example.com", version: "v2", kind: "Job", spec: z.object({ schedule }) }).older({
    version: "v1",
    spec: z.object({ schedule: z.string() }),
    toHub: ({ spec }) => {
      const [minute, hour] = spec.schedule.split(" ");
      if (minute === undefined || hour === undefined) throw new Error(`"${spec.schedule}" has no hour`);
      return { spec: { schedule: { minute, hour } } };
    },
    fromHub: ({ spec }) => ({ spec: { schedule: `${spec.schedule.minute} ${spec.schedule.hour}` } }),
  });
  expect(checkRoundTrips(Job, { values: { "spec.schedule.minute": "0", "spec.schedule.hour": "3" } })[0]?.field).toMatch(/has no hour$/);
  const values = { "v1 spec.schedule": "0 3", "v2 spec.schedule": { minute: "0", hour: "3" } };
  expect(checkRoundTrips(Job, { values })).toEqual([]);
  expect(() => checkRoundTrips(Job, { values: { "v3 spec.schedule": "0 3" } })).toThrow(
    'values: "v3 spec.schedule" names a version that Job does not have; it has v1, v2',
  );
});
