import { describe, expect, test } from "vitest";
import { convertSubscription, type Subscription } from "../../src/migrate/index.ts";

const subscription = (spec: Partial<Subscription["spec"]> = {}, status: Subscription["status"] = {}): Subscription => ({
  metadata: { name: "cache", namespace: "caches" },
  spec: { name: "memcached-operator", source: "community", sourceNamespace: "olm", ...spec },
  status,
});
const group = (spec: object) => ({ metadata: { name: "group" }, spec });
const specOf = (...args: Parameters<typeof convertSubscription>) => convertSubscription(...args).extension["spec"] as any;

describe("convertSubscription", () => {
  test("keeps namespace, package, channel and catalog", () => {
    const { extension } = convertSubscription(subscription({ channel: "stable" }), { catalogs: ["community"], operatorGroup: group({}) });
    expect(extension).toEqual({
      apiVersion: "olm.operatorframework.io/v1",
      kind: "ClusterExtension",
      metadata: { name: "cache" },
      spec: {
        namespace: "caches",
        source: {
          sourceType: "Catalog",
          catalog: {
            packageName: "memcached-operator",
            channels: ["stable"],
            selector: { matchLabels: { "olm.operatorframework.io/metadata.name": "community" } },
          },
        },
      },
    });
  });

  test("pins the installed version if upgrades were approved by hand", () => {
    const manual = subscription({ installPlanApproval: "Manual", startingCSV: "m.v1.0.0" }, { installedCSV: "m.v1.2.0" });
    expect(specOf(manual).source.catalog.version).toBe("1.2.0");
    expect(specOf(subscription({ installPlanApproval: "Manual", startingCSV: "m.v1.0.0" })).source.catalog.version).toBe("1.0.0");
    expect(specOf(subscription({ startingCSV: "m.v1.0.0" })).source.catalog.version).toBeUndefined();
    expect(convertSubscription(subscription({ installPlanApproval: "Manual" })).notes.join("\n")).toContain(
      "installed version is not known",
    );
  });

  test("turns one target namespace into watchNamespace, and names several", () => {
    const one = convertSubscription(subscription(), { operatorGroup: group({ targetNamespaces: ["a"] }) });
    expect((one.extension["spec"] as any).config).toEqual({ configType: "Inline", inline: { watchNamespace: "a" } });
    expect(one.notes.join("\n")).toContain("gate SingleOwnNamespaceInstallSupport");
    const several = convertSubscription(subscription(), {
      operatorGroup: group({ targetNamespaces: ["a", "b"], serviceAccountName: "sa" }),
    });
    expect((several.extension["spec"] as any).config).toBeUndefined();
    expect(several.notes.join("\n")).toMatch(/serviceAccountName: sa has no effect[\s\S]*a, b are several/);
  });

  test("keeps what the configuration of a Deployment has, and names the rest", () => {
    const { extension, notes } = convertSubscription(subscription({ config: { env: [{ name: "A", value: "b" }], selector: {} } }));
    expect((extension["spec"] as any).config.inline).toEqual({ deploymentConfig: { env: [{ name: "A", value: "b" }] } });
    expect(notes).toContain("config.selector: has no counterpart");
    expect(notes).toContain("config: deploymentConfig needs the gate DeploymentConfig");
  });

  test("names the catalog that it cannot read, and what to do with the objects of OLM v0", () => {
    const { notes } = convertSubscription(subscription(), { catalogs: [] });
    expect(notes[1]).toContain("CatalogSource olm/community is not read: add a ClusterCatalog");
    expect(notes.at(-1)).toContain("delete the Subscription and the ClusterServiceVersion first");
  });
});
