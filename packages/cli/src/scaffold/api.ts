import { foreignFile } from "./foreign-file.ts";

/** One resource of a project, as it is written in its files. */
export interface Api {
  /** "shop.example.com" */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly controller: boolean;
  /** Before its names, where another group has the kind already: "store". */
  readonly prefix?: string | undefined;
  /** Somebody else's: no definition is made for it. A built-in one has a module of the library. */
  readonly foreign?: { readonly plural: string; readonly module?: string | undefined } | undefined;
}
type Named = Pick<Api, "kind" | "prefix">;

/** "storefront": of its source, its test and its sample. */
export const fileOf = ({ kind, prefix }: Named) => `${prefix === undefined ? "" : `${prefix}-`}${kind.toLowerCase()}`;
/** "storefront": of the controller in the code. */
export const variableOf = ({ kind, prefix }: Named) =>
  prefix === undefined ? `${kind[0]?.toLowerCase()}${kind.slice(1)}` : `${camel(prefix)}${kind}`;
/** "StoreShelf": of the resource where others of the same kind may be. */
export const resourceOf = ({ kind, prefix }: Named) => (prefix === undefined ? kind : `${capital(camel(prefix))}${kind}`);
const camel = (text: string) => text.replace(/[-.]+(\w)/g, (_, letter: string) => letter.toUpperCase());
const capital = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}`;

/** The files of one resource: all of them belong to the user from now on. */
export function apiFiles(api: Api): ReadonlyMap<string, string> {
  const file = fileOf(api);
  if (api.foreign !== undefined) return new Map([[`src/${file}.ts`, foreignFile(api, api.foreign)]]);
  return new Map([
    [`src/${file}.ts`, api.controller ? `${definition(api)}\n${reconciler(api)}` : definition(api)],
    ...(api.controller ? ([[`test/${file}.test.ts`, test(api)]] as const) : []),
    [`config/samples/${file}.yaml`, sample(api)],
  ]);
}

function definition({ group, version, kind, scope, controller }: Api): string {
  const imports = controller
    ? `import { controller, defineResource, type ReadOf, z } from "pintle";\nimport { Deployment } from "pintle/kinds/apps/v1";`
    : `import { defineResource, type ReadOf, z } from "pintle";`;
  return `${scope === "Cluster" && controller ? imports.replace('{ Deployment } from "pintle/kinds/apps/v1"', '{ Namespace } from "pintle/kinds/core/v1"') : imports}

export const ${kind} = defineResource({
  group: "${group}",
  version: "${version}",
  kind: "${kind}",${scope === "Cluster" ? '\n  scope: "Cluster",' : ""}
${scope === "Cluster" ? clusterFields : namespacedFields}
});
export interface ${kind} extends ReadOf<typeof ${kind}> {}
`;
}

const namespacedFields = `  spec: z.object({
    replicas: z.int32().min(0).max(100).default(1).describe("How many pods to run."),
    image: z.string().default("nginx:1.27").describe("The image they run."),
  }),
  status: z.object({ ready: z.int32().describe("How many pods are ready.") }),
  conditions: ["Available"],
  columns: [
    { name: "Replicas", path: ".spec.replicas" },
    { name: "Ready", path: ".status.ready" },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],
  scale: { spec: ".spec.replicas", status: ".status.ready" },`;

const clusterFields = `  spec: z.object({ team: z.string().default("nobody").describe("Whose namespace it is.") }),
  status: z.object({ namespace: z.string().describe("Its namespace.") }),
  conditions: ["Available"],
  columns: [
    { name: "Team", path: ".spec.team" },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],`;

function reconciler(api: Api): string {
  return api.scope === "Cluster" ? clusterReconciler(api) : namespacedReconciler(api);
}

function namespacedReconciler(api: Api): string {
  return `/** Returns what should be; the controller makes it so. */
export const ${variableOf(api)} = controller(${api.kind}, {
  owns: [Deployment],
  reconcile({ object, owned, want }) {
    const { replicas } = object.spec;
    const ready = owned(Deployment).get(object.metadata.name)?.status.readyReplicas ?? 0;
    const reason = ready >= replicas ? "PodsReady" : "PodsNotReady";
    return want({
      children: { deployment: deploymentFor(object) },
      status: { ready },
      conditions: { Available: { status: ready >= replicas, reason, message: \`\${ready} of \${replicas} pods are ready\` } },
    });
  },
});

function deploymentFor({ metadata: { name }, spec: { replicas, image } }: ${api.kind}) {
  const labels = { "app.kubernetes.io/name": "${fileOf(api)}", "app.kubernetes.io/instance": name };
  return Deployment.desired({
    metadata: { name, labels },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image }] } },
    },
  });
}
`;
}

function clusterReconciler(api: Api): string {
  return `/** Returns what should be; the controller makes it so. */
export const ${variableOf(api)} = controller(${api.kind}, {
  owns: [Namespace],
  reconcile({ object, owned, want }) {
    const { name } = object.metadata;
    const active = owned(Namespace).get(name)?.status.phase === "Active";
    return want({
      children: { namespace: Namespace.desired({ metadata: { name, labels: { team: object.spec.team } } }) },
      status: { namespace: name },
      conditions: { Available: { status: active, reason: active ? "Active" : "NotYet" } },
    });
  },
});
`;
}

function test(api: Api): string {
  const { kind, scope } = api;
  const isCluster = scope === "Cluster";
  const child = isCluster ? "Namespace" : "Deployment";
  const [spec, holds] = isCluster ? ['{ team: "a" }', 'metadata: { labels: { team: "a" } }'] : ["{ replicas: 2 }", "spec: { replicas: 2 }"];
  const [given, ref, where] = isCluster
    ? ["{ client }", '{ name: "demo" }', ""]
    : ["{ client, namespace }", '{ name: "demo", namespace }', " namespaces: [namespace],"];
  return `import { serverTest } from "@pintle/cluster/vitest";
import { silent, start } from "pintle";
import { condition } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { ${child} } from "pintle/kinds/${isCluster ? "core" : "apps"}/v1";
import { simulate } from "pintle/testing";
import { expect, test } from "vitest";
import { ${kind}, ${variableOf(api)} } from "../src/${fileOf(api)}.ts";

test("it wants a ${child} (no server at all)", async () => {
  const ref = ${isCluster ? '{ name: "demo" }' : '{ name: "demo", namespace: "default" }'};
  const world = await simulate(${variableOf(api)}, [${kind}.desired({ metadata: ref, spec: ${spec} })]);
  expect(world.get(${child}, ref)).toMatchObject({ ${holds} });
});

/** A cluster that has just learnt of a kind may take its time to collect what belonged to it. */
const within = { timeout: 90_000 };

/** On an embedded cluster; with USE_EXISTING_CLUSTER=true on that of your kubeconfig. */
const onServer = serverTest({
  async setup({ client }) {
    const { metadata } = await client.apply(CustomResourceDefinition, ${kind}.crd());
    await client.wait(CustomResourceDefinition, metadata, condition("Established"), within);
  },
});

onServer("it becomes available, and goes with its children", { timeout: 200_000 }, async (${given}) => {
  const ref = ${ref};
  const operator = start({ controllers: [${variableOf(api)}], client,${where} logger: silent });
  try {
    await operator.ready;
    await client.apply(${kind}, { metadata: ref, spec: ${spec} });
    await client.wait(${kind}, ref, condition("Available"), within);
    await client.delete(${kind}, ref);
    await client.waitGone(${child}, ref, within);
  } finally {
    await operator.stop();
  }
});
`;
}

function sample({ group, version, kind, scope }: Api): string {
  return `apiVersion: ${group}/${version}
kind: ${kind}
metadata:
  name: demo
spec:
  ${scope === "Cluster" ? "team: a" : "replicas: 2"}
`;
}
