import { expect, test } from "vitest";
import { translateLegacyCommand } from "./index.ts";

test.each([
  ["new memcached-operator --repo=github.com/a/b --skip-validation", "init memcached-operator --no-api --yes"],
  [
    "new app --api-version app.example.com/v1alpha1 --kind AppService --type go",
    "init app --domain app.example.com --version v1alpha1 --kind AppService --yes",
  ],
  [
    "add api --api-version=cache.example.com/v1alpha1 --kind=Memcached",
    "create api --group cache.example.com --version v1alpha1 --kind Memcached",
  ],
  [
    "add controller --api-version=cache.example.com/v1alpha1 --kind=Memcached",
    "create controller --group cache.example.com --version v1alpha1 --kind Memcached",
  ],
  ["add crd --api-version a.example.com/v1 --kind A", "create api --group a.example.com --version v1 --kind A --no-controller"],
  ["generate k8s", "generate"],
  ["generate crds --crd-version v1", "generate"],
  ["manifests", "generate"],
  ["up local --namespace=default --kubeconfig /k", "run --namespace default --kubeconfig /k"],
  ["run --local --watch-namespace a", "run --namespace a"],
  ["up local", "run"],
  ["docker-build IMG=example.com/shop:1", "build example.com/shop:1"],
  ["docker-push IMG=example.com/shop:1 --insecure-registry", "push example.com/shop:1 --insecure-registry"],
  ["deploy IMG=example.com/shop:1 --yes", "deploy --image example.com/shop:1 --yes"],
  ["build example.com/shop:1 --image-builder buildah", "build example.com/shop:1"],
  [
    "init --domain tutorial.kubebuilder.io --repo tutorial.kubebuilder.io/project",
    "init . --domain tutorial.kubebuilder.io --no-api --yes",
  ],
  ["create api --group batch --version v1 --kind CronJob --resource --controller", "create api --group batch --version v1 --kind CronJob"],
  [
    "create api --group a --version v1 --kind B --controller=false --namespaced=false",
    "create api --group a --version v1 --kind B --no-controller --cluster-scoped",
  ],
  [
    "create webhook --group batch --version v1 --kind CronJob --defaulting --programmatic-validation",
    "create webhook --group batch --version v1 --kind CronJob --defaulting --validation",
  ],
])("%s", (old, now) => {
  expect(translateLegacyCommand(old.split(" "), {})?.args.join(" ")).toBe(now);
});

test("passes operator flags after -- and reads IMG from the environment", () => {
  expect(translateLegacyCommand(["up", "local", "--operator-flags", "--zap-devel --x=1"], {})?.args).toEqual([
    "run",
    "--",
    "--zap-devel",
    "--x=1",
  ]);
  expect(translateLegacyCommand(["docker-build"], { IMG: "a:1" })?.args).toEqual(["build", "a:1"]);
  expect(translateLegacyCommand(["docker-build", "IMG=b:1"], { IMG: "a:1" })?.args).toEqual(["build", "b:1"]);
});

test("explains removed flags and leaves current commands unchanged", () => {
  expect(translateLegacyCommand(["new", "a", "--repo", "x"], {})?.notes).toEqual(["--repo is ignored: pintle projects have no Go module"]);
  for (const line of [
    "build a:1 --push",
    "deploy --image a:1",
    "init shop --domain a.b",
    "create api --kind A",
    "generate --check",
    "run",
    "--help",
  ]) {
    expect(translateLegacyCommand(line.split(" "), { IMG: "x" })).toBeUndefined();
  }
});
