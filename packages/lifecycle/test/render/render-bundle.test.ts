import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readBundle, readBundleFolder, renderBundle } from "../../src/index.ts";

const RULES = [{ apiGroups: [""], resources: ["configmaps"], verbs: ["get"] }];

function bundleFiles(spec: object = {}, metadata = "package.v1: op"): Map<string, Buffer> {
  const csv = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name: "op.v1.0.0", annotations: { createdBy: "test" } },
    spec: {
      version: "1.0.0",
      unknown: true,
      installModes: [{ type: "AllNamespaces", supported: true }],
      install: {
        strategy: "deployment",
        spec: {
          permissions: [{ serviceAccountName: "op", rules: RULES }],
          deployments: [{ name: "op-manager", spec: { selector: {}, template: { spec: { containers: [{ name: "manager" }] } } } }],
        },
      },
      ...spec,
    },
  };
  return new Map([
    ["metadata/annotations.yaml", Buffer.from(`annotations:\n  operators.operatorframework.io.bundle.${metadata}\n`)],
    ["manifests/csv.yaml", Buffer.from(JSON.stringify(csv))],
  ]);
}

describe("renderBundle", () => {
  test("promotes permissions to ClusterRoles that may read namespaces, and names them by their hash", () => {
    const objects = renderBundle(readBundle(bundleFiles()), { namespace: "here" });
    expect(objects.map(({ kind }) => kind)).toEqual(["ServiceAccount", "ClusterRole", "ClusterRoleBinding", "Deployment"]);
    expect(objects[1]).toMatchObject({
      metadata: { name: expect.stringMatching(/^op\.v1\.0\.0-op-[0-9a-z]{43,44}$/) },
      rules: [...RULES, { verbs: ["get", "list", "watch"], apiGroups: [""], resources: ["namespaces"] }],
    });
    expect(objects[3]).toMatchObject({
      spec: {
        revisionHistoryLimit: 1,
        strategy: {},
        template: { metadata: { annotations: { "olm.targetNamespaces": "", createdBy: "test" } } },
      },
    });
  });

  test("refuses namespaces that the install modes do not allow, with the text of operator-controller", () => {
    expect(() => renderBundle(readBundle(bundleFiles()), { namespace: "here", targetNamespaces: ["here"] })).toThrow(
      "invalid option(s): invalid target namespaces [here]: supported install modes [AllNamespaces] do not support targeting own namespace",
    );
  });

  test("refuses a webhook for all API groups and a bundle without a package", () => {
    const webhook = { type: "ValidatingAdmissionWebhook", generateName: "w.io", deploymentName: "none", rules: [{ apiGroups: ["*"] }] };
    expect(() => renderBundle(readBundle(bundleFiles({ webhookdefinitions: [webhook] }, "other: x")), { namespace: "here" })).toThrow(
      [
        "package name is empty",
        "webhook of type 'ValidatingAdmissionWebhook' with name 'w.io' references non-existent deployment 'none'",
        'webhook "w.io" contains forbidden rule: admission webhook rules cannot reference API group "*"',
      ].join("\n"),
    );
  });
});

describe("readBundle", () => {
  test("refuses folders below manifests", () => {
    const files = new Map([...bundleFiles(), ["manifests/sub/a.yaml", Buffer.from("kind: A")] as const]);
    expect(() => readBundle(files)).toThrow('subdirectories are not allowed within the "manifests" directory');
  });

  test("names the file of an object without a kind", () => {
    const files = new Map([...bundleFiles(), ["manifests/a.yaml", Buffer.from("a: 1")] as const]);
    expect(() => readBundle(files)).toThrow(`unable to decode "manifests/a.yaml": Object 'Kind' is missing in '{"a":1}'`);
  });

  test("refuses a link that leads out of the folder", () => {
    const folder = mkdtempSync(join(tmpdir(), "pintle-bundle-"));
    mkdirSync(join(folder, "manifests"));
    writeFileSync(join(folder, "manifests", "a.yaml"), "kind: A");
    symlinkSync("/etc/hostname", join(folder, "manifests", "b.yaml"));
    expect(() => readBundleFolder(folder)).toThrow("is a link out of the bundle");
  });
});
