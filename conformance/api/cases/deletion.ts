import { type Ground, MERGE, requests, type Step, widget } from "../step.ts";

export function deletion({ widgets, configMaps, namespace }: Ground): readonly Step[] {
  const at = (name: string) => `${widgets}/${name}`;
  const held = (name: string) => widget(name, { metadata: { finalizers: ["example.com/x"] }, spec: { size: 1 } });
  const going = `/api/v1/namespaces/${namespace}-going`;
  return [
    ...requests(
      ["a widget", "POST", widgets, widget("d")],
      ["an unknown policy", "DELETE", at("d"), { propagationPolicy: "Foo" }],
      ["a policy twice", "DELETE", at("d"), { propagationPolicy: "Orphan", orphanDependents: true }],
      ["another uid", "DELETE", at("d"), { preconditions: { uid: "zz" } }],
      ["another resourceVersion", "DELETE", at("d"), { preconditions: { resourceVersion: "1" } }],
      ["a dry run by query", "DELETE", `${at("d")}?dryRun=All`],
      ["a dry run by body", "DELETE", at("d"), { dryRun: ["All"] }],
      ["a broken body", "DELETE", at("d"), "{x"],
      ["a body of another kind", "DELETE", at("d"), { kind: "Foo", apiVersion: "v1" }],
      ["delete", "DELETE", at("d")],
      ["delete what is gone", "DELETE", at("d")],
      ["a widget that is held", "POST", widgets, held("f")],
      ["delete what is held", "DELETE", at("f")],
      ["create what is being deleted", "POST", widgets, widget("f")],
      ["hold it more", "PATCH", at("f"), { metadata: { finalizers: ["example.com/x", "example.com/y"] } }, MERGE],
      ["take the deletion back", "PATCH", at("f"), { metadata: { deletionTimestamp: null } }, MERGE],
      ["change what is being deleted", "PATCH", at("f"), { spec: { size: 8 } }, MERGE],
      ["let go", "PATCH", at("f"), { metadata: { finalizers: null } }, MERGE],
      ["get what was let go", "GET", at("f")],
      ["a widget to orphan from", "POST", widgets, widget("o")],
      ["orphan", "DELETE", at("o"), { propagationPolicy: "Orphan" }],
      ["a widget to delete in the foreground", "POST", widgets, widget("fg")],
      ["foreground", "DELETE", at("fg"), { propagationPolicy: "Foreground" }],
      ["then background", "DELETE", at("fg"), { propagationPolicy: "Background" }],
      ["another that is held", "POST", widgets, held("od")],
      ["not orphaning answers accepted", "DELETE", at("od"), { orphanDependents: false }],
      ["some config maps", "POST", configMaps, { metadata: { name: "coll", labels: { coll: "1" } } }],
      ["a collection", "DELETE", `${configMaps}?labelSelector=coll`],
      ["a collection across namespaces", "DELETE", "/api/v1/configmaps"],
      ["the default namespace", "DELETE", "/api/v1/namespaces/default"],
      ["a namespace", "POST", "/api/v1/namespaces", { metadata: { name: `${namespace}-going` } }],
      ["delete it", "DELETE", going],
      ["delete it again", "DELETE", going],
      ["create in it", "POST", `${going}/configmaps`, { metadata: { name: "a" } }],
      ["create without a name in it", "POST", `${going}/configmaps`, { metadata: { generateName: "a-" } }],
    ),
    [
      "finalize it",
      async (target) => target.send("PUT", `${going}/finalize`, { ...(await target.send("GET", going)).body, spec: { finalizers: [] } }),
    ],
    ...requests(["get it", "GET", going]),
  ];
}
