import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { connect } from "../src/connect.ts";
import { describeOperator } from "./operator-contract.ts";
import { describeServer } from "./server-contract.ts";
import { isPostgresInstalled, type PostgresProcess, queryAs, startPostgres } from "./start-postgres.ts";

if (!isPostgresInstalled)
  console.warn("\n!!! SKIPPED: PostgreSQL is not installed, so no real server was tested. Install the Debian package postgresql.\n");

describe.skipIf(!isPostgresInstalled)("on a real PostgreSQL server", () => {
  let postgres: PostgresProcess;
  let server: ReturnType<typeof connect>;
  beforeAll(async () => {
    postgres = await startPostgres();
    server = connect(postgres.config);
  });
  afterAll(async () => {
    await server?.close();
    await postgres?.remove();
  });
  const addForeign = async (name: string) => {
    await queryAs(postgres.config, `CREATE ROLE "${name}"`);
    await queryAs(postgres.config, `CREATE DATABASE "${name}"`);
  };

  describeServer("the server, as its superuser", async () => {
    await addForeign("foreign");
    return server;
  });

  test("no log contains a password", async () => {
    await server.ensureRole("logged", { password: "top-secret", connectionLimit: -1 });
    await expect.poll(() => postgres.log()).toContain('CREATE ROLE "logged"');
    expect(postgres.log()).not.toContain("top-secret");
  });

  describe("as an administrator that may only create roles and databases", () => {
    let limited: ReturnType<typeof connect>;
    afterAll(() => limited?.close());
    describeServer("the server", async () => {
      await queryAs(postgres.config, "CREATE ROLE administrator LOGIN CREATEROLE CREATEDB PASSWORD 'a'");
      limited = connect({ ...postgres.config, user: "administrator", password: "a" });
      return limited;
    });
  });

  describeOperator("the operator", async () => ({
    server,
    canLogIn: (user, password, database = "postgres") =>
      queryAs({ ...postgres.config, user, password, database }, "SELECT 1").then(
        () => true,
        () => false,
      ),
    addForeign,
    stop: () => postgres.stop(),
    start: () => postgres.start(),
  }));
});
