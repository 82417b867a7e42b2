const everyMs = { terminal: 1_000, log: 30_000 };

/**
 * Reports on stderr that a long step is running: an updating line on a terminal, occasional lines
 * in a log. Returns the function that ends it.
 */
export function progress(label: string): (outcome: string) => void {
  const started = performance.now();
  const terminal = process.stderr.isTTY;
  const print = (what: string) => {
    const line = `${label.padEnd(40)} ${what} ${formatElapsed(performance.now() - started)}`;
    process.stderr.write(terminal ? `\r\x1b[K${line}` : `${line}\n`);
  };
  print("building");
  const timer = setInterval(() => print("building"), terminal ? everyMs.terminal : everyMs.log);
  return (outcome) => {
    clearInterval(timer);
    print(outcome);
    if (terminal) process.stderr.write("\n");
  };
}

function formatElapsed(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
}
