/** Draws the picture in place on a terminal; elsewhere prints it whenever it has changed, so that a log can be read. */
export interface Screen {
  /** One thing that happened, above the picture. */
  say(text: string): void;
  draw(lines: readonly string[]): void;
  /** Leaves the last picture where it is. */
  end(): void;
}

export function screen(out: NodeJS.WriteStream): Screen {
  return out.isTTY ? terminal(out) : log(out);
}

function terminal(out: NodeJS.WriteStream): Screen {
  let shown: readonly string[] = [];
  const erase = () => (shown.length === 0 ? "" : `\u001b[${shown.length}A\u001b[J`);
  const picture = () => shown.map((line) => `${line.slice(0, out.columns || undefined)}\n`).join("");
  return {
    say(text) {
      out.write(`${erase()}\u001b[1m${text}\u001b[0m\n${picture()}`);
    },
    draw(lines) {
      const before = erase();
      shown = lines;
      out.write(before + picture());
    },
    end() {
      shown = [];
    },
  };
}

/** Pictures that last less than this are not printed. */
const GLIMPSE = 100;

function log(out: NodeJS.WriteStream): Screen {
  let shown = "";
  let next = "";
  let timer: NodeJS.Timeout | undefined;
  const print = () => {
    clearTimeout(timer);
    timer = undefined;
    if (next !== shown) out.write(next);
    shown = next;
  };
  return {
    say(text) {
      print();
      out.write(`${text}\n`);
    },
    draw(lines) {
      next = lines.map((line) => `    ${line}\n`).join("");
      timer ??= setTimeout(print, GLIMPSE);
    },
    end: print,
  };
}
