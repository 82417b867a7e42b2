/** One line in the form of klog: level, time, process, place, text. */
export function logLine(level: "I" | "W" | "E", now: Date, text: string): string {
  const two = (n: number) => String(n).padStart(2, "0");
  const day = `${two(now.getMonth() + 1)}${two(now.getDate())}`;
  const time = `${[now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(":")}.${String(now.getMilliseconds()).padStart(3, "0")}000`;
  return `${level}${day} ${time} ${String(process.pid).padStart(7)} pintle] ${text}\n`;
}
