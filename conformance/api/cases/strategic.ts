import { type Ground, requests, STRATEGIC, type Step } from "../step.ts";

/** Strategic merge patches on a pod template, whose lists have keys. */
export function strategic({ namespace }: Ground): readonly Step[] {
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  const at = `${deployments}/str`;
  const labels = { a: "b" };
  const containers = [
    { name: "c", image: "i", env: [{ name: "A", value: "1" }], ports: [{ containerPort: 80 }] },
    { name: "d", image: "j" },
  ];
  const pod = (spec: object) => ({ spec: { template: { spec } } });
  const change = (title: string, body: unknown, path = at) => [`E2 ${title}`, "PATCH", path, body, STRATEGIC] as const;
  return requests(
    [
      "E2 a deployment",
      "POST",
      deployments,
      { metadata: { name: "str" }, spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } } },
    ],
    change("an item by its key", pod({ containers: [{ name: "c", image: "i2" }] })),
    change("an item that is new", pod({ containers: [{ name: "e", image: "k" }] })),
    change("an item within an item", pod({ containers: [{ name: "c", env: [{ name: "B", value: "2" }] }] })),
    change("an item goes", pod({ containers: [{ name: "e", $patch: "delete" }] })),
    change("an item that is not there goes", pod({ containers: [{ name: "zz", $patch: "delete" }] })),
    change("a list is replaced", pod({ containers: [{ $patch: "replace" }, { name: "c", image: "i3" }] })),
    change(
      "an order is asked for",
      pod({
        $setElementOrder: undefined,
        "$setElementOrder/containers": [{ name: "f" }, { name: "c" }],
        containers: [{ name: "f", image: "l" }],
      }),
    ),
    change("an order that lacks an item", pod({ "$setElementOrder/containers": [{ name: "c" }], containers: [{ name: "f", image: "l" }] })),
    change("only some keys are kept", { spec: { strategy: { $retainKeys: ["type"], type: "Recreate" } } }),
    change("keys that are kept without being there", {
      spec: { strategy: { $retainKeys: ["type"], type: "Recreate", rollingUpdate: null } },
    }),
    change("a map is replaced", { metadata: { labels: { $patch: "replace", x: "y" } } }),
    change("a map goes", { metadata: { labels: { $patch: "delete" } } }),
    change("a map is merged", { metadata: { annotations: { x: "y" } } }),
    change("null removes", { metadata: { annotations: { x: null } } }),
    change("values are added to a plain list", { metadata: { finalizers: ["example.com/a", "example.com/b"] } }),
    change("values leave a plain list", { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/a"] } }),
    change("all values leave it", { metadata: { "$deleteFromPrimitiveList/finalizers": ["example.com/b"] } }),
    change("a directive that is none", { spec: { $patch: "frob" } }),
    change("an item without its key", pod({ containers: [{ image: "x" }] })),
    change("a list where there is an object", { spec: [] }),
    change("an object where there is a list", pod({ containers: {} })),
    change("a value of the wrong type", { spec: { replicas: "three" } }),
    change("what is invalid", { spec: { replicas: -1 } }),
    change("what cannot change", { spec: { selector: { matchLabels: { a: "c" } } } }),
    change("nothing", {}),
    change("another name", { metadata: { name: "zz" } }),
    change("a stale resourceVersion", { metadata: { resourceVersion: "1" }, spec: { replicas: 2 } }),
    change("what is missing", {}, `${deployments}/nope`),
    change("status beside the rest", { status: { replicas: 9 }, spec: { replicas: 2 } }),
    change("broken JSON", "{x"),
  );
}
