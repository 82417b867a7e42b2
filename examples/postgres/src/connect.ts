import { createHash, createHmac, pbkdf2Sync, randomBytes } from "node:crypto";
import pg from "pg";
import { failed } from "pintle";
import type { Server } from "./server.ts";

/** The comment on roles that the operator has created. It changes and drops no others. */
const COMMENT = "managed by postgres-operator";
const identifier = pg.escapeIdentifier;
const literal = pg.escapeLiteral;

/** Connects to a server, as a role that may create roles and databases. Connections are made when they are needed. */
export function connect(config: pg.PoolConfig): Server & { close(): Promise<void> } {
  const pool = new pg.Pool({ max: 5, connectionTimeoutMillis: 5_000, query_timeout: 60_000, ...config });
  // An idle connection ended; the next query makes a new one.
  pool.on("error", () => {});
  const { host, port } = new pg.Client(config);

  async function query(text: string, values?: readonly string[]): Promise<readonly any[]> {
    try {
      return (await pool.query(text, values as string[])).rows;
    } catch (cause) {
      // These classes are about the connection, the authentication, and the state of the server: not about the statement.
      if (cause instanceof pg.DatabaseError && !/^(08|28|53|57)/.test(cause.code ?? "")) throw cause;
      throw failed("ServerUnreachable", `could not reach PostgreSQL at ${host}:${port}`, { cause });
    }
  }
  /** Resolves to whether the role exists. Rejects if the operator has not created it. */
  async function hasRole(role: string): Promise<boolean> {
    const [found] = await query("SELECT shobj_description(oid, 'pg_authid') AS comment FROM pg_roles WHERE rolname = $1", [role]);
    if (found !== undefined && found.comment !== COMMENT)
      throw failed("AlreadyExists", `role ${role} exists, and this operator has not created it`);
    return found !== undefined;
  }
  const ownerOf = async (database: string): Promise<string | undefined> =>
    (await query("SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = $1", [database]))[0]?.owner;

  return {
    address: { host, port },
    close: () => pool.end(),
    async ensureRole(role, { password, connectionLimit }) {
      const isNew = !(await hasRole(role));
      const options = `LOGIN CONNECTION LIMIT ${connectionLimit} PASSWORD ${literal(scramVerifier(password))}`;
      // The statements are one transaction: there is never a role without the comment. Only a member may give a role a database.
      const mark = `COMMENT ON ROLE ${identifier(role)} IS ${literal(COMMENT)}; GRANT ${identifier(role)} TO CURRENT_USER`;
      const create = `CREATE ROLE ${identifier(role)} ${options}; ${mark}`;
      await query(isNew ? create : `ALTER ROLE ${identifier(role)} ${options}`);
      return isNew;
    },
    async listDatabases(role) {
      const rows = await query("SELECT datname FROM pg_database WHERE pg_get_userbyid(datdba) = $1 ORDER BY datname", [role]);
      return rows.map(({ datname }) => datname);
    },
    async dropRole(role) {
      if (await hasRole(role)) await query(`DROP ROLE IF EXISTS ${identifier(role)}`);
    },
    async ensureDatabase(database, owner) {
      const found = await ownerOf(database);
      if (found !== undefined && found !== owner) throw failed("AlreadyExists", `database ${database} exists, and belongs to ${found}`);
      if (found === undefined) await query(`CREATE DATABASE ${identifier(database)} OWNER ${identifier(owner)}`);
      return found === undefined;
    },
    async dropDatabase(database, owner) {
      if ((await ownerOf(database)) === owner) await query(`DROP DATABASE IF EXISTS ${identifier(database)} WITH (FORCE)`);
    },
  };
}

/** Returns what PostgreSQL stores of a password, so that no statement, and no log of the server, contains the password (RFC 5803). */
function scramVerifier(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password.normalize("NFKC"), salt, 4096, 32, "sha256");
  const keyOf = (name: string) => createHmac("sha256", salted).update(name).digest();
  const storedKey = createHash("sha256").update(keyOf("Client Key")).digest("base64");
  return `SCRAM-SHA-256$4096:${salt.toString("base64")}$${storedKey}:${keyOf("Server Key").toString("base64")}`;
}
