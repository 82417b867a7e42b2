import type { Socket } from "node:net";
import { StringDecoder } from "node:string_decoder";

/** The objects of one prefix, as the lines that the kube-apiserver sent. */
interface PrefixState {
  readonly lines: Map<string, string>;
  revision: number;
  /** The connection that currently uses the objects. */
  owner: Socket | undefined;
}

/** The start of a commit line: operation, revision, key. */
const COMMIT_PATTERN = /^\["(put|delete)",(\d+),("(?:[^"\\]|\\.)*")/;
/** As in a new etcd: clients treat 0 as "any". */
const FIRST_REVISION = 1;

/** Holds objects in memory, so that a restarted kube-apiserver finds them. Each prefix has one client at a time. */
export interface ObjectHolder {
  /**
   * Returns false if another client uses the prefix. Otherwise sends `greeting` and all objects, and receives commits until the socket
   * ends.
   */
  serve(prefix: string, socket: Socket, head: Buffer, greeting: string): boolean;
}

export function createObjectHolder(): ObjectHolder {
  const spaces = new Map<string, PrefixState>();
  return {
    serve(prefix, socket, head, greeting) {
      const state: PrefixState = spaces.get(prefix) ?? { lines: new Map(), revision: FIRST_REVISION, owner: undefined };
      if (state.owner !== undefined) return false;
      spaces.set(prefix, state);
      state.owner = socket;
      socket.once("close", () => {
        state.owner = undefined;
      });
      socket.setNoDelay(true);
      socket.write(greeting);
      for (const line of state.lines.values()) socket.write(`${line}\n`);
      socket.write(`["revision",${state.revision}]\n`);
      if (head.length > 0) socket.unshift(head);
      receiveCommits(state, socket);
      return true;
    },
  };
}

function receiveCommits(state: PrefixState, socket: Socket): void {
  let incomplete = "";
  // The socket comes from the HTTP server, which forbids setEncoding.
  const decoder = new StringDecoder("utf8");
  socket.on("data", (chunk: Buffer) => {
    const lines = `${incomplete}${decoder.write(chunk)}`.split("\n");
    // An incomplete line, left by a killed server, is not a commit.
    incomplete = lines.pop() as string;
    for (const line of lines) {
      const [, type, revision, key] = COMMIT_PATTERN.exec(line) ?? [];
      if (type === undefined) {
        socket.destroy(new Error(`invalid commit: ${line.slice(0, 200)}`));
        return;
      }
      const name = JSON.parse(key as string) as string;
      if (type === "put") state.lines.set(name, line);
      else state.lines.delete(name);
      state.revision = Number(revision);
    }
  });
}
