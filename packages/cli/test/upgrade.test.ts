import { execFileSync, spawnSync } from "node:child_process";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { createTestProject } from "./test-project.ts";

const TSC = fileURLToPath(new URL("../../../node_modules/typescript/bin/tsc", import.meta.url));
const TSCONFIG = JSON.stringify({
  compilerOptions: {
    target: "es2023",
    module: "nodenext",
    strict: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
    types: ["node"],
    customConditions: ["@pintle/source"],
  },
  include: ["src", "test"],
});

/** A project that uses the names and entry points of an earlier version. */
const OLD_PROJECT = {
  "package.json": JSON.stringify({ name: "shop", type: "module", dependencies: { pintle: "^0.0.1" } }),
  "tsconfig.json": TSCONFIG,
  "src/store.ts": `import { controller, defineResource, type ReadOf, z } from "pintle";
import type {
  Announce, // records an Event
  Options as StoreOptions,
} from "pintle/controller";
import { ConfigMap } from "pintle/kinds/core/v1";
import { seeded } from "pintle/queue";

export const Store = defineResource({ group: "shop.example.com", version: "v1", kind: "Store", spec: z.object({ size: z.int32() }) });
export interface Store extends ReadOf<typeof Store> {}
export type StoreEvents = Announce;
export type { StoreOptions };

/** "seeded" in a comment, ReadOf in a comment. */
export const draw = () => seeded(7).toString() + "seeded";
export const holder = { seeded: 1 };
export const total = holder.seeded;

export const store = controller(Store, {
  owns: [ConfigMap],
  reconcile({ object, owned, want }) {
    const count = owned(ConfigMap).all().length;
    return want({ children: { config: ConfigMap.desired({ metadata: { name: object.metadata.name }, data: { seen: String(count >= 0) } }) } });
  },
});
`,
  "src/shadow.ts": `import { silent, start } from "pintle";

/** An inner scope declares the imported name, so the import keeps it. */
export function run(start: number): number {
  return start + 1;
}
export const begin = start;
export const quiet = silent;
`,
  "src/members.ts": `import { changed, denied, registry, run, start } from "pintle";
import type { Client } from "pintle/client";
import { systemClock } from "pintle/internal/clock";
import { ServiceAccount } from "pintle/kinds/core/v1";
import { authority, certificateFiles } from "pintle/tls";
import { store } from "./store.ts";

const leader = { lease: "15s" } as const;
export const ca = authority("shop", 0);
export const pairs = [ca.server({ commonName: "shop" }, ["shop"]), ca.client({ commonName: "shop" })];
export const numbers = registry();
export const page = () => numbers.text();
export const predicate = changed.generation;
export const files = (failed: () => void) => {
  const { signal } = new AbortController();
  return certificateFiles({ cert: "a", key: "b" }, { clock: systemClock, signal, changed() {}, failed });
};
export const refuse = (code: number) => denied("no", { code, reason: "Forbidden" });
export const tokens = (client: Client) => client.token(ServiceAccount, { name: "a", namespace: "b" });
export async function lead(): Promise<boolean> {
  const manager = await start({ controllers: [store], leaderElection: { lease: leader.lease, renew: "10s" } });
  return manager.leading;
}
export const main = () => run({ controllers: [store], metrics: { address: ":8443", guarded: true } });
`,
  "test/store.test.ts": `import assert from "node:assert/strict";
import { ConfigMap } from "pintle/kinds/core/v1";
import { simulate } from "pintle/testing";
import { Store, store, total } from "../src/store.ts";
import { begin, quiet, run } from "../src/shadow.ts";

const ref = { name: "a", namespace: "default" };
const simulation = await simulate(store, [Store.desired({ metadata: ref, spec: { size: 1 } })]);
assert.equal(simulation.get(ConfigMap, ref)?.data?.["seen"], "true");
assert.deepEqual([total, run(1), typeof begin, typeof quiet], [1, 2, "function", "object"]);
console.log("passed");
`,
};

test("upgrade rewrites renamed and moved imports, and the project compiles and passes", { timeout: 120_000 }, async () => {
  using project = createTestProject(OLD_PROJECT);
  const before = project.files().map(project.read);
  const checked = await project.pintle("upgrade", "--check");
  expect(checked.code).toBe(1);
  expect(checked.out).toContain("would change  src/store.ts: ReadOf -> ObjectOf\n");
  expect(checked.out).toContain("would change  src/shadow.ts: silent -> silentLogger\n");
  expect(project.files().map(project.read)).toEqual(before);

  expect(await project.pintle("upgrade")).toMatchObject({ code: 0, err: "" });
  const store = project.read("src/store.ts");
  expect(store).toContain('import { controller, defineResource, type ObjectOf, z } from "pintle";');
  expect(store).toMatch(/import type \{ RecordEvent, ControllerOptions as StoreOptions \} from "pintle";/);
  expect(store).toContain('/** "seeded" in a comment, ReadOf in a comment. */');
  expect(store).toContain('seededRandom(7).toString() + "seeded"');
  expect(store).toContain("holder = { seeded: 1 }");
  expect(store).toContain("holder.seeded;");
  expect(store).toContain("owned(ConfigMap).list().length");
  expect(project.read("src/shadow.ts")).toContain('import { silentLogger, startManager as start } from "pintle";');

  const members = project.read("src/members.ts");
  expect(members).toContain('ca.issueServerCertificate({ commonName: "shop" }, ["shop"]), ca.issueClientCertificate(');
  expect(members).toContain("numbers.render()");
  expect(members).toContain("predicates.generationChanged;");
  expect(members).toContain("onChange() {}, onError: failed }");
  expect(members).toContain("{ statusCode: code, reason:");
  expect(members).toContain("client.createToken(ServiceAccount,");
  expect(members).toContain('leaderElection: { leaseDuration: leader.lease, renewDeadline: "10s" }');
  expect(members).toContain("return manager.isLeading;");
  expect(members).toContain('metrics: { address: ":8443", requireAuthorization: true }');
  expect(members, "an object of the project's own keeps its keys").toContain('leader = { lease: "15s" }');

  const compiled = spawnSync(process.execPath, [TSC, "-p", project.root], { cwd: project.root, encoding: "utf8" });
  expect(compiled.stdout).toBe("");
  const flags = ["--conditions=@pintle/source", "--import", "tsx"];
  const passed = execFileSync(process.execPath, [...flags, path.join(project.root, "test/store.test.ts")], { encoding: "utf8" });
  expect(passed).toBe("passed\n");
  expect((await project.pintle("upgrade")).out).not.toMatch(/^changed {2}(src|test)\//m);
});
