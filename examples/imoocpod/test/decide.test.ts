import type { Pod } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { decide } from "../src/decide.ts";
import { type ImoocPod, LABEL } from "../src/imoocpod.ts";

const owner = { apiVersion: "k8s.imooc.com/v1alpha1", kind: "ImoocPod", name: "web", uid: "u", controller: true };
const wanted = (replicas: number) => ({ metadata: { name: "web", namespace: "default", uid: "u" }, spec: { replicas } }) as ImoocPod;

/** "web-3", one second younger than web-2; further words change it. */
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
  ["nothing is there", 2, [], { missing: 2, next: 1 }],
  ["all are there", 2, [pod("web-1"), pod("web-2")], { missing: 0, remove: [], alive: ["web-1", "web-2"] }],
  ["too many: the newest go", 1, [pod("web-2"), pod("web-3"), pod("web-1")], { remove: ["web-2", "web-3"], alive: ["web-1"] }],
  ["one has failed", 2, [pod("web-1", "failed"), pod("web-2")], { remove: ["web-1"], missing: 1, next: 3 }],
  ["one is done", 1, [pod("web-4", "done")], { remove: ["web-4"], missing: 1, next: 5 }],
  ["one is on its way out", 1, [pod("web-1", "leaving")], { remove: [], missing: 1, next: 2 }],
  ["one has the label and no owner", 1, [pod("stray", "unowned")], { adopt: ["stray"], missing: 0, alive: ["stray"] }],
  ["one that failed is not adopted", 1, [pod("stray", "unowned", "failed")], { adopt: [], missing: 1 }],
  ["one has lost the label", 1, [pod("web-1", "unlabelled")], { release: ["web-1"], remove: [], missing: 1, next: 2 }],
  ["one is somebody else's", 1, [pod("web-1", "theirs")], { adopt: [], release: [], remove: [], missing: 1 }],
  ["none is wanted", 0, [pod("web-1")], { remove: ["web-1"], alive: [] }],
];

test.each(CASES)("%s", (_, replicas, pods, expected) => {
  const { missing, next, ...lists } = decide(wanted(replicas), pods);
  const named = Object.fromEntries(Object.entries(lists).map(([list, of]) => [list, of.map(({ metadata }) => metadata.name)]));
  expect({ ...named, missing, next }).toMatchObject(expected);
});
