import { renderExternalKind } from "./external-kind.ts";

/** A custom resource to scaffold. */
export interface Api {
  /** Full API group: "shop.example.com". */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly controller: boolean;
  /** Prefix of file and variable names if another group of the project has the same kind: "store". */
  readonly prefix?: string | undefined;
  /** Set for a kind that is not defined in the project. Built-in kinds are imported from a module of the library. */
  readonly external?: { readonly plural: string; readonly module?: string | undefined } | undefined;
}
type ApiName = Pick<Api, "kind" | "prefix">;

/** Names that a variable of a module cannot have, and those that the scaffolded files import or use. */
const TAKEN_NAMES = new Set(
  (
    "await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if " +
    "implements import in instanceof interface let new null package private protected public return static super switch this throw true try " +
    "typeof undefined var void while with yield arguments client controller expect manager metadata namespace ref run simulate simulation test " +
    "webhook within z"
  ).split(" "),
);

/** Base name of the source, test and sample files: "storefront". */
export const apiFileName = ({ kind, prefix }: ApiName) => `${prefix === undefined ? "" : `${prefix}-`}${kind.toLowerCase()}`;
/** Variable name of the controller: "storefront", and "httpServer" of HTTPServer. */
export function controllerVariable({ kind, prefix }: ApiName): string {
  if (prefix !== undefined) return `${toCamelCase(prefix)}${kind}`;
  const name = kind.replace(/^[A-Z]+(?=[A-Z][a-z]|[^A-Za-z]|$)|^[A-Z]/, (first) => first.toLowerCase());
  return TAKEN_NAMES.has(name) ? `${name}Controller` : name;
}
/** Variable name of the resource in the entry file: "StoreCatalog" if the kind is ambiguous. */
export const resourceVariable = ({ kind, prefix }: ApiName) => (prefix === undefined ? kind : `${capitalize(toCamelCase(prefix))}${kind}`);
/** The `name` option of the controller, if its default (the kind in lower case) is not kebab case or belongs to another group's kind. */
export function controllerNameOption({ kind, prefix }: ApiName): string {
  const words = kind.replace(/([a-z0-9])(?=[A-Z])|([A-Z])(?=[A-Z][a-z])/g, "$1$2-").toLowerCase();
  const name = prefix === undefined ? words : `${prefix.replaceAll(".", "-")}-${words}`;
  return name === kind.toLowerCase() ? "" : `\n  name: "${name}",`;
}
const toCamelCase = (text: string) => text.replace(/[-.](\w)/g, (_, letter: string) => letter.toUpperCase());
const capitalize = (text: string) => `${text[0]?.toUpperCase()}${text.slice(1)}`;

/** Renders the files of one resource. They belong to the user once written. */
export function renderApiFiles(api: Api): ReadonlyMap<string, string> {
  const file = apiFileName(api);
  if (api.external !== undefined) return new Map([[`src/${file}.ts`, renderExternalKind(api, api.external)]]);
  return new Map([
    [`src/${file}.ts`, api.controller ? `${renderDefinition(api)}\n${renderController(api)}` : renderDefinition(api)],
    ...(api.controller ? ([[`test/${file}.test.ts`, renderTest(api)]] as const) : []),
    [`config/samples/${file}.yaml`, renderSample(api)],
  ]);
}

function renderDefinition({ group, version, kind, scope, controller }: Api): string {
  const imports = controller
    ? `import { controller, defineResource, type ObjectOf, z } from "pintle";\nimport { Deployment } from "pintle/kinds/apps/v1";`
    : `import { defineResource, type ObjectOf, z } from "pintle";`;
  return `${scope === "Cluster" && controller ? imports.replace('{ Deployment } from "pintle/kinds/apps/v1"', '{ Namespace } from "pintle/kinds/core/v1"') : imports}

export const ${kind} = defineResource({
  group: "${group}",
  version: "${version}",
  kind: "${kind}",${scope === "Cluster" ? '\n  scope: "Cluster",' : ""}
${scope === "Cluster" ? CLUSTER_FIELDS : NAMESPACED_FIELDS}
});
export interface ${kind} extends ObjectOf<typeof ${kind}> {}
`;
}

const NAMESPACED_FIELDS = `  spec: z.object({
    replicas: z.int32().min(0).max(100).default(1).describe("Number of pods."),
    image: z.string().default("nginx:1.27").describe("Container image of the pods."),
  }),
  status: z.object({ ready: z.int32().describe("Number of ready pods.") }),
  conditions: ["Available"],
  columns: [
    { name: "Replicas", path: ".spec.replicas" },
    { name: "Ready", path: ".status.ready" },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],
  scale: { spec: ".spec.replicas", status: ".status.ready" },`;

const CLUSTER_FIELDS = `  spec: z.object({ team: z.string().default("unassigned").describe("Team that owns the namespace.") }),
  status: z.object({ namespace: z.string().describe("Name of the namespace.") }),
  conditions: ["Available"],
  columns: [
    { name: "Team", path: ".spec.team" },
    { name: "Age", path: ".metadata.creationTimestamp" },
  ],`;

function renderController(api: Api): string {
  return api.scope === "Cluster" ? renderClusterController(api) : renderNamespacedController(api);
}

function renderNamespacedController(api: Api): string {
  return `/** Returns the desired state; the library applies and prunes the children and updates the status. */
export const ${controllerVariable(api)} = controller(${api.kind}, {${controllerNameOption(api)}
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
  const labels = { "app.kubernetes.io/name": "${apiFileName(api)}", "app.kubernetes.io/instance": name };
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

function renderClusterController(api: Api): string {
  return `/** Returns the desired state; the library applies and prunes the children and updates the status. */
export const ${controllerVariable(api)} = controller(${api.kind}, {${controllerNameOption(api)}
  owns: [Namespace],
  reconcile({ object, owned, want }) {
    const { name } = object.metadata;
    const active = owned(Namespace).get(name)?.status.phase === "Active";
    return want({
      children: { namespace: Namespace.desired({ metadata: { name, labels: { team: object.spec.team } } }) },
      status: { namespace: name },
      conditions: { Available: { status: active, reason: active ? "NamespaceActive" : "NamespaceNotActive" } },
    });
  },
});
`;
}

function renderTest(api: Api): string {
  const { kind, scope } = api;
  const isCluster = scope === "Cluster";
  const child = isCluster ? "Namespace" : "Deployment";
  const [spec, holds] = isCluster ? ['{ team: "a" }', 'metadata: { labels: { team: "a" } }'] : ["{ replicas: 2 }", "spec: { replicas: 2 }"];
  const [given, ref, where] = isCluster
    ? ["{ client }", '{ name: "demo" }', ""]
    : ["{ client, namespace }", '{ name: "demo", namespace }', " namespaces: [namespace],"];
  return `import { serverTest } from "@pintle/cluster/vitest";
import { silentLogger, startManager } from "pintle";
import { hasCondition } from "pintle/client";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { ${child} } from "pintle/kinds/${isCluster ? "core" : "apps"}/v1";
import { simulate } from "pintle/testing";
import { expect, test } from "vitest";
import { ${kind}, ${controllerVariable(api)} } from "../src/${apiFileName(api)}.ts";

test("creates a ${child} for a ${kind} (simulated, no API server)", async () => {
  const ref = ${isCluster ? '{ name: "demo" }' : '{ name: "demo", namespace: "default" }'};
  const simulation = await simulate(${controllerVariable(api)}, [${kind}.desired({ metadata: ref, spec: ${spec} })]);
  expect(simulation.get(${child}, ref)).toMatchObject({ ${holds} });
});

/** Garbage collection of a kind that was just installed can take more than a minute on a real cluster. */
const within = { timeout: 90_000 };

/** Runs on an embedded cluster or, with USE_EXISTING_CLUSTER=true, on the cluster of your kubeconfig. */
const onServer = serverTest({
  async setup({ client }) {
    const { metadata } = await client.apply(CustomResourceDefinition, ${kind}.crd());
    await client.waitFor(CustomResourceDefinition, metadata, hasCondition("Established"), within);
  },
});

onServer("becomes Available and is deleted with its children", { timeout: 200_000 }, async (${given}) => {
  const ref = ${ref};
  const manager = startManager({ controllers: [${controllerVariable(api)}], client,${where} logger: silentLogger });
  try {
    await manager.ready;
    await client.apply(${kind}, { metadata: ref, spec: ${spec} });
    await client.waitFor(${kind}, ref, hasCondition("Available"), within);
    await client.delete(${kind}, ref);
    await client.waitForDeletion(${child}, ref, within);
  } finally {
    await manager.stop();
  }
});
`;
}

function renderSample({ group, version, kind, scope }: Api): string {
  return `apiVersion: ${group}/${version}
kind: ${kind}
metadata:
  name: demo
spec:
  ${scope === "Cluster" ? "team: a" : "replicas: 2"}
`;
}
