/** Shows steps and a table of objects: on a terminal the table is updated in place, elsewhere it is printed when it has changed. */
export interface Display {
  /** Prints a line above the table. */
  printStep(text: string): void;
  drawTable(lines: readonly string[]): void;
  /** Leaves the last table on the screen. */
  close(): void;
}

export function createDisplay(out: NodeJS.WriteStream): Display {
  return out.isTTY ? createTerminalDisplay(out) : createLogDisplay(out);
}

function createTerminalDisplay(out: NodeJS.WriteStream): Display {
  let shown: readonly string[] = [];
  const erase = () => (shown.length === 0 ? "" : `\u001b[${shown.length}A\u001b[J`);
  const formatTable = () => shown.map((line) => `${line.slice(0, out.columns || undefined)}\n`).join("");
  return {
    printStep(text) {
      out.write(`${erase()}\u001b[1m${text}\u001b[0m\n${formatTable()}`);
    },
    drawTable(lines) {
      const before = erase();
      shown = lines;
      out.write(before + formatTable());
    },
    close() {
      shown = [];
    },
  };
}

/** Tables that change again within this time are not printed. */
const MIN_VISIBLE_MS = 100;

function createLogDisplay(out: NodeJS.WriteStream): Display {
  let printed = "";
  let latest = "";
  let timer: NodeJS.Timeout | undefined;
  const print = () => {
    clearTimeout(timer);
    timer = undefined;
    if (latest !== printed) out.write(latest);
    printed = latest;
  };
  return {
    printStep(text) {
      print();
      out.write(`${text}\n`);
    },
    drawTable(lines) {
      latest = lines.map((line) => `    ${line}\n`).join("");
      timer ??= setTimeout(print, MIN_VISIBLE_MS);
    },
    close: print,
  };
}
