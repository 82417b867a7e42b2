/**
 * Re-records bodies.json.gz: creates objects.yaml on a real server and stores each object as the server encodes it in protobuf and in
 * JSON.
 *
 *     node --conditions=@pintle/source --import tsx packages/cluster/test/codec/capture.ts KUBECONFIG
 */
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { type Client, connect } from "pintle/client";
import { parseAllDocuments } from "yaml";

interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

const PROTOBUF = "application/vnd.kubernetes.protobuf";
const JSON_BODY = "application/json";
/** Review kinds, which are never stored. */
const reviews: readonly Manifest[] = [
  review("authentication.k8s.io/v1", "SelfSubjectReview", {}),
  review("authentication.k8s.io/v1", "TokenReview", { spec: { token: "x", audiences: ["a"] } }),
  review("authorization.k8s.io/v1", "SelfSubjectRulesReview", { spec: { namespace: "capture" } }),
  review("authorization.k8s.io/v1", "SelfSubjectAccessReview", { spec: { nonResourceAttributes: { path: "/x", verb: "get" } } }),
  review("authorization.k8s.io/v1", "SubjectAccessReview", {
    spec: {
      user: "u",
      groups: ["g"],
      extra: { scopes: ["a", "b"] },
      resourceAttributes: { verb: "get", resource: "pods", labelSelector: { requirements: [{ key: "k", operator: "Exists" }] } },
    },
  }),
  {
    ...review("authorization.k8s.io/v1", "LocalSubjectAccessReview", { spec: { user: "u", resourceAttributes: { namespace: "capture" } } }),
    metadata: { namespace: "capture" },
  },
];

const folder = import.meta.dirname;
const client = await connect({ kubeconfig: process.argv[2] });
const kinds = await client.discoverKinds();
try {
  const manifests = parseAllDocuments(await readFile(path.join(folder, "objects.yaml"), "utf8")).map((each) => each.toJS() as Manifest);
  const bodies: { readonly protobuf: string; readonly json: string }[] = [];
  for (const manifest of manifests) {
    const at = `${collectionOf(manifest)}/${encodeURIComponent(manifest.metadata!.name!)}`;
    await client.request({
      method: "PATCH",
      path: at,
      query: { fieldManager: "capture", force: "true" },
      headers: { "content-type": "application/apply-patch+yaml", accept: JSON_BODY },
      body: manifest,
    });
    bodies.push(await readUntilStable(() => answers(client, "GET", at, undefined)));
  }
  for (const each of reviews) bodies.push(await readUntilStable(() => answers(client, "POST", collectionOf(each), each)));
  for (const scale of ["/apis/apps/v1/namespaces/capture/deployments/full/scale"])
    bodies.push(await readUntilStable(() => answers(client, "GET", scale, undefined)));
  await writeFile(path.join(folder, "bodies.json.gz"), gzipSync(JSON.stringify(bodies), { level: 9 }));
  process.stdout.write(`${bodies.length} bodies\n`);
} finally {
  await client.close();
}

function review(apiVersion: string, kind: string, body: object): Manifest {
  return { apiVersion, kind, ...body };
}

function collectionOf({ apiVersion, kind, metadata }: Manifest): string {
  const served = kinds.find((each) => each.apiVersion === apiVersion && each.kind === kind);
  if (served === undefined) throw new Error(`${apiVersion} ${kind} is not served`);
  const root = served.group === "" ? `/api/${served.version}` : `/apis/${apiVersion}`;
  return `${root}${served.scope === "Namespaced" ? `/namespaces/${metadata?.namespace}` : ""}/${served.plural}`;
}

async function answers(from: Client, method: "GET" | "POST", at: string, body: unknown): Promise<{ protobuf: string; json: string }> {
  const requestObject = async (accept: string) => {
    const answer = await from.request({
      method,
      path: at,
      headers: { accept, ...(body === undefined ? {} : { "content-type": JSON_BODY }) },
      body,
    });
    const chunks: Uint8Array[] = [];
    for await (const chunk of answer.bytes()) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  const [protobuf, json] = [await requestObject(PROTOBUF), await requestObject(JSON_BODY)];
  return { protobuf: protobuf.toString("base64"), json: json.toString() };
}

/** Controllers may change an object between the two requests: repeat until it is unchanged. */
async function readUntilStable<T extends { readonly protobuf: string }>(ask: () => Promise<T>): Promise<T> {
  for (let last = await ask(); ; ) {
    const next = await ask();
    if (next.protobuf === last.protobuf) return last;
    last = next;
  }
}
