import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { type AnyResource, defineResource, type WebhookClientConfig } from "pintle/internal/resource";
import type { JsonObject } from "pintle/kinds";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { certificateAuthority } from "../real/certificates/certificates.ts";
import { isRealServerBuilt, type RealServer, startRealServer } from "./real-server.ts";
import { collectionPath } from "./test-server.ts";

const minute = 60_000;
const base = { group: "versions.example.com", version: "v2" } as const;

const Alike = defineResource({ ...base, kind: "Alike", spec: z.object({ size: z.int().default(1) }) }).unchangedIn({ version: "v1" });
const Moved = defineResource({
  ...base,
  kind: "Moved",
  spec: z.object({ replicas: z.int32().default(1), image: z.object({ name: z.string(), tag: z.string().default("latest") }) }),
  status: z.object({ ready: z.int32() }),
  conditions: ["Available"],
})
  .older({
    version: "v1",
    spec: z.object({ size: z.int32().default(1), image: z.string() }),
    status: z.object({ readyCount: z.int32() }),
    toHub: ({ spec, status }) => {
      const [name = "", tag] = spec.image.split(":");
      return { spec: { replicas: spec.size, image: { name, tag } }, status: status && { ready: status.readyCount } };
    },
    fromHub: ({ spec, status }) => ({
      spec: { size: spec.replicas, image: `${spec.image.name}:${spec.image.tag}` },
      status: status && { readyCount: status.ready },
    }),
  })
  .older({
    version: "v1alpha1",
    spec: z.object({ n: z.int32() }),
    toHub: ({ spec }) => ({ spec: { replicas: spec.n, image: { name: "default" } } }),
    fromHub: ({ spec }) => ({ spec: { n: spec.replicas } }),
  });

describe.skipIf(!isRealServerBuilt())("several versions on a real kube-apiserver", { timeout: minute }, () => {
  let server: RealServer;
  let webhook: Server;
  beforeAll(async () => {
    const authority = certificateAuthority("webhooks");
    const { certificate, key } = authority.server({ commonName: "webhook" }, ["127.0.0.1"]);
    webhook = converter(Moved, { cert: certificate, key });
    await new Promise<void>((resolve) => webhook.listen(0, "127.0.0.1", resolve));
    const client: WebhookClientConfig = {
      url: `https://127.0.0.1:${(webhook.address() as AddressInfo).port}/convert`,
      caBundle: Buffer.from(authority.certificate).toString("base64"),
    };
    server = await startRealServer();
    await server.install(Alike);
    await server.install({ ...asResource(Moved), crd: () => Moved.crd({ conversion: client }) } as unknown as AnyResource);
  }, 3 * minute);
  afterAll(async () => {
    await server?.stop();
    webhook?.close();
  });

  it("serves versions with equal schemas without conversion", async () => {
    await server.create(asResource(Alike.at.v1), "a", { size: 3 });
    const { body } = await server.send("GET", `${collectionPath(Alike)}/a`);
    expect(body).toMatchObject({ apiVersion: "versions.example.com/v2", spec: { size: 3 } });
  });

  it("converts through the hub, applies defaults and keeps conditions", async () => {
    const created = await server.create(asResource(Moved.at.v1), "a", { image: "memcached" });
    expect(created).toMatchObject({ status: 201, body: { spec: { size: 1, image: "memcached:latest" } } });
    const hub = await server.send("GET", `${collectionPath(Moved)}/a`);
    expect(hub.body["spec"]).toEqual({ replicas: 1, image: { name: "memcached", tag: "latest" } });

    const condition = { type: "Available", status: "True", reason: "Up", message: "", lastTransitionTime: "2026-01-02T03:04:05Z" };
    const status = { ready: 1, observedGeneration: 1, conditions: [condition] };
    await server.send("PUT", `${collectionPath(Moved)}/a/status`, { ...hub.body, status });
    const older = await server.send("GET", `${collectionPath(Moved.at.v1)}/a`);
    expect(older.body["status"]).toEqual({ readyCount: 1, observedGeneration: 1, conditions: [condition] });
    const oldest = await server.send("GET", `${collectionPath(Moved.at.v1alpha1)}/a`);
    expect(oldest.body).toMatchObject({ apiVersion: "versions.example.com/v1alpha1", spec: { n: 1 } });
  });

  it("validates each version with its own schema", async () => {
    const refused = await server.create(asResource(Moved.at.v1), "b", { replicas: 1 });
    expect(refused).toMatchObject({ status: 422, body: { message: expect.stringContaining("spec.image: Required value") } });
  });
});

const asResource = (kind: { readonly id: string }) => kind as unknown as AnyResource;

/** A minimal conversion webhook: ConversionReview in, ConversionReview out. */
function converter(resource: AnyResource, tls: { readonly cert: string; readonly key: string }): Server {
  return createServer(tls, async (request, response) => {
    const { request: conversionRequest } = (await json(request)) as {
      request: { uid: string; desiredAPIVersion: string; objects: JsonObject[] };
    };
    const version = conversionRequest.desiredAPIVersion.split("/")[1]!;
    const convertedObjects = conversionRequest.objects.map((object) => resource.convert(object, version));
    const answer = { uid: conversionRequest.uid, result: { status: "Success" }, convertedObjects };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", response: answer }));
  });
}
