import { type ApiCase, type CaseContext, requestCases, STRATEGIC } from "../../case.ts";

/** Strategic merge patches of a pod template, whose lists have merge keys. */
export function strategicMerge({ namespace }: CaseContext): readonly ApiCase[] {
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const at = `${deployments}/str`;
  const labels = { a: "b" };
  const containers = [
    { name: "c", image: "i", env: [{ name: "A", value: "1" }], ports: [{ containerPort: 80 }] },
    { name: "d", image: "j" },
  ];
  const pod = (spec: object) => ({ spec: { template: { spec } } });
  const patchCase = (title: string, body: unknown, path = at) => [`E2 ${title}`, "PATCH", path, body, STRATEGIC] as const;
  return requestCases(
    [
      "E2 a deployment",
      "POST",
      deployments,
      { metadata: { name: "str" }, spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } } },
    ],
    patchCase("an item by its key", pod({ containers: [{ name: "c", image: "i2" }] })),
    patchCase("an item that is new", pod({ containers: [{ name: "e", image: "k" }] })),
    patchCase("an item within an item", pod({ containers: [{ name: "c", env: [{ name: "B", value: "2" }] }] })),
    patchCase("an item goes", pod({ containers: [{ name: "e", $patch: "delete" }] })),
    patchCase("an item that is not there goes", pod({ containers: [{ name: "zz", $patch: "delete" }] })),
    patchCase("a list is replaced", pod({ containers: [{ $patch: "replace" }, { name: "c", image: "i3" }] })),
    patchCase(
      "an element order is set",
      pod({
        $setElementOrder: undefined,
        "$setElementOrder/containers": [{ name: "f" }, { name: "c" }],
        containers: [{ name: "f", image: "l" }],
      }),
    ),
    patchCase(
      "an order that lacks an item",
      pod({ "$setElementOrder/containers": [{ name: "c" }], containers: [{ name: "f", image: "l" }] }),
    ),
    patchCase("only some keys are kept", { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }),
    patchCase("keys that are kept without being there", {
      spec: { strategy: { $retainKeys: ["type"], type: "Recreate", rollingUpdate: null } },
    }),
    patchCase("a map is replaced", { metadata: { labels: { $patch: "replace", x: "y" } } }),
    patchCase("a map goes", { metadata: { labels: { $patch: "delete" } } }),
    patchCase("a map is merged", { metadata: { annotations: { x: "y" } } }),
    patchCase("null removes", { metadata: { annotations: { x: null } } }),
    patchCase("values are added to a plain list", { metadata: { finalizers: ["example.com/a", "example.com/b"] } }),
    patchCase("values leave a plain list", { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a"] } }),
    patchCase("all values leave it", { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/b"] } }),
    patchCase("a directive that is none", { spec: { $patch: "frob" } }),
    patchCase("an item without its key", pod({ containers: [{ image: "x" }] })),
    patchCase("a list where there is an object", { spec: [] }),
    patchCase("an object where there is a list", pod({ containers: {} })),
    patchCase("a value of the wrong type", { spec: { replicas: "three" } }),
    patchCase("what is invalid", { spec: { replicas: -1 } }),
    patchCase("what cannot change", { spec: { selector: { matchLabels: { a: "c" } } } }),
    patchCase("nothing", {}),
    patchCase("another name", { metadata: { name: "zz" } }),
    patchCase("a stale resourceVersion", { metadata: { resourceVersion: "1" }, spec: { replicas: 2 } }),
    patchCase("what is missing", {}, `${deployments}/nope`),
    patchCase("status beside the rest", { status: { replicas: 9 }, spec: { replicas: 2 } }),
    patchCase("broken JSON", "{x"),
  );
}
