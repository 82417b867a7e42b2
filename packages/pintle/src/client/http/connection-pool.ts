import type { Connection } from "./connection.ts";

/** A request that waits for a connection. */
export interface ConnectionWaiter {
  start(connection: Connection): void;
  /** The pool was closed: there will be no connection. */
  onPoolClosed(): void;
}

/** The connections of one identity. */
export interface ConnectionPool {
  /** Starts the waiter on an idle or new connection, or on the first that becomes free. */
  acquire(waiter: ConnectionWaiter): void;
  /** Removes a waiter that has not been started. */
  cancel(waiter: ConnectionWaiter): void;
  /** Returns a connection that can be used again. */
  release(connection: Connection): void;
  /** Closes a broken connection; the next waiter gets a new one. */
  discard(connection: Connection): void;
  /** Closes idle connections now and every other one when it is released. */
  retire(): void;
  /** Closes all connections and rejects all waiters. */
  destroy(): void;
}

/** Returns a pool of at most `maxConnections`. The connection used last is reused first, so that as few as possible stay open. */
export function createConnectionPool(open: () => Connection, maxConnections: number): ConnectionPool {
  const all = new Set<Connection>();
  const free: Connection[] = [];
  const waiters = new Set<ConnectionWaiter>();
  let state: "open" | "retired" | "destroyed" = "open";

  function acquire(waiter: ConnectionWaiter): void {
    const idle = free.pop();
    if (state === "destroyed") waiter.onPoolClosed();
    else if (idle !== undefined) waiter.start(idle);
    else if (all.size >= maxConnections) waiters.add(waiter);
    else {
      const connection = open();
      all.add(connection);
      waiter.start(connection);
    }
  }
  function takeWaiter(): ConnectionWaiter | undefined {
    const [next] = waiters;
    if (next !== undefined) waiters.delete(next);
    return next;
  }
  function close(connection: Connection): void {
    all.delete(connection);
    connection.destroy();
  }

  return {
    acquire,
    cancel(waiter) {
      waiters.delete(waiter);
    },
    release(connection) {
      const next = takeWaiter();
      if (next !== undefined) next.start(connection);
      else if (state === "open") free.push(connection);
      else close(connection);
    },
    discard(connection) {
      close(connection);
      const next = takeWaiter();
      if (next !== undefined) acquire(next);
    },
    retire() {
      state = "retired";
      for (const connection of free.splice(0)) close(connection);
    },
    destroy() {
      state = "destroyed";
      for (const waiter of waiters) waiter.onPoolClosed();
      waiters.clear();
      for (const connection of all) connection.destroy();
    },
  };
}
