import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Compilation, compileWithDeclarations } from "./compiler.ts";

describe("a project of three controllers", () => {
  let project: Compilation;
  beforeAll(async () => {
    project = await compileWithDeclarations(readFileSync(join(import.meta.dirname, "project.ts"), "utf8"));
  }, 60_000);

  it("compiles against the emitted declarations", () => {
    expect(project.diagnostics).toEqual([]);
  });

  it("costs the compiler less than 30,000 instantiations", () => {
    expect(project.instantiations).toBeLessThan(30_000);
    // Fewer would mean that types became `any`.
    expect(project.instantiations).toBeGreaterThan(5_000);
  });

  it("exports types without Zod", () => {
    expect(project.declarations).toContain("readonly size: number;");
    expect(project.declarations).not.toMatch(/zod/i);
  });
});
