import { beforeAll, describe, expect, test } from "vitest";
import type { Server } from "../src/server.ts";

/** What the controllers rely on. `start` returns a server with the role and the database `foreign`, which the operator has not created. */
export function describeServer(name: string, start: () => Promise<Server>): void {
  describe(name, () => {
    let server: Server;
    beforeAll(async () => {
      server = await start();
    });
    const options = { password: "secret", connectionLimit: -1 };

    test("a role is created once, changed after that, and dropped once", async () => {
      expect(await server.ensureRole("a_role", options)).toBe(true);
      expect(await server.ensureRole("a_role", { ...options, connectionLimit: 3 })).toBe(false);
      await server.dropRole("a_role");
      await server.dropRole("a_role");
      expect(await server.ensureRole("a_role", options)).toBe(true);
      await server.dropRole("a_role");
    });

    test("a database is created once and dropped once, and belongs to its owner", async () => {
      await server.ensureRole("a_owner", options);
      expect(await server.ensureDatabase("a_shop-1", "a_owner")).toBe(true);
      expect(await server.ensureDatabase("a_shop-1", "a_owner")).toBe(false);
      expect(await server.listDatabases("a_owner")).toEqual(["a_shop-1"]);
      await expect(server.dropRole("a_owner")).rejects.toThrow(/"a_owner" cannot be dropped/);
      await server.dropDatabase("a_shop-1", "a_owner");
      await server.dropDatabase("a_shop-1", "a_owner");
      expect(await server.listDatabases("a_owner")).toEqual([]);
      await server.dropRole("a_owner");
    });

    test("a database needs its owner", async () => {
      await expect(server.ensureDatabase("a_early", "a_missing")).rejects.toThrow('role "a_missing" does not exist');
    });

    test("what the operator has not created is neither changed nor dropped", async () => {
      await expect(server.ensureRole("foreign", options)).rejects.toThrow("role foreign exists, and this operator has not created it");
      await expect(server.dropRole("foreign")).rejects.toThrow("has not created it");
      await server.ensureRole("a_other", options);
      await expect(server.ensureDatabase("foreign", "a_other")).rejects.toThrow("database foreign exists, and belongs to postgres");
      await server.dropDatabase("foreign", "a_other");
      await server.dropRole("a_other");
      expect(await server.listDatabases("postgres")).toContain("foreign");
    });
  });
}
