import { expect, test } from "vitest";
import { applicationWebhook } from "../src/application-webhook.ts";

const defaulted = (image: string) => {
  const object = { spec: { image } };
  applicationWebhook.default?.(object, {});
  return object.spec.image;
};
const verdict = (spec: object) => applicationWebhook.validate?.({ object: { spec: { image: "nginx:1", ...spec } } });

test.each([
  ["nginx", "nginx:latest"],
  ["nginx:1.27", "nginx:1.27"],
  ["registry.example.com:5000/nginx", "registry.example.com:5000/nginx:latest"],
  ["nginx@sha256:0123", "nginx@sha256:0123"],
])("%s becomes %s", (given, expected) => {
  expect(defaulted(given)).toBe(expected);
});

test.each([["shop.default.svc"], ["a.cluster.local"], ["localhost"]])("rejects the cluster-internal host %s", (host) => {
  expect(verdict({ host })).toMatchObject({ errors: [{ field: "spec.host" }] });
});

test("accepts the image tag latest with a warning", () => {
  expect(verdict({ image: "nginx:latest" })).toMatchObject({ errors: [], warnings: [expect.stringContaining("latest")] });
  expect(verdict({ host: "shop.example.com" })).toEqual({ errors: [], warnings: [] });
});
