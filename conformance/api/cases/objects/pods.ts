import { type ApiCase, type CaseContext, MERGE, requestCases } from "../../case.ts";

/** Pods: graceful deletion, binding, eviction, finalizers. */
export function pods({ namespace }: CaseContext): readonly ApiCase[] {
  const here = `/api/v1/namespaces/${namespace}`;
  const all = `${here}/pods`;
  const at = (name: string) => `${all}/${name}`;
  const pod = (name: string, spec: object = {}, metadata: object = {}) => ({
    metadata: { name, ...metadata },
    spec: { containers: [{ name: "c", image: "i" }], ...spec },
  });
  const placed = { nodeName: "n1" };
  const bind = (name: string, target: object = { kind: "Node", name: "n1" }, metadata: object = {}) => ({
    metadata: { name, ...metadata },
    target,
  });
  return [
    ...requestCases(
      ["C2 a pod that no node has", "POST", all, pod("a")],
      ["C2 E4 it would go at once", "DELETE", `${at("a")}?dryRun=All`],
      ["C2 it goes at once", "DELETE", at("a")],
      ["C2 it is gone", "GET", at("a")],
      ["C2 a pod on a node", "POST", all, pod("b", placed)],
      ["C2 it gets time to go", "DELETE", at("b")],
      ["C2 more time is not given", "DELETE", `${at("b")}?gracePeriodSeconds=60`],
      ["C2 less time is", "DELETE", `${at("b")}?gracePeriodSeconds=5`],
      ["C2 less than none counts as one second", "DELETE", `${at("b")}?gracePeriodSeconds=-5`],
      ["C2 A4 another of its name", "POST", all, pod("b", placed)],
      ["C2 no time at all", "DELETE", `${at("b")}?gracePeriodSeconds=0`],
      ["C2 it went", "GET", at("b")],
      ["C2 a pod that is held", "POST", all, pod("c", placed, { finalizers: ["example.com/x"] })],
      ["C2 C1 no time, but held", "DELETE", at("c"), { gracePeriodSeconds: 0 }],
      ["C2 C1 once more", "DELETE", at("c"), { gracePeriodSeconds: 0 }],
      ["C2 C1 remove the finalizer", "PATCH", at("c"), { metadata: { finalizers: [] } }, MERGE],
      ["C2 a pod that says how long it takes", "POST", all, pod("d", { ...placed, terminationGracePeriodSeconds: 7 })],
      ["C2 it gets that long", "DELETE", at("d")],
      ["C2 a pod", "POST", all, pod("f", placed)],
      ["C2 it finishes", "PATCH", `${at("f")}/status`, { status: { phase: "Succeeded" } }, MERGE],
      ["C2 what is finished goes at once", "DELETE", at("f")],
      ["C2 a time that is none", "DELETE", `${at("d")}?gracePeriodSeconds=abc`],
      ["C3 another uid of a pod", "DELETE", at("d"), { preconditions: { uid: "nope" } }],
      ["C3 another resourceVersion of a pod", "DELETE", at("d"), { preconditions: { resourceVersion: "1" } }],
      ["B1 a pod to bind", "POST", all, pod("g")],
      ["A9 a binding of another name", "POST", `${at("g")}/binding`, bind("zz")],
      ["E4 bind", "POST", `${at("g")}/binding?dryRun=All`, bind("g")],
      ["E4 bind the old way", "POST", `${here}/bindings?dryRun=All`, bind("g")],
      ["B1 bind it", "POST", `${here}/bindings`, bind("g", { kind: "Node", name: "n1" }, { labels: { x: "y" }, annotations: { c: "d" } })],
      ["B1 bind it again", "POST", `${at("g")}/binding`, bind("g", { kind: "Node", name: "n2" })],
      ["B1 what is bound", "GET", at("g")],
      ["B1 bind what is going", "POST", `${here}/bindings`, bind("d")],
      ["A1 bind what is missing", "POST", `${here}/bindings`, bind("nope")],
      ["A0 bind to what is no node", "POST", `${here}/bindings`, bind("g", { kind: "Foo", name: "" })],
      ["A0 bind nothing", "POST", `${here}/bindings`, {}],
      ["A3 the list of bindings", "GET", `${here}/bindings`],
      ["A3 bindings of no namespace", "POST", "/api/v1/bindings", bind("g")],
      ["C2 an eviction of another name", "POST", `${at("g")}/eviction`, { metadata: { name: "h" } }],
      [
        "C2 E4 an eviction",
        "POST",
        `${at("g")}/eviction`,
        { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "g" }, deleteOptions: { dryRun: ["All"] } },
      ],
      ["C2 evict it", "POST", `${at("g")}/eviction`, { metadata: { name: "g" } }],
      ["C6 E4 all pods", "DELETE", `${all}?dryRun=All`],
      ["C6 all pods, at once", "DELETE", `${all}?gracePeriodSeconds=0`],
      ["C6 all pods, of which there are none", "DELETE", all],
    ),
    [
      "C2 A14 what a watch sees of a pod that goes at once",
      async (target) => {
        await target.send("POST", all, pod("w"));
        const watch = await target.watch(`${all}?watch=1&fieldSelector=metadata.name%3Dw`);
        await watch.events(1);
        await target.send("DELETE", at("w"));
        const events = (await watch.events(2)) as readonly { type: string; object: any }[];
        watch.stop();
        return events.map(({ type, object }) => [type, object.metadata]);
      },
    ],
  ];
}
