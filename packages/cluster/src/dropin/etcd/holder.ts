import type { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";

/** The objects of one kube-apiserver, as the lines that it sent. */
interface Space {
  readonly lines: Map<string, string>;
  revision: number;
  /** Who works with them now. */
  owner: Socket | undefined;
}

/** A commit, as far as it concerns whoever only keeps it: what, when, which key. */
const COMMIT = /^\["(put|delete)",(\d+),("(?:[^"\\]|\\.)*")/;
/** As a fresh etcd: clients treat 0 as "any". */
const FIRST = 1;

/** Keeps objects for as long as it lives, so that a kube-apiserver that comes back finds them. Of one prefix, for one at a time. */
export interface Holder {
  /**
   * False: somebody else works with these. Otherwise `greeting` is sent, everything is handed over, and commits are taken in
   * until the socket ends.
   */
  serve(prefix: string, socket: Socket, head: Buffer, greeting: string): boolean;
}

export function holder(): Holder {
  const spaces = new Map<string, Space>();
  return {
    serve(prefix, socket, head, greeting) {
      const space: Space = spaces.get(prefix) ?? { lines: new Map(), revision: FIRST, owner: undefined };
      if (space.owner !== undefined) return false;
      spaces.set(prefix, space);
      space.owner = socket;
      socket.once("close", () => {
        space.owner = undefined;
      });
      socket.setNoDelay(true);
      socket.write(greeting);
      for (const line of space.lines.values()) socket.write(`${line}\n`);
      socket.write(`["revision",${space.revision}]\n`);
      if (head.length > 0) socket.unshift(head);
      takeIn(space, socket);
      return true;
    },
  };
}

function takeIn(space: Space, socket: Socket): void {
  let rest = "";
  // The socket came with HTTP, which forbids it to decode for itself.
  const decoder = new StringDecoder("utf8");
  socket.on("data", (piece: Buffer) => {
    const lines = `${rest}${decoder.write(piece)}`.split("\n");
    // What a server that was killed did not finish is not a commit.
    rest = lines.pop() as string;
    for (const line of lines) {
      const [, type, revision, key] = COMMIT.exec(line) ?? [];
      if (type === undefined) {
        socket.destroy(new Error(`a commit cannot be read: ${line.slice(0, 200)}`));
        return;
      }
      const name = JSON.parse(key as string) as string;
      if (type === "put") space.lines.set(name, line);
      else space.lines.delete(name);
      space.revision = Number(revision);
    }
  });
}
