import { describe, expect, test } from "vitest";
import { buildSetupObjects, findUpstreamCertificate } from "../../src/setup/index.ts";

const find = (kind: string, options: Partial<Parameters<typeof buildSetupObjects>[0]> = {}) =>
  buildSetupObjects({ image: "example.com/manager:1", version: "1.2.3", ...options }).find((object) => object["kind"] === kind) as any;

describe("buildSetupObjects", () => {
  test("begins with what other objects need, and ends with the webhook, which needs the manager", () => {
    expect(buildSetupObjects({ image: "a:1", version: "1" }).map(({ kind }) => kind)).toEqual([
      ...Array(6).fill("CustomResourceDefinition"),
      "Namespace",
      "ValidatingAdmissionPolicy",
      "ValidatingAdmissionPolicyBinding",
      "ServiceAccount",
      "ClusterRoleBinding",
      "NetworkPolicy",
      "Service",
      "Deployment",
      "MutatingWebhookConfiguration",
    ]);
  });

  test("labels every object, and the Deployment with the version", () => {
    for (const { metadata } of buildSetupObjects({ image: "a:1", version: "1" }) as readonly any[])
      expect(metadata.labels["app.kubernetes.io/managed-by"]).toBe("pintle-operator-setup");
    expect(find("Deployment").metadata.labels["app.kubernetes.io/version"]).toBe("1.2.3");
  });

  test("runs one pod that is recreated, or several beside each other", () => {
    expect(find("Deployment").spec).toMatchObject({ replicas: 1, strategy: { type: "Recreate" } });
    expect(find("Deployment", { replicas: 2 }).spec).toMatchObject({ replicas: 2, strategy: { type: "RollingUpdate" } });
  });

  test("passes gates, registries, logins and certificates on", () => {
    const options = {
      featureGates: ["DeploymentConfig=true"],
      insecureRegistries: ["r:5000"],
      certificateSecret: "cert",
      pullSecrets: ["p"],
    };
    const [container] = find("Deployment", options).spec.template.spec.containers;
    expect(container.args).toEqual([
      "--leader-elect",
      "--tls-cert=/var/certs/tls.crt",
      "--tls-key=/var/certs/tls.key",
      "--feature-gates=DeploymentConfig=true",
      "--insecure-registry=r:5000",
    ]);
    expect(container.volumeMounts).toContainEqual({ name: "certificate", mountPath: "/var/certs", readOnly: true });
    expect(find("ServiceAccount", options).imagePullSecrets).toEqual([{ name: "p" }]);
    expect(find("Deployment").spec.template.spec.containers[0].args).toContain("--issue-certificates");
  });
});

test("findUpstreamCertificate returns the Secret that catalogd mounts", () => {
  const catalogd: any = {
    metadata: { name: "catalogd-controller-manager" },
    spec: {
      template: {
        spec: {
          containers: [
            {
              name: "manager",
              volumeMounts: [
                { name: "tmp", mountPath: "/tmp" },
                { name: "certs", mountPath: "/var/certs" },
              ],
            },
          ],
          volumes: [{ name: "tmp" }, { name: "certs", secret: { secretName: "catalogd-service-cert-v1" } }],
        },
      },
    },
  };
  expect(findUpstreamCertificate([catalogd])).toBe("catalogd-service-cert-v1");
  expect(findUpstreamCertificate([])).toBeUndefined();
});
