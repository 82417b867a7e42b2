import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { full, seed } from "../sampling.ts";
import { comparedKinds } from "./compared-kinds.ts";

const run = fileURLToPath(new URL("./run.ts", import.meta.url));
const HISTORIES = full ? 2_000 : 25;

test.each(comparedKinds.map(({ name }) => name))(
  `${HISTORIES} random histories of %s give equal responses on both servers`,
  async (name) => {
    const words = ["--kind", name, "--histories", String(HISTORIES), "--seed", String(seed * 10_000)];
    const { stdout } = await promisify(execFile)(process.execPath, ["--conditions=@pintle/source", "--import", "tsx", run, ...words]);
    expect(stdout).toContain(`${HISTORIES} of ${HISTORIES} histories equal`);
  },
  3_600_000,
);
