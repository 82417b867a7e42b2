import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { Client } from "pintle/client";
import { MutatingWebhookConfiguration } from "pintle/kinds/admissionregistration/v1";
import { certificateAuthority } from "../real/certificates/certificates.ts";

type AnyJson = Record<string, any>;
const NAME = "injector.example.com";

/**
 * A mutating admission webhook as service meshes and registries install them: labels every object of the bundle, and in
 * every pod spec adds a container, resources and a variable, and rewrites images to another registry.
 */
export async function startInjector(client: Client): Promise<{ readonly reviews: () => number; stop(): Promise<void> }> {
  const authority = certificateAuthority("injector");
  const { certificate, key } = authority.server({ commonName: "injector" }, ["127.0.0.1"]);
  let reviews = 0;
  const server = createServer({ cert: certificate, key }, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { apiVersion, kind, request: reviewRequest } = JSON.parse(Buffer.concat(chunks).toString());
    reviews++;
    const { metadata, ...rest } = reviewRequest.object as AnyJson;
    const labels = { ...metadata.labels, injected: "yes" };
    const value = { ...(injectPodSpecs(rest) as AnyJson), metadata: { ...metadata, labels } };
    const patch = Buffer.from(JSON.stringify([{ op: "replace", path: "", value }])).toString("base64");
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ apiVersion, kind, response: { uid: reviewRequest.uid, allowed: true, patchType: "JSONPatch", patch } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  await client.create(MutatingWebhookConfiguration, {
    metadata: { name: NAME },
    webhooks: [
      {
        name: NAME,
        admissionReviewVersions: ["v1"],
        sideEffects: "None",
        failurePolicy: "Fail",
        objectSelector: { matchLabels: { app: "bundle" } },
        clientConfig: {
          url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/`,
          caBundle: Buffer.from(authority.certificate).toString("base64"),
        },
        rules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["CREATE", "UPDATE"], resources: ["*"] }],
      },
    ],
  });
  return {
    reviews: () => reviews,
    async stop() {
      await client.delete(MutatingWebhookConfiguration, { name: NAME });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Returns the same tree with every pod spec in it injected; idempotent. */
function injectPodSpecs(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(injectPodSpecs);
  if (tree === null || typeof tree !== "object") return tree;
  const plain = Object.fromEntries(Object.entries(tree).map(([key, value]) => [key, injectPodSpecs(value)])) as AnyJson;
  return Array.isArray(plain["containers"]) ? { ...plain, containers: injectContainers(plain["containers"]) } : plain;
}
function injectContainers(containers: readonly AnyJson[]): readonly AnyJson[] {
  const own = containers
    .filter(({ name }) => name !== "sidecar")
    .map((container) => ({
      ...container,
      image: container["image"].replace(/^registry\.example\.com/, "mirror.example.com"),
      env: [...(container["env"] ?? []).filter(({ name }: AnyJson) => name !== "INJECTED"), { name: "INJECTED", value: "yes" }],
      resources: container["resources"]?.requests ? container["resources"] : { requests: { cpu: "10m" } },
    }));
  return [...own, { name: "sidecar", image: "mirror.example.com/sidecar:1", resources: { requests: { cpu: "10m" } } }];
}
