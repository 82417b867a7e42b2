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
  ["render bundle --alpha-image-ref-template a/{{.Name}}", "catalog render bundle --image-template a/{{.Name}}"],
  ["render a/b:1 c/d:1 -o yaml --use-http --migrate", "catalog render a/b:1 c/d:1 -o yaml --insecure-registry --migrate-level all"],
  ["render a --migrate-level=bundle-object-to-csv-metadata", "catalog render a --migrate-level=bundle-object-to-csv-metadata"],
  ["validate catalog -o json", "catalog check catalog -o json"],
  ["alpha render-template semver t.yaml -o yaml", "catalog render t.yaml --type semver -o yaml"],
  ["alpha render-template t.yaml --use-http", "catalog render t.yaml --insecure-registry"],
  ["alpha render-template basic", "catalog render - --type basic"],
  ["alpha render-template", "catalog render -"],
  ["alpha render-graph catalog --package-name shop", "catalog graph catalog --package shop"],
  ["generate crds --crd-version v1", "generate"],
  ["manifests", "generate"],
  ["up local --namespace=default --kubeconfig /k", "run --namespace default --kubeconfig /k"],
  ["run --local --watch-namespace a", "run --namespace a"],
  ["up local", "run"],
  [
    "run bundle a/b:1 --timeout 2m30s -n caches --install-mode AllNamespaces",
    "operator install --bundle a/b:1 --namespace caches --timeout 150s",
  ],
  ["run bundle --use-http a/b:1 --kubeconfig /k", "operator install --bundle a/b:1 --insecure-registry --kubeconfig /k"],
  ["run bundle-upgrade a/b:2 --timeout=5m", "operator install --bundle a/b:2 --timeout 300s"],
  ["cleanup memcached --delete-all=true --namespace a", "operator uninstall memcached --delete-objects"],
  ["olm install --version 0.28.0 --timeout 3m", "operator setup --timeout 180s"],
  ["olm uninstall", "operator setup --remove"],
  ["olm status --olm-namespace olm", "operator list"],
  ["generate bundle --version 0.1.0 --channels stable --default-channel stable --overwrite", "bundle"],
  ["generate bundle --package shop --use-image-digests", "bundle --use-image-digests"],
  ["bundle validate ./bundle", "bundle --validate ./bundle --select-optional none"],
  [
    "bundle validate quay.io/me/b:1 --image-builder none --select-optional suite=operatorframework --optional-values=k8s-version=1.25 -o json-alpha1",
    "bundle --validate quay.io/me/b:1 --optional-values=k8s-version=1.25 --select-optional suite=operatorframework --output json",
  ],
  ["bundle validate --list-optional", "bundle --list-optional"],
  ["scorecard ./bundle -w 60s -o xunit --untar-image a", "scorecard ./bundle -w 60s -o xunit"],
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
  expect(translateLegacyCommand(["olm", "install", "--version", "0.28.0"], {})?.notes).toEqual([
    "--version is ignored: the version is that of pintle",
  ]);
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
