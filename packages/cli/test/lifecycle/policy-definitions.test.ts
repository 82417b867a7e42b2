import { type Cluster, startCluster } from "@pintle/cluster";
import { ExtensionPlanKind, ExtensionPolicyKind, installLifecycleManager, OperatorConditionKind } from "@pintle/lifecycle/manager";
import type { Client } from "pintle/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

let cluster: Cluster;
let client: Client;
beforeAll(async () => {
  cluster = await startCluster({ without: true });
  client = cluster.client();
  await installLifecycleManager(client);
});
afterAll(() => cluster.stop());

const create = (spec: object) => client.create(ExtensionPolicyKind, { metadata: { name: "p" }, spec }, { dryRun: true });

describe("ExtensionPolicy", () => {
  test("has the defaults of OLM v1", async () => {
    const { spec } = await create({ extensionName: "op", onFailure: {}, trust: { keys: ["-----BEGIN PUBLIC KEY-----"] } });
    expect(spec).toEqual({
      extensionName: "op",
      approval: "Automatic",
      rights: "ClusterAdmin",
      onFailure: { action: "Hold" },
      removal: "Delete",
      stored: "Ignore",
      trust: { keys: ["-----BEGIN PUBLIC KEY-----"], sbom: "Ignore" },
      dependencies: "Refuse",
      certificates: "CertManager",
    });
  });

  test.each([
    [{}, "exactly one of [extensionName extensionSelector] is required"],
    [{ extensionName: "a", extensionSelector: { matchLabels: { a: "b" } } }, "exactly one of [extensionName extensionSelector]"],
    [{ extensionName: "A" }, "extensionName must be a valid DNS1123 subdomain"],
    [{ extensionName: "a", approved: ["sha256:abc"] }, "must be the digest of an ExtensionPlan"],
    [{ extensionName: "a", window: { cron: "MON", duration: "2h" } }, "must have five fields of numbers"],
    [{ extensionName: "a", window: { cron: "0 2 * * 6", duration: "2 hours" } }, "must be a duration of hours, minutes and seconds"],
    [{ extensionName: "a", onFailure: { after: "5m" } }, "after is forbidden unless action is RollBack"],
    [{ extensionName: "a", health: {} }, "at least one of [probes soak] is required"],
    [{ extensionName: "a", trust: { sbom: "Require" } }, "at least one of [keys identities] is required"],
    [{ extensionName: "a", trust: { keys: ["-----BEGIN PRIVATE KEY-----"] } }, "must be a public key as PEM"],
    [{ extensionName: "a", source: { type: "Image" } }, "image is required when type is Image, and forbidden otherwise"],
    [{ extensionName: "a", source: { type: "Folder", image: "example.com/a:b", folder: "c" } }, "image is required when type is Image"],
    [{ extensionName: "a", approval: "Never" }, 'Unsupported value: "Never"'],
  ])("refuses %j", async (spec, message) => {
    await expect(create(spec)).rejects.toThrow(message);
  });
});

test("plans and operator conditions are served", async () => {
  const digest = `sha256:${"0".repeat(64)}`;
  const spec = { extension: "op", to: { name: "test.v1.0.0", version: "1.0.0" }, digest };
  expect((await client.create(ExtensionPlanKind, { metadata: { name: "op-1.0.0" }, spec }, { dryRun: true })).spec).toEqual(spec);
  const condition = { type: "Upgradeable", status: "False", reason: "Busy", message: "", lastTransitionTime: "2026-01-01T00:00:00Z" };
  const body = { metadata: { name: "op", namespace: "default" }, spec: { conditions: [condition] } };
  expect((await client.create(OperatorConditionKind, body, { dryRun: true })).spec?.conditions).toEqual([condition]);
});
