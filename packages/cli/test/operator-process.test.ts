import path from "node:path";
import { createFlightRecorder } from "pintle";
import { expect, onTestFailed, test } from "vitest";
import { OperatorProcess } from "../src/dev/index.ts";
import { createTestProject } from "./test-project.ts";

const SECRET = { kind: "Secret", data: { password: Buffer.from("correct horse battery").toString("base64") } };
const KIND = { id: "secrets", version: "v1", kind: "Secret" };
const withVersion = (resourceVersion: string) => ({ ...SECRET, metadata: { namespace: "default", name: "s", uid: "u", resourceVersion } });
const operator = `import { systemClock } from "pintle/internal/clock";
import { createProcessRecorder } from "pintle/internal/manager";
const recorder = createProcessRecorder(process.env, systemClock);
console.log(JSON.stringify([process.env, process.argv, process.execArgv]));
recorder.noteObject(${JSON.stringify(KIND)}, ${JSON.stringify(withVersion("2"))});
setInterval(() => {}, 1_000);
`;

test("equal secrets have equal hashes in the facts of the cluster and of the operator, also after a restart, and the key is nowhere to be read", {
  timeout: 60_000,
}, async () => {
  using project = createTestProject({ "main.ts": operator });
  const recorder = createFlightRecorder();
  recorder.noteObject(KIND, withVersion("1"));
  let output = "";
  onTestFailed(() => console.log(output));
  await using child = new OperatorProcess({
    file: path.join(project.root, "main.ts"),
    cwd: project.root,
    env: process.env,
    flags: ["--conditions=@pintle/source", "--import", import.meta.resolve("tsx")],
    args: () => [],
    onLine: (line) => (output += line),
    recorder,
    onExit: (why) => (output += why),
    onKill: () => {},
  });
  for (const _ of ["start", "restart"]) {
    const isRecorded = new Promise((resolve) => recorder.subscribe(resolve));
    await child.restart();
    await isRecorded;
  }
  const hashes = recorder.facts().map((fact) => (fact.type === "object" ? (fact.object["data"] as typeof SECRET.data).password : fact));
  expect(hashes).toHaveLength(3);
  expect(hashes[0]).toMatch(/^\(redacted [0-9a-f]{12}\)$/);
  expect(new Set(hashes).size).toBe(1);
  const key = Buffer.from(recorder.redactor.copyKey());
  expect(output).toContain("PINTLE_RECORDER_FD");
  for (const encoding of ["hex", "base64", "base64url", "latin1"] as const)
    for (const text of [output, recorder.text(), JSON.stringify(recorder)]) expect(text).not.toContain(key.toString(encoding));
});
