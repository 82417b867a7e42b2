/**
 * Records the schemas that controller-gen generates for the built-in types of api/types.go:
 * `node --import tsx conformance/resource/controller-gen/record.ts`
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { StructuralSchema } from "pintle";
import { parse } from "yaml";
import { buildPeers } from "../../../bench/peers/build-peers.ts";
import { run } from "../../clients/run.ts";

const { commands, missing } = await buildPeers(["controller-gen"]);
const [controllerGen] = commands.get("controller-gen") ?? [];
if (controllerGen === undefined) throw new Error(`controller-gen could not be built: ${missing["controller-gen"]}`);
const folder = mkdtempSync(path.join(tmpdir(), "pintle-controller-gen-"));
try {
  for (const file of ["go.mod", "api"]) cpSync(path.join(import.meta.dirname, file), path.join(folder, file), { recursive: true });
  const env = { GOFLAGS: "-mod=mod", GOWORK: "off" };
  const args = ["crd:maxDescLen=0", "paths=./api/...", "output:crd:dir=."];
  await run(controllerGen, args, { folder, env, signal: AbortSignal.timeout(600_000) });
  const crd = parse(readFileSync(path.join(folder, "fields.example.com_apps.yaml"), "utf8"));
  const schema: StructuralSchema = crd.spec.versions[0].schema.openAPIV3Schema;
  writeFileSync(path.join(import.meta.dirname, "golden/spec.json"), `${JSON.stringify(schema.properties?.["spec"]?.properties)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
