import { setTimeout as delay } from "node:timers/promises";
import { APPLY, type ApiCase, type CaseContext, MERGE, requestCases, TABLE } from "../../case.ts";
import { waitForNotFound, waitUntil } from "../../wait.ts";

const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";

/** CustomResourceDefinitions: names, versions, deletion. */
export function customResources({ namespace, runId }: CaseContext): readonly ApiCase[] {
  const group = `${runId}.example.com`;
  const version = (name: string, more = {}) => ({
    name,
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: "object", properties: { spec: { type: "object", properties: { a: { type: "string" } } } } } },
    ...more,
  });
  const crd = (plural: string, names = {}) => ({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names: { plural, kind: `${plural[0]?.toUpperCase()}${plural.slice(1, -1)}`, ...names },
      versions: [version("v1")],
    },
  });
  const foos = `${CRDS}/foos.${group}`;
  const bars = `${CRDS}/bars.${group}`;
  const objects = (of: string, plural = "foos") => `/apis/${group}/${of}/namespaces/${namespace}/${plural}`;
  const foo = (of: string, fields = {}) => ({ apiVersion: `${group}/${of}`, kind: "Foo", metadata: { name: "x" }, ...fields });
  const second = version("v2", {
    schema: {
      openAPIV3Schema: {
        type: "object",
        properties: { spec: { type: "object", properties: { a: { type: "string" }, b: { type: "integer" } } } },
      },
    },
    additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: ".spec.a" }],
  });
  const updateCase = (title: string, change: (live: any) => unknown, settle = 0): ApiCase => [
    title,
    async (target) => {
      const answer = await target.send("PUT", foos, change((await target.send("GET", foos)).body));
      await delay(settle);
      return answer;
    },
  ];
  return [
    ...requestCases(["F1 define", "POST", CRDS, crd("foos", { shortNames: ["fo"] })]),
    ["F1 what it becomes", async (target) => (await waitUntil(target, foos, isEstablished)).body],
    ...requestCases(
      ["F1 define again", "POST", CRDS, crd("foos")],
      ["F1 define under a wrong name", "POST", CRDS, { ...crd("foos"), metadata: { name: "x.y" } }],
      ["F1 define with names that are taken", "POST", CRDS, crd("bars", { shortNames: ["fo"], kind: "Foo" })],
    ),
    ["F1 what that becomes", async (target) => (await waitUntil(target, bars, (body) => body.status.conditions?.length === 2)).body],
    ...requestCases(
      ["F1 it is not served", "GET", `/apis/${group}/v1/bars`],
      ["F1 redefine without resourceVersion", "PUT", foos, crd("foos")],
    ),
    updateCase("F1 redefine the scope", (live) => ({ ...live, spec: { ...live.spec, scope: "Cluster" } })),
    [
      "F2 an object",
      async (target) =>
        waitUntil(target, objects("v1"), () => true).then(() =>
          target.send("POST", objects("v1"), foo("v1", { spec: { a: "b", zzz: 1 } })),
        ),
    ],
    // kube-apiserver serves a changed CRD after a short delay.
    updateCase(
      "F7 another version",
      (live) => ({ ...live, spec: { ...live.spec, versions: [{ ...live.spec.versions[0], storage: false, deprecated: true }, second] } }),
      2000,
    ),
    ...requestCases(
      ["F7 the object in the old version", "GET", `${objects("v1")}/x`],
      ["F7 changed in the old version", "PATCH", `${objects("v1")}/x`, { spec: { a: "c" } }, MERGE],
      ["F7 the object in the new version", "GET", `${objects("v2")}/x`],
      ["W2 the group in discovery", "GET", `/apis/${group}`],
      ["W2 the version in discovery", "GET", `/apis/${group}/v2`],
    ),
    [
      "F7 applied in the new version, with a field the old one lacks",
      async (target) => {
        const config = foo("v2", { spec: { a: "d", b: 1 } });
        const { status, body } = await target.send("PATCH", `${objects("v2")}/x?fieldManager=m&force=true`, config, APPLY);
        // The path of the error depends on field ownership.
        return [status, body.message.replace("failed to convert new object: ", "")];
      },
    ],
    ["F6 as a table", async (target) => (await target.send("GET", objects("v2"), undefined, TABLE)).body.rows.map((row: any) => row.cells)],
    [
      "W1 in aggregated discovery",
      async (target) => {
        const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
        return (await target.send("GET", "/apis", undefined, { accept })).body.items.find((item: any) => item.metadata.name === group);
      },
    ],
    [
      "W3 in OpenAPI",
      async (target) => {
        const { body } = await target.send("GET", "/openapi/v3");
        const document = await target.send("GET", body.paths[`apis/${group}/v2`].serverRelativeURL);
        return [Object.keys(document.body.paths).sort(), Object.keys(document.body.components.schemas).sort()];
      },
    ],
    updateCase("F1 without a version that may be stored", (live) => ({
      ...live,
      spec: { ...live.spec, versions: live.spec.versions.slice(1) },
    })),
    ...requestCases(["C7 undefine", "DELETE", foos]),
    ["C7 all of it goes", async (target) => [await waitForNotFound(target, foos), await target.send("GET", `${objects("v2")}/x`)]],
    ["F1 the names are accepted for the CRD that waited", async (target) => (await waitUntil(target, bars, isEstablished)).body],
    [
      "C7 an object with a finalizer keeps its CRD",
      async (target) => {
        await waitUntil(target, objects("v1", "bars"), () => true);
        const created = await target.send(
          "POST",
          objects("v1", "bars"),
          foo("v1", { metadata: { name: "y", finalizers: ["example.com/x"] } }),
        );
        await target.send("DELETE", bars);
        const live = await waitUntil(target, bars, (body) =>
          body.status.conditions.some((each: any) => each.reason === "InstanceDeletionInProgress"),
        );
        const more = await target.send("POST", objects("v1", "bars"), foo("v1", { metadata: { name: "z" } }));
        return [created.status, live.body.status.conditions, more];
      },
    ],
    [
      "C7 until its finalizer is removed",
      async (target) => {
        await target.send("PATCH", `${objects("v1", "bars")}/y`, { metadata: { finalizers: null } }, MERGE);
        return waitForNotFound(target, bars);
      },
    ],
  ];
}

const isEstablished = (body: any) => body.status?.conditions?.some((each: any) => each.type === "Established" && each.status === "True");
