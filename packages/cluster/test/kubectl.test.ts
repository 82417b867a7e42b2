import { chmod, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { describe, expect, test } from "vitest";
import { stringify } from "yaml";
import { startCluster } from "../src/index.ts";
import { widget, widgetCrd } from "./api/harness.ts";
import { findKubectls, type Kubectl, kubectlFor } from "./kubectls.ts";

const kubectls = findKubectls();
if (kubectls.length === 0) console.warn("NO KUBECTL FOUND: nothing proves here that the cluster works with one. Put kubectl on the PATH.");

const yaml = (...objects: readonly object[]) => objects.map((object) => stringify(object)).join("---\n");

describe.skipIf(kubectls.length === 0)("kubectl", () => {
  test.concurrent.each(kubectls.map((path) => [basename(path), path]))("%s", { timeout: 120_000 }, async (_, path) => {
    await using cluster = await startCluster({ without: true, http: true });
    await using kubectl = await kubectlFor(path, cluster.writeKubeconfig);
    await discovers(kubectl);
    await managesCustomResources(kubectl);
    await managesBuiltInKinds(kubectl);
    await sees(kubectl);
  });
});

async function discovers(kubectl: Kubectl): Promise<void> {
  expect(await kubectl.ok("version")).toContain("v1.36.3");
  expect(await kubectl.ok("api-resources")).toMatch(/deployments +deploy +apps\/v1 +true +Deployment/);
  expect(await kubectl.ok("get namespaces -o name")).toBe(
    "namespace/default\nnamespace/kube-node-lease\nnamespace/kube-public\nnamespace/kube-system\n",
  );
}

async function managesCustomResources(kubectl: Kubectl): Promise<void> {
  expect(await kubectl.ok("apply -f -", yaml(widgetCrd()))).toBe(
    "customresourcedefinition.apiextensions.k8s.io/widgets.example.com created\n",
  );
  await kubectl.ok("wait --for=condition=Established crd/widgets.example.com --timeout=10s");
  const apply = (spec: object, flags = "") => kubectl.ok(`apply${flags} -f -`, yaml(widget("w", { spec })));
  expect(await apply({ size: 1 })).toBe("widget.example.com/w created\n");
  expect(await apply({ size: 2 })).toBe("widget.example.com/w configured\n");
  expect(await apply({ size: 2 })).toBe("widget.example.com/w unchanged\n");
  expect(await kubectl.ok("get widgets")).toMatch(/^NAME +COLOR +AGE\nw +red +\d+s\n$/);

  const unknown = await kubectl("apply -f -", { input: yaml(widget("u", { spec: { nope: 1 } })) });
  expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringContaining('unknown field "spec.nope"')]);
  const invalid = await kubectl("apply -f -", { input: yaml(widget("u", { spec: { size: -1 } })) });
  expect(invalid.stderr).toContain("spec.size in body should be greater than or equal to 0");

  expect(await kubectl.ok("label widget w team=x")).toBe("widget.example.com/w labeled\n");
  expect(await kubectl.ok("annotate widget w note=y")).toMatch(/^widget.example.com\/w annotated?\n$/);
  expect(await kubectl.ok('patch widget w --type=merge -p {"spec":{"color":"blue"}}')).toBe("widget.example.com/w patched\n");
  expect(await kubectl.ok("scale widget w --replicas=3")).toBe("widget.example.com/w scaled\n");
  expect(await kubectl.ok("get widgets -l team=x -o jsonpath={.items[*].spec}")).toBe('{"color":"blue","replicas":3,"size":2}');

  const editor = join(kubectl.folder, "editor");
  await writeFile(editor, '#!/bin/sh\nsed -i.bak "s/color: blue/color: green/" "$1"\n');
  await chmod(editor, 0o755);
  expect(await kubectl("edit widget w", { env: { KUBE_EDITOR: editor } })).toMatchObject({
    code: 0,
    stdout: "widget.example.com/w edited\n",
  });

  const conflict = await kubectl("apply --server-side --field-manager=other -f -", {
    input: yaml(widget("w", { spec: { color: "red" } })),
  });
  expect([conflict.code, conflict.stderr]).toEqual([1, expect.stringContaining("conflict with")]);
  expect(
    await kubectl.ok("apply --server-side --force-conflicts --field-manager=other -f -", yaml(widget("w", { spec: { color: "red" } }))),
  ).toBe("widget.example.com/w serverside-applied\n");
  expect(await kubectl.ok("explain widget.spec")).toMatch(/FIELDS:\s+color\s+<string>/);
  expect((await kubectl("diff -f -", { input: yaml(widget("w", { spec: { size: 9 } })) })).stdout).toMatch(/\+ +size: 9/);
  expect(await kubectl.ok("describe widget w")).toMatch(/Name: +w\n(.*\n)*Kind: +Widget/);
  expect((await kubectl("get widget nope")).stderr).toBe('Error from server (NotFound): widgets.example.com "nope" not found\n');
  expect(await kubectl.ok("delete widget w")).toMatch(/^widget.example.com "w" deleted/);
}

async function managesBuiltInKinds(kubectl: Kubectl): Promise<void> {
  // Typed creates are protobuf from 1.32 on.
  expect(await kubectl.ok("create configmap c --from-literal=a=b")).toBe("configmap/c created\n");
  expect(await kubectl.ok("create deployment d --image=nginx --replicas=2")).toBe("deployment.apps/d created\n");
  expect(await kubectl.ok("set image deployment/d nginx=nginx:2")).toBe("deployment.apps/d image updated\n");
  expect(await kubectl.ok("scale deployment d --replicas=5 --current-replicas=2")).toBe("deployment.apps/d scaled\n");
  expect(await kubectl.ok("get deployment d -o jsonpath={.spec.replicas},{.spec.template.spec.containers[0].image}")).toBe("5,nginx:2");
  expect(await kubectl.ok("describe deployment d")).toMatch(/Image: +nginx:2/);
  expect(await kubectl.ok("create namespace n")).toBe("namespace/n created\n");
  expect(await kubectl.ok("get all")).toContain("deployment.apps/d");
  expect(await kubectl.ok("delete deployment d")).toMatch(/^deployment.apps "d" deleted/);
  expect(await kubectl.ok("delete configmap --all")).toContain('configmap "c" deleted');
}

/** Watching, waiting and paging, which go through other doors than reading. */
async function sees(kubectl: Kubectl): Promise<void> {
  await kubectl.ok("apply -f -", yaml(...Array.from({ length: 3 }, (_, n) => widget(`p${n}`, { spec: { size: n } }))));
  expect(await kubectl.ok("get widgets --chunk-size=1 -o name")).toBe(
    "widget.example.com/p0\nwidget.example.com/p1\nwidget.example.com/p2\n",
  );
  const waiting = kubectl("wait --for=jsonpath={.spec.color}=gold widget/p1 --timeout=20s");
  await kubectl.ok('patch widget p1 --type=merge -p {"spec":{"color":"gold"}}');
  expect(await waiting).toMatchObject({ code: 0, stdout: "widget.example.com/p1 condition met\n" });
  await kubectl.ok('patch widget p2 --type=merge -p {"metadata":{"finalizers":["example.com/hold"]}}');
  const deleting = kubectl("delete widget p2 --timeout=20s");
  while ((await kubectl.ok("get widget p2 -o jsonpath={.metadata.deletionTimestamp}")) === "");
  await kubectl.ok('patch widget p2 --type=merge -p {"metadata":{"finalizers":null}}');
  expect((await deleting).code).toBe(0);
  expect(await kubectl.ok("delete crd widgets.example.com --timeout=20s")).toContain("deleted");
}
