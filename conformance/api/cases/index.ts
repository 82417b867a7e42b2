/** The cases by group, in the order they run: later ones use objects of earlier ones of their group. */
import type { ApiCase, CaseContext } from "../case.ts";
import { access } from "./access.ts";
import { bodies } from "./bodies.ts";
import { builtInKinds } from "./built-in-kinds.ts";
import { collections } from "./collections.ts";
import { customResources } from "./custom-resources.ts";
import { definitions } from "./definitions.ts";
import { deletion } from "./deletion.ts";
import { dryRuns } from "./dry-runs.ts";
import { emptyValues } from "./empty-values.ts";
import { lists } from "./lists.ts";
import { managedFields } from "./managed-fields.ts";
import { names } from "./names.ts";
import { objects } from "./objects.ts";
import { patches } from "./patches.ts";
import { paths } from "./paths.ts";
import { pods } from "./pods.ts";
import { responseFormats } from "./response-formats.ts";
import { revisions } from "./revisions.ts";
import { schemas } from "./schemas.ts";
import { strategicMerge } from "./strategic-merge.ts";
import { subresources } from "./subresources.ts";
import { watches } from "./watches.ts";
import { wire } from "./wire.ts";

export type CaseGroups = Readonly<Record<string, (ground: CaseContext) => readonly ApiCase[]>>;

/** Groups that run in parallel, each in a namespace of its own. */
export const parallelGroups: readonly CaseGroups[] = [
  { objects, patches, subresources, lists, deletion, watches, paths },
  { customResources },
  { names, empties: emptyValues, ownership: managedFields },
  { bodies, dryRuns, strategic: strategicMerge },
  { pods, built: builtInKinds },
  { schemas, definitions },
  { collections, access },
  { presentation: responseFormats, wire },
];
/** Runs after all others, because it compacts the history. */
export const finalGroup: CaseGroups = { revisions };
