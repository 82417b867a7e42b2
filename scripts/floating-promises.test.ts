import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { findFloatingPromises, isChecked } from "./floating-promises.ts";

const folder = mkdtempSync(path.join(tmpdir(), "pintle-promises-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const PRELUDE = `declare function send(): Promise<void>;
declare function background(task: Promise<unknown> | undefined): void;
declare function on(event: string, listener: () => void): void;
declare function onAsync(listener: () => Promise<void>): void;
declare const timer: { start?(): Promise<number> };
interface Handlers { close(): void; open?: () => void }
declare function handle(handlers: Handlers): void;
let last: Promise<void> | undefined;
`;
/** One line of source each, and whether it is reported. */
const CASES: readonly (readonly [code: string, isReported: boolean])[] = [
  ["send();", true],
  ["void send();", true],
  ["(() => void send())();", true],
  ["send().catch(() => {});", true],
  ["send().then(() => {}, () => {});", true],
  ["timer.start?.();", true],
  ["last !== undefined && send();", true],
  ["last === undefined ? send() : 0;", true],
  ["last ?? send();", true],
  ["new Promise<void>(() => {});", true],
  ['on("close", async () => {});', true],
  ['on("close", () => send());', true],
  ['on("close", send);', true],
  ["handle({ async close() {} });", true],
  ["handle({ close: () => send() });", true],
  ["handle({ close() {}, open: send });", true],
  ["const listener: () => void = async () => {};", true],
  ["await send();", false],
  ["last = send();", false],
  ["last ??= send();", false],
  ["background(send());", false],
  ["onAsync(send);", false],
  ['on("close", () => background(send()));', false],
  ["handle({ close() {} });", false],
  ["void 0;", false],
  ["[1].map(() => send());", false],
];

test("reports promises that nothing handles, and no others", () => {
  const lines = CASES.map(([code]) => code.replace("const listener", "export const listener"));
  writeFileSync(path.join(folder, "cases.ts"), `${PRELUDE}${lines.join("\n")}\nexport {};\n`);
  const compilerOptions = { strict: true, target: "es2023", module: "nodenext", types: [] };
  writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["cases.ts"] }));
  const found = findFloatingPromises(path.join(folder, "tsconfig.json"), (file) => file.endsWith("/cases.ts"));
  const offset = PRELUDE.split("\n").length;
  const reported = new Set(found.map(({ line }) => line - offset));
  expect(CASES.map(([code], index) => [code, reported.has(index)])).toEqual(CASES);
});

test.each([
  ["packages/cluster/src/api/http/listener.ts", true],
  ["packages/pintle/src/errors/run-in-background.ts", false],
  ["packages/cluster/src/api/http/listener.test.ts", false],
  ["packages/pintle/src/kinds/generated/core/v1.ts", false],
  ["scripts/ci.ts", false],
])("checks %s: %s", (file, expected) => {
  expect(isChecked(file)).toBe(expected);
});
