import type { Clock } from "../../clock/index.ts";
import { type ManagedFieldsEntry, UNTYPED_SHAPE } from "../../kinds/index.ts";
import {
  EMPTY_FIELD_SET,
  formatPath,
  intersection,
  isSatisfiedBy,
  iteratePaths,
  parseFieldsV1,
  recursiveDifference,
  toFieldSet,
  union,
} from "../../merge/index.ts";
import { formatObject } from "../names.ts";
import type { LiveJsonObject } from "../plan/decide.ts";
import type { ApplyStep, Plan } from "../plan/plan.ts";

/** A child that is repaired this often within the window is changed by another controller, not by a person. */
const REPAIRS = 5;
const WINDOW_MS = 60_000;
/** How long a contested child is left alone: doubled by each repair that does not last. */
const FIRST_BACKOFF_MS = 10_000;
const MAX_BACKOFF_MS = 300_000;
/** How many fields a message names. */
const NAMED_FIELDS = 5;

/** Who changes a child back, and where. */
export interface FieldConflict {
  /** "ConfigMap default/a". */
  readonly child: string;
  /** The other field managers; empty if unknown. */
  readonly managers: readonly string[];
  /** The paths of the fields. */
  readonly fields: readonly string[];
}

/** The repairs of one child. */
interface Contest {
  /** The digest of the desired state that is repaired. */
  readonly desiredDigest: string;
  /** The times of the last repairs. */
  repairs: readonly number[];
  conflict: (FieldConflict & { readonly retryAt: number; readonly backoff: number }) | undefined;
}

/** The children of one object that other writers keep changing. */
export interface ObjectConflicts {
  /** Why a child must not be repaired now; `undefined` if it may be. */
  describeBlocked(child: string): string | undefined;
  /** Records a repair that is about to be made. `describe` is called if the child is contested. */
  recordRepair(child: string, desiredDigest: string, describe: () => Promise<FieldConflict>): Promise<void>;
  /** Records the children that a plan found unchanged: a conflict ends when a repair has lasted. */
  recordPlan(plan: Plan): void;
  /** The present conflicts. */
  list(): readonly FieldConflict[];
  /** Milliseconds until the next repair or check; `undefined` without a conflict. */
  nextRetry(): number | undefined;
}

/** Tracks repairs per object, so that two controllers that set the same fields do not undo each other's changes without end. */
export function createFieldConflicts(clock: Clock) {
  const byKey = new Map<string, Map<string, Contest>>();
  return {
    forget: (key: string) => void byKey.delete(key),
    of(key: string): ObjectConflicts {
      const contests = () => byKey.get(key);
      const listActive = () => [...(contests()?.values() ?? [])].flatMap(({ conflict }) => conflict ?? []);
      return {
        describeBlocked(child) {
          const conflict = contests()?.get(child)?.conflict;
          return conflict === undefined || clock.monotonic() >= conflict.retryAt ? undefined : `backs off: ${formatConflict(conflict)}`;
        },
        async recordRepair(child, desiredDigest, describe) {
          const now = clock.monotonic();
          const known = contests() ?? new Map<string, Contest>();
          byKey.set(key, known);
          const previous = known.get(child);
          // Repairs of another desired state say nothing about this one.
          const contest: Contest =
            previous?.desiredDigest === desiredDigest ? previous : { desiredDigest, repairs: [], conflict: previous?.conflict };
          known.set(child, contest);
          contest.repairs = [...contest.repairs.filter((at) => at > now - WINDOW_MS), now].slice(-REPAIRS);
          const { conflict } = contest;
          if (conflict === undefined && contest.repairs.length < REPAIRS) return;
          const backoff = conflict === undefined ? FIRST_BACKOFF_MS : Math.min(conflict.backoff * 2, MAX_BACKOFF_MS);
          contest.conflict = { ...(await describe()), backoff, retryAt: now + backoff };
        },
        recordPlan(plan) {
          const known = contests();
          if (known === undefined) return;
          const now = clock.monotonic();
          for (const step of plan) {
            const child = formatObject(step.kind, step);
            const contest = step.step === "skip" ? known.get(child) : undefined;
            if (contest === undefined) continue;
            const isOver = contest.conflict === undefined ? contest.repairs.at(-1)! <= now - WINDOW_MS : now >= contest.conflict.retryAt;
            if (isOver) known.delete(child);
          }
          if (known.size === 0) byKey.delete(key);
        },
        list: listActive,
        nextRetry() {
          const times = listActive().map(({ retryAt }) => retryAt);
          return times.length === 0 ? undefined : Math.max(0, Math.min(...times) - clock.monotonic());
        },
      };
    },
  };
}
export type FieldConflicts = ReturnType<typeof createFieldConflicts>;

/** Formats a conflict: 'field manager "kubectl" keeps changing ConfigMap default/a at .data.v'. */
export function formatConflict({ child, managers, fields }: FieldConflict): string {
  const names = managers.map((name) => JSON.stringify(name)).join(" and ");
  const subject =
    managers.length === 0
      ? "another writer keeps"
      : managers.length === 1
        ? `field manager ${names} keeps`
        : `field managers ${names} keep`;
  const more = fields.length > NAMED_FIELDS ? ` and ${fields.length - NAMED_FIELDS} more fields` : "";
  return `${subject} changing ${child} at ${fields.slice(0, NAMED_FIELDS).join(", ")}${more}`;
}

/** Finds out who changed the fields of a child, from the managed fields of the live object. */
export function findFieldConflict(step: ApplyStep, live: LiveJsonObject | undefined, controller: string): FieldConflict {
  const { kind, body } = step;
  const child = formatObject(kind, step);
  const mismatches: string[] = [];
  isSatisfiedBy(body, live, kind.shape, mismatches);
  const entries = ((live?.metadata.managedFields ?? []) as readonly ManagedFieldsEntry[]).filter(
    ({ subresource = "" }) => subresource === "",
  );
  const own = entries.filter(({ manager }) => manager === controller).map(({ fieldsV1 }) => parseFieldsV1(fieldsV1));
  const others = entries.filter(({ manager }) => manager !== controller);
  const lost = recursiveDifference(toFieldSet(body, kind.shape ?? UNTYPED_SHAPE), own.reduce(union, EMPTY_FIELD_SET));
  const contested = others.flatMap(({ manager = "", fieldsV1 }) => {
    const fields = [...iteratePaths(intersection(lost, parseFieldsV1(fieldsV1)))].map(formatPath);
    return fields.length === 0 ? [] : [{ manager, fields }];
  });
  if (contested.length > 0)
    return {
      child,
      managers: [...new Set(contested.map(({ manager }) => manager))],
      fields: [...new Set(contested.flatMap(({ fields }) => fields))],
    };
  // Removed fields have no manager: the last writer is the one who removed them.
  const last = others.toSorted((a, b) => String(a.time).localeCompare(String(b.time))).at(-1)?.manager;
  return { child, managers: last === undefined ? [] : [last], fields: mismatches.length === 0 ? ["its metadata"] : mismatches };
}
