/** The cases by group, in the order they run: later ones use objects of earlier ones of their group. */
import type { ApiCase, CaseContext } from "../case.ts";
import { customResources } from "./custom-resources/custom-resources.ts";
import { definitions } from "./custom-resources/definitions.ts";
import { schemas } from "./custom-resources/schemas.ts";
import { collections } from "./lists/collections.ts";
import { lists } from "./lists/lists.ts";
import { revisions } from "./lists/revisions.ts";
import { watches } from "./lists/watches.ts";
import { builtInKinds } from "./objects/built-in-kinds.ts";
import { deletion } from "./objects/deletion.ts";
import { emptyValues } from "./objects/empty-values.ts";
import { names } from "./objects/names.ts";
import { objects } from "./objects/objects.ts";
import { pods } from "./objects/pods.ts";
import { subresources } from "./objects/subresources.ts";
import { managedFields } from "./patches/managed-fields.ts";
import { patches } from "./patches/patches.ts";
import { strategicMerge } from "./patches/strategic-merge.ts";
import { access } from "./requests/access.ts";
import { bodies } from "./requests/bodies.ts";
import { dryRuns } from "./requests/dry-runs.ts";
import { paths } from "./requests/paths.ts";
import { responseFormats } from "./requests/response-formats.ts";
import { wire } from "./requests/wire.ts";

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
