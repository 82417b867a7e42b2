/** The cases by chapter, in the order they are played: later ones use what earlier ones of their group have made. */
import type { Ground, Step } from "../step.ts";
import { access } from "./access.ts";
import { bodies } from "./bodies.ts";
import { built } from "./built.ts";
import { collections } from "./collections.ts";
import { customResources } from "./custom-resources.ts";
import { definitions } from "./definitions.ts";
import { deletion } from "./deletion.ts";
import { dryRuns } from "./dry-runs.ts";
import { empties } from "./empties.ts";
import { lists } from "./lists.ts";
import { names } from "./names.ts";
import { objects } from "./objects.ts";
import { ownership } from "./ownership.ts";
import { patches } from "./patches.ts";
import { paths } from "./paths.ts";
import { pods } from "./pods.ts";
import { presentation } from "./presentation.ts";
import { revisions } from "./revisions.ts";
import { schemas } from "./schemas.ts";
import { strategic } from "./strategic.ts";
import { subresources } from "./subresources.ts";
import { watches } from "./watches.ts";
import { wire } from "./wire.ts";

export type Chapters = Readonly<Record<string, (ground: Ground) => readonly Step[]>>;

/** Chapters that are played side by side, each group in a namespace of its own. */
export const threads: readonly Chapters[] = [
  { objects, patches, subresources, lists, deletion, watches, paths },
  { customResources },
  { names, empties, ownership },
  { bodies, dryRuns, strategic },
  { pods, built },
  { schemas, definitions },
  { collections, access },
  { presentation, wire },
];
/** Played when all others are done: it takes their history away. */
export const last: Chapters = { revisions };
