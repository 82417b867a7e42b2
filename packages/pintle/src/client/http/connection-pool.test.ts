import { describe, expect, it } from "vitest";
import type { Connection } from "./connection.ts";
import { type ConnectionWaiter, createConnectionPool } from "./connection-pool.ts";

function setUpPool(maxConnections: number) {
  const opened: { destroyed: boolean }[] = [];
  const open = (): Connection => {
    const connection = {
      destroyed: false,
      destroy() {
        connection.destroyed = true;
      },
    };
    opened.push(connection);
    return connection as unknown as Connection;
  };
  return { pool: createConnectionPool(open, maxConnections), opened };
}
function createWaiter() {
  const waiter = {
    connection: undefined as Connection | undefined,
    poolClosed: false,
    start(connection: Connection) {
      waiter.connection = connection;
    },
    onPoolClosed() {
      waiter.poolClosed = true;
    },
  };
  return waiter satisfies ConnectionWaiter;
}

describe("connection pool", () => {
  it("reuses the connection used last, and opens one only when none is idle", () => {
    const { pool, opened } = setUpPool(9);
    const [a, b, c] = [createWaiter(), createWaiter(), createWaiter()];
    pool.acquire(a);
    pool.acquire(b);
    expect(opened).toHaveLength(2);
    pool.release(a.connection!);
    pool.release(b.connection!);
    pool.acquire(c);
    expect(c.connection).toBe(b.connection);
    expect(opened).toHaveLength(2);
  });

  it("serves waiters in order and skips a cancelled one", () => {
    const { pool, opened } = setUpPool(1);
    const [a, b, c, d] = [createWaiter(), createWaiter(), createWaiter(), createWaiter()];
    for (const waiter of [a, b, c, d]) pool.acquire(waiter);
    pool.cancel(b);
    pool.release(a.connection!);
    expect([b.connection, c.connection, d.connection]).toEqual([undefined, a.connection, undefined]);
    pool.release(c.connection!);
    expect(d.connection).toBe(a.connection);
    expect(opened).toHaveLength(1);
  });

  it("opens another connection for the next waiter when one is discarded", () => {
    const { pool, opened } = setUpPool(1);
    const [a, b] = [createWaiter(), createWaiter()];
    pool.acquire(a);
    pool.acquire(b);
    pool.discard(a.connection!);
    expect(opened.map((connection) => connection.destroyed)).toEqual([true, false]);
    expect(b.connection).toBeDefined();
    expect(b.connection).not.toBe(a.connection);
  });

  it("serves the waiters of a retired pool, then closes its connections", () => {
    const { pool, opened } = setUpPool(1);
    const [a, b] = [createWaiter(), createWaiter()];
    pool.acquire(a);
    pool.acquire(b);
    pool.retire();
    expect(opened[0]?.destroyed).toBe(false);
    pool.release(a.connection!);
    expect(b.connection).toBe(a.connection);
    pool.release(b.connection!);
    expect(opened[0]?.destroyed).toBe(true);
  });

  it("rejects current and later waiters once it is destroyed", () => {
    const { pool, opened } = setUpPool(1);
    const [a, b, c] = [createWaiter(), createWaiter(), createWaiter()];
    pool.acquire(a);
    pool.acquire(b);
    pool.destroy();
    pool.acquire(c);
    expect([b.poolClosed, c.poolClosed]).toEqual([true, true]);
    expect(opened[0]?.destroyed).toBe(true);
  });
});
