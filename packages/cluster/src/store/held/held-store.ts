import { once } from "node:events";
import type { Socket } from "node:net";
import type { JsonObject } from "pintle/kinds";
import { deleteLine, putLine } from "../file/records.ts";
import { type Loaded, ledger } from "../ledger.ts";
import { type Change, type Committed, type Conflict, type Store, StoreError } from "../store.ts";
import { parseText } from "../value-text.ts";

/** What a holder says: what each key holds, then as of which revision that is all. */
type Line = readonly ["put", revision: number, key: string, value: JsonObject] | readonly ["revision", number];

/** So many bytes may be on their way to the holder; more waits for it. */
const BACKLOG = 16 * 1024 * 1024;

/**
 * A store whose objects another process holds: it hands them over at the start, and hears of every commit after that. A
 * commit is done when the operating system has it, which passes it on whatever becomes of this process. Throws StoreError
 * when the holder ends before it has handed over everything.
 */
export async function heldStore(socket: Socket, head: Buffer, history?: number): Promise<Store> {
  const { entries, revision } = await handedOver(socket, head);
  const kept = ledger({ entries, revision, history });
  let lost = false;
  socket.setNoDelay(true);
  socket.on("error", () => {});
  socket.once("close", () => {
    lost = true;
  });
  // It has nothing more to say, but its end should be noticed.
  socket.resume();
  return {
    ...kept.reads,
    async txn(key, expect, change) {
      if (lost) throw new StoreError("nothing was stored, as etcd has ended: start both again");
      if (socket.writableLength > BACKLOG) await Promise.race([once(socket, "drain"), once(socket, "close")]);
      return commit(key, expect, change);
    },
    async close() {
      if (lost) return;
      const closed = once(socket, "close");
      socket.end();
      await closed;
    },
  };

  function commit(key: string, expect: number, change: Change): Committed | Conflict {
    const current = kept.entry(key);
    if ((current?.revision ?? 0) !== expect) return { ok: false, current };
    if (current === undefined && "delete" in change) return { ok: false, current };
    const next = kept.revision() + 1;
    socket.write(`${"put" in change ? putLine(key, change.put, next) : deleteLine(key, next)}\n`);
    const committed = "put" in change ? kept.put(key, change.put, next, change.note) : kept.delete(key, next);
    return committed ?? { ok: false, current };
  }
}

/** Everything up to the line that says it is all. */
function handedOver(socket: Socket, head: Buffer): Promise<{ readonly entries: readonly Loaded[]; readonly revision: number }> {
  return new Promise((resolve, reject) => {
    const entries: Loaded[] = [];
    let rest = "";
    const read = (piece: Buffer | string) => {
      const lines = `${rest}${piece.toString()}`.split("\n");
      rest = lines.pop() as string;
      for (const text of lines) {
        const line = parseText(text) as Line;
        if (line[0] === "revision") {
          socket.off("data", read).off("close", ended);
          return resolve({ entries, revision: line[1] });
        }
        const [, revision, key, value] = line;
        entries.push({ key, value, revision });
      }
    };
    const ended = () => reject(new StoreError("etcd ended before it had handed over its objects: start it again"));
    if (head.length > 0) socket.unshift(head);
    socket.setEncoding("utf8");
    socket.once("close", ended);
    socket.on("data", read);
  });
}
