/** How values are written everywhere on the page. */

/** "12:01:07.123", in the viewer's time zone. */
export function formatTime(time: number): string {
  const date = new Date(time);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** "9 ms", "1.4 s", "3 min 5 s", "2 h 10 min". */
export function formatDuration(ms: number): string {
  if (ms < 1) return ms <= 0 ? "0 ms" : "<1 ms";
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1_000;
  if (seconds < 60) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return joinUnits(minutes, "min", Math.round(seconds % 60), "s");
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? joinUnits(hours, "h", minutes % 60, "min") : `${Math.floor(hours / 24)} d`;
}

function joinUnits(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;
}

const MAX_VALUE = 120;

/** A JSON value in one line; `unset` for an absent one. */
export function formatValue(value: unknown, limit = MAX_VALUE): string {
  if (value === undefined) return "unset";
  const text = JSON.stringify(value);
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

/** "3 runs", "1 run". */
export function count(number: number, noun: string, plural = `${noun}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? noun : plural}`;
}
