import type { Condition } from "./types.ts";

/** A condition before it is known when its status changed. */
export type NewCondition = Omit<Condition, "lastTransitionTime">;

const MAX_MESSAGE_LENGTH = 32768;
const TRUNCATED = "\n\n... [message truncated]";

/** Sets a condition in place, or adds it at the end. The time changes only with the status. */
export function setCondition(conditions: readonly Condition[], { message, ...condition }: NewCondition, now: number): readonly Condition[] {
  const before = conditions.find(({ type }) => type === condition.type);
  const isSame = before?.status === condition.status;
  const lastTransitionTime = isSame ? before.lastTransitionTime : formatTime(now);
  const next: Condition = { ...condition, message: truncateMessage(message), lastTransitionTime };
  if (before === undefined) return [...conditions, next];
  return conditions.map((each) => (each === before ? next : each));
}

/** The condition of this type. */
export function findCondition(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

/** Whether a condition is True. */
export function isConditionTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return findCondition(conditions, type)?.status === "True";
}

/** Formats a time as the API server does, in whole seconds. */
export function formatTime(time: number): string {
  return new Date(Math.floor(time / 1000) * 1000).toISOString().replace(".000Z", "Z");
}

/** Shortens a message to the longest one that a condition can have. Go counts bytes. */
function truncateMessage(message: string): string {
  const bytes = Buffer.from(message);
  if (bytes.length <= MAX_MESSAGE_LENGTH) return message;
  return bytes.subarray(0, MAX_MESSAGE_LENGTH - TRUNCATED.length).toString("utf8") + TRUNCATED;
}
