import path from "node:path";
import { type Client, connect } from "pintle/client";
import { defineUntypedKind } from "pintle/kinds";
import { MutatingWebhookConfiguration, ValidatingWebhookConfiguration } from "pintle/kinds/admissionregistration/v1";
import { CustomResourceDefinition } from "pintle/kinds/apiextensions/v1";
import { afterAll, beforeAll, describe, expect, onTestFailed, test, vi } from "vitest";
import { startWebhookProxy } from "../../packages/cli/src/dev/webhook-proxy.ts";
import { findReachableAddress } from "../../packages/cli/src/dev/webhook-reachability.ts";
import { main } from "../../packages/cli/src/main.ts";
import { createTestProject, shopProject } from "../../packages/cli/test/test-project.ts";
import { full } from "../sampling.ts";
import { SERVERS, type WebhookServer } from "./servers.ts";

const Store = defineUntypedKind({ group: "shop.example.com", version: "v1", kind: "Store", plural: "stores", scope: "Namespaced" });
const NAMESPACE = "default";

const webhook = (word: string) => `import { webhook } from "pintle";
import { Store } from "./store.ts";
export const storeWebhook = webhook(Store, {
  timeoutSeconds: 30, // a review may wait that long on a busy machine
  default(object) {
    object.metadata.annotations = { ...object.metadata.annotations, word: "${word}" };
  },
  validate: ({ object }) => (object.spec.replicas === 7 ? [{ field: "spec.replicas", message: "is not a lucky number" }] : []),
});
`;
const main_ = `import { run } from "pintle";
import { store } from "./store.ts";
import { storeWebhook } from "./webhook.ts";
await run({ controllers: [store], webhooks: [storeWebhook] });
`;
/** Two versions, so that a conversion is needed. */
const store = shopProject()["src/store.ts"]!.replace(
  "});\nexport const store",
  `}).older({
  version: "v1beta1",
  spec: z.object({ size: z.int32() }),
  toHub: ({ spec }) => ({ spec: { replicas: spec.size } }),
  fromHub: ({ spec }) => ({ spec: { size: spec.replicas } }),
});
export const store`,
);
const Older = defineUntypedKind({ group: "shop.example.com", version: "v1beta1", kind: "Store", plural: "stores", scope: "Namespaced" });

const dryRunCreate = (client: Client, name: string, replicas: number) =>
  client.create(Store, { metadata: { name, namespace: NAMESPACE }, spec: { replicas } }, { dryRun: true });

function startDev(here: { readonly root: string }, ...words: string[]) {
  const stop = new AbortController();
  let output = "";
  onTestFailed(() => console.log(output));
  const append = (text: string) => {
    output += text;
  };
  const running = main(["dev", ...words], { out: append, err: append, tty: false, cwd: here.root, signal: stop.signal });
  return {
    waitForOutput: (pattern: RegExp) => vi.waitFor(() => expect(output).toMatch(pattern), { timeout: 60_000 }),
    output: () => output,
    running,
    async end() {
      stop.abort();
      return running;
    },
  };
}

test("pintle dev serves webhooks and conversion, and holds reviews while the operator restarts", async () => {
  using here = createTestProject({ ...shopProject(), "src/store.ts": store, "src/webhook.ts": webhook("one"), "src/main.ts": main_ });
  const dev = startDev(here);
  await dev.waitForOutput(/operator started: src\/main\.ts/);
  const client = await connect({ kubeconfig: path.join(here.root, ".pintle/kubeconfig"), onWarning: () => {} });
  expect((await dryRunCreate(client, "a", 1)).metadata.annotations?.["word"]).toBe("one");
  await expect(dryRunCreate(client, "a", 7)).rejects.toThrow("spec.replicas: Invalid value: 7: is not a lucky number");
  await client.create(Older, { metadata: { name: "old", namespace: NAMESPACE }, spec: { size: 3 } });
  expect((await client.get(Store, { name: "old", namespace: NAMESPACE }))["spec"]).toEqual({ replicas: 3 });

  // No review fails while the operator is replaced.
  here.write("src/webhook.ts", webhook("two"));
  const words: (string | undefined)[] = [];
  while (words.at(-1) !== "two") words.push((await dryRunCreate(client, "a", 1)).metadata.annotations?.["word"]);
  expect(new Set(words)).toEqual(new Set(["one", "two"]));
  await client.close();
  expect(await dev.end()).toBe(0);
  expect(here.has(".pintle/webhook/tls.key")).toBe(false);
});

describe.runIf(full)("pintle dev on a cluster that is not embedded", () => {
  let server: WebhookServer;
  let client: Client;
  beforeAll(async () => {
    server = await SERVERS[0]![1]();
    client = await server.connect();
  });
  afterAll(async () => {
    await client?.close();
    await server?.stop();
  });

  test("--webhooks: the API server calls this machine, and the registration is removed at the end", async () => {
    using here = createTestProject({ ...shopProject(), "src/store.ts": store, "src/webhook.ts": webhook("one"), "src/main.ts": main_ });
    const dev = startDev(here, "--kubeconfig", server.kubeconfig, "--webhooks");
    await dev.waitForOutput(/operator started: src\/main\.ts/);
    expect(dev.output()).toContain("webhooks: the API server reaches this machine at 127.0.0.1");
    await vi.waitFor(async () => expect((await dryRunCreate(client, "a", 1)).metadata.annotations?.["word"]).toBe("one"), {
      timeout: 20_000,
    });
    await client.create(Older, { metadata: { name: "old", namespace: NAMESPACE }, spec: { size: 3 } });
    expect((await client.get(Store, { name: "old", namespace: NAMESPACE }))["spec"]).toEqual({ replicas: 3 });
    expect(await dev.end()).toBe(0);
    expect((await client.list(MutatingWebhookConfiguration)).items).toEqual([]);
    expect((await client.list(ValidatingWebhookConfiguration)).items).toEqual([]);
    const { spec } = await client.get(CustomResourceDefinition, { name: "stores.shop.example.com" });
    expect(spec.conversion?.webhook?.clientConfig).toEqual({
      service: { name: "shop-webhook-service", namespace: "shop-system", path: "/convert", port: 443 },
    });
  });

  test("reports an address that the API server cannot reach with its error, and deletes the probe", async () => {
    await using proxy = await startWebhookProxy("127.0.0.1", ["no-such-host.invalid"]);
    const found = await findReachableAddress(client, proxy, ["no-such-host.invalid"], AbortSignal.timeout(30_000));
    expect(found).toEqual({ why: [expect.stringMatching(/^no-such-host\.invalid: .*failed calling webhook .*no-such-host\.invalid/)] });
    expect((await client.list(ValidatingWebhookConfiguration)).items).toEqual([]);
  });

  test("without --webhooks they are not registered, and pintle dev reports it", async () => {
    using here = createTestProject({ ...shopProject(), "src/webhook.ts": webhook("one"), "src/main.ts": main_ });
    const dev = startDev(here, "--kubeconfig", server.kubeconfig);
    await dev.waitForOutput(/webhooks: not registered on this cluster; pass --webhooks/);
    await dev.waitForOutput(/operator started: src\/main\.ts/);
    expect((await client.list(ValidatingWebhookConfiguration)).items).toEqual([]);
    expect(await dev.end()).toBe(0);
  });
});
