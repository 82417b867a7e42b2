import { type ApiCase, type CaseContext, MERGE, requestCases, widget } from "../../case.ts";

export function deletion({ widgets, configMaps, namespace }: CaseContext): readonly ApiCase[] {
  const at = (name: string) => `${widgets}/${name}`;
  const widgetWithFinalizer = (name: string) => widget(name, { metadata: { finalizers: ["example.com/x"] }, spec: { size: 1 } });
  const going = `/api/v1/namespaces/${namespace}-going`;
  return [
    ...requestCases(
      ["C1 a widget", "POST", widgets, widget("d")],
      ["C4 an unknown policy", "DELETE", at("d"), { propagationPolicy: "Foo" }],
      ["C4 a policy twice", "DELETE", at("d"), { propagationPolicy: "Orphan", orphanDependents: true }],
      ["C3 another uid", "DELETE", at("d"), { preconditions: { uid: "zz" } }],
      ["C3 another resourceVersion", "DELETE", at("d"), { preconditions: { resourceVersion: "1" } }],
      ["E4 a dry run by query", "DELETE", `${at("d")}?dryRun=All`],
      ["E4 a dry run by body", "DELETE", at("d"), { dryRun: ["All"] }],
      ["C1 a broken body", "DELETE", at("d"), "{x"],
      ["C1 a body of another kind", "DELETE", at("d"), { kind: "Foo", apiVersion: "v1" }],
      ["C1 delete", "DELETE", at("d")],
      ["A1 delete what is gone", "DELETE", at("d")],
      ["C1 a widget that is held", "POST", widgets, widgetWithFinalizer("f")],
      ["C1 delete what is held", "DELETE", at("f")],
      ["A4 create what is being deleted", "POST", widgets, widget("f")],
      [
        "A13 add a finalizer to a terminating object",
        "PATCH",
        at("f"),
        { metadata: { finalizers: ["example.com/x", "example.com/y"] } },
        MERGE,
      ],
      ["A13 remove the deletionTimestamp", "PATCH", at("f"), { metadata: { deletionTimestamp: null } }, MERGE],
      ["A13 change what is being deleted", "PATCH", at("f"), { spec: { size: 8 } }, MERGE],
      ["C1 remove the finalizer", "PATCH", at("f"), { metadata: { finalizers: null } }, MERGE],
      ["C1 get it after the finalizer is removed", "GET", at("f")],
      ["C4 a widget to orphan from", "POST", widgets, widget("o")],
      ["C4 orphan", "DELETE", at("o"), { propagationPolicy: "Orphan" }],
      ["C4 a widget to delete in the foreground", "POST", widgets, widget("fg")],
      ["C4 foreground", "DELETE", at("fg"), { propagationPolicy: "Foreground" }],
      ["C4 then background", "DELETE", at("fg"), { propagationPolicy: "Background" }],
      ["C4 another that is held", "POST", widgets, widgetWithFinalizer("od")],
      ["C4 not orphaning answers accepted", "DELETE", at("od"), { orphanDependents: false }],
      ["C6 some config maps", "POST", configMaps, { metadata: { name: "coll", labels: { coll: "1" } } }],
      ["C6 a collection", "DELETE", `${configMaps}?labelSelector=coll`],
      ["C6 a collection across namespaces", "DELETE", "/api/v1/configmaps"],
      ["G5 the default namespace", "DELETE", "/api/v1/namespaces/default"],
      ["G5 a namespace", "POST", "/api/v1/namespaces", { metadata: { name: `${namespace}-going` } }],
      ["G5 delete it", "DELETE", going],
      ["G5 delete it again", "DELETE", going],
      ["G5 create in it", "POST", `${going}/configmaps`, { metadata: { name: "a" } }],
      ["G5 create without a name in it", "POST", `${going}/configmaps`, { metadata: { generateName: "a-" } }],
    ),
    [
      "G5 finalize it",
      async (target) => target.send("PUT", `${going}/finalize`, { ...(await target.send("GET", going)).body, spec: { finalizers: [] } }),
    ],
    ...requestCases(["G5 get it", "GET", going]),
  ];
}
