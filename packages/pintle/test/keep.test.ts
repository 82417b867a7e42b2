import { expect, test } from "vitest";
import { controller } from "../src/controller/index.ts";
import { ConfigMap } from "../src/kinds/generated/core/v1.ts";
import { simulate } from "../src/testing/index.ts";
import { Memcached, memcached, setupManager } from "./fakes/operator.ts";

const op = controller(Memcached, {
  owns: [ConfigMap],
  reconcile({ object, want }) {
    const data = { size: String(object.spec.size) };
    const children = {
      always: ConfigMap.desired({ metadata: { name: "always" }, data }, { keep: "always" }),
      retained: ConfigMap.desired({ metadata: { name: "retained" }, data }, { keep: "on-delete" }),
      owned: ConfigMap.desired({ metadata: { name: "owned" }, data }),
    };
    return want({ children: object.spec.size === 9 ? {} : children });
  },
});

test("kept children have no owner reference, are repaired, survive their owner, and are found again by the next owner of the name", async () => {
  const { server, clock, lines } = await setupManager([op], { before: (s) => s.put("memcacheds", memcached("a")) });
  const sizes = () => server.list("configmaps").map(({ metadata, data }: any) => `${metadata.name} ${data.size}`);
  const ownersOf = (name: string) => server.get("configmaps", "d", name)!["metadata"].ownerReferences?.length ?? 0;
  expect([ownersOf("always"), ownersOf("retained"), ownersOf("owned")]).toEqual([0, 0, 1]);
  server.put("configmaps", { metadata: { name: "always", namespace: "d" }, data: { size: "edited" } });
  await clock.settle();
  expect(sizes()).toEqual(["always 3", "retained 3", "owned 3"]);

  server.remove("memcacheds", "d", "a");
  server.remove("configmaps", "d", "owned");
  await clock.settle();
  expect(sizes()).toEqual(["always 3", "retained 3"]);
  server.put("memcacheds", memcached("a", { size: 5 }));
  await clock.settle();
  expect(sizes()).toEqual(["always 5", "retained 5", "owned 5"]);
  expect(lines.filter(({ level }) => level === "error")).toEqual([]);

  server.put("memcacheds", memcached("a", { size: 9 }));
  await clock.settle();
  expect(sizes()).toEqual(["always 5"]);
});

test("a kept child of another owner is not taken over", async () => {
  const sim = simulate(op, [
    Memcached.desired({ metadata: { name: "a", namespace: "d" }, spec: {} }),
    Memcached.desired({ metadata: { name: "b", namespace: "d" }, spec: {} }),
  ]);
  await expect(sim).rejects.toThrow("is controlled by the object with uid");
});
