import type { Pod } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { type ImoocPod, LABEL } from "../src/imoocpod.ts";
import { planPods } from "../src/plan-pods.ts";

const owner = { apiVersion: "k8s.imooc.com/v1alpha1", kind: "ImoocPod", name: "web", uid: "u", controller: true };
const wanted = (replicas: number) => ({ metadata: { name: "web", namespace: "default", uid: "u" }, spec: { replicas } }) as ImoocPod;

/** Builds the pod "web-3", one second younger than web-2; further words change its state. */
function pod(name: string, ...words: readonly string[]): Pod {
  const second = String(Number(/\d+$/.exec(name)?.[0] ?? 0)).padStart(2, "0");
  return {
    metadata: {
      name,
      namespace: "default",
      uid: name,
      creationTimestamp: `2026-01-01T00:00:${second}Z`,
      labels: words.includes("unlabelled") ? {} : { [LABEL]: "web" },
      ...(words.includes("unowned") ? {} : { ownerReferences: [words.includes("theirs") ? { ...owner, uid: "other" } : owner] }),
      ...(words.includes("leaving") ? { deletionTimestamp: "2026-01-01T00:01:00Z" } : {}),
    },
    spec: { containers: [] },
    status: { phase: words.includes("failed") ? "Failed" : words.includes("done") ? "Succeeded" : "Running" },
  } as unknown as Pod;
}

const CASES: readonly [what: string, replicas: number, pods: readonly Pod[], expected: object][] = [
  ["creates all pods if none exists", 2, [], { createCount: 2, nextOrdinal: 1 }],
  ["does nothing if all pods exist", 2, [pod("web-1"), pod("web-2")], { createCount: 0, toDelete: [], retained: ["web-1", "web-2"] }],
  ["deletes the newest pods", 1, [pod("web-2"), pod("web-3"), pod("web-1")], { toDelete: ["web-2", "web-3"], retained: ["web-1"] }],
  ["replaces a failed pod", 2, [pod("web-1", "failed"), pod("web-2")], { toDelete: ["web-1"], createCount: 1, nextOrdinal: 3 }],
  ["replaces a succeeded pod", 1, [pod("web-4", "done")], { toDelete: ["web-4"], createCount: 1, nextOrdinal: 5 }],
  ["replaces a terminating pod without deleting it again", 1, [pod("web-1", "leaving")], { toDelete: [], createCount: 1, nextOrdinal: 2 }],
  ["adopts a pod with the label and no owner", 1, [pod("stray", "unowned")], { toAdopt: ["stray"], createCount: 0, retained: ["stray"] }],
  ["does not adopt a failed pod", 1, [pod("stray", "unowned", "failed")], { toAdopt: [], createCount: 1 }],
  [
    "releases a pod without the label",
    1,
    [pod("web-1", "unlabelled")],
    { toRelease: ["web-1"], toDelete: [], createCount: 1, nextOrdinal: 2 },
  ],
  ["ignores a pod of another owner", 1, [pod("web-1", "theirs")], { toAdopt: [], toRelease: [], toDelete: [], createCount: 1 }],
  ["deletes all pods when scaled to zero", 0, [pod("web-1")], { toDelete: ["web-1"], retained: [] }],
];

test.each(CASES)("%s", (_, replicas, pods, expected) => {
  const { createCount, nextOrdinal, ...lists } = planPods(wanted(replicas), pods);
  const named = Object.fromEntries(Object.entries(lists).map(([list, of]) => [list, of.map(({ metadata }) => metadata.name)]));
  expect({ ...named, createCount, nextOrdinal }).toMatchObject(expected);
});
