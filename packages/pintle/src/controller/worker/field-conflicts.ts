import type { Clock } from "../../clock/index.ts";
import type { JsonObject } from "../../json/index.ts";
import { type KindInfo, type ManagedFieldsEntry, UNTYPED_SHAPE } from "../../kinds/index.ts";
import {
  difference,
  EMPTY_FIELD_SET,
  formatPath,
  intersection,
  isSatisfiedBy,
  iteratePaths,
  parseFieldsV1,
  toFieldSet,
  union,
} from "../../merge/index.ts";
import type { ConditionValue } from "../declare/desired-state.ts";
import { formatObject } from "../names.ts";
import { contestOf } from "../plan/contest.ts";
import type { LiveJsonObject } from "../plan/decide.ts";
import type { Plan } from "../plan/plan.ts";

/** A child or status that is repaired this often within the window is changed by another controller, not by a person. */
const REPAIRS = 5;
const WINDOW_MS = 60_000;
/** How long a contested child is left alone: doubled by each repair that does not last. */
const FIRST_BACKOFF_MS = 10_000;
const MAX_BACKOFF_MS = 300_000;
const CREATION = contestOf("creation", "");
/** How many fields a message names. */
const NAMED_FIELDS = 5;

const NO_CONFLICTS: readonly NonNullable<Contest["conflict"]>[] = [];

/** Who changes a child, or the status of the object, back, and where; or who deletes a child that is created, or creates one that is pruned. */
export interface FieldConflict {
  readonly action: "changing" | "deleting" | "creating";
  /** "ConfigMap default/a": a child, or the object itself. */
  readonly child: string;
  /** The other field managers; empty if unknown. */
  readonly managers: readonly string[];
  /** The paths of the fields that are changed. */
  readonly fields: readonly string[];
}

/** The repairs of one child, or of the status. */
interface Contest {
  /** The digest of the desired state that is repaired. */
  readonly desiredDigest: string;
  /** The times of the last repairs. */
  repairs: readonly number[];
  /** Monotonic time. */
  lastWrite: number;
  conflict: (FieldConflict & { readonly retryAt: number; readonly backoff: number }) | undefined;
}

/** The children of one object, and its status, that other writers keep changing. */
export interface ObjectConflicts {
  /** Why a child must not be repaired, created again or pruned now; `undefined` if it may be. See `contestOf`. */
  describeBlocked(contest: string): string | undefined;
  /**
   * Records a repair that is about to be made, or a create or a prune that another client undid before. `describe` is called if the child is
   * contested. Repairs of another desired state do not count.
   */
  recordRepair(contest: string, desiredDigest: string, describe: () => Promise<FieldConflict>): Promise<void>;
  /** The uid of the child of this name that was deleted, unless it was created again since. */
  findDeleted(child: string): string | undefined;
  /** Records that a child is created: it is no longer missing, and its prunes say nothing about other clients. */
  recordCreate(child: string): void;
  /** Records the children that a plan found unchanged or gone: a conflict ends when a repair has lasted. */
  recordPlan(plan: Plan): void;
  /** The same for the status of the object. */
  readonly status: {
    /** Whether the same status was written again lately. */
    readonly isContested: boolean;
    describeBlocked(desiredDigest: string): string | undefined;
    /**
     * Records that the status is about to be written. The second write of the same desired status is a repair: the first one was undone. Passes of one
     * reconciliation count once, because only the controller itself undoes its writes between them.
     */
    recordWrite(desiredDigest: string, describe: () => Promise<FieldConflict>): Promise<void>;
    /** Records that the status is as desired. */
    recordUnchanged(): void;
    /** Forgets the writes: the controller itself has written another status, of a failure. */
    reset(): void;
  };
  /** The present conflicts. */
  list(): readonly FieldConflict[];
  /** The `Conflict` condition of a replayed pass. Default: it follows from `list()`. */
  readonly condition?: ConditionValue | undefined;
  /** Milliseconds until the next repair or check; `undefined` without a conflict. */
  nextRetry(): number | undefined;
}

/** Tracks repairs per object, so that two controllers that set the same fields do not undo each other's changes without end. */
export function createFieldConflicts(clock: Clock) {
  const childrenByKey = new Map<string, Map<string, Contest>>();
  /** The uids of deleted children by key and name. */
  const deletedByKey = new Map<string, Map<string, string>>();
  /** The contests about the status, by key, in the order of their last writes. */
  const statusByKey = new Map<string, Contest>();

  const isBlocked = ({ conflict }: Contest) => conflict !== undefined && clock.monotonic() < conflict.retryAt;
  const describe = (contest: Contest) => (isBlocked(contest) ? `backs off: ${formatConflict(contest.conflict!)}` : undefined);
  /** Whether a repair has lasted: the conflict, if any, is over. */
  const isOver = ({ conflict, lastWrite }: Contest) =>
    conflict === undefined ? lastWrite <= clock.monotonic() - WINDOW_MS : clock.monotonic() >= conflict.retryAt;
  /** Returns the contest of a desired state: repairs of another one say nothing about it, but its conflict, if any, goes on. */
  const continueContest = (previous: Contest | undefined, desiredDigest: string): Contest =>
    previous?.desiredDigest === desiredDigest
      ? previous
      : { desiredDigest, repairs: [], lastWrite: clock.monotonic(), conflict: previous?.conflict };
  const addRepair = async (contest: Contest, describeConflict: () => Promise<FieldConflict>): Promise<void> => {
    const now = clock.monotonic();
    contest.repairs = [...contest.repairs.filter((at) => at > now - WINDOW_MS), now].slice(-REPAIRS);
    contest.lastWrite = now;
    const { conflict } = contest;
    if (conflict === undefined && contest.repairs.length < REPAIRS) return;
    const backoff = conflict === undefined ? FIRST_BACKOFF_MS : Math.min(conflict.backoff * 2, MAX_BACKOFF_MS);
    contest.conflict = { ...(await describeConflict()), backoff, retryAt: now + backoff };
  };
  /** Forgets repairs and prunes that lasted: their objects may not be planned again. The keys are in the order of their last repairs. */
  const forgetOldRepairs = () => {
    for (const [key, contests] of childrenByKey) {
      const all = [...contests.values()];
      if (all.some(({ lastWrite }) => lastWrite > clock.monotonic() - WINDOW_MS)) return;
      if (all.every(({ conflict }) => conflict === undefined)) childrenByKey.delete(key);
    }
  };
  /** Forgets statuses that were written and not contested: most objects have one. */
  const forgetOldStatuses = () => {
    for (const [key, contest] of statusByKey) {
      if (contest.lastWrite > clock.monotonic() - WINDOW_MS) return;
      if (contest.conflict === undefined) statusByKey.delete(key);
    }
  };

  return {
    /** Records that a child of an object has been deleted, by whomever. */
    recordDeletion(key: string, child: string, uid: string): void {
      const known = deletedByKey.get(key) ?? new Map<string, string>();
      deletedByKey.set(key, known.set(child, uid));
    },
    forget(key: string): void {
      childrenByKey.delete(key);
      deletedByKey.delete(key);
      statusByKey.delete(key);
    },
    of(key: string): ObjectConflicts {
      const listActive = () => {
        const children = childrenByKey.get(key);
        const status = statusByKey.get(key)?.conflict;
        // Called several times in each reconciliation, nearly always without a conflict.
        if (children === undefined) return status === undefined ? NO_CONFLICTS : [status];
        return [...[...children.values()].flatMap(({ conflict }) => conflict ?? []), ...(status === undefined ? [] : [status])];
      };
      let isStatusCounted = false;
      return {
        describeBlocked(contest) {
          const found = childrenByKey.get(key)?.get(contest);
          return found && describe(found);
        },
        async recordRepair(name, desiredDigest, describeConflict) {
          forgetOldRepairs();
          const known = childrenByKey.get(key) ?? new Map<string, Contest>();
          childrenByKey.delete(key);
          childrenByKey.set(key, known);
          const contest = continueContest(known.get(name), desiredDigest);
          known.set(name, contest);
          await addRepair(contest, describeConflict);
        },
        findDeleted: (child) => deletedByKey.get(key)?.get(child),
        recordCreate(child) {
          deletedByKey.get(key)?.delete(child);
          const contest = contestOf("creation", child);
          if (childrenByKey.get(key)?.get(contest)?.conflict === undefined) childrenByKey.get(key)?.delete(contest);
        },
        recordPlan(plan) {
          const deleted = deletedByKey.get(key);
          const known = childrenByKey.get(key);
          if (deleted === undefined && known === undefined) return;
          const stepOf = new Map(plan.map((step) => [formatObject(step.kind, step), step.step]));
          for (const child of deleted?.keys() ?? []) if (!stepOf.has(child)) deleted?.delete(child);
          if (deleted?.size === 0) deletedByKey.delete(key);
          if (known === undefined) return;
          for (const [child, step] of stepOf) {
            if (step !== "skip") continue;
            for (const contest of [contestOf("change", child), contestOf("deletion", child)]) {
              const found = known.get(contest);
              if (found !== undefined && isOver(found)) known.delete(contest);
            }
          }
          for (const [name, contest] of known) {
            const child = name.startsWith(CREATION) ? name.slice(CREATION.length) : undefined;
            if (child !== undefined && !stepOf.has(child) && isOver(contest)) known.delete(name);
          }
          if (known.size === 0) childrenByKey.delete(key);
        },
        status: {
          get isContested() {
            const contest = statusByKey.get(key);
            return contest !== undefined && (contest.repairs.length > 0 || contest.conflict !== undefined);
          },
          describeBlocked(desiredDigest) {
            const contest = statusByKey.get(key);
            return contest?.desiredDigest === desiredDigest ? describe(contest) : undefined;
          },
          async recordWrite(desiredDigest, describeConflict) {
            forgetOldStatuses();
            const previous = statusByKey.get(key);
            const contest = continueContest(previous, desiredDigest);
            statusByKey.delete(key);
            statusByKey.set(key, contest);
            if (contest === previous && !isStatusCounted) await addRepair(contest, describeConflict);
            isStatusCounted = true;
          },
          recordUnchanged() {
            const contest = statusByKey.get(key);
            if (contest !== undefined && isOver(contest)) statusByKey.delete(key);
          },
          reset: () => void statusByKey.delete(key),
        },
        list: listActive,
        nextRetry() {
          const active = listActive();
          if (active.length === 0) return undefined;
          return Math.max(0, Math.min(...active.map(({ retryAt }) => retryAt)) - clock.monotonic());
        },
      };
    },
  };
}
export type FieldConflicts = ReturnType<typeof createFieldConflicts>;

/** Formats a conflict: 'field manager "kubectl" keeps changing ConfigMap default/a at .data.v', 'another client keeps deleting ConfigMap default/a'. */
export function formatConflict({ action, child, managers, fields }: FieldConflict): string {
  const names = managers.map((name) => JSON.stringify(name)).join(" and ");
  const unknown = action === "changing" ? "another writer keeps" : "another client keeps";
  const subject = managers.length === 0 ? unknown : managers.length === 1 ? `field manager ${names} keeps` : `field managers ${names} keep`;
  const more = fields.length > NAMED_FIELDS ? ` and ${fields.length - NAMED_FIELDS} more fields` : "";
  const where = fields.length === 0 ? "" : ` at ${fields.slice(0, NAMED_FIELDS).join(", ")}${more}`;
  return `${subject} ${action} ${child}${where}`;
}

/** The part of an object that is desired. */
export interface DesiredPart {
  readonly kind: KindInfo;
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly body: JsonObject;
  /** Default: the object without its subresources. */
  readonly subresource?: "status" | undefined;
  /** The field manager of this controller. */
  readonly fieldManager: string;
}

/** Finds out who changed the fields of an object, from the managed fields of the live object. */
export function findFieldConflict(part: DesiredPart, live: LiveJsonObject | undefined): FieldConflict {
  const { kind, body, fieldManager } = part;
  const child = formatObject(kind, part);
  const mismatches: string[] = [];
  isSatisfiedBy(body, live, kind.shape, mismatches);
  const entries = ((live?.metadata.managedFields ?? []) as readonly ManagedFieldsEntry[]).filter(
    ({ subresource = "" }) => subresource === (part.subresource ?? ""),
  );
  const own = entries.filter(({ manager }) => manager === fieldManager).map(({ fieldsV1 }) => parseFieldsV1(fieldsV1));
  const others = entries.filter(({ manager }) => manager !== fieldManager);
  const lost = difference(toFieldSet(body, kind.shape ?? UNTYPED_SHAPE), own.reduce(union, EMPTY_FIELD_SET));
  const contested = others.flatMap(({ manager = "", fieldsV1 }) => {
    const fields = withoutTimes([...iteratePaths(intersection(lost, parseFieldsV1(fieldsV1)))].map(formatPath));
    return fields.length === 0 ? [] : [{ manager, fields }];
  });
  if (contested.length > 0)
    return {
      action: "changing",
      child,
      managers: [...new Set(contested.map(({ manager }) => manager))],
      fields: [...new Set(contested.flatMap(({ fields }) => fields))],
    };
  // Removed fields have no manager: the last writer is the one who removed them.
  const last = findLastManager(others);
  return {
    action: "changing",
    child,
    managers: last === undefined ? [] : [last],
    fields: mismatches.length === 0 ? ["its metadata"] : withoutTimes(mismatches),
  };
}

/** Finds out who created a child that is pruned: its last other writer. */
export function findCreator(kind: KindInfo, live: LiveJsonObject, fieldManager: string): FieldConflict {
  const entries = (live.metadata.managedFields ?? []) as readonly ManagedFieldsEntry[];
  const last = findLastManager(entries.filter(({ manager, subresource = "" }) => manager !== fieldManager && subresource === ""));
  return { action: "creating", child: formatObject(kind, live.metadata), managers: last === undefined ? [] : [last], fields: [] };
}

function findLastManager(entries: readonly ManagedFieldsEntry[]): string | undefined {
  return entries.toSorted((a, b) => String(a.time).localeCompare(String(b.time))).at(-1)?.manager;
}

/** Leaves out fields of conditions that change with others, unless there are no others. */
function withoutTimes(paths: readonly string[]): readonly string[] {
  const others = paths.filter((path) => !/\.(lastTransitionTime|observedGeneration)$/.test(path));
  return others.length === 0 ? paths : others;
}
