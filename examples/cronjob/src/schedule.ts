import { Cron } from "croner";
import { terminal, z } from "pintle";

const field = (name: string) =>
  z
    .string()
    .regex(/^[^ ]{1,100}$/)
    .default("*")
    .describe(`${name}, as in cron.`);

/** A schedule as v2 has it, in UTC. */
export const Schedule = z.object({
  minute: field("Minute"),
  hour: field("Hour"),
  dayOfMonth: field("Day of the month"),
  month: field("Month"),
  dayOfWeek: field("Day of the week"),
});
export type Schedule = z.output<typeof Schedule>;

/** Returns a schedule as v1 has it: "0 3 * * 1-5". */
export function formatSchedule({ minute, hour, dayOfMonth, month, dayOfWeek }: Schedule): string {
  return [minute, hour, dayOfMonth, month, dayOfWeek].join(" ");
}

/** The reverse. The API server converts for the webhook before it validates, so the number of fields is checked here. */
export function splitSchedule(schedule: string): Schedule {
  const [minute, hour, dayOfMonth, month, dayOfWeek, ...others] = schedule.split(" ");
  if (!minute || !hour || !dayOfMonth || !month || !dayOfWeek || others.length > 0)
    throw new Error(`spec.schedule: ${schedule} must have five fields`);
  return { minute, hour, dayOfMonth, month, dayOfWeek };
}

/** Returns the latest run up to now, and the first one after it. */
export function findRuns(schedule: Schedule, now: Date): { readonly latest: Date | undefined; readonly next: Date } {
  const cron = parseSchedule(formatSchedule(schedule));
  const next = cron.nextRun(now);
  if (next === null) throw terminal(`${cron.getPattern()} is never due`);
  // The library returns runs of earlier seconds, and a run that is due now counts.
  const [latest] = cron.previousRuns(1, new Date(now.getTime() + 1000));
  return { latest, next };
}

function parseSchedule(expression: string): Cron {
  try {
    return new Cron(expression, { mode: "5-part", timezone: "UTC" });
  } catch (error) {
    throw terminal(`${expression} is not a schedule: ${(error as Error).message}`);
  }
}
