import type { CrdCase, SchemaSuite } from "../../packages/cluster/test/schema/suite.ts";
import { crds as plainCrds } from "./cases/crds.ts";
import { formats } from "./cases/formats.ts";
import { expensiveSuites, ruleCrds, ruleSuites } from "./cases/rules.ts";
import { scalars } from "./cases/scalars.ts";
import { shaping } from "./cases/shaping.ts";
import { structures } from "./cases/structures.ts";
import { updates } from "./cases/updates.ts";

export const suites: readonly SchemaSuite[] = [
  ...scalars,
  ...formats,
  ...structures,
  ...shaping,
  ...updates,
  ...ruleSuites,
  ...expensiveSuites,
];
export const crds: readonly CrdCase[] = [...plainCrds, ...ruleCrds];
