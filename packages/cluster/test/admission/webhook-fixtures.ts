import type { JsonObject } from "pintle/kinds";
import type { TestApiServer } from "../api/harness.ts";

export const MUTATING = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
export const VALIDATING = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";

/** Builds a configuration with one webhook, by default at the Service default/hooks. */
export function buildWebhookConfiguration(kind: "Mutating" | "Validating", webhook: object = {}): JsonObject {
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: "hooks" },
    webhooks: [
      {
        name: "one.example.com",
        clientConfig: { service: { namespace: "default", name: "hooks", path: "/ask" } },
        rules: [{ operations: ["CREATE", "UPDATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }],
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        ...webhook,
      },
    ],
  } as unknown as JsonObject;
}

/** Serves reviews in this process and records the requests. */
export function serveWebhook(api: TestApiServer, answer: (request: any) => object): { readonly requests: any[] } {
  const requests: any[] = [];
  api.cluster.routeService({ namespace: "default", name: "hooks" }, async (request) => {
    const review = (await request.json()) as any;
    requests.push(review.request);
    return Response.json({
      apiVersion: review.apiVersion,
      kind: review.kind,
      response: { uid: review.request.uid, ...answer(review.request) },
    });
  });
  return { requests };
}

export const buildPatchResponse = (...operations: readonly object[]) => ({
  allowed: true,
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
});
