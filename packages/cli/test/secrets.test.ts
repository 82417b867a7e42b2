import { startCluster } from "@pintle/cluster";
import { createClient } from "pintle/client";
import { Secret } from "pintle/kinds/core/v1";
import { expect, test } from "vitest";
import { createTestProject } from "./test-project.ts";

const secret = (value: string, more: object = {}) =>
  JSON.stringify({ apiVersion: "v1", kind: "Secret", metadata: { name: "login" }, stringData: { user: "ana", password: value }, ...more });

test("diff shows that a Secret changes and never its values, in any output", async () => {
  await using cluster = await startCluster({ http: true, without: true });
  const client = createClient(cluster.transport);
  const lastApplied = JSON.stringify({ stringData: { password: "oldpassword" } });
  await client.create(Secret, {
    metadata: {
      name: "login",
      namespace: "default",
      annotations: { "kubectl.kubernetes.io/last-applied-configuration": lastApplied },
    },
    stringData: { user: "ana", password: "oldpassword" },
  } as never);
  using here = createTestProject({
    kubeconfig: cluster.kubeconfig,
    "secret.yaml": secret("newpassword", {
      metadata: { name: "login", annotations: { "kubectl.kubernetes.io/last-applied-configuration": '{"stringData":"newpassword"}' } },
    }),
    "list.yaml": JSON.stringify({ apiVersion: "v1", kind: "List", items: [JSON.parse(secret("newpassword"))] }),
    "wrong.yaml": secret("", { stringData: { password: { nested: "newpassword" } } }),
    "invalid.yaml": secret("newpassword", { data: { broken: "newpassword%" } }),
  });
  const diff = (...words: string[]) => here.pintle("diff", ...words, "--kubeconfig", "kubeconfig");
  const texts = [
    await diff("secret.yaml"),
    await diff("list.yaml"),
    ...(await Promise.all(["json", "yaml"].map((output) => diff("secret.yaml", "--output", output)))),
  ];
  for (const { code, out, err } of texts) {
    expect(code).toBe(1);
    expect(out).toContain("*** (before)");
    expect(out).toContain("*** (after)");
    expect(out + err).not.toMatch(/password"?: ?"?(old|new)|oldpassword|newpassword|b2xkcGFz|bmV3cGFz/);
  }
  expect(texts[0]!.out).toBe(
    '~ Secret default/login\n    data.password  "*** (before)" -> "*** (after)"\n    metadata.annotations["kubectl.kubernetes.io/last-applied-configuration"]  "*** (before)" -> "*** (after)"\n',
  );
  for (const file of ["wrong.yaml", "invalid.yaml"]) {
    const { code, out, err } = await diff(file);
    expect(code).toBe(2);
    expect(err).not.toBe("");
    expect(out + err).not.toContain("newpassword");
  }
});
