/** Samples are projects as `pintle init` makes them: whatever is not their own code is exactly what it writes. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type Api, projectFiles, withListed } from "../../packages/cli/src/scaffold/index.ts";

const SAMPLES: readonly (Pick<Api, "kind" | "group" | "version"> & { readonly domain: string; readonly webhook?: string })[] = [
  { kind: "Application", group: "app.aiops.org", version: "v1", domain: "aiops.org", webhook: "application-webhook" },
  { kind: "ImoocPod", group: "k8s.imooc.com", version: "v1alpha1", domain: "imooc.com" },
  { kind: "Memcached", group: "cache.example.com", version: "v1", domain: "example.com" },
];
/** What the user writes from the first day on. */
const OWN = /^(src\/(?!main\.ts)|test\/|config\/samples\/)/;

describe.each(SAMPLES)("examples of $kind", ({ kind, group, version, domain, webhook }) => {
  const folder = kind.toLowerCase();
  const api: Api = { kind, group, version, scope: "Namespaced", controller: true };
  const made = new Map(projectFiles({ name: `${folder}-operator`, domain, pintle: "0.1.0", api }));
  if (webhook !== undefined)
    made.set("src/main.ts", withListed(made.get("src/main.ts")!, "webhooks", { kind, file: webhook, variable: `${folder}Webhook` })!);
  const read = (file: string) => readFileSync(fileURLToPath(new URL(`../../examples/${folder}/${file}`, import.meta.url)), "utf8");

  test.each([...made.keys()].filter((file) => !OWN.test(file)))("%s is as it was made", (file) => {
    expect(read(file)).toBe(made.get(file));
  });

  test.each([...made.keys()].filter((file) => OWN.test(file)))("%s is there", (file) => {
    expect(read(file)).toContain(kind);
  });
});
