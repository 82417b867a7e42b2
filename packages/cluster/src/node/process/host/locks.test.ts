import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { acquireFolderLock } from "./locks.ts";

test("one cluster at a time uses a folder of process nodes", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "pintle-nodes-lock-"));
  const outcomes = await Promise.allSettled(Array.from({ length: 5 }, () => acquireFolderLock(folder)));
  const releases = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  expect(releases).toHaveLength(1);
  for (const outcome of outcomes) if (outcome.status === "rejected") expect(outcome.reason).toMatchObject({ code: "PINTLE6320" });
  releases[0]?.();
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});
