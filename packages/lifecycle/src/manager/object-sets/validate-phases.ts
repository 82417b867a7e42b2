import { BadRequest, type Client, Conflict, Forbidden, Invalid, NotFound, RequestError, Unauthorized } from "pintle/client";
import { quoteGoString } from "pintle/internal/go-format";
import type { AnyKind } from "pintle/kinds";
import { describeError } from "../api/failures.ts";
import { type DesiredObject, formatGvkAndKey } from "./objects.ts";
import type { ResolvedPhase } from "./resolve-phases.ts";

/** Metadata that only the API server, or the controller, may set. */
const FORBIDDEN: readonly (readonly [field: string, shown: string])[] = [
  ["uid", "metadata.uid"],
  ["generation", "metadata.generation"],
  ["generateName", "metadata.generation"],
  ["finalizers", "metadata.finalizers"],
  ["ownerReferences", "metadata.ownerReferences"],
  ["resourceVersion", "metadata.resourceVersion"],
];

/** Validates a revision without requests. Returns why it cannot be applied; undefined if it is valid. */
export function findRevisionProblem(name: string, revision: number, phases: readonly ResolvedPhase[]): string | undefined {
  const phaseOf = new Map<string, string>();
  const texts = phases.flatMap((phase) => {
    const objects = phase.objects.flatMap(({ desired }) => {
      const key = formatGvkAndKey(desired);
      const problems = [...findMetadataProblems(desired)];
      const other = phaseOf.get(key);
      if (other === undefined) phaseOf.set(key, phase.name);
      else problems.push(`duplicate object also found in phases ${[...new Set([other, phase.name])].sort().join(", ")}`);
      return problems.length === 0 ? [] : [`${key}: ${problems.join(", ")}`];
    });
    return objects.length === 0 ? [] : [`phase ${quoteGoString(phase.name)}: ${objects.join(", ")}`];
  });
  return texts.length === 0 ? undefined : `revision ${quoteGoString(name)} (${revision}): ${texts.join(", ")}`;
}

function findMetadataProblems(object: DesiredObject): string[] {
  const missing = ["apiVersion", "kind"].filter((field) => (object[field] ?? "") === "");
  const forbidden = FORBIDDEN.filter(([field]) => isSet(object.metadata?.[field]));
  return [
    ...missing.map((field) => `${field}: Required value: must not be empty`),
    ...forbidden.map(([, shown]) => `${shown}: Forbidden: must be empty`),
  ];
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "" && value !== 0 && !(Array.isArray(value) && value.length === 0);
}

/** Validates a phase by dry runs. Returns why it cannot be applied; undefined if it can. */
export async function findPhaseProblem(
  client: Client,
  phase: string,
  objects: readonly { readonly kind: AnyKind; readonly desired: DesiredObject }[],
): Promise<string | undefined> {
  const found = await Promise.all(
    objects.map(async ({ kind, desired }) => {
      try {
        await client.apply(kind, desired as never, { dryRun: true, force: true, fieldManager: "dummy" });
        return undefined;
      } catch (error) {
        if (!isVerdict(error)) return undefined;
        return `${formatGvkAndKey(desired)}: ${describeError(error)}`;
      }
    }),
  );
  const problems = found.filter((problem) => problem !== undefined);
  return problems.length === 0 ? undefined : `phase ${quoteGoString(phase)}: ${problems.join(", ")}`;
}

/** Whether an error is caused by the object, not by this attempt. */
function isVerdict(error: unknown): boolean {
  if ([NotFound, Invalid, Forbidden, Unauthorized, Conflict, BadRequest].some((type) => error instanceof type)) return true;
  return error instanceof RequestError && [405, 406, 413, 415].includes(error.statusCode);
}
