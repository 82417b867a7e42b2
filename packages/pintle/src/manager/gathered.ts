/** Lines wait this long for others, so that a burst of runs is not a burst of system calls. */
const WAIT_MS = 20;

/** Writes lines that come close to each other at once; what is left when the process ends is written then. */
export function gathered(write: (text: string) => void, wait = WAIT_MS): (line: string) => void {
  let text = "";
  const flush = () => {
    const all = text;
    text = "";
    if (all !== "") write(all);
  };
  return (line) => {
    if (text === "") {
      begin(flush);
      setTimeout(() => {
        leftovers.delete(flush);
        flush();
      }, wait).unref();
    }
    text += `${line}\n`;
  };
}

/** One listener for all: a process may have many managers. */
const leftovers = new Set<() => void>();
let listening = false;
function begin(flush: () => void): void {
  leftovers.add(flush);
  if (listening) return;
  listening = true;
  process.once("exit", () => {
    for (const each of leftovers) each();
  });
}
